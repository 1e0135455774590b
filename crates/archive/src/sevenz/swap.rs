//! The filter that reverses the order of bytes in groups of two or four.

use std::io::{self, Read};

/// A reader that reverses groups of bytes. A group that is not full at the end stays as it is.
pub(super) struct Swap<R> {
    input: R,
    group: usize,
    bytes: [u8; 4],
    /// The bytes of the group that were not read yet.
    start: usize,
    end: usize,
}

impl<R: Read> Swap<R> {
    /// Creates a reader of groups of two or four bytes.
    pub(super) fn new(input: R, group: usize) -> Swap<io::BufReader<R>> {
        Swap { input: io::BufReader::new(input), group: group.min(4), bytes: [0; 4], start: 0, end: 0 }
    }

    /// Reads the next group.
    fn fill(&mut self) -> io::Result<()> {
        (self.start, self.end) = (0, 0);
        while self.end < self.group {
            let read = self.input.read(self.bytes.get_mut(self.end..self.group).unwrap_or_default())?;
            self.end = self.end.saturating_add(read);
            if read == 0 {
                return Ok(());
            }
        }
        self.bytes.get_mut(..self.group).unwrap_or_default().reverse();
        Ok(())
    }
}

impl<R: Read> Read for Swap<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut done = 0;
        for to in buffer {
            if self.start >= self.end {
                self.fill()?;
            }
            let Some(byte) = self.bytes.get(self.start).filter(|_| self.start < self.end) else { break };
            *to = *byte;
            self.start = self.start.saturating_add(1);
            done += 1;
        }
        Ok(done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_reversed() {
        for (group, expected) in [(2, b"badcfeg"), (4, b"dcbaefg")] {
            for part in 1..8 {
                let mut swap = Swap::<&[u8]>::new(b"abcdefg", group);
                let mut bytes = Vec::new();
                let mut buffer = vec![0; part];
                loop {
                    let read = swap.read(&mut buffer).unwrap();
                    bytes.extend_from_slice(&buffer[..read]);
                    if read == 0 {
                        break;
                    }
                }
                assert_eq!(bytes, expected);
            }
        }
    }
}
