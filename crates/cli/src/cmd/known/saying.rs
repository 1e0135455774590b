//! What stands behind a digest in the lines of `known query`.
//!
//! Details are few and digests many, so what is written for a detail is kept.

use crate::message::Shown;
use hashloom_known::{Answer, Category, Detail, Hit, Sets};
use hashloom_manifest::Label;
use std::collections::HashMap;
use std::io::Write;

/// Texts that are kept at most, so that memory stays bounded.
const KEPT: usize = 1 << 16;

/// Writes sayings.
#[derive(Default)]
pub struct Sayings {
    /// By index and the number of the detail in it; for digests that one index has.
    kept: HashMap<(usize, u32), Option<Text>>,
}

/// A saying, but for the size.
struct Text {
    /// Category and set.
    verdict: Vec<u8>,
    /// The detail as JSON, without the brace that opens it.
    detail: Vec<u8>,
    bad: bool,
}

impl Sayings {
    /// Writes category, set and detail of the digest that has these hits, and ends the line. Says whether it
    /// is bad.
    ///
    /// # Errors
    /// If an index turns out to be damaged.
    pub fn say(&mut self, sets: &Sets, hits: &[Option<Hit>], out: &mut Vec<u8>) -> anyhow::Result<bool> {
        let mut found = hits.iter().enumerate().filter_map(|(index, hit)| hit.map(|hit| (index, hit)));
        match (found.next(), found.next()) {
            (None, _) => Ok(put(None, None, out)),
            (Some((index, hit)), None) => {
                let size = sets.indexes()[index].size(hit);
                let text = self.of_detail(sets, (index, hit), hits)?;
                Ok(put(text, size, out))
            }
            _ => {
                let answer = sets.answer(hits)?;
                let text = answer.as_ref().map(Text::of).transpose()?;
                Ok(put(text.as_ref(), answer.and_then(|answer| answer.size), out))
            }
        }
    }

    fn of_detail(
        &mut self,
        sets: &Sets,
        (index, hit): (usize, Hit),
        hits: &[Option<Hit>],
    ) -> anyhow::Result<Option<&Text>> {
        let key = (index, sets.indexes()[index].detail_number(hit));
        if !self.kept.contains_key(&key) {
            let text = sets.answer(hits)?.as_ref().map(Text::of).transpose()?;
            if self.kept.len() >= KEPT {
                self.kept.clear();
            }
            self.kept.insert(key, text);
        }
        Ok(self.kept.get(&key).and_then(Option::as_ref))
    }
}

impl Text {
    fn of(answer: &Answer) -> anyhow::Result<Text> {
        let category = Shown(answer.category.word().as_bytes());
        let mut verdict = Vec::new();
        write!(verdict, "{category}\t{}", Shown(answer.set.as_bytes()))?;
        let detail = json(&answer.detail)?;
        Ok(Text { verdict, detail, bad: answer.category == Category::Bad })
    }
}

/// An object without its first brace; claims are never missing in it.
fn json(detail: &Detail) -> serde_json::Result<Vec<u8>> {
    let mut json = serde_json::to_vec(detail)?;
    json.remove(0);
    Ok(json)
}

fn put(text: Option<&Text>, size: Option<u64>, out: &mut Vec<u8>) -> bool {
    out.push(b'\t');
    let Some(text) = text else {
        out.extend_from_slice(Label::UNKNOWN.as_bytes());
        out.extend_from_slice(b"\t\t{}\n");
        return false;
    };
    out.extend_from_slice(&text.verdict);
    out.extend_from_slice(b"\t{");
    if let Some(size) = size {
        out.extend_from_slice(format!("\"size\":{size},").as_bytes());
    }
    out.extend_from_slice(&text.detail);
    out.push(b'\n');
    text.bad
}
