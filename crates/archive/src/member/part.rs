//! The packed bytes of a member or a block.

use crate::{Medium, Problem};
use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

/// The reason why packed bytes can't be read. It is kept apart, as not every decoder passes errors on as they are.
#[derive(Debug, Clone, Default)]
pub(crate) struct Faults(Arc<Mutex<Option<Problem>>>);

impl Faults {
    /// Takes the reason, if reading failed.
    pub(crate) fn take(&self) -> Option<Problem> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn set(&self, problem: Problem) -> io::Error {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(problem);
        io::Error::other("the packed bytes can't be read")
    }
}

/// A reader of bytes from a position on.
#[derive(Debug)]
pub(crate) struct Part {
    medium: Arc<dyn Medium>,
    at: u64,
    left: u64,
    faults: Faults,
}

impl Part {
    /// Creates a reader of this many bytes, which tells why it fails.
    pub(crate) fn new(medium: Arc<dyn Medium>, start: u64, length: u64, faults: &Faults) -> Part {
        Part { medium, at: start, left: length, faults: faults.clone() }
    }

    /// Returns the place where errors of reading are kept.
    pub(crate) fn faults(&self) -> Faults {
        self.faults.clone()
    }
}

impl Read for Part {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // Bytes before the end of a medium that is too short are still read.
        let there = self.left.min(self.medium.size().saturating_sub(self.at));
        if there == 0 && self.left > 0 && !buffer.is_empty() {
            return Err(self.faults.set(Problem::Truncated));
        }
        let length = usize::try_from(there).unwrap_or(usize::MAX).min(buffer.len());
        let Some(buffer) = buffer.get_mut(..length).filter(|room| !room.is_empty()) else { return Ok(0) };
        self.medium.read_at(self.at, buffer).map_err(|error| self.faults.set(error.into()))?;
        (self.at, self.left) = (self.at + length as u64, self.left - length as u64);
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_of_the_medium_is_not_lost() {
        let medium: Arc<dyn Medium> = Arc::new(vec![7; 100_000]);
        let faults = Faults::default();
        let mut bytes = Vec::new();
        let error = Part::new(Arc::clone(&medium), 30, 100_000, &faults).read_to_end(&mut bytes);
        // All bytes up to the end of the medium are read.
        assert_eq!(bytes, vec![7; 99_970]);
        assert!(error.is_err() && matches!(faults.take(), Some(Problem::Truncated)));
        assert!(faults.take().is_none());
        for size in [0, 1, 32 << 10, 99_970] {
            let mut reader = Part::new(Arc::clone(&medium), 30, size, &faults);
            assert_eq!(io::copy(&mut reader, &mut io::sink()).unwrap(), size);
        }
        assert!(Part::new(medium, u64::MAX, 1, &faults).read(&mut [0]).is_err());
    }
}
