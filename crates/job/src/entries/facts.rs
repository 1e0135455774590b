//! The facts about a record as bytes, for records that are sorted outside memory.

use super::batch::{EntryPlace, EntryState};
use hashloom_manifest::Time;

/// A number of nanoseconds that no time has.
const NO_TIME: u32 = u32::MAX;

/// A size that no file has.
const NO_SIZE: u64 = u64::MAX;

/// The part of a record that is sorted with its path, but for the digests.
pub(super) struct Facts {
    number: u64,
    hashed: u64,
    size: Option<u64>,
    mtime: Option<Time>,
    pub(super) is_hashed: bool,
}

impl Facts {
    pub(super) const BYTES: usize = 8 + 8 + 8 + 8 + 4 + 1;

    pub(super) fn from_place(place: &EntryPlace) -> Facts {
        let EntryPlace { number, hashed, size, mtime, kind, .. } = *place;
        Facts { number, hashed, size, mtime, is_hashed: matches!(kind, EntryState::Hashed(_)) }
    }

    pub(super) fn place(&self, path_end: usize, kind: EntryState) -> EntryPlace {
        let Facts { number, hashed, size, mtime, .. } = *self;
        EntryPlace { path_end, number, hashed, size, mtime, kind }
    }

    pub(super) fn to_bytes(&self) -> [u8; Facts::BYTES] {
        let time = self.mtime.unwrap_or(Time { seconds: 0, nanoseconds: NO_TIME });
        let mut bytes = [0; Facts::BYTES];
        bytes[..8].copy_from_slice(&self.number.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.hashed.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.size.unwrap_or(NO_SIZE).to_le_bytes());
        bytes[24..32].copy_from_slice(&time.seconds.to_le_bytes());
        bytes[32..36].copy_from_slice(&time.nanoseconds.to_le_bytes());
        bytes[36] = u8::from(self.is_hashed);
        bytes
    }

    /// Returns the facts at the start of these bytes, and the bytes behind them.
    pub(super) fn from_bytes(bytes: &[u8]) -> (Facts, &[u8]) {
        let (facts, rest) = bytes.split_at(Facts::BYTES);
        let word = |at: usize| {
            let mut word = [0; 8];
            word.copy_from_slice(&facts[at..at + 8]);
            u64::from_le_bytes(word)
        };
        let mut nanoseconds = [0; 4];
        nanoseconds.copy_from_slice(&facts[32..36]);
        let time = Time { seconds: word(24) as i64, nanoseconds: u32::from_le_bytes(nanoseconds) };
        let facts = Facts {
            number: word(0),
            hashed: word(8),
            size: Some(word(16)).filter(|size| *size != NO_SIZE),
            mtime: Some(time).filter(|time| time.nanoseconds != NO_TIME),
            is_hashed: facts[36] == 1,
        };
        (facts, rest)
    }
}
