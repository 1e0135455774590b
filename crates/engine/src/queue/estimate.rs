//! How many bytes entries have that nobody has looked at.

/// What the entries that were looked at had.
#[derive(Debug, Default)]
pub(super) struct Estimate {
    entries: u64,
    bytes: u64,
}

impl Estimate {
    /// So many entries were looked at; their files have so many bytes.
    pub(super) fn add(&mut self, entries: u64, bytes: u64) {
        self.entries += entries;
        self.bytes += bytes;
    }

    /// The bytes of the others, of `met` entries in all, if they have as many as these on average.
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
