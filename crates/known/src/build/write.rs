//! Merges sorted runs into the tables of an index.

use super::BuildProgress;
use super::buckets::Buckets;
use super::partial::{Extent, Partial};
use super::runs::{GATHERED, Record, Records, Spool, common_size, settled};
use crate::checks;
use crate::detail::catalogue::Catalogue;
use crate::error::{Error, Why};
use crate::layout::{Section, SectionKind};
use crate::table::{SIZES, Shape, lead};
use hashmill_digest::crc32c;
use hashmill_output::scratch;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

/// The maximum of the average number of entries in a bucket; the minimum is half of it. A lookup in so few takes few
/// steps from a guess, and the fences of a hundred million entries are 16 MiB and mostly stay in a cache.
const PER_BUCKET: u64 = 32;

/// The number of records in a batch from merging to writing.
const SENT: usize = 1024;

/// The most batches that wait to be written.
const WAITING: usize = 4;

/// The size of a file size in the scratch file, in bytes.
const WIDE: usize = 6;

/// Final numbers of details, assigned in the order in which entries first refer to them. So the same inputs produce the
/// same file, whatever the memory and the number of runs.
#[derive(Default)]
pub(crate) struct Renumbering {
    final_of: Vec<Option<u32>>,
    /// The catalogue's number of each detail.
    pub order: Vec<u32>,
}

impl Renumbering {
    fn number(&mut self, number: u32) -> u32 {
        let at = number as usize;
        if at >= self.final_of.len() {
            self.final_of.resize(at + 1, None);
        }
        *self.final_of[at].get_or_insert_with(|| {
            self.order.push(number);
            self.order.len() as u32 - 1
        })
    }
}

pub(crate) struct Written {
    pub sections: Vec<Section>,
    pub count: u64,
    /// The number of entries by the final number of their detail.
    pub by_detail: Vec<u64>,
}

/// The state shared by the writing of all tables.
pub(crate) struct Tables<'a> {
    pub out: &'a mut Partial,
    pub target: &'a Path,
    pub catalogue: &'a mut Catalogue,
    pub numbers: Renumbering,
    pub memory: usize,
    pub progress: &'a BuildProgress,
    /// The number of entries in all tables so far.
    pub written: u64,
}

impl Tables<'_> {
    /// Writes the table of digests of one length.
    pub fn write(&mut self, digest: usize, spool: &mut Spool) -> Result<Written, Error> {
        let mut shape = guess(digest, spool.records(), self.catalogue.len());
        loop {
            self.out.begin()?;
            let mut pass = Pass::new(shape, spool.records(), self.target)?;
            pass.entries(spool, self)?;
            let right = pass.ideal();
            if right == shape {
                return pass.sections(self.out);
            }
            // Duplicates made the table smaller than estimated, or unions increased the number of details.
            self.out.discard_section()?;
            shape = right;
        }
    }
}

/// Returns the shape of a table with this many entries and details.
fn guess(digest: usize, entries: u64, details: usize) -> Shape {
    let implied = match entries {
        _ if digest < 10 => 0,
        0..0x2000 => 0,
        0x2000..0x20_0000 => 1,
        _ => 2,
    };
    let number = (0..4).find(|bytes| details <= 1 << (8 * bytes)).unwrap_or(4);
    Shape { digest, implied, number }
}

/// One attempt to write a table.
struct Pass<'a> {
    shape: Shape,
    buckets: Buckets,
    count: u64,
    by_detail: Vec<u64>,
    sizes: Sizes<'a>,
}

impl<'a> Pass<'a> {
    fn new(shape: Shape, most: u64, target: &'a Path) -> Result<Self, Error> {
        let bits = (most / PER_BUCKET).max(1).ilog2() + 1;
        let bits = bits.clamp(8 * shape.implied as u32, 31);
        let sizes = Sizes { target, scratch: None, gathered: Vec::new(), most: 0, known: 0 };
        Ok(Pass { shape, buckets: Buckets::new(bits), count: 0, by_detail: Vec::new(), sizes })
    }

    /// Writes the entries and leaves the section open.
    fn entries(&mut self, spool: &mut Spool, all: &mut Tables<'_>) -> Result<(), Error> {
        let sized = spool.is_sized();
        let mut merge = spool.merge(all.memory)?;
        let Tables { out, target, catalogue, numbers, progress, written, .. } = all;
        thread::scope(|scope| {
            let (sender, merged) = sync_channel(WAITING);
            let merging = move || send_merged(&mut merge, catalogue, &sender);
            let started = thread::Builder::new().spawn_scoped(scope, merging);
            started.map_err(Error::io(target, "start a thread"))?;
            for records in merged {
                for record in records? {
                    self.entry(&record, numbers.number(record.number), out)?;
                    *written += 1;
                    progress.step(&progress.written, *written, 1, target)?;
                    if sized {
                        self.sizes.push(settled(record.size))?;
                    }
                }
            }
            Ok(())
        })?;
        u32::try_from(self.count).map_err(|_| Error::new(all.target, Why::TooMany))?;
        Ok(())
    }

    fn entry(&mut self, record: &Record, number: u32, out: &mut Partial) -> Result<(), Error> {
        let (digest, number_bytes) = (&record.digest()[self.shape.implied..], number.to_le_bytes());
        let entry = [digest, &number_bytes[..self.shape.number]];
        self.buckets.push(lead(record.digest()), self.count as u32, entry);
        self.count += 1;
        let at = number as usize;
        if at >= self.by_detail.len() {
            self.by_detail.resize(at + 1, 0);
        }
        self.by_detail[at] += 1;
        entry.iter().try_for_each(|part| out.push(part))
    }

    /// Returns the right shape for the entries that were written.
    fn ideal(&self) -> Shape {
        guess(self.shape.digest, self.count, self.by_detail.len())
    }

    /// Ends the section of entries, and writes the sections that belong to it.
    fn sections(mut self, out: &mut Partial) -> Result<Written, Error> {
        let Shape { digest, implied, number } = self.shape;
        let section = |kind, extent: Extent, count: u64, (first, second): (u32, u32)| {
            let Extent { offset, length, sum } = extent;
            Section { kind, digest: digest as u32, offset, length, count, first, second, sum }
        };
        let shape = (implied as u32, number as u32);
        let entries = section(SectionKind::Entries, out.finish_section()?, self.count, shape);
        self.buckets.finish(self.count as u32);
        self.buckets.coarsen(PER_BUCKET, 8 * implied as u32, self.shape.stride() as u64);
        let Buckets { bits, fences, crcs, .. } = self.buckets;
        out.begin()?;
        fences.iter().try_for_each(|fence| out.push(&fence.to_le_bytes()))?;
        let fenced = section(SectionKind::Fences, out.finish_section()?, fences.len() as u64, (bits, 0));
        let mut checked = vec![(crcs, entries.clone())];
        let mut sections = vec![entries, fenced];
        if let Some(width) = self.sizes.width() {
            out.begin()?;
            let crcs = self.sizes.copy(width, out)?;
            let sizes = section(SectionKind::Sizes, out.finish_section()?, self.count, (width as u32, 0));
            checked.push((crcs, sizes.clone()));
            sections.push(sizes);
        }
        out.begin()?;
        let mut all = checked.iter().flat_map(|(crcs, section)| checks::encode(crcs, section));
        all.try_for_each(|check| out.push(&check))?;
        let count = checked.iter().map(|(crcs, _)| crcs.len() as u64).sum();
        sections.push(section(SectionKind::Checks, out.finish_section()?, count, (0, 0)));
        Ok(Written { sections, count: self.count, by_detail: self.by_detail })
    }
}

/// Sends all records of a merge, joined by digest, from another thread, so that merging and writing run in parallel.
fn send_merged(
    merge: &mut Records,
    catalogue: &mut Catalogue,
    merged: &SyncSender<Result<Vec<Record>, Error>>,
) {
    let mut waiting = merge.next();
    loop {
        let batch = waiting.and_then(|first| batch(first, merge, catalogue));
        let (records, after) = match batch {
            Ok((records, after)) => (Ok(records), after),
            Err(error) => (Err(error), None),
        };
        // Nothing receives records after writing failed.
        if merged.send(records).is_err() || after.is_none() {
            return;
        }
        waiting = Ok(after);
    }
}

/// Returns a batch of records, and the record after them.
fn batch(
    mut waiting: Option<Record>,
    merge: &mut Records,
    catalogue: &mut Catalogue,
) -> Result<(Vec<Record>, Option<Record>), Error> {
    let mut records = Vec::with_capacity(SENT);
    while records.len() < SENT {
        let Some(first) = waiting else { break };
        let (record, after) = whole(first, merge, catalogue)?;
        records.push(record);
        waiting = after;
    }
    Ok((records, waiting))
}

/// Joins all records with the digest of the first, and returns the record after them.
fn whole(
    mut record: Record,
    merge: &mut Records,
    catalogue: &mut Catalogue,
) -> Result<(Record, Option<Record>), Error> {
    loop {
        match merge.next()? {
            Some(next) if next.digest() == record.digest() => {
                record.number = catalogue.union(record.number, next.number);
                record.size = common_size(record.size, next.size);
            }
            after => return Ok((record, after)),
        }
    }
}

/// The sizes of a table's entries, in a scratch file until their width is known.
struct Sizes<'a> {
    target: &'a Path,
    scratch: Option<File>,
    gathered: Vec<u8>,
    most: u64,
    known: u64,
}

impl Sizes<'_> {
    fn push(&mut self, size: Option<u64>) -> Result<(), Error> {
        if let Some(size) = size {
            self.most = self.most.max(size);
            self.known += 1;
        }
        self.gathered.extend_from_slice(&size.unwrap_or(u64::MAX).to_le_bytes()[..WIDE]);
        if self.gathered.len() >= GATHERED { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), Error> {
        let file = match self.scratch.take() {
            Some(file) => file,
            None => scratch::beside(self.target).map_err(Error::io(self.target, "create"))?,
        };
        self.scratch.insert(file).write_all(&self.gathered).map_err(Error::io(self.target, "write"))?;
        self.gathered.clear();
        Ok(())
    }

    /// Returns the width of a size in bytes if any is known; all ones mean an unknown size.
    fn width(&self) -> Option<usize> {
        let bytes = (1..=WIDE).find(|bytes| self.most < (1 << (8 * bytes)) - 1);
        (self.known > 0).then_some(bytes.unwrap_or(WIDE))
    }

    /// Writes all sizes. Returns the CRC-32C of each block of them.
    fn copy(&mut self, width: usize, out: &mut Partial) -> Result<Vec<u32>, Error> {
        let (mut crcs, mut block) = (Vec::new(), Vec::with_capacity(SIZES * width));
        self.flush()?;
        let failed = |source| Error::io(self.target, "read back")(source);
        let Some(mut file) = self.scratch.take() else { return Ok(crcs) };
        let length = file.seek(SeekFrom::End(0)).map_err(failed)?;
        file.seek(SeekFrom::Start(0)).map_err(failed)?;
        let mut file = BufReader::with_capacity(GATHERED, file);
        let mut size = [0; WIDE];
        for _ in 0..length / WIDE as u64 {
            file.read_exact(&mut size).map_err(failed)?;
            out.push(&size[..width])?;
            block.extend_from_slice(&size[..width]);
            if block.len() == SIZES * width {
                crcs.push(crc32c(&block));
                block.clear();
            }
        }
        if !block.is_empty() {
            crcs.push(crc32c(&block));
        }
        Ok(crcs)
    }
}
