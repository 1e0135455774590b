//! Lines of known-hash files, of any length and any bytes.

use std::io::{self, BufRead};

/// Reads lines one by one and counts them.
pub struct Lines<R> {
    from: R,
    buffer: Vec<u8>,
    /// The number of the last line read, from 1.
    pub number: u64,
}

impl<R: BufRead> Lines<R> {
    /// Lines of a reader.
    pub fn new(from: R) -> Self {
        Lines { from, buffer: Vec::new(), number: 0 }
    }

    /// The next line without its end. A NUL ends a line's text too: what follows it is not seen.
    ///
    /// # Errors
    /// Those of the reader.
    pub fn next_line(&mut self) -> io::Result<Option<&[u8]>> {
        self.buffer.clear();
        if self.from.read_until(b'\n', &mut self.buffer)? == 0 {
            return Ok(None);
        }
        self.number += 1;
        let end = self.buffer.iter().position(|&byte| byte == 0).unwrap_or(self.buffer.len());
        self.buffer.truncate(end);
        Ok(Some(chop(&self.buffer)))
    }

    /// The last line once more, with its end.
    pub fn last(&self) -> &[u8] {
        &self.buffer
    }
}

/// A line without line feeds and carriage returns at its end.
pub fn chop(line: &[u8]) -> &[u8] {
    let end = line.iter().rposition(|byte| !b"\r\n".contains(byte)).map_or(0, |last| last + 1);
    &line[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_any_kind_are_cut_and_counted() {
        let mut lines = Lines::new(&b"a\r\n\nb\0c\nd"[..]);
        for expected in ["a", "", "b", "d"] {
            assert_eq!(lines.next_line().unwrap(), Some(expected.as_bytes()));
        }
        assert_eq!(lines.number, 4);
        assert_eq!(lines.next_line().unwrap(), None);
    }
}
