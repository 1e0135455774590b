//! Estimates the bytes of entries that were not opened yet.

/// The entries opened so far, and their bytes.
#[derive(Debug, Default)]
pub(super) struct Estimate {
    entries: u64,
    bytes: u64,
}

impl Estimate {
    /// Counts opened entries and the bytes of their files.
    pub(super) fn add(&mut self, entries: u64, bytes: u64) {
        self.entries += entries;
        self.bytes += bytes;
    }

    /// Returns the bytes of the remaining entries, of `met` in total, if they are like those opened so far, without one
    /// of this size: a single long file says nothing about the others.
    pub(super) fn bytes_left(&self, met: u64, beside: u64) -> u64 {
        let others = self.entries.saturating_sub(1).max(1);
        (met - self.entries).saturating_mul(self.bytes.saturating_sub(beside) / others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_others_are_like_those_that_were_looked_at() {
        let mut estimate = Estimate::default();
        assert_eq!(estimate.bytes_left(10, 0), 0);
        estimate.add(4, 400);
        assert_eq!(estimate.bytes_left(10, 100), 600);
        estimate.add(6, 0);
        assert_eq!(estimate.bytes_left(10, 100), 0);
    }

    #[test]
    fn a_long_file_among_short_ones_does_not_make_them_long() {
        let mut estimate = Estimate::default();
        estimate.add(1, 1 << 40);
        assert_eq!(estimate.bytes_left(1000, 1 << 40), 0);
        estimate.add(10, 100);
        assert_eq!(estimate.bytes_left(1011, 1 << 40), 10_000);
    }
}
