//! The place in a stream, and a bound of what is read between two values.

use std::cell::Cell;
use std::io::{self, BufReader, Read};
use std::rc::Rc;

/// The most bytes of one value or key: a parser keeps them in memory.
const MAX_VALUE: usize = 64 << 20;

/// The place in a stream that is read.
#[derive(Debug, Clone, Default)]
pub(super) struct Place(Rc<State>);

#[derive(Debug, Default)]
struct State {
    /// The line feeds before.
    feeds: Cell<u64>,
    /// The bytes since the last value.
    since: Cell<usize>,
}

impl Place {
    /// Returns the line, from 1.
    pub fn line(&self) -> u64 {
        self.0.feeds.get() + 1
    }

    pub fn set_line(&self, line: u64) {
        self.0.feeds.set(line - 1);
    }

    /// Notes that a value was read.
    pub fn advance(&self) {
        self.0.since.set(0);
    }

    /// Returns the bound, if a value is longer.
    pub fn too_long(&self) -> Option<usize> {
        (self.0.since.get() > MAX_VALUE).then_some(MAX_VALUE)
    }
}

/// A stream of which the place is noted.
pub(super) struct Counted<'a> {
    stream: BufReader<Box<dyn Read + 'a>>,
    place: Place,
}

impl<'a> Counted<'a> {
    pub fn new(stream: Box<dyn Read + 'a>, place: &Place) -> Self {
        Counted { stream: BufReader::new(stream), place: place.clone() }
    }

    /// Skips bytes.
    pub fn skip(&mut self, bytes: usize) -> io::Result<()> {
        self.stream.read_exact(&mut [0; 8][..bytes])
    }
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.place.too_long().is_some() {
            return Err(io::Error::other("a value is too long"));
        }
        let read = self.stream.read(buffer)?;
        let State { feeds, since } = &*self.place.0;
        feeds.set(feeds.get() + buffer[..read].iter().filter(|byte| **byte == b'\n').count() as u64);
        since.set(since.get() + read);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_without_end_is_not_read_to_it() {
        let place = Place::default();
        let mut stream = Counted::new(Box::new(io::repeat(b'\n').take(1 << 40)), &place);
        let read = io::copy(&mut stream, &mut io::sink());
        assert!(read.is_err() && place.too_long() == Some(MAX_VALUE));
        assert!(place.line() <= MAX_VALUE as u64 + (1 << 20));
        place.advance();
        assert_eq!(place.too_long(), None);
    }
}
