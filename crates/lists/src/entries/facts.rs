//! The facts about a record as bytes, for records that wait outside memory.

use super::batch::{EntryPlace, EntryState};
use hashmill_manifest::Time;

/// A number of nanoseconds that no time has.
const NO_TIME: u64 = u32::MAX as u64;

/// A size that no file has.
const NO_SIZE: u64 = u64::MAX;

/// The size of a file, and the time of its last modification.
#[derive(Clone, Copy)]
pub struct SizeAndTime {
    /// The size in bytes.
    pub size: Option<u64>,
    /// The time of the last modification.
    pub mtime: Option<Time>,
}

/// The part of a record that is sorted with its path, but for the digests.
pub(super) struct Facts {
    number: u64,
    hashed: u64,
    pub is_hashed: bool,
    file: SizeAndTime,
}

/// Returns the numbers at the start of these bytes, as [`u64::to_le_bytes`] writes them.
pub fn numbers<const N: usize>(bytes: &[u8]) -> [u64; N] {
    let (numbers, _) = bytes.as_chunks::<8>();
    std::array::from_fn(|at| u64::from_le_bytes(numbers[at]))
}

impl SizeAndTime {
    const BYTES: usize = 3 * 8;

    /// Returns both as bytes of a fixed length, as they are in temporary files.
    pub fn to_bytes(self) -> [[u8; 8]; 3] {
        let (seconds, nanoseconds) =
            self.mtime.map_or((0, NO_TIME), |time| (time.seconds as u64, time.nanoseconds.into()));
        [self.size.unwrap_or(NO_SIZE), seconds, nanoseconds].map(u64::to_le_bytes)
    }

    /// Returns the facts at the start of these bytes, and the bytes behind them.
    pub fn from_bytes(bytes: &[u8]) -> (SizeAndTime, &[u8]) {
        let (facts, rest) = bytes.split_at(SizeAndTime::BYTES);
        let [size, seconds, nanoseconds] = numbers(facts);
        let time = || Time { seconds: seconds as i64, nanoseconds: nanoseconds as u32 };
        let (size, mtime) = ((size != NO_SIZE).then_some(size), (nanoseconds != NO_TIME).then(time));
        (SizeAndTime { size, mtime }, rest)
    }
}

impl Facts {
    pub(super) fn from_place(place: &EntryPlace) -> Facts {
        let EntryPlace { number, hashed, size, mtime, kind, .. } = *place;
        let is_hashed = matches!(kind, EntryState::Hashed(_));
        Facts { number, hashed, is_hashed, file: SizeAndTime { size, mtime } }
    }

    pub(super) fn place(&self, path_end: usize, kind: EntryState) -> EntryPlace {
        let Facts { number, hashed, file: SizeAndTime { size, mtime }, .. } = *self;
        EntryPlace { path_end, number, hashed, size, mtime, kind }
    }

    pub(super) fn to_bytes(&self) -> [[[u8; 8]; 3]; 2] {
        let places = [self.number, self.hashed, self.is_hashed.into()];
        [places.map(u64::to_le_bytes), self.file.to_bytes()]
    }

    /// Returns the facts at the start of these bytes, and the bytes behind them.
    pub(super) fn from_bytes(bytes: &[u8]) -> (Facts, &[u8]) {
        let [number, hashed, is_hashed] = numbers(bytes);
        let (file, rest) = SizeAndTime::from_bytes(&bytes[3 * 8..]);
        (Facts { number, hashed, is_hashed: is_hashed == 1, file }, rest)
    }
}
