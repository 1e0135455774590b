//! Lists of digests: what the reference programs write, and records with likeness digests.

use crate::exit::Exit;
use crate::message::{self, Shown, count};
use anyhow::{Context, bail};
use hashloom_manifest::format::{Format, Hint, Lines, MAX_LIKENESS_LINE, SNIFFED, sniff};
use hashloom_manifest::{Record, Status};
use hashloom_similar::{Named, SIMILAR, Similar};
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Lines that are not understood and are named one by one.
const NAMED: u64 = 10;

/// Takes digests.
type Sink<'a> = dyn FnMut(Named) -> anyhow::Result<()> + 'a;

/// Gives every digest of a list, in order. A line that is none is named.
///
/// # Errors
/// Those of `sink`; and if the list cannot be opened, or holds no digest of this algorithm but lines that
/// are none.
pub fn each(path: &Path, row: &'static Similar, sink: &mut Sink<'_>) -> anyhow::Result<Exit> {
    let mut input: Box<dyn Read> = if path == Path::new("-") {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(path).with_context(|| format!("{}: cannot open", shown(path)))?)
    };
    let mut first = Vec::new();
    (&mut input)
        .take(SNIFFED as u64)
        .read_to_end(&mut first)
        .with_context(|| format!("{}: cannot read", shown(path)))?;
    let records = records(&first);
    let input = Box::new(Cursor::new(first).chain(input));
    let mut list = List { path, row, sink, taken: 0, bad: 0 };
    match records {
        Some(format) => list.records(format, input)?,
        None => list.lines(input)?,
    }
    list.end()
}

/// The format of records that a file has whose first bytes these are. Its first line decides.
fn records(first: &[u8]) -> Option<&'static Format> {
    let line = first.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty())?;
    sniff(line).filter(|format| format.carries.likeness)
}

struct List<'a, 'b> {
    path: &'a Path,
    row: &'static Similar,
    sink: &'a mut Sink<'b>,
    taken: u64,
    bad: u64,
}

impl List<'_, '_> {
    fn lines(&mut self, input: Box<dyn Read + '_>) -> anyhow::Result<()> {
        let mut lines = Lines::bounded(input, MAX_LIKENESS_LINE);
        while let Some(line) = lines.next() {
            let (number, line) = match line {
                Ok(line) => line,
                Err(malformed) => {
                    self.bad(malformed);
                    continue;
                }
            };
            match (self.row.parse)(line) {
                Ok(Some(named)) => self.take(named)?,
                Ok(None) => {}
                Err(malformed) => {
                    self.check_family(line)?;
                    self.bad(format_args!("line {number}: {malformed}"));
                }
            }
        }
        Ok(())
    }

    fn records(&mut self, format: &Format, input: Box<dyn Read + '_>) -> anyhow::Result<()> {
        for record in (format.reader)(input, Hint::None) {
            match record {
                Ok(record) if record.status != Status::Hashed || record.piece.is_some() => {}
                Ok(record) => self.record(record)?,
                Err(malformed) => self.bad(malformed),
            }
        }
        Ok(())
    }

    /// The digest of this very variant, or else of another of the same algorithm. A record may tell that
    /// there is none.
    fn record(&mut self, record: Record) -> anyhow::Result<()> {
        let kin = |likeness: &&hashloom_manifest::Likeness| family(likeness.algorithm) == family(self.row);
        let exact = record.likeness.iter().find(|likeness| likeness.algorithm == self.row);
        let Some(likeness) = exact.or_else(|| record.likeness.iter().find(kin)) else {
            self.bad(format_args!("{}: no {} digest", Shown(&record.path), self.row.name));
            return Ok(());
        };
        let Ok(digest) = likeness.digest.clone() else {
            self.taken += 1;
            return Ok(());
        };
        self.take(Named { name: record.path.into_vec(), digest })
    }

    fn take(&mut self, named: Named) -> anyhow::Result<()> {
        self.taken += 1;
        (self.sink)(named)
    }

    fn bad(&mut self, what: impl std::fmt::Display) {
        self.bad += 1;
        if self.bad <= NAMED {
            message::about(self.path.as_os_str().as_bytes(), what);
        }
    }

    /// Refuses a list whose first line is one of another algorithm's, be it a header or a digest.
    fn check_family(&self, line: &[u8]) -> anyhow::Result<()> {
        let of = |row: &&Similar| family(row) != family(self.row) && (row.parse)(line).is_ok();
        match SIMILAR.iter().find(of) {
            Some(other) if self.taken + self.bad == 0 => {
                bail!("{}: holds digests by {}, not by {}", shown(self.path), family(other), self.row.name)
            }
            _ => Ok(()),
        }
    }

    fn end(self) -> anyhow::Result<Exit> {
        if self.bad > NAMED {
            let more = count(self.bad - NAMED, "more line", "more lines");
            message::about(self.path.as_os_str().as_bytes(), format_args!("{more} not understood"));
        }
        if self.bad > 0 && self.taken == 0 {
            bail!("{}: no digest by {}", shown(self.path), self.row.name);
        }
        Ok(Exit::Failed.when(self.bad > 0))
    }
}

/// The algorithm that a row is a variant of.
fn family(row: &Similar) -> &'static str {
    // Each algorithm stands before its variants, and they begin with its name.
    SIMILAR.iter().find(|base| row.name.starts_with(base.name)).map_or("", |base| base.name)
}

/// Whether digests of one row can be compared as the other says.
pub fn same_family(a: &Similar, b: &Similar) -> bool {
    family(a) == family(b)
}

/// A digest typed, or the only one of a text.
///
/// # Errors
/// If it is none, or one of another algorithm.
pub fn one(text: &[u8], row: &Similar) -> anyhow::Result<Named> {
    let read = (row.parse)(text.trim_ascii());
    let named = read.with_context(|| format!("not a digest by {}", row.name))?;
    named.with_context(|| format!("no digest by {}", row.name))
}

fn shown(path: &Path) -> String {
    Shown(path.as_os_str().as_bytes()).to_string()
}
