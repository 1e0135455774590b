//! `hashloom known query`: digests in, a line for each out, in order.

use super::annotation::Annotations;
use super::options::Query;
use crate::exit::Exit;
use crate::message::{self, Shown};
use crate::output::{self, Output};
use anyhow::{Context, ensure};
use hashloom_digest::{BadDigest, Digest};
use hashloom_known::Sets;
use hashloom_manifest::format::MAX_LINE;
use memchr::{memchr_iter, memchr3, memrchr};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Bytes of lists that are read at once.
const READ: usize = 64 * 1024;

/// Digests that are looked up together: few enough that all about them stays in a core's own cache.
const BATCH: usize = 512;

/// Bytes of the shortest line that is likely: an MD5.
const LINE: u64 = 33;

/// The file that standard input is.
const STDIN: &str = "/dev/stdin";

/// The word in the place of a category for what is no digest.
const MALFORMED: &str = "malformed";

/// The command, from options to exit code.
///
/// # Errors
/// If an index or a list is not usable, or the output cannot be written.
pub fn run(args: &Query) -> anyhow::Result<Exit> {
    let sets = args.types.open(&args.known)?;
    let mut asked = Asked {
        sets,
        said: Annotations::default(),
        output: output::stdout()?,
        exit: Exit::Fine,
        number: 0,
        lengths: Vec::new(),
        digests: Vec::new(),
        lines: Vec::new(),
    };
    let typed: Vec<&[u8]> = args.digests.iter().map(|digest| digest.as_bytes()).collect();
    asked.batch("operand", &typed)?;
    asked.write()?;
    for list in &args.from {
        asked.list(list)?;
    }
    if args.digests.is_empty() && args.from.is_empty() {
        asked.list(Path::new("-"))?;
    }
    asked.output.finish()?;
    Ok(asked.exit)
}

struct Asked {
    sets: Sets,
    said: Annotations,
    output: Output,
    exit: Exit,
    /// Lines, or operands, before this batch.
    number: u64,
    /// Lengths of digests that were met, in bits.
    lengths: Vec<u32>,
    /// The digests of a batch.
    digests: Vec<Digest>,
    /// Lines that are not yet written.
    lines: Vec<u8>,
}

impl Asked {
    /// Looks up what is there of a list, then what comes: who writes a line into a pipe and waits for the
    /// answer gets it.
    fn list(&mut self, path: &Path) -> anyhow::Result<()> {
        let stdin = path == Path::new("-");
        let name =
            if stdin { "standard input".to_string() } else { Shown(path.as_os_str().as_bytes()).to_string() };
        let list: Box<dyn Read> = match stdin {
            true => Box::new(io::stdin()),
            false => Box::new(File::open(path).with_context(|| format!("{name}: cannot open"))?),
        };
        // What has no length, a pipe, has no end that could be reckoned with.
        let length = fs::metadata(if stdin { Path::new(STDIN) } else { path }).map_or(0, |meta| meta.len());
        self.sets.expect(length / LINE);
        let mut list = BufReader::with_capacity(READ, list);
        self.number = 0;
        let mut rest = Vec::new();
        loop {
            let there = list.fill_buf().with_context(|| format!("{name}: cannot read"))?;
            if there.is_empty() {
                break;
            }
            let length = there.len();
            let end = memrchr(b'\n', there).map_or(0, |last| last + 1);
            if end > 0 {
                rest.extend_from_slice(&there[..end - 1]);
                self.lines(&name, &rest)?;
                self.output.flush().map_err(|error| self.output.error(error))?;
                rest.clear();
            }
            rest.extend_from_slice(&there[end..]);
            list.consume(length);
            ensure!(
                rest.len() <= MAX_LINE,
                "{name}: is not a list of digests: a line is longer than {MAX_LINE} bytes"
            );
        }
        if rest.is_empty() { Ok(()) } else { self.lines(&name, &rest) }
    }

    /// Looks lines up, the last of which has no line feed.
    fn lines(&mut self, name: &str, text: &[u8]) -> anyhow::Result<()> {
        let mut lines = Vec::with_capacity(BATCH);
        let mut start = 0;
        for end in memchr_iter(b'\n', text).chain([text.len()]) {
            lines.push(&text[start..end]);
            start = end + 1;
            if lines.len() == BATCH {
                self.batch(name, &lines)?;
                lines.clear();
            }
        }
        self.batch(name, &lines)?;
        self.write()
    }

    fn batch(&mut self, name: &str, lines: &[&[u8]]) -> anyhow::Result<()> {
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
        let hits = self.sets.find_all(&self.digests);
        let (mut malformed, mut place) = (malformed.into_iter().peekable(), 0);
        for (at, text) in texts.into_iter().enumerate() {
            self.number += 1;
            if let Some((_, bad)) = malformed.next_if(|(malformed, _)| *malformed == at) {
                self.malformed(name, text, bad);
                continue;
            }
            self.lines.extend_from_slice(text);
            self.note_length(self.digests[place].bits());
            let said = self.said.say(&self.sets, &hits, place, &mut self.lines);
            let bad = said.map_err(|error| self.sets.check().err().map_or(error, Into::into))?;
            self.exit = self.exit.and(Exit::Differs.when(bad));
            place += 1;
        }
        // Of an index that was cut short meanwhile no answer counts.
        Ok(self.sets.check()?)
    }

    /// Names what is no digest, and has a line for it all the same.
    fn malformed(&mut self, name: &str, text: &[u8], bad: BadDigest) {
        let text = Shown(text);
        message::say(format_args!("{name}: line {}: '{text}': {bad}", self.number));
        self.exit = self.exit.and(Exit::Failed.noted());
        self.lines.extend_from_slice(format!("{text}\t{MALFORMED}\t\t{{}}\n").as_bytes());
    }

    fn write(&mut self) -> anyhow::Result<()> {
        let written = self.output.write_all(&self.lines).map_err(|error| self.output.error(error));
        self.lines.clear();
        Ok(written?)
    }

    /// Says once that digests of some length can't be found.
    fn note_length(&mut self, bits: u32) {
        if self.lengths.last() == Some(&bits) || self.lengths.contains(&bits) {
            return;
        }
        self.lengths.push(bits);
        let held = self.sets.indexes().iter().any(|index| index.count(bits as usize / 8) > 0);
        if !held {
            message::say(format_args!("no set has digests of {bits} bits: they are all unknown"));
        }
    }
}

/// The digest of a line, as it is written and as it is.
fn understand(line: &[u8]) -> (&[u8], Result<Digest, BadDigest>) {
    // Most lines start with a digest, which ends at a blank or with the line.
    let likely = &line[..memchr3(b' ', b'\t', b'\r', line).unwrap_or(line.len())];
    match Digest::from_hex(likely) {
        Ok(digest) => (likely, Ok(digest)),
        Err(_) => (word(line), Digest::from_hex(word(line))),
    }
}

/// The first word of a line: lists may have a name behind the digest.
fn word(line: &[u8]) -> &[u8] {
    let line = line.trim_ascii();
    let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
    &line[..end]
}
