//! Packed bytes of a block, and why they could not be read.

use super::streams::Pack;
use crate::{Medium, Problem};
use std::io::{self, BufRead, Read};
use std::sync::{Arc, Mutex, PoisonError};

/// The bytes that are read at once.
const BUFFER: usize = 32 << 10;

/// The reason why packed bytes could not be read. Decoders do not hand on the errors of what they read from.
#[derive(Debug, Clone, Default)]
pub(super) struct Fault(Arc<Mutex<Option<Problem>>>);

impl Fault {
    fn set(&self, problem: Problem) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(problem);
    }

    /// Returns why a decoder failed: packed bytes could not be read, or they make no sense.
    pub(super) fn explain(&self, error: io::Error) -> Problem {
        if let Some(problem) = self.0.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return problem;
        }
        match Problem::from(error) {
            Problem::Truncated => Problem::damaged("a block can't be decoded: it ends too early"),
            Problem::Io(error) => Problem::damaged(format!("a block can't be decoded: {error}")),
            problem => problem,
        }
    }
}

/// A reader of a packed stream.
#[derive(Debug)]
pub(super) struct PackReader {
    medium: Arc<dyn Medium>,
    position: u64,
    left: u64,
    buffer: Box<[u8]>,
    /// The bytes in the buffer that were not read yet.
    start: usize,
    end: usize,
    fault: Fault,
}

impl PackReader {
    /// Creates a reader of the stream at a place that is counted from a base.
    pub(super) fn new(medium: Arc<dyn Medium>, base: u64, pack: Pack, fault: Fault) -> PackReader {
        let position = base.saturating_add(pack.offset);
        let length = pack.size.min(BUFFER as u64) as usize;
        PackReader {
            medium,
            position,
            left: pack.size,
            buffer: vec![0; length].into(),
            start: 0,
            end: 0,
            fault,
        }
    }

    /// Reads the next bytes into the buffer.
    fn fill(&mut self) -> Result<(), Problem> {
        // Bytes before the end of a medium that is too short are still read.
        let available = self.medium.size().saturating_sub(self.position);
        let length = self.left.min(self.buffer.len() as u64).min(available) as usize;
        if length == 0 && self.left > 0 {
            return Err(Problem::Truncated);
        }
        let bytes = self.buffer.get_mut(..length).unwrap_or_default();
        self.medium.read_at(self.position, bytes)?;
        (self.start, self.end) = (0, length);
        self.position = self.position.saturating_add(length as u64);
        self.left = self.left.saturating_sub(length as u64);
        Ok(())
    }
}

impl BufRead for PackReader {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.start >= self.end && self.left > 0 {
            self.fill().map_err(|problem| {
                self.fault.set(problem);
                io::Error::other("packed bytes can't be read")
            })?;
        }
        Ok(self.buffer.get(self.start..self.end).unwrap_or_default())
    }

    fn consume(&mut self, amount: usize) {
        self.start = self.start.saturating_add(amount).min(self.end);
    }
}

impl Read for PackReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_of_the_medium_is_not_lost() {
        let medium: Arc<dyn Medium> = Arc::new(vec![7; 100_000]);
        let fault = Fault::default();
        let pack = Pack { offset: 10, size: 100_000 };
        let mut bytes = Vec::new();
        let error = PackReader::new(Arc::clone(&medium), 20, pack, fault.clone()).read_to_end(&mut bytes);
        // All bytes up to the end of the medium are read.
        assert_eq!(bytes, vec![7; 99_970]);
        assert_eq!(fault.explain(error.unwrap_err()).word(), "truncated");
        assert_eq!(fault.explain(io::Error::other("x")).word(), "damaged");
        assert_eq!(fault.explain(Problem::Memory(1).into()).word(), "needs-memory");
        for size in [0, 1, 32 << 10, 99_970] {
            let pack = Pack { offset: 10, size };
            let mut reader = PackReader::new(Arc::clone(&medium), 20, pack, fault.clone());
            assert_eq!(io::copy(&mut reader, &mut io::sink()).unwrap(), size);
        }
        let far = Pack { offset: u64::MAX, size: 1 };
        assert!(PackReader::new(medium, u64::MAX, far, fault).read(&mut [0]).is_err());
    }
}
