//! Bounds against bombs: files that claim far more bytes than the medium has.

use hashmill_disk::{ByteRun, Content};

/// The size up to which any ratio is allowed.
const SMALL: u64 = 64 << 20;

/// The bytes that all files may have in any case, beside four times those of the medium.
const TOTAL: u64 = 1 << 40;

/// The bytes that may still be read.
#[derive(Debug)]
pub(super) struct Bounds {
    ratio: u64,
    left: u64,
}

impl Bounds {
    /// Creates the bounds for a medium of this size; files may have this many times the bytes that are stored of them, 0 for
    /// any number.
    pub(super) fn new(ratio: u64, medium: u64) -> Bounds {
        let left = if ratio == 0 { u64::MAX } else { TOTAL.saturating_add(medium.saturating_mul(4)) };
        Bounds { ratio, left }
    }

    /// Takes the bytes of a file.
    ///
    /// # Errors
    /// The reason, if it has too many.
    pub(super) fn take(&mut self, content: &Content) -> Result<(), String> {
        let (size, stored) = (content.size(), stored(content));
        if self.ratio > 0 && size > SMALL && size / self.ratio > stored {
            return Err(format!(
                "it claims {size} bytes, of which {stored} are stored: more than {} times as many (--max-ratio)",
                self.ratio
            ));
        }
        self.left = self.left.checked_sub(size).ok_or_else(|| {
            "the files of this image claim far more bytes than the medium has (--max-ratio 0 reads them all)".to_string()
        })?;
        Ok(())
    }
}

/// Returns the bytes of a file that lie on the medium.
fn stored(content: &Content) -> u64 {
    match content.runs() {
        None => content.size(),
        Some(runs) => runs.as_slice().iter().filter(|run| run.place.is_some()).map(length).sum(),
    }
}

fn length(run: &ByteRun) -> u64 {
    run.length
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
    fn a_file_that_is_mostly_a_claim_is_refused() {
        let mut bounds = Bounds::new(1000, 1 << 30);
        assert!(bounds.take(&sparse(1, SMALL)).is_ok());
        assert!(bounds.take(&sparse(4096, 1000 * 4096 * 100)).is_err());
        assert!(bounds.take(&sparse(1 << 20, 1000 << 20)).is_ok());
        assert!(bounds.take(&sparse(1 << 20, 1002 << 20)).is_err());
        assert!(Bounds::new(0, 1).take(&sparse(1, u64::MAX >> 1)).is_ok());
    }

    #[test]
    fn all_files_together_are_bounded() {
        let mut bounds = Bounds::new(1000, 1 << 30);
        // Each has the same bytes of the medium.
        let same = sparse(1 << 29, 1 << 30);
        let taken = (0..5000).take_while(|_| bounds.take(&same).is_ok()).count();
        assert_eq!(taken as u64, (TOTAL + (4 << 30)) >> 30);
    }
}
