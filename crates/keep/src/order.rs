//! The order of verification.

/// The choice of files to verify, and their order: suspects first, then those that were never read, then the
/// others by the time of their last proof.
#[derive(Debug, Clone, Copy)]
pub struct Order {
    /// The time of the run, in seconds since 1970.
    pub now: i64,
    /// The age in seconds at which a file is due again; without it, every file is.
    pub max_age: Option<i64>,
    /// The seed of the jitter.
    pub seed: u64,
}

/// How many files and bytes are due.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Due {
    /// The files.
    pub files: u64,
    /// Their bytes, as far as sizes are known.
    pub bytes: u64,
}

/// The part of the age by which files come earlier than they must: one part in this many.
const JITTER: i64 = 10;

/// The part of the age within which files count as equally old: one part in this many.
const GRAIN: i64 = 100;

/// The age in its place where none was given: a day.
const DAY: i64 = 86_400;

impl Order {
    /// Returns by how many seconds a file is due before its age: a tenth of it at most. What was verified in one run is
    /// not due in one run again.
    pub(crate) fn jitter(&self, path: &[u8]) -> i64 {
        let most = (self.max_age.unwrap_or(DAY) / JITTER).max(1) as u64;
        let mut hasher = blake3::Hasher::new();
        let digest = hasher.update(&self.seed.to_le_bytes()).update(path).finalize();
        let first = digest.as_bytes().first_chunk::<8>().expect("a digest is longer");
        (u64::from_le_bytes(*first) % most) as i64
    }

    /// Returns the seconds within which files count as equally old, so that they are read by their paths.
    pub(crate) fn grain(&self) -> i64 {
        (self.max_age.unwrap_or(DAY) / GRAIN).max(1)
    }

    /// Returns the last proof, less jitter, at or before which a file is due.
    pub(crate) fn limit(&self) -> i64 {
        self.max_age.map_or(i64::MAX, |age| self.now.saturating_sub(age))
    }
}
