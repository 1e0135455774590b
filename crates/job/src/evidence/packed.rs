//! Numbers and texts in one sequence of bytes. A box for each would take several times as much memory.

/// A writer that appends to bytes.
pub(super) struct Writer<'a>(pub &'a mut Vec<u8>);

impl Writer<'_> {
    /// Writes a number in groups of 7 bits, the lowest first.
    pub fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    /// Writes a text after its length.
    pub fn text(&mut self, text: &[u8]) {
        self.number(text.len() as u64);
        self.0.extend_from_slice(text);
    }

    /// Writes an optional text.
    pub fn maybe(&mut self, text: Option<&str>) {
        self.number(u64::from(text.is_some()));
        text.into_iter().for_each(|text| self.text(text.as_bytes()));
    }
}

/// A reader that takes values from the front, in the order in which a [`Writer`] added them.
pub(super) struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    /// Reads a number.
    pub fn number(&mut self) -> u64 {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = self.bytes(1)[0];
            number |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                return number;
            }
        }
    }

    /// Reads a text.
    pub fn text(&mut self) -> &'a [u8] {
        let length = self.number() as usize;
        self.bytes(length)
    }

    /// Reads an optional text.
    pub fn maybe(&mut self) -> Option<Box<str>> {
        let there = self.number() == 1;
        there.then(|| String::from_utf8_lossy(self.text()).into())
    }

    /// Reads this number of bytes.
    pub fn bytes(&mut self, length: usize) -> &'a [u8] {
        let (bytes, rest) = self.0.split_at(length);
        self.0 = rest;
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read() {
        let numbers = [0, 1, 0x7f, 0x80, 0x3fff, 0x4000, u64::from(u32::MAX), u64::MAX - 1, u64::MAX];
        let long = "x".repeat(300);
        let mut bytes = Vec::new();
        let mut writer = Writer(&mut bytes);
        for number in numbers {
            writer.number(number);
            writer.maybe(Some(&long));
            writer.maybe(None);
            writer.maybe(Some(""));
            writer.text(b"\xff\0");
        }
        let mut reader = Reader(&bytes);
        for number in numbers {
            assert_eq!(reader.number(), number);
            assert_eq!(reader.maybe().as_deref(), Some(&*long));
            assert_eq!(reader.maybe(), None);
            assert_eq!(reader.maybe().as_deref(), Some(""));
            assert_eq!(reader.text(), b"\xff\0");
        }
        assert!(reader.0.is_empty());
    }
}
