//! `hashloom known query`: digests in, a line for each out, in order.

use super::options::Query;
use super::saying::Sayings;
use crate::exit::Exit;
use crate::label;
use crate::message::{self, Shown};
use crate::output::Output;
use anyhow::{Context, ensure};
use hashloom_digest::{BadDigest, Digest};
use hashloom_known::Sets;
use hashloom_manifest::format::MAX_LINE;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Bytes of lines that are looked up together, at most.
const BATCH: usize = 64 * 1024;

/// The word in the place of a category for what is no digest.
const MALFORMED: &str = "malformed";

/// The command, from options to exit code.
///
/// # Errors
/// If an index or a list is not usable, or the output cannot be written.
pub fn run(args: &Query) -> anyhow::Result<Exit> {
    let sets = label::open(&args.known, &args.types)?;
    let mut asked = Asked {
        sets,
        said: Sayings::default(),
        output: Output::stdout()?,
        exit: Exit::Fine,
        number: 0,
        lengths: Vec::new(),
    };
    let typed: Vec<&[u8]> = args.digests.iter().map(|digest| digest.as_bytes()).collect();
    asked.batch("operand", &typed)?;
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
    said: Sayings,
    output: Output,
    exit: Exit,
    /// Lines, or operands, before this batch.
    number: u64,
    /// Lengths of digests that were met, in bits.
    lengths: Vec<u32>,
}

impl Asked {
    /// Looks up what is there of a list, then what comes: who writes a line into a pipe and waits for the
    /// answer gets it.
    fn list(&mut self, path: &Path) -> anyhow::Result<()> {
        let stdin = path == Path::new("-");
        let name = if stdin { "standard input".to_string() } else { path.display().to_string() };
        let list: Box<dyn Read> = match stdin {
            true => Box::new(io::stdin()),
            false => Box::new(File::open(path).with_context(|| format!("{name}: cannot open"))?),
        };
        let mut list = BufReader::with_capacity(BATCH, list);
        self.number = 0;
        let mut rest = Vec::new();
        loop {
            let there = list.fill_buf().with_context(|| format!("{name}: cannot read"))?;
            if there.is_empty() {
                break;
            }
            let end = there.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
            let length = there.len();
            if end > 0 {
                rest.extend_from_slice(&there[..end - 1]);
                let lines: Vec<&[u8]> = rest.split(|byte| *byte == b'\n').collect();
                self.batch(&name, &lines)?;
                self.output.flush().map_err(|error| self.output.error(error))?;
                rest.clear();
            }
            rest.extend_from_slice(&there[end..]);
            list.consume(length);
            ensure!(
                rest.len() <= MAX_LINE,
                "{name}: is no list of digests: a line is longer than {MAX_LINE} bytes"
            );
        }
        if rest.is_empty() { Ok(()) } else { self.batch(&name, &[&rest]) }
    }

    fn batch(&mut self, name: &str, lines: &[&[u8]]) -> anyhow::Result<()> {
        let texts: Vec<&[u8]> = lines.iter().map(|line| word(line)).collect();
        let parsed: Vec<Result<Digest, BadDigest>> =
            texts.iter().map(|text| Digest::from_hex(text)).collect();
        let digests: Vec<Digest> = parsed.iter().flatten().copied().collect();
        let hits = self.sets.find_all(&digests);
        let mut answers = digests.iter().zip(&hits);
        let mut out = Vec::new();
        for (text, parsed) in texts.iter().zip(&parsed) {
            self.number += 1;
            match parsed {
                Ok(_) => {
                    let Some((digest, hits)) = answers.next() else { break };
                    out.extend_from_slice(text);
                    self.note_length(digest.bits());
                    let bad = self.said.say(&self.sets, hits, &mut out)?;
                    self.exit = self.exit.and(Exit::Differs.when(bad));
                }
                Err(bad) => {
                    let text = Shown(text);
                    message::say(format_args!("{name}: line {}: '{text}': {bad}", self.number));
                    self.exit = self.exit.and(Exit::Failed);
                    writeln!(out, "{text}\t{MALFORMED}\t\t{{}}")?;
                }
            }
        }
        Ok(self.output.write_all(&out).map_err(|error| self.output.error(error))?)
    }

    /// Says once that digests of some length can't be found.
    fn note_length(&mut self, bits: u32) {
        if self.lengths.contains(&bits) {
            return;
        }
        self.lengths.push(bits);
        let held = self.sets.indexes().iter().any(|index| index.count(bits as usize / 8) > 0);
        if !held {
            message::say(format_args!("no set has digests of {bits} bits: they are all unknown"));
        }
    }
}

/// The digest of a line: lists may have a name behind it.
fn word(line: &[u8]) -> &[u8] {
    let line = line.trim_ascii();
    let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
    &line[..end]
}
