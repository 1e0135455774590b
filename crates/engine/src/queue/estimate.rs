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

    /// Returns the bytes of the remaining entries, of `met` in total, if the average stays the same.
    pub(super) fn bytes_left(&self, met: u64) -> u64 {
        (met - self.entries) * (self.bytes / self.entries.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_others_are_like_those_that_were_looked_at() {
        let mut estimate = Estimate::default();
        assert_eq!(estimate.bytes_left(10), 0);
        estimate.add(4, 400);
        assert_eq!(estimate.bytes_left(10), 600);
        estimate.add(6, 0);
        assert_eq!(estimate.bytes_left(10), 0);
    }
}
