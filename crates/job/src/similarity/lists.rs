//! Lists of digests: output of the reference programs, and records with similarity digests.

use super::event::{SimilarityEvent, SimilarityObserver};
use crate::error::Error;
use hashmill_content::File as Tried;
use hashmill_content::stores::Stores;
use hashmill_engine::flow::Flow;
use hashmill_lists::signatures::guard::Guard;
use hashmill_manifest::format::{Format, Hint, Lines, MAX_LIKENESS_LINE, Malformed, SNIFFED, sniff};
use hashmill_manifest::{Record, Status};
use hashmill_os::names;
use hashmill_similar::{Named, SIMILAR, Similar};
use hashmill_terminal::Shown;
use std::fmt::Display;
use std::io::{Cursor, Read};
use std::ops::ControlFlow;
use std::path::Path;

/// Limit of parts without a digest that are reported one by one.
const TOLD: u64 = 10;

/// A callback for digests.
type Sink<'a> = dyn FnMut(Named) -> Flow + 'a;

/// Passes every digest of a list to the sink, in order, until the sink stops it. Returns the number of parts of the
/// list that have no digest.
///
/// # Errors
/// If the list can't be opened or read, has digests by another algorithm, or has only parts that can't be parsed.
pub(super) fn each(
    path: &Path,
    stores: &Stores,
    row: &'static Similar,
    observer: &mut SimilarityObserver<'_>,
    sink: &mut Sink<'_>,
) -> Result<u64, Error> {
    let name = &*names::path_bytes(path);
    let (first, input) = begun(path, stores)?;
    let records = records(&first);
    let input = Box::new(Cursor::new(first).chain(input));
    let mut list = List { name, row, observer, sink, taken: 0, bad: 0, full: false };
    match records {
        Some(format) => list.records(format, input)?,
        None => list.lines(input)?,
    }
    list.end()
}

/// Opens a list; returns its first bytes and the rest.
///
/// # Errors
/// If it can't be opened or read.
pub(super) fn begun(path: &Path, stores: &Stores) -> Result<(Vec<u8>, Box<dyn Read + Send>), Error> {
    let name = &*names::path_bytes(path);
    let guard = Guard { stores: stores.clone(), ..Guard::default() };
    let listing = guard.open(path.as_os_str(), &mut |_| ())?;
    let mut input = listing.into_bytes().map_err(Error::file(name, Tried::Open))?;
    let mut first = Vec::new();
    let sniffed = (&mut input).take(SNIFFED as u64).read_to_end(&mut first);
    sniffed.map_err(Error::file(name, Tried::Read))?;
    Ok((first, input))
}

/// Recognises a format of records by the first bytes of a file. Its first line decides.
pub(super) fn records(first: &[u8]) -> Option<&'static Format> {
    let line = first.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty())?;
    sniff(line).filter(|format| format.carries.likeness)
}

struct List<'a, 'o, 's> {
    name: &'a [u8],
    row: &'static Similar,
    observer: &'a mut SimilarityObserver<'o>,
    sink: &'a mut Sink<'s>,
    taken: u64,
    bad: u64,
    /// Whether the sink or the observer has stopped it.
    full: bool,
}

impl List<'_, '_, '_> {
    fn lines(&mut self, input: Box<dyn Read + '_>) -> Result<(), Error> {
        let mut lines = Lines::bounded(input, MAX_LIKENESS_LINE);
        while let Some(line) = lines.next().filter(|_| !self.full) {
            let (number, line) = match line {
                Ok(line) => line,
                Err(malformed) => {
                    self.bad_line(malformed)?;
                    continue;
                }
            };
            match (self.row.parse)(line) {
                Ok(Some(named)) => self.take(named),
                Ok(None) => {}
                Err(malformed) => {
                    self.check_family(line)?;
                    self.bad(&format_args!("line {number}: {malformed}"));
                }
            }
        }
        Ok(())
    }

    fn records(&mut self, format: &Format, input: Box<dyn Read + '_>) -> Result<(), Error> {
        for record in (format.reader)(input, Hint::None) {
            match record {
                Ok(record) if record.status != Status::Hashed || record.piece.is_some() => {}
                Ok(record) => self.record(record),
                Err(malformed) => self.bad_line(malformed)?,
            }
            if self.full {
                break;
            }
        }
        Ok(())
    }

    /// Reports a line without a digest. A list that can't be read to its end is an error: otherwise nobody would notice
    /// the missing part.
    fn bad_line(&mut self, malformed: Malformed) -> Result<(), Error> {
        if malformed.is_end() {
            return Err(Error::of_place(self.name, malformed));
        }
        self.bad(&malformed);
        Ok(())
    }

    /// Takes the digest by exactly this variant, or else by another one of the same algorithm. A record may state that
    /// it has no digest.
    fn record(&mut self, record: Record) {
        let related = |likeness: &&hashmill_manifest::Likeness| same_family(likeness.algorithm, self.row);
        let exact = record.likeness.iter().find(|likeness| likeness.algorithm == self.row);
        let Some(likeness) = exact.or_else(|| record.likeness.iter().find(related)) else {
            return self.bad(&format_args!("{}: no {} digest", Shown(&record.path), self.row.name));
        };
        match likeness.digest.clone() {
            Ok(digest) => self.take(Named { name: record.path.into_vec(), digest }),
            Err(_) => self.taken += 1,
        }
    }

    fn take(&mut self, named: Named) {
        self.taken += 1;
        self.full |= (self.sink)(named).is_break();
    }

    fn bad(&mut self, what: &dyn Display) {
        self.bad += 1;
        if self.bad <= TOLD {
            self.tell(SimilarityEvent::Malformed(self.name, &what.to_string()));
        }
    }

    fn tell(&mut self, event: SimilarityEvent<'_>) {
        self.full |= (self.observer)(event) == ControlFlow::Break(());
    }

    /// Refuses a list if its first line, a header or a digest, belongs to another algorithm.
    fn check_family(&self, line: &[u8]) -> Result<(), Error> {
        let of = |row: &&Similar| !same_family(row, self.row) && (row.parse)(line).is_ok();
        match SIMILAR.iter().find(of) {
            Some(other) if self.taken + self.bad == 0 => Err(foreign(self.name, family(other), self.row)),
            _ => Ok(()),
        }
    }

    fn end(mut self) -> Result<u64, Error> {
        if self.bad > TOLD {
            self.tell(SimilarityEvent::MoreMalformed(self.name, self.bad - TOLD));
        }
        if self.bad > 0 && self.taken == 0 {
            let name = self.row.name;
            let why = format!(
                "no digest by {name}; \"hashmill similar digest -c {name} -o LIST FILE\" makes a list of files"
            );
            return Err(Error::of_place(self.name, why));
        }
        Ok(self.bad)
    }
}

/// Makes the error of a list or an index with digests by another algorithm.
pub(super) fn foreign(list: &[u8], found: &'static str, wanted: &Similar) -> Error {
    Error::of_place(list, format!("holds digests by {found}, not by {}", wanted.name))
}

/// Returns the algorithm that a row is a variant of.
fn family(row: &Similar) -> &'static str {
    // Each algorithm comes before its variants, and their names begin with its name.
    SIMILAR.iter().find(|base| row.name.starts_with(base.name)).map_or("", |base| base.name)
}

/// Returns whether digests of both rows can be compared with each other.
pub(super) fn same_family(a: &Similar, b: &Similar) -> bool {
    family(a) == family(b)
}
