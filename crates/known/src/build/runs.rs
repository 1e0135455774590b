//! Sorted runs of records in a temporary file, and their merging.

use super::heap::RecordLayout;
use crate::error::Error;
use crate::table::UNKNOWN_SIZE;
use hashmill_output::runs::{Framing, Merge, Runs};
use hashmill_output::scratch;
use std::path::{Path, PathBuf};

/// The number of bytes gathered before they are written.
pub(crate) const GATHERED: usize = 1 << 20;

/// The sorted runs of records with digests of one length, in a file without a name.
pub(crate) struct Spool {
    target: PathBuf,
    runs: Runs<RecordLayout>,
    form: RecordLayout,
    records: u64,
    sized: bool,
}

impl Framing for RecordLayout {
    fn length(self, _: &[u8]) -> Option<usize> {
        Some(self.stride())
    }

    fn key(self, entry: &[u8]) -> &[u8] {
        &entry[..self.digest]
    }
}

impl Spool {
    /// Creates a spool beside the index.
    pub fn new(target: &Path, form: RecordLayout) -> Result<Self, Error> {
        let runs = Runs::new(scratch::beside(target).map_err(Error::io(target, "create"))?);
        Ok(Spool { target: target.to_path_buf(), runs, form, records: 0, sized: false })
    }

    /// Starts a run; all records up to the next start must be in order.
    pub fn start(&mut self, form: RecordLayout) {
        self.runs.begin(form);
        self.form = form;
        self.sized |= form.sized;
    }

    /// Adds a record to the run.
    pub fn push(&mut self, digest: &[u8], number: u32, size: u64) -> Result<(), Error> {
        self.records += 1;
        let pushed = self.runs.push(|bytes| self.form.write(digest, number, size, bytes));
        pushed.map_err(Error::io(&self.target, "write"))
    }

    /// Returns the number of records in all runs, including duplicates.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Returns whether any run has sizes.
    pub fn is_sized(&self) -> bool {
        self.sized
    }

    /// Merges all records in order, through buffers of about this many bytes in total.
    pub fn merge(&mut self, memory: usize) -> Result<Records, Error> {
        self.runs.flush().map_err(Error::io(&self.target, "write"))?;
        let merge = self.runs.merge(memory).map_err(Error::io(&self.target, "read back"))?;
        Ok(Records { target: self.target.clone(), merge })
    }
}

/// A record, independent of its layout.
#[derive(Clone, Copy)]
pub(crate) struct Record {
    bytes: [u8; hashmill_digest::MAX_BYTES],
    length: u8,
    pub number: u32,
    pub size: u64,
}

impl Record {
    pub fn from_bytes(form: RecordLayout, record: &[u8]) -> Self {
        let mut bytes = [0; hashmill_digest::MAX_BYTES];
        bytes[..form.digest].copy_from_slice(&record[..form.digest]);
        let length = form.digest as u8;
        Record { bytes, length, number: form.number(record), size: form.size(record) }
    }

    pub fn digest(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
}

/// The size of a digest whose records disagree; one of them is wrong, so none is kept.
const DISPUTED: u64 = UNKNOWN_SIZE - 1;

/// Returns the common size of two records of one digest. The result does not depend on the order of records.
pub(crate) fn common_size(a: u64, b: u64) -> u64 {
    match (a, b) {
        (UNKNOWN_SIZE, size) | (size, UNKNOWN_SIZE) => size,
        (a, b) if a == b => a,
        _ => DISPUTED,
    }
}

/// Returns the size to store.
pub(crate) fn settled(size: u64) -> Option<u64> {
    (size < DISPUTED).then_some(size)
}

/// The merged records of all runs, in order.
pub(crate) struct Records {
    target: PathBuf,
    merge: Merge<RecordLayout>,
}

impl Records {
    /// Returns the next record; records of one digest are adjacent.
    pub fn next(&mut self) -> Result<Option<Record>, Error> {
        let next = self.merge.next_entry().map_err(Error::io(&self.target, "read back"))?;
        Ok(next.map(|(form, bytes)| Record::from_bytes(form, bytes)))
    }
}
