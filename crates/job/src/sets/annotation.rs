//! Annotations of digests: the rest of a line of a query.
//!
//! There are few details and many digests, so the text for a detail is kept.

use hashmill_known::{Answer, Category, Error, Hit, Sets};
use hashmill_manifest::Label;
use hashmill_terminal::Shown;
use std::collections::HashMap;

/// Limit of kept texts, so that memory stays bounded.
const KEPT: usize = 1 << 16;

/// A writer of annotations.
#[derive(Default)]
pub struct Annotations {
    /// Place in `texts` by index and by the number of the detail in it, for digests that only one index has.
    kept: HashMap<(usize, u32), usize>,
    /// Texts of details; `None` if the filter leaves no claim.
    texts: Vec<Option<Text>>,
    /// The detail that was written last, as many digests of a list share one.
    last: Option<((usize, u32), usize)>,
}

/// An annotation without a size.
struct Text {
    /// The text after a digest without a size, up to the end of the line.
    line: Vec<u8>,
    /// The place in it where a size is inserted.
    size: usize,
    bad: bool,
}

impl Annotations {
    /// Writes category, set and detail of a digest, and ends the line. `place` is the place of the digest in a batch;
    /// `hits` are the results of each index for that batch. Returns whether the digest is bad.
    ///
    /// # Errors
    /// If an index turns out to be damaged.
    pub fn say(
        &mut self,
        sets: &Sets,
        hits: &[Vec<Option<Hit>>],
        place: usize,
        out: &mut Vec<u8>,
    ) -> Result<bool, Error> {
        let mut found =
            hits.iter().enumerate().filter_map(|(index, hits)| hits[place].map(|hit| (index, hit)));
        match (found.next(), found.next()) {
            (None, _) => Ok(put(None, None, out)),
            (Some((index, hit)), None) => {
                let size = sets.indexes()[index].size(hit)?;
                Ok(put(self.of_detail(sets, index, hit)?, size, out))
            }
            _ => {
                let answer = sets.answer(hits.iter().map(|hits| hits[place]))?;
                let text = answer.as_ref().map(Text::from_answer);
                Ok(put(text.as_ref(), answer.and_then(|answer| answer.size), out))
            }
        }
    }

    fn of_detail(&mut self, sets: &Sets, index: usize, hit: Hit) -> Result<Option<&Text>, Error> {
        let key = (index, sets.indexes()[index].detail_number(hit));
        let known = self.last.filter(|(last, _)| *last == key).map(|(_, at)| at);
        let at = match known.or_else(|| self.kept.get(&key).copied()) {
            Some(at) => at,
            None => self.keep(sets, key, hit)?,
        };
        self.last = Some((key, at));
        Ok(self.texts[at].as_ref())
    }

    fn keep(&mut self, sets: &Sets, key: (usize, u32), hit: Hit) -> Result<usize, Error> {
        let hits = (0..sets.indexes().len()).map(|index| (index == key.0).then_some(hit));
        let text = sets.answer(hits)?.as_ref().map(Text::from_answer);
        if self.texts.len() >= KEPT {
            self.kept.clear();
            self.texts.clear();
        }
        self.texts.push(text);
        self.kept.insert(key, self.texts.len() - 1);
        Ok(self.texts.len() - 1)
    }
}

impl Text {
    fn from_answer(answer: &Answer) -> Text {
        let category = Shown(answer.category.word().as_bytes());
        let mut line = format!("\t{category}\t{}\t", Shown(answer.set.as_bytes())).into_bytes();
        // Behind the brace. A comma follows the size, as the detail always has claims.
        let size = line.len() + 1;
        line.extend(serde_json::to_vec(&answer.detail).expect("a detail is texts and lists of them"));
        line.push(b'\n');
        Text { line, size, bad: answer.category == Category::Bad }
    }
}

fn put(text: Option<&Text>, size: Option<u64>, out: &mut Vec<u8>) -> bool {
    let Some(text) = text else {
        out.push(b'\t');
        out.extend_from_slice(Label::UNKNOWN.as_bytes());
        out.extend_from_slice(b"\t\t{}\n");
        return false;
    };
    match size {
        None => out.extend_from_slice(&text.line),
        Some(size) => {
            let (before, after) = text.line.split_at(text.size);
            out.extend_from_slice(before);
            out.extend_from_slice(format!("\"size\":{size},").as_bytes());
            out.extend_from_slice(after);
        }
    }
    text.bad
}
