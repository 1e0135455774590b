//! Attributes of files, as Windows and its file systems have them, and the kinds that archives give to members with content.

use std::fmt;

/// The attributes of a file, by the bits of Windows. Source: \[MS-FSCC\] 2.6, File Attributes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct FileAttributes(u32);

/// The words used in manifests.
const WORDS: [(u32, &str); 21] = [
    (0x1, "readonly"),
    (0x2, "hidden"),
    (0x4, "system"),
    (0x20, "archive"),
    (0x100, "temporary"),
    (0x200, "sparse"),
    (0x400, "reparse-point"),
    (0x800, "compressed"),
    (0x1000, "offline"),
    (0x2000, "not-indexed"),
    (0x4000, "encrypted"),
    (0x8000, "integrity"),
    (0x2_0000, "no-scrub"),
    (0x4_0000, "recall-on-open"),
    (0x8_0000, "pinned"),
    (0x10_0000, "unpinned"),
    (0x40_0000, "recall-on-data-access"),
    (FileAttributes::SYMLINK.0, "symlink"),
    (FileAttributes::FIFO.0, "fifo"),
    (FileAttributes::SOCKET.0, "socket"),
    (FileAttributes::DEVICE.0, "device"),
];

/// The bits that say of which kind a file is, or that it has no other attribute.
const KINDS: u32 = 0x8 | 0x10 | 0x40 | 0x80;

/// The kinds that an archive may state of a member with stored bytes. Windows has no such bits.
impl FileAttributes {
    /// A symbolic link.
    pub const SYMLINK: FileAttributes = FileAttributes(0x100_0000);
    /// A FIFO.
    pub const FIFO: FileAttributes = FileAttributes(0x200_0000);
    /// A socket.
    pub const SOCKET: FileAttributes = FileAttributes(0x400_0000);
    /// A device.
    pub const DEVICE: FileAttributes = FileAttributes(0x800_0000);
}

impl FileAttributes {
    /// Creates attributes from the bits of Windows, without those that only tell the kind of the file.
    pub fn new(bits: u32) -> FileAttributes {
        FileAttributes(bits & !KINDS)
    }

    /// Returns the bits.
    pub fn bits(self) -> u32 {
        self.0
    }

    /// Returns whether there are none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the word of the kind that an archive states of a member with stored bytes.
    pub fn stated_kind(self) -> Option<&'static str> {
        WORDS[WORDS.len() - 4..].iter().find(|(bit, _)| self.0 & bit != 0).map(|(_, word)| *word)
    }

    /// Parses the words used in manifests.
    pub fn from_words(words: &[u8]) -> Option<FileAttributes> {
        let bit = |word: &str| match WORDS.iter().find(|(_, known)| *known == word) {
            Some((bit, _)) => Some(*bit),
            None => u32::from_str_radix(word.strip_prefix("0x")?, 16).ok(),
        };
        let bits =
            str::from_utf8(words).ok()?.split(' ').try_fold(0, |bits, word| Some(bits | bit(word)?))?;
        Some(FileAttributes::new(bits))
    }
}

impl fmt::Display for FileAttributes {
    /// Writes the words, with a space between two; bits without a word as one number at the end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        let mut between = "";
        for (bit, word) in WORDS.into_iter().filter(|(bit, _)| self.0 & bit != 0) {
            write!(f, "{between}{word}")?;
            (rest, between) = (rest & !bit, " ");
        }
        if rest == 0 { Ok(()) } else { write!(f, "{between}{rest:#x}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_is_read_as_it_is_written() {
        for bit in (0..32).map(|place| 1 << place) {
            for bits in [bit, bit | 0x2, !bit] {
                let attributes = FileAttributes::new(bits);
                let words = attributes.to_string();
                let read = FileAttributes::from_words(words.as_bytes());
                assert_eq!(read.unwrap_or_default(), attributes, "{bits:#x}: {words}");
                assert_eq!(words.is_empty(), bits & !KINDS == 0);
            }
        }
        assert_eq!(FileAttributes::new(0x8000_0023).to_string(), "readonly hidden archive 0x80000000");
    }

    #[test]
    fn other_words_are_none() {
        for words in [&b""[..], b"hidden ", b"Hidden", b"hidden,system", b"0x", b"0x1ffffffff", b"\xff"] {
            assert_eq!(FileAttributes::from_words(words), None, "{words:?}");
        }
    }
}
