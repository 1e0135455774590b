//! Consecutive records of a list side by side, without a block of memory for each.

use super::facts::SizeAndTime;
use super::stop::Stop;
use hashmill_digest::{Algorithm, Digest};
use hashmill_manifest::{Named, Record, Status, Time};

/// A record, with the bytes of its path and of its digests.
#[derive(Clone, Copy)]
pub struct ListEntry<'a> {
    /// Its path.
    pub path: &'a [u8],
    /// Its number among all records of the list.
    pub number: u64,
    /// The number of hashed records before it in the list.
    pub hashed: u64,
    /// The size of the file in bytes.
    pub size: Option<u64>,
    /// The time of its last modification.
    pub mtime: Option<Time>,
    /// The digests by the algorithms of the list, side by side.
    pub digests: &'a [u8],
    /// The whole record, if it is not one of a file that was hashed.
    pub unhashed: Option<&'a Record>,
}

/// Consecutive records of a list.
#[derive(Default)]
pub(super) struct Batch {
    pub paths: Vec<u8>,
    pub digests: Vec<u8>,
    pub places: Vec<EntryPlace>,
    pub unhashed: Vec<Record>,
    /// The bytes that `unhashed` takes.
    pub unhashed_bytes: usize,
    /// The algorithms of all digests; empty before the first record with digests.
    pub algorithms: Vec<&'static Algorithm>,
}

/// The place of a record in a batch. Its path begins at the end of the one before it.
#[derive(Clone, Copy)]
pub(super) struct EntryPlace {
    pub path_end: usize,
    pub number: u64,
    pub hashed: u64,
    pub size: Option<u64>,
    pub mtime: Option<Time>,
    pub kind: EntryState,
}

/// Where the rest of a record is.
#[derive(Clone, Copy)]
pub(super) enum EntryState {
    /// Its digests begin here.
    Hashed(usize),
    /// The whole record has this index.
    Unhashed(usize),
}

impl Batch {
    /// Adds a record with its number, and the number of hashed records before it. One that is not hashed must be added to
    /// `unhashed`, too.
    ///
    /// # Errors
    /// If it has digests that do not name their algorithm, or others than the records before it.
    pub(super) fn add(&mut self, record: &Record, number: u64, hashed: u64) -> Result<(), Stop> {
        let kind = if record.is_sound() {
            EntryState::Hashed(self.add_digests(record)?)
        } else {
            EntryState::Unhashed(self.unhashed.len())
        };
        self.paths.extend_from_slice(&record.path);
        let (path_end, size, mtime) = (self.paths.len(), record.size, record.mtime);
        self.places.push(EntryPlace { path_end, number, hashed, size, mtime, kind });
        Ok(())
    }

    /// Adds the digests of a hashed record, and returns where they begin.
    fn add_digests(&mut self, record: &Record) -> Result<usize, Stop> {
        let is_stored = record.status != Status::Hashed;
        if is_stored || record.digests.is_empty() || record.digests.iter().any(|named| named.guessed) {
            return Err(Stop::Whole);
        }
        if self.algorithms.is_empty() {
            self.algorithms = record.digests.iter().map(|named| named.algorithm).collect();
        }
        let algorithms = record.digests.iter().map(|named| named.algorithm);
        if !algorithms.eq(self.algorithms.iter().copied()) {
            return Err(Stop::Whole);
        }
        let start = self.digests.len();
        for named in &record.digests {
            self.digests.extend_from_slice(named.digest.as_bytes());
        }
        Ok(start)
    }

    pub(super) fn path(&self, at: usize) -> &[u8] {
        let start = at.checked_sub(1).map_or(0, |before| self.places[before].path_end);
        &self.paths[start..self.places[at].path_end]
    }

    pub(super) fn entry(&self, at: usize) -> ListEntry<'_> {
        let EntryPlace { number, hashed, size, mtime, kind, .. } = self.places[at];
        let (digests, unhashed) = match kind {
            EntryState::Hashed(start) => (&self.digests[start..start + width(&self.algorithms)], None),
            EntryState::Unhashed(place) => (&[][..], Some(&self.unhashed[place])),
        };
        ListEntry { path: self.path(at), number, hashed, size, mtime, digests, unhashed }
    }

    /// Returns an empty batch with the memory of this one.
    pub(super) fn cleared(mut self) -> Batch {
        self.paths.clear();
        self.digests.clear();
        self.places.clear();
        self.unhashed.clear();
        self.unhashed_bytes = 0;
        self
    }
}

/// Returns the number of bytes of the digests of a record.
fn width(algorithms: &[&'static Algorithm]) -> usize {
    algorithms.iter().map(|algorithm| bytes_of(algorithm)).sum()
}

/// Returns the digests that lie side by side, each with its algorithm.
pub fn each_digest<'a>(
    algorithms: &'a [&'static Algorithm],
    mut digests: &'a [u8],
) -> impl Iterator<Item = (&'static Algorithm, &'a [u8])> {
    algorithms.iter().map(move |algorithm| {
        let (digest, rest) = digests.split_at(bytes_of(algorithm));
        digests = rest;
        (*algorithm, digest)
    })
}

/// Makes a record of a file that was hashed, with digests that lie side by side.
pub fn hashed(
    path: &[u8],
    SizeAndTime { size, mtime }: SizeAndTime,
    algorithms: &[&'static Algorithm],
    digests: &[u8],
) -> Record {
    let named =
        |(algorithm, bytes): (_, &[u8])| Named { algorithm, digest: Digest::new(bytes), guessed: false };
    let digests = each_digest(algorithms, digests).map(named).collect();
    Record { mtime, ..Record::hashed(path.into(), size, digests) }
}

pub(super) fn bytes_of(algorithm: &Algorithm) -> usize {
    (algorithm.bits / 8) as usize
}
