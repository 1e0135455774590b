//! Bounds against bombs: archives that expand to far more than they are.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The size up to which a member may expand any number of times.
pub(crate) const SMALL: u64 = 64 << 20;

/// The bytes of members that are refused for their ratio and passed over, so that what is behind them is read.
const PASSED: u64 = 4 << 30;

/// The limits of what an archive may expand to, with all archives in it.
#[derive(Debug)]
pub(crate) struct Expansion {
    /// How many times the bytes that it takes in the archive a member may have; 0 is no limit.
    ratio: u64,
    members: AtomicU64,
    bytes: AtomicU64,
    most_bytes: u64,
    passed: AtomicU64,
}

/// A reason to refuse a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bomb(pub(crate) String);

impl Expansion {
    /// Creates the limits for one archive.
    pub(crate) fn new(ratio: u64, members: u64, bytes: u64) -> Arc<Expansion> {
        let (left, all) = (AtomicU64::new(members), AtomicU64::new(bytes));
        let passed = AtomicU64::new(PASSED);
        Arc::new(Expansion { ratio, members: left, bytes: all, most_bytes: bytes, passed })
    }

    /// Counts a member.
    ///
    /// # Errors
    /// If there are too many: nothing more is to be read of the archive.
    pub(crate) fn member(&self) -> Result<(), Bomb> {
        let less = |left: u64| left.checked_sub(1);
        let counted = self.members.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        counted.map(drop).map_err(|_| Bomb("it has too many members (--max-members)".into()))
    }

    /// Counts bytes of members.
    ///
    /// # Errors
    /// If there are too many.
    pub(crate) fn bytes(&self, bytes: u64) -> Result<(), Bomb> {
        let less = |left: u64| left.checked_sub(bytes);
        let counted = self.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        let why = || format!("it expands to more than {} bytes (--max-expanded)", self.most_bytes);
        counted.map(drop).map_err(|_| Bomb(why()))
    }

    /// Returns whether so many bytes of a member that is a bomb may be passed over: it takes as long as to read them.
    pub(crate) fn passes(&self, bytes: u64) -> bool {
        let less = |left: u64| left.checked_sub(bytes);
        self.passed.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
    }

    /// Compares the size of a member, or of what was read of it, with the bytes that it takes in the archive.
    ///
    /// # Errors
    /// If it is too large.
    pub(crate) fn ratio(&self, size: u64, stored: u64) -> Result<(), Bomb> {
        if self.ratio == 0 || size <= SMALL || size / self.ratio <= stored {
            return Ok(());
        }
        let why =
            format!("{size} bytes of which {stored} are stored: more than {} times as many", self.ratio);
        Err(Bomb(format!("{why} (--max-ratio)")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bombs_are_refused() {
        let expansion = Expansion::new(1000, 2, 100);
        assert!(expansion.member().is_ok() && expansion.member().is_ok() && expansion.member().is_err());
        assert!(expansion.bytes(100).is_ok() && expansion.bytes(1).is_err());
        assert!(expansion.ratio(SMALL, 0).is_ok());
        assert!(expansion.ratio(SMALL * 1000, SMALL).is_ok());
        assert!(expansion.ratio(SMALL * 2, SMALL / 1000).is_err());
        assert!(Expansion::new(0, 0, 0).ratio(u64::MAX, 0).is_ok());
        assert!(expansion.passes(PASSED) && !expansion.passes(1));
    }
}
