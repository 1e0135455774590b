//! Bounds against bombs: files that claim far more bytes than the medium has, and partitions that lie over each other.

use crate::wanted::Inside;
use hashmill_disk::Content;

/// The files and bytes that may still be read of a medium.
#[derive(Debug)]
pub(super) struct Bounds {
    bytes: u64,
    most_bytes: u64,
    repeated: u64,
}

impl Bounds {
    /// Creates the bounds for a medium of this size: beside the holes that are allowed, its files may have four times its bytes.
    pub(super) fn new(inside: Inside, medium: u64) -> Bounds {
        let bytes = inside.max_expanded.saturating_add(medium.saturating_mul(4));
        Bounds { bytes, most_bytes: inside.max_expanded, repeated: inside.max_members }
    }

    /// Takes the bytes of a file.
    ///
    /// # Errors
    /// The reason, if all files have too many.
    pub(super) fn take(&mut self, content: &Content) -> Result<(), String> {
        self.bytes = self.bytes.checked_sub(content.size()).ok_or_else(|| {
            let most = self.most_bytes;
            format!("with it, the files of this image claim {most} bytes more than the medium can have (--max-expanded)")
        })?;
        Ok(())
    }

    /// Counts an entry of a partition over which another one lies: a table may name the same files any number of times.
    ///
    /// # Errors
    /// The reason, if there are too many.
    pub(super) fn repeated(&mut self) -> Result<(), String> {
        let left = self
            .repeated
            .checked_sub(1)
            .ok_or("partitions lie over each other, and have too many files (--max-members)")?;
        self.repeated = left;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_disk::ByteRuns;
    use std::sync::Arc;

    fn sparse(stored: u64, size: u64) -> Content {
        let mut runs = ByteRuns::default();
        runs.push(Some(0), stored, u64::MAX).unwrap();
        runs.push(None, size - stored, u64::MAX).unwrap();
        Content::Plain { runs: Arc::new(runs), size, valid: size }
    }

    #[test]
    fn holes_are_bounded_for_all_files_together() {
        let mut bounds = Bounds::new(Inside::default(), 1 << 30);
        assert!(bounds.take(&sparse(1, 1 << 39)).is_ok());
        assert!(bounds.take(&sparse(1, (1 << 39) + (4 << 30))).is_ok());
        assert!(bounds.take(&sparse(1, 1)).is_err());
        let any = Inside { max_expanded: u64::MAX, ..Inside::default() };
        assert!(Bounds::new(any, 1).take(&sparse(1, u64::MAX >> 1)).is_ok());
    }

    #[test]
    fn all_files_together_are_bounded() {
        let mut bounds = Bounds::new(Inside::default(), 1 << 30);
        // Each has the same bytes of the medium.
        let same = sparse(1 << 29, 1 << 30);
        let taken = (0..5000).take_while(|_| bounds.take(&same).is_ok()).count();
        assert_eq!(taken as u64, (Inside::EXPANDED + (4 << 30)) >> 30);
    }

    #[test]
    fn files_of_partitions_over_each_other_are_bounded() {
        let mut bounds = Bounds::new(Inside { max_members: 2, ..Inside::default() }, 1);
        assert!(bounds.repeated().is_ok() && bounds.repeated().is_ok() && bounds.repeated().is_err());
    }
}
