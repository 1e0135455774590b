//! Sorted runs of records in a temporary file, and their merging.

use super::heap::RecordLayout;
use crate::error::{Error, Why};
use crate::table::{UNKNOWN_SIZE, lead};
use hashmill_output::scratch;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The number of bytes gathered before they are written.
pub(crate) const GATHERED: usize = 1 << 20;

#[derive(Debug, Clone, Copy)]
struct Run {
    form: RecordLayout,
    start: u64,
    records: u64,
}

/// The sorted runs of records with digests of one length, in a scratch file.
pub(crate) struct Spool {
    target: PathBuf,
    file: File,
    length: u64,
    runs: Vec<Run>,
    gathered: Vec<u8>,
}

impl Spool {
    /// Creates a spool in a file without a name, beside the index.
    pub fn new(target: &Path) -> Result<Self, Error> {
        let file = scratch::beside(target).map_err(Error::io(target, "create"))?;
        let target = target.to_path_buf();
        Ok(Spool { target, file, length: 0, runs: Vec::new(), gathered: Vec::new() })
    }

    /// Starts a run; all records up to the next start must be in order.
    pub fn start(&mut self, form: RecordLayout) -> Result<(), Error> {
        self.flush()?;
        self.runs.push(Run { form, start: self.length, records: 0 });
        Ok(())
    }

    /// Adds a record to the run.
    pub fn push(&mut self, digest: &[u8], number: u32, size: u64) -> Result<(), Error> {
        if let Some(run) = self.runs.last_mut() {
            run.records += 1;
            run.form.write(digest, number, size, &mut self.gathered);
        }
        if self.gathered.len() >= GATHERED { self.flush() } else { Ok(()) }
    }

    /// Writes the gathered bytes.
    pub fn flush(&mut self) -> Result<(), Error> {
        let written = self.file.write_all(&self.gathered);
        written.map_err(Error::io(&self.target, "write"))?;
        self.length += self.gathered.len() as u64;
        self.gathered.clear();
        Ok(())
    }

    /// Returns the number of records in all runs, including duplicates.
    pub fn records(&self) -> u64 {
        self.runs.iter().map(|run| run.records).sum()
    }

    /// Returns whether any run has sizes.
    pub fn is_sized(&self) -> bool {
        self.runs.iter().any(|run| run.form.sized)
    }

    /// Merges all records in order, through buffers of about this many bytes in total.
    pub fn merge(&mut self, memory: usize) -> Result<Merge<'_>, Error> {
        self.flush()?;
        let buffer = (memory / self.runs.len().max(1)).clamp(16 << 10, 4 << 20);
        let readers = self.runs.iter().map(|run| Reader::new(*run, buffer)).collect();
        let mut merge = Merge { path: &self.target, file: &self.file, readers, heads: BinaryHeap::new() };
        for number in 0..merge.readers.len() {
            if let Some(head) = merge.next_of(number)? {
                merge.heads.push(head);
            }
        }
        Ok(merge)
    }
}

/// Reads a run through a buffer.
struct Reader {
    form: RecordLayout,
    /// The file offset of the next bytes.
    next: u64,
    /// The number of bytes of the run not yet read.
    left: u64,
    buffer: Vec<u8>,
    used: usize,
    capacity: usize,
}

impl Reader {
    fn new(run: Run, buffer: usize) -> Self {
        let stride = run.form.stride();
        let left = run.records * stride as u64;
        let capacity = buffer / stride * stride;
        Reader { form: run.form, next: run.start, left, buffer: Vec::new(), used: 0, capacity }
    }

    fn refill(&mut self, mut file: &File) -> std::io::Result<()> {
        let wanted = self.left.min(self.capacity as u64);
        self.buffer.clear();
        self.used = 0;
        file.seek(SeekFrom::Start(self.next))?;
        file.take(wanted).read_to_end(&mut self.buffer)?;
        if (self.buffer.len() as u64) < wanted {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        self.next += wanted;
        self.left -= wanted;
        Ok(())
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

/// The first unread record of a run.
struct Head {
    lead: u64,
    run: usize,
    record: Record,
}

/// The merged records of all runs, in order.
pub(crate) struct Merge<'a> {
    path: &'a Path,
    file: &'a File,
    readers: Vec<Reader>,
    heads: BinaryHeap<Head>,
}

impl Merge<'_> {
    /// Returns the next record; records of one digest are adjacent.
    pub fn next(&mut self) -> Result<Option<Record>, Error> {
        let Some(run) = self.heads.peek().map(|head| head.run) else { return Ok(None) };
        let next = self.next_of(run)?;
        let Some(mut top) = self.heads.peek_mut() else { return Ok(None) };
        Ok(Some(match next {
            Some(head) => std::mem::replace(&mut *top, head).record,
            None => PeekMut::pop(top).record,
        }))
    }

    fn next_of(&mut self, run: usize) -> Result<Option<Head>, Error> {
        let reader = &mut self.readers[run];
        if reader.used == reader.buffer.len() {
            if reader.left == 0 {
                return Ok(None);
            }
            reader.refill(self.file).map_err(|source| Error::new(self.path, Why::Io("read back", source)))?;
        }
        let stride = reader.form.stride();
        let bytes = &reader.buffer[reader.used..reader.used + stride];
        reader.used += stride;
        Ok(Some(Head { lead: lead(bytes), run, record: Record::from_bytes(reader.form, bytes) }))
    }
}

// The heap returns its greatest element first, so the order of digests is reversed.
impl Ord for Head {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_lead = other.lead.cmp(&self.lead);
        by_lead.then_with(|| other.record.digest().cmp(self.record.digest())).then(other.run.cmp(&self.run))
    }
}

impl PartialOrd for Head {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Head {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Head {}
