//! The bytes of an archive that is read from its start to its end.

use crate::Problem;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};

/// Bytes that are read once, in their order.
pub(crate) struct Source<R: Read = Box<dyn Read + Send>>(BufReader<R>);

impl<R: Read> Source<R> {
    /// Creates a source that reads ahead.
    pub(crate) fn new(bytes: R) -> Source<R> {
        Source(BufReader::with_capacity(32 << 10, bytes))
    }

    /// Creates a source that reads no byte before it is asked for.
    pub(crate) fn unbuffered(bytes: R) -> Source<R> {
        Source(BufReader::with_capacity(0, bytes))
    }

    /// Reads some bytes, at most as many as there is room for; none only at the end.
    pub(crate) fn some(&mut self, buffer: &mut [u8]) -> Result<usize, Problem> {
        loop {
            match self.0.read(buffer) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => return read.map_err(Problem::from),
            }
        }
    }

    /// Fills the buffer as far as there are bytes, and returns their number.
    pub(crate) fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, Problem> {
        let mut filled = 0;
        while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match self.some(rest)? {
                0 => break,
                read => filled += read,
            }
        }
        Ok(filled)
    }

    /// Fills the whole buffer.
    pub(crate) fn exact(&mut self, buffer: &mut [u8]) -> Result<(), Problem> {
        if self.fill(buffer)? == buffer.len() { Ok(()) } else { Err(Problem::Truncated) }
    }

    /// Returns this many bytes. Memory is taken only as they come.
    pub(crate) fn vec(&mut self, length: u64) -> Result<Vec<u8>, Problem> {
        let mut bytes = Vec::new();
        self.0.by_ref().take(length).read_to_end(&mut bytes)?;
        if bytes.len() as u64 == length { Ok(bytes) } else { Err(Problem::Truncated) }
    }

    /// Passes over this many bytes.
    pub(crate) fn pass(&mut self, length: u64) -> Result<(), Problem> {
        let passed = io::copy(&mut self.0.by_ref().take(length), &mut io::sink())?;
        if passed == length { Ok(()) } else { Err(Problem::Truncated) }
    }

    /// Passes over zeros, and returns whether anything follows them.
    pub(crate) fn pass_zeros(&mut self) -> Result<bool, Problem> {
        loop {
            let ahead = match self.0.fill_buf() {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                ahead => ahead?,
            };
            if ahead.is_empty() {
                return Ok(false);
            }
            match ahead.iter().position(|byte| *byte != 0) {
                Some(zeros) => {
                    self.0.consume(zeros);
                    return Ok(true);
                }
                None => {
                    let zeros = ahead.len();
                    self.0.consume(zeros);
                }
            }
        }
    }

    /// Returns a reader of the bytes that are left.
    pub(crate) fn into_rest(self) -> BufReader<R> {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes that come one by one, each after an interruption.
    struct Slow(io::Cursor<Vec<u8>>, bool);

    impl Read for Slow {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 {
                return Err(ErrorKind::Interrupted.into());
            }
            self.0.by_ref().take(1).read(buffer)
        }
    }

    #[test]
    fn bytes_that_come_slowly_are_the_same() {
        let bytes = [b"abc".as_slice(), &[0; 9], b"defghij"].concat();
        let mut source = Source::new(Slow(io::Cursor::new(bytes), false));
        assert_eq!(source.vec(2).unwrap(), b"ab");
        source.pass(1).unwrap();
        assert!(source.pass_zeros().unwrap());
        let mut three = [0; 3];
        source.exact(&mut three).unwrap();
        assert_eq!(&three, b"def");
        assert_eq!(source.fill(&mut [0; 9]).unwrap(), 4);
        assert!(!source.pass_zeros().unwrap());
        assert!(matches!(source.pass(1), Err(Problem::Truncated)));
        assert!(matches!(source.vec(u64::MAX), Err(Problem::Truncated)));
    }

    #[test]
    fn nothing_is_read_ahead_of_an_unbuffered_source() {
        let mut bytes = io::Cursor::new(vec![1; 100]);
        let mut source = Source::unbuffered(&mut bytes);
        source.exact(&mut [0; 3]).unwrap();
        source.pass(4).unwrap();
        assert_eq!(source.vec(5).unwrap().len(), 5);
        assert_eq!(bytes.position(), 12);
    }
}
