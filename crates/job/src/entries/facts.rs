//! The facts about a record as bytes, for records that wait outside memory.

use super::batch::{EntryPlace, EntryState};
use hashmill_manifest::Time;

/// A number of nanoseconds that no time has.
const NO_TIME: u32 = u32::MAX;

/// A size that no file has.
const NO_SIZE: u64 = u64::MAX;

/// The size of a file, and the time of its last modification.
#[derive(Clone, Copy)]
pub(crate) struct SizeAndTime {
    pub(crate) size: Option<u64>,
    pub(crate) mtime: Option<Time>,
}

/// The part of a record that is sorted with its path, but for the digests.
pub(super) struct Facts {
    number: u64,
    hashed: u64,
    pub(super) is_hashed: bool,
    file: SizeAndTime,
}

impl SizeAndTime {
    pub(crate) const BYTES: usize = 8 + 8 + 4;

    pub(crate) fn to_bytes(self) -> [u8; SizeAndTime::BYTES] {
        let time = self.mtime.unwrap_or(Time { seconds: 0, nanoseconds: NO_TIME });
        let mut bytes = [0; SizeAndTime::BYTES];
        bytes[..8].copy_from_slice(&self.size.unwrap_or(NO_SIZE).to_le_bytes());
        bytes[8..16].copy_from_slice(&time.seconds.to_le_bytes());
        bytes[16..].copy_from_slice(&time.nanoseconds.to_le_bytes());
        bytes
    }

    /// Returns the facts at the start of these bytes, and the bytes behind them.
    pub(crate) fn from_bytes(bytes: &[u8]) -> (SizeAndTime, &[u8]) {
        let (facts, rest) = bytes.split_at(SizeAndTime::BYTES);
        let mut nanoseconds = [0; 4];
        nanoseconds.copy_from_slice(&facts[16..]);
        let time = Time { seconds: word(&facts[8..]) as i64, nanoseconds: u32::from_le_bytes(nanoseconds) };
        let size = Some(word(facts)).filter(|size| *size != NO_SIZE);
        (SizeAndTime { size, mtime: Some(time).filter(|time| time.nanoseconds != NO_TIME) }, rest)
    }
}

impl Facts {
    const BYTES: usize = 8 + 8 + 1 + SizeAndTime::BYTES;

    pub(super) fn from_place(place: &EntryPlace) -> Facts {
        let EntryPlace { number, hashed, size, mtime, kind, .. } = *place;
        let is_hashed = matches!(kind, EntryState::Hashed(_));
        Facts { number, hashed, is_hashed, file: SizeAndTime { size, mtime } }
    }

    pub(super) fn place(&self, path_end: usize, kind: EntryState) -> EntryPlace {
        let Facts { number, hashed, file: SizeAndTime { size, mtime }, .. } = *self;
        EntryPlace { path_end, number, hashed, size, mtime, kind }
    }

    pub(super) fn to_bytes(&self) -> [u8; Facts::BYTES] {
        let mut bytes = [0; Facts::BYTES];
        bytes[..8].copy_from_slice(&self.number.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.hashed.to_le_bytes());
        bytes[16] = u8::from(self.is_hashed);
        bytes[17..].copy_from_slice(&self.file.to_bytes());
        bytes
    }

    /// Returns the facts at the start of these bytes, and the bytes behind them.
    pub(super) fn from_bytes(bytes: &[u8]) -> (Facts, &[u8]) {
        let (file, rest) = SizeAndTime::from_bytes(&bytes[17..]);
        (Facts { number: word(bytes), hashed: word(&bytes[8..]), is_hashed: bytes[16] == 1, file }, rest)
    }
}

/// Returns the number in the first eight bytes.
fn word(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[..8]);
    u64::from_le_bytes(word)
}
