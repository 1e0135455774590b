//! A list of digests, read whole: what each line claims, and the files that must be read to judge.

use crate::args;
use crate::exit::Exit;
use crate::message::{self, Shown, count};
use hashloom_digest::Algorithm;
use hashloom_manifest::audit::Learner;
use hashloom_manifest::format::{Hint, Reader, Unusable, Why, open, open_path};
use hashloom_manifest::{Record, Status};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;

/// Malformed lines that are named without `--warn`.
const NAMED: u64 = 10;

/// A list, read.
pub struct List {
    /// Its name, as it is shown.
    pub name: String,
    /// What its lines say, in their order.
    pub claims: Vec<Record>,
    /// Lines that are not understood.
    pub malformed: u64,
    /// Lines that are no digest and name, and don't look like damaged ones.
    pub notes: u64,
    /// Lines without a digest of a whole file that could be checked.
    pub unchecked: u64,
}

impl List {
    /// Reads a list; `-` is standard input. Malformed lines are named on standard error.
    ///
    /// # Errors
    /// If it is no list.
    pub fn read(path: &OsStr, args: &args::Check) -> Result<List, Unusable> {
        let stdin = path.as_bytes() == b"-";
        let hint =
            args.algorithm.map_or_else(|| Hint::from_name(path.as_bytes()), |name| Hint::Forced(name.0));
        let name = if stdin { "standard input".to_string() } else { Shown(path.as_bytes()).to_string() };
        let mut list = List { name, claims: Vec::new(), malformed: 0, notes: 0, unchecked: 0 };
        let opened =
            if stdin { open(Box::new(io::stdin().lock()), hint) } else { open_path(path.as_ref(), hint) };
        list.fill(opened?.reader, args)?;
        Ok(list)
    }

    fn fill(&mut self, reader: Box<dyn Reader + '_>, args: &args::Check) -> Result<(), Unusable> {
        let mut without = HashMap::new();
        for record in reader {
            match record {
                Ok(record) => self.take(record, &mut without),
                Err(malformed) => {
                    let fails = args.strict || !malformed.is_note();
                    *(if fails { &mut self.malformed } else { &mut self.notes }) += 1;
                    if !args.status && (args.warn || self.malformed + self.notes <= NAMED) {
                        message::say(format_args!("{}: {malformed}", self.name));
                    }
                    if let Why::Io(error) = malformed.why {
                        return Err(Unusable::Io(error));
                    }
                }
            }
        }
        for claim in &self.claims {
            without.remove(&claim.path);
        }
        self.unchecked = without.len() as u64;
        let tell = |(path, why): &(Box<[u8]>, &str)| message::about(path, format_args!("not checked: {why}"));
        without.into_iter().take(if args.status { 0 } else { usize::MAX }).for_each(|entry| tell(&entry));
        Ok(())
    }

    /// A record without a digest of the whole file goes to `without`, with the reason.
    fn take(&mut self, record: Record, without: &mut HashMap<Box<[u8]>, &'static str>) {
        if record.path.is_empty() {
            self.malformed += 1;
        } else if record.piece.is_some() {
            without.insert(record.path, "the list has digests of its pieces only");
        } else if !record.bad_blocks.is_empty() {
            without.insert(record.path, "parts of it could not be read when the list was made");
        } else if record.digests.is_empty() && record.status != Status::Skipped {
            without.insert(record.path, "it could not be read when the list was made");
        } else if !record.digests.is_empty() {
            self.claims.push(record);
        }
    }

    /// The summary of what was not understood, and the exit code that it means.
    pub fn judge(&self, args: &args::Check) -> Exit {
        if self.malformed > 0 && !args.status {
            let verb = if self.malformed == 1 { "is" } else { "are" };
            let lines = count(self.malformed, "line", "lines");
            message::say(format_args!("{}: WARNING: {lines} {verb} improperly formatted", self.name));
        }
        Exit::Failed.when(self.malformed + self.unchecked > 0)
    }

    /// The files to be read, each once, with the algorithms that are asked of it.
    pub fn files(&self, learner: &Learner) -> Vec<Wanted> {
        let mut files: Vec<Wanted> = Vec::new();
        let mut places: HashMap<&[u8], usize> = HashMap::new();
        for (number, claim) in self.claims.iter().enumerate() {
            let place = *places.entry(&claim.path).or_insert(files.len());
            if place == files.len() {
                files.push(Wanted { path: claim.path.clone(), claims: Vec::new(), algorithms: Vec::new() });
            }
            let file = &mut files[place];
            file.claims.push(number);
            file.add(learner.candidates(claim).into_iter());
        }
        files
    }
}

/// A file to be read.
pub struct Wanted {
    /// Its path.
    pub path: Box<[u8]>,
    /// The claims about it, by their numbers.
    pub claims: Vec<usize>,
    /// The algorithms that they need.
    pub algorithms: Vec<&'static Algorithm>,
}

impl Wanted {
    fn add(&mut self, algorithms: impl Iterator<Item = &'static Algorithm>) {
        for algorithm in algorithms {
            if !self.algorithms.contains(&algorithm) {
                self.algorithms.push(algorithm);
            }
        }
    }
}
