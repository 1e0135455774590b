//! Lines of known-hash files, of any length and with any bytes.

use std::io::{self, BufRead};

/// Reads and counts lines.
pub struct Lines<R> {
    from: R,
    buffer: Vec<u8>,
    /// The number of the last line read, from 1.
    pub number: u64,
}

impl<R: BufRead> Lines<R> {
    pub fn new(from: R) -> Self {
        Lines { from, buffer: Vec::new(), number: 0 }
    }

    /// Returns the next line without its end. A NUL also ends the text of a line.
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

    /// Returns the last line again, with its end.
    pub fn last(&self) -> &[u8] {
        &self.buffer
    }
}

/// Strips line feeds and carriage returns at the end of a line.
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
