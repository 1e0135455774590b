//! The answers to a part of a list, which one thread finds.

use super::annotation::Annotations;
use crate::error::Error;
use hashmill_digest::{BadDigest, Digest};
use hashmill_known::{Index, Sets};
use hashmill_terminal::Shown;
use memchr::{memchr_iter, memchr3};
use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender};

/// Number of digests that are looked up together: few enough that their data stay in a core's own cache.
const BATCH: usize = 512;

/// The word that replaces the category of malformed digests.
pub(super) const MALFORMED: &str = "malformed";

/// The answers to a part of a list.
#[derive(Default)]
pub(super) struct Part {
    /// The answers, a line each.
    pub lines: Vec<u8>,
    /// Remarks in the order of the lines.
    pub remarks: Vec<Remark>,
    /// Number of lines that are answered.
    pub count: u64,
    /// Number of bad digests.
    pub bad: u64,
    /// Number of digests, bad ones aside, of which a set has none of the same length.
    pub unmatched: u64,
    /// Lengths of the digests that were met, in bits, and whether each set has such digests.
    lengths: Vec<(u32, bool)>,
}

/// A remark on a line.
pub(super) enum Remark {
    /// It is no digest.
    Malformed {
        /// Its number in this part, from 1.
        number: u64,
        /// The text that was taken for a digest.
        text: Box<[u8]>,
        /// The reason.
        why: BadDigest,
    },
    /// It is the first digest of this part with this number of bits.
    Length(u32),
}

/// A thread's means to answer.
struct Answering<'a> {
    sets: &'a Sets,
    said: Annotations,
    /// The digests of a batch.
    digests: Vec<Digest>,
}

/// Answers texts until there are no more, or nobody waits for the answers.
pub(super) fn answer_all(
    sets: Arc<Sets>,
    texts: Receiver<Result<Vec<u8>, Error>>,
    answers: SyncSender<Result<Part, Error>>,
) {
    let mut answering = Answering { sets: &sets, said: Annotations::default(), digests: Vec::new() };
    for text in texts {
        let part = text.and_then(|text| answering.answer(&text));
        if answers.send(part).is_err() {
            return;
        }
    }
}

impl Answering<'_> {
    /// Answers the lines of a text, of which the last has no line feed.
    ///
    /// # Errors
    /// If an index turns out to be damaged.
    fn answer(&mut self, text: &[u8]) -> Result<Part, Error> {
        let mut part = Part { lines: Vec::with_capacity(2 * text.len()), ..Part::default() };
        let mut batch = Vec::with_capacity(BATCH);
        let mut start = 0;
        for end in memchr_iter(b'\n', text).chain([text.len()]) {
            batch.push(start..end);
            start = end + 1;
            if batch.len() == BATCH {
                self.batch(text, &batch, &mut part)?;
                batch.clear();
            }
        }
        self.batch(text, &batch, &mut part)?;
        Ok(part)
    }

    fn batch(&mut self, text: &[u8], lines: &[Range<usize>], part: &mut Part) -> Result<(), Error> {
        self.digests.clear();
        let mut asked = Vec::with_capacity(lines.len());
        for line in lines {
            let (word, digest) = understand(text, line.clone());
            let bad = digest.map(|digest| self.digests.push(digest)).err();
            asked.push((word, bad));
        }
        let hits = self.sets.find_all(&self.digests)?;
        let mut place = 0;
        for (word, bad) in asked {
            part.count += 1;
            let word = &text[word];
            match bad {
                Some(why) => part.malformed(word, why),
                None => {
                    part.lines.extend_from_slice(word);
                    let is_held = part.note_length(self.digests[place].bits(), self.sets);
                    let said = self.said.say(self.sets, &hits, place, &mut part.lines);
                    let bad = said.map_err(|error| self.sets.check().err().unwrap_or(error))?;
                    part.bad += u64::from(bad);
                    part.unmatched += u64::from(!bad && !is_held);
                    place += 1;
                }
            }
        }
        // If an index was truncated meanwhile, no answer is valid.
        Ok(self.sets.check()?)
    }
}

impl Part {
    fn malformed(&mut self, text: &[u8], why: BadDigest) {
        let shown = Shown(text);
        self.lines.extend_from_slice(format!("{shown}\t{MALFORMED}\t\t{{}}\n").as_bytes());
        self.remarks.push(Remark::Malformed { number: self.count, text: text.into(), why });
    }

    /// Notes a length in bits, and returns whether each set has such digests.
    fn note_length(&mut self, bits: u32, sets: &Sets) -> bool {
        if let Some((_, is_held)) = self.lengths.iter().find(|(known, _)| *known == bits) {
            return *is_held;
        }
        let is_held = lacking(sets, bits).next().is_none();
        self.lengths.push((bits, is_held));
        self.remarks.push(Remark::Length(bits));
        is_held
    }
}

/// Returns the sets without any digest of this many bits.
pub(super) fn lacking(sets: &Sets, bits: u32) -> impl Iterator<Item = &Index> {
    sets.indexes().iter().filter(move |index| index.count(bits as usize / 8) == 0)
}

/// Returns the place of a line's digest and the digest.
fn understand(text: &[u8], line: Range<usize>) -> (Range<usize>, Result<Digest, BadDigest>) {
    // Most lines start with a digest, which ends at a blank or with the line.
    let length = memchr3(b' ', b'\t', b'\r', &text[line.clone()]).unwrap_or(line.len());
    let likely = line.start..line.start + length;
    match Digest::from_hex(&text[likely.clone()]) {
        Ok(digest) => (likely, Ok(digest)),
        Err(_) => {
            let word = word(text, line);
            let digest = Digest::from_hex(&text[word.clone()]);
            (word, digest)
        }
    }
}

/// Returns the place of the first word of a line: lists may have a name after the digest.
fn word(text: &[u8], line: Range<usize>) -> Range<usize> {
    let blank = text[line.clone()].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let start = line.start + blank;
    let rest = &text[start..line.end];
    let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
    start..start + end
}
