//! The packed bytes of a member.

use crate::{Medium, Problem};
use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

/// The reason why packed bytes can't be read. It is kept apart, as not every decoder passes errors on as they are.
#[derive(Debug, Clone, Default)]
pub(super) struct Faults(Arc<Mutex<Option<Problem>>>);

impl Faults {
    /// Takes the reason, if reading failed.
    pub(super) fn take(&self) -> Option<Problem> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn set(&self, problem: Problem) -> io::Error {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(problem);
        io::Error::other("the packed bytes can't be read")
    }
}

/// A reader of the bytes between two places.
#[derive(Debug)]
pub(super) struct Part {
    medium: Arc<dyn Medium>,
    at: u64,
    end: u64,
    faults: Faults,
}

impl Part {
    pub(super) fn new(medium: Arc<dyn Medium>, start: u64, end: u64) -> Part {
        Part { medium, at: start, end, faults: Faults::default() }
    }

    /// Returns the place where errors of reading are kept.
    pub(super) fn faults(&self) -> Faults {
        self.faults.clone()
    }
}

impl Read for Part {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.end.saturating_sub(self.at);
        let there = left.min(self.medium.size().saturating_sub(self.at));
        if there == 0 && left > 0 && !buffer.is_empty() {
            return Err(self.faults.set(Problem::Truncated));
        }
        let length = usize::try_from(there).unwrap_or(usize::MAX).min(buffer.len());
        let Some(buffer) = buffer.get_mut(..length) else { return Ok(0) };
        self.medium.read_at(self.at, buffer).map_err(|error| self.faults.set(error.into()))?;
        self.at += length as u64;
        Ok(length)
    }
}
