//! Lookup of digests: digests go in, and a line comes out for each, in order.

use super::annotation::Annotations;
use super::form::{Formed, QueryFormat};
use crate::error::{Error, File as Tried, SetsError};
use crate::flow::Flow;
use crate::listing::name_of;
use crate::output::Output;
use crate::shown::Shown;
use crate::signatures::guard::Guard;
use hashloom_digest::{BadDigest, Digest};
use hashloom_engine::Cancel;
use hashloom_known::Sets;
use hashloom_manifest::format::MAX_LINE;
use memchr::{memchr_iter, memchr3, memrchr};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

/// Number of bytes of a list that are read at once.
const READ: usize = 64 * 1024;

/// Number of digests that are looked up together: few enough that their data stay in a core's own cache.
const BATCH: usize = 512;

/// Length of the shortest likely line: an MD5 digest.
const LINE: u64 = 33;

/// The path of standard input.
const STDIN: &str = "/dev/stdin";

/// The word that replaces the category of malformed digests.
const MALFORMED: &str = "malformed";

/// Digests to look up, and the sets to look them up in.
pub struct Query {
    /// The sets.
    pub sets: Sets,
    /// Digests in hexadecimal. They come before those of the lists.
    pub digests: Vec<Box<[u8]>>,
    /// Lists of digests, one a line; text after a blank is ignored. `-` is standard input.
    pub lists: Vec<PathBuf>,
    /// The format of results.
    pub form: QueryFormat,
    /// The signatures that the lists must have.
    pub guard: Guard,
    /// Ends the query soon after it is set, but only after a pending read of a pipe has returned.
    pub cancel: Cancel,
}

/// One step of a query.
#[derive(Debug)]
#[non_exhaustive]
pub enum QueryEvent<'a> {
    /// A malformed digest. It gets a line, too.
    Malformed(&'a Malformed<'a>),
    /// No set has digests with this number of bits: they are all unknown.
    NotHeld(u32),
    /// The result of verifying a signature beside a list.
    Signature(crate::notice::Notice<'a>),
    /// The first bad digest was found. Its line follows soon.
    MetBad,
}

/// A text that is not a digest.
#[derive(Debug)]
pub struct Malformed<'a> {
    /// Name of the list in messages; `None` for a digest that was given without a list.
    pub list: Option<&'a [u8]>,
    /// Its number in the list, or among the digests that were given without a list, from 1.
    pub number: u64,
    /// The text.
    pub text: &'a [u8],
    /// The reason.
    pub why: BadDigest,
}

/// A callback for events.
type QueryObserver<'a> = dyn FnMut(QueryEvent<'_>) -> Flow + 'a;

/// The result of a query.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct QuerySummary {
    /// Whether it was cancelled: lines are missing.
    pub interrupted: bool,
    /// Whether a bad digest was found.
    pub met_bad: bool,
    /// Number of malformed digests.
    pub malformed: u64,
}

impl Query {
    /// Makes a query of these sets without digests.
    pub fn new(sets: Sets) -> Query {
        let (digests, lists) = (Vec::new(), Vec::new());
        Query {
            sets,
            digests,
            lists,
            form: QueryFormat::default(),
            guard: Guard::default(),
            cancel: Cancel::default(),
        }
    }

    /// Writes digest, category (or `unknown`, or `malformed`), set and detail (JSON) for each digest, in order. Lines
    /// are written as soon as no more input is available at once.
    ///
    /// # Errors
    /// If a list can't be read, an index turns out to be damaged, or a line can't be written.
    pub fn run(self, output: Output, observer: &mut QueryObserver<'_>) -> Result<QuerySummary, Error> {
        let Query { sets, digests, lists, form, guard, cancel } = self;
        let mut asked = Asked {
            sets,
            guard,
            cancel,
            output,
            formed: Formed::new(form),
            observer,
            said: Annotations::default(),
            summary: QuerySummary::default(),
            number: 0,
            lengths: Vec::new(),
            digests: Vec::new(),
            lines: Vec::new(),
        };
        let given: Vec<&[u8]> = digests.iter().map(|digest| &**digest).collect();
        given.chunks(BATCH).try_for_each(|batch| asked.batch(None, batch))?;
        asked.write()?;
        lists.iter().try_for_each(|list| asked.list(list))?;
        let end = asked.formed.end();
        asked.output.write_all(end).map_err(|error| asked.output.error(error))?;
        asked.output.finish()?;
        Ok(asked.summary)
    }
}

struct Asked<'a, 'b> {
    sets: Sets,
    guard: Guard,
    cancel: Cancel,
    output: Output,
    formed: Formed,
    observer: &'a mut QueryObserver<'b>,
    said: Annotations,
    summary: QuerySummary,
    /// Number of lines, or of digests without a list, before this batch.
    number: u64,
    /// Lengths of digests that were looked up, in bits.
    lengths: Vec<u32>,
    /// The digests of the current batch.
    digests: Vec<Digest>,
    /// Lines that are not written yet.
    lines: Vec<u8>,
}

impl Asked<'_, '_> {
    /// Looks up the available part of a list, then the next one: a program that writes a line into a pipe and waits for
    /// the answer gets it.
    fn list(&mut self, path: &Path) -> Result<(), Error> {
        let name = &*name_of(path.as_os_str());
        let stdin = path == Path::new("-");
        let observer = &mut self.observer;
        let list = self.guard.open(path.as_os_str(), &mut |notice| {
            let _ = observer(QueryEvent::Signature(notice));
        })?;
        let list = list.into_bytes().map_err(Error::file(name, Tried::Open))?;
        // The length of a pipe is not known in advance, so 0 is used.
        let length = fs::metadata(if stdin { Path::new(STDIN) } else { path }).map_or(0, |meta| meta.len());
        self.sets.expect(length / LINE);
        let mut list = BufReader::with_capacity(READ, list);
        self.number = 0;
        let mut rest = Vec::new();
        while !self.is_stopped() {
            let there = list.fill_buf().map_err(Error::file(name, Tried::Read))?;
            if there.is_empty() {
                break;
            }
            let length = there.len();
            let end = memrchr(b'\n', there).map_or(0, |last| last + 1);
            if end > 0 {
                rest.extend_from_slice(&there[..end - 1]);
                self.lines(name, &rest)?;
                self.output.flush().map_err(|error| self.output.error(error))?;
                rest.clear();
            }
            rest.extend_from_slice(&there[end..]);
            list.consume(length);
            if rest.len() > MAX_LINE {
                return Err(SetsError::LongLine { list: name.into(), most: MAX_LINE }.into());
            }
        }
        if rest.is_empty() { Ok(()) } else { self.lines(name, &rest) }
    }

    /// Looks up lines. The last one has no line feed.
    fn lines(&mut self, list: &[u8], text: &[u8]) -> Result<(), Error> {
        let mut lines = Vec::with_capacity(BATCH);
        let mut start = 0;
        for end in memchr_iter(b'\n', text).chain([text.len()]) {
            lines.push(&text[start..end]);
            start = end + 1;
            if lines.len() == BATCH {
                self.batch(Some(list), &lines)?;
                lines.clear();
            }
        }
        self.batch(Some(list), &lines)?;
        self.write()
    }

    fn batch(&mut self, list: Option<&[u8]>, lines: &[&[u8]]) -> Result<(), Error> {
        if self.is_stopped() {
            return Ok(());
        }
        self.digests.clear();
        let mut texts = Vec::with_capacity(lines.len());
        let mut malformed: Vec<(usize, BadDigest)> = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            let (text, digest) = understand(line);
            texts.push(text);
            match digest {
                Ok(digest) => self.digests.push(digest),
                Err(bad) => malformed.push((at, bad)),
            }
        }
        let hits = self.sets.find_all(&self.digests)?;
        let (mut malformed, mut place) = (malformed.into_iter().peekable(), 0);
        for (at, text) in texts.into_iter().enumerate() {
            self.number += 1;
            if let Some((_, why)) = malformed.next_if(|(malformed, _)| *malformed == at) {
                self.malformed(&Malformed { list, number: self.number, text, why });
                continue;
            }
            self.lines.extend_from_slice(text);
            self.note_length(self.digests[place].bits());
            let said = self.said.say(&self.sets, &hits, place, &mut self.lines);
            let bad = said.map_err(|error| self.sets.check().err().unwrap_or(error))?;
            if bad && !self.summary.met_bad {
                self.summary.met_bad = true;
                self.tell(QueryEvent::MetBad);
            }
            place += 1;
        }
        // If an index was truncated meanwhile, no answer is valid.
        Ok(self.sets.check()?)
    }

    /// Reports a malformed digest and writes a line for it.
    fn malformed(&mut self, malformed: &Malformed<'_>) {
        self.summary.malformed += 1;
        self.tell(QueryEvent::Malformed(malformed));
        self.lines.extend_from_slice(format!("{}\t{MALFORMED}\t\t{{}}\n", Shown(malformed.text)).as_bytes());
    }

    fn tell(&mut self, event: QueryEvent<'_>) {
        self.summary.interrupted |= (self.observer)(event).is_break();
    }

    fn is_stopped(&mut self) -> bool {
        self.summary.interrupted |= self.cancel.is_set();
        self.summary.interrupted
    }

    fn write(&mut self) -> Result<(), Error> {
        let written = self.output.write_all(&self.formed.lines(&self.lines));
        self.lines.clear();
        Ok(written.map_err(|error| self.output.error(error))?)
    }

    /// Reports once for each length that no set has digests of it.
    fn note_length(&mut self, bits: u32) {
        if self.lengths.last() == Some(&bits) || self.lengths.contains(&bits) {
            return;
        }
        self.lengths.push(bits);
        let held = self.sets.indexes().iter().any(|index| index.count(bits as usize / 8) > 0);
        if !held {
            self.tell(QueryEvent::NotHeld(bits));
        }
    }
}

/// Returns the digest of a line as text and parsed.
fn understand(line: &[u8]) -> (&[u8], Result<Digest, BadDigest>) {
    // Most lines start with a digest, which ends at a blank or with the line.
    let likely = &line[..memchr3(b' ', b'\t', b'\r', line).unwrap_or(line.len())];
    match Digest::from_hex(likely) {
        Ok(digest) => (likely, Ok(digest)),
        Err(_) => (word(line), Digest::from_hex(word(line))),
    }
}

/// Returns the first word of a line: lists may have a name after the digest.
fn word(line: &[u8]) -> &[u8] {
    let line = line.trim_ascii();
    let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
    &line[..end]
}
