//! The table of archives and compressed files that are known by their marks, but can't be read. To add one: a row.

/// A format that can't be read: its name, and the bytes at a position that recognise it.
type Foreign = (&'static str, usize, &'static [u8]);

/// All of them. Formats that are read are tried first, so that a version or a method that can't be read has a row here.
static FOREIGN: &[Foreign] = &[
    ("a RAR archive", 0, b"Rar!\x1a\x07"),
    ("a RAR archive of before version 1.5", 0, b"RE\x7e\x5e"),
    ("a cabinet (CAB)", 0, b"MSCF\0\0\0\0"),
    ("an InstallShield cabinet", 0, b"ISc("),
    ("a xar archive", 0, b"xar!"),
    ("an ACE archive", 7, b"**ACE**"),
    ("a zoo archive", 20, b"\xdc\xa7\xc4\xfd"),
    ("a StuffIt archive", 0, b"StuffIt (c)"),
    ("a StuffIt archive", 10, b"rLau"),
    ("a Windows image of files (WIM)", 0, b"MSWIM\0\0\0"),
    ("what lzop compressed", 0, b"\x89LZO\0\r\n\x1a\n"),
    ("what lrzip compressed", 0, b"LRZI\0"),
    ("what grzip compressed", 0, b"GRZipII\0"),
    ("what ZPAQ compressed", 0, b"7kSt\xa0\x31\x83\xd3"),
    ("what ZPAQ compressed", 0, b"zPQ\x01"),
    ("what ZPAQ compressed", 0, b"zPQ\x02"),
    ("what Snappy compressed", 0, b"\xff\x06\0\0sNaPpY"),
    ("what S2 compressed", 0, b"\xff\x06\0\0S2sTwO"),
    ("an lzip file of another version", 0, b"LZIP"),
    ("a Zstandard file of before version 0.8", 1, b"\xb5\x2f\xfd"),
];

/// Returns the name of the archive or compressed file that begins so, if it is of a format that can't be read.
pub fn foreign(first: &[u8]) -> Option<&'static str> {
    let row =
        FOREIGN.iter().find(|(_, at, bytes)| first.get(*at..).is_some_and(|rest| rest.starts_with(bytes)));
    row.map(|(name, ..)| *name)
        .or_else(|| is_gzip(first).then_some("a gzip file with another method than deflate, or encrypted,"))
        .or_else(|| is_lha(first).then_some("an LHA archive"))
        .or_else(|| is_arj(first).then_some("an ARJ archive"))
}

/// Returns whether bytes begin as a gzip file of a method that RFC 1952 reserves, or with a flag that it does. Other bytes
/// behind the two of the mark are chance.
fn is_gzip(first: &[u8]) -> bool {
    matches!(first, [0x1f, 0x8b, 0..8, ..])
        || matches!(first, [0x1f, 0x8b, 8, flags, ..] if flags & 0xe0 != 0)
}

/// Returns whether bytes begin as the first header of LHA: its method is between hyphens, and its level is in byte 20.
fn is_lha(first: &[u8]) -> bool {
    const FAMILIES: [&[u8]; 3] = [b"lh", b"lz", b"pm"];
    let method = first.get(2..7).unwrap_or_default();
    matches!(method, [b'-', family @ .., _, b'-'] if FAMILIES.contains(&family))
        && first.get(20).is_some_and(|level| *level < 4)
}

/// Returns whether bytes begin as the main header of ARJ: a size within bounds, and the type of file of such a header.
fn is_arj(first: &[u8]) -> bool {
    let [0x60, 0xea, low, high, rest @ ..] = first else { return false };
    (30..=2600).contains(&u16::from_le_bytes([*low, *high])) && rest.get(6) == Some(&2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Compression, stream};

    #[test]
    fn archives_that_can_not_be_read_are_known_by_their_marks() {
        let named = |first: &[u8]| foreign(first).unwrap_or_default();
        assert_eq!(named(b"Rar!\x1a\x07\x01\0"), "a RAR archive");
        assert_eq!(named(b"MSCF\0\0\0\0\x0a\x01\0\0"), "a cabinet (CAB)");
        assert_eq!(named(b"\x2f\0-lh5-}\0\0\0\x8c\0\0\0\0\0\0\0\x20\x01\x05"), "an LHA archive");
        assert_eq!(named(b"\x60\xea\x2b\0\x22\x0b\x01\x02\x10\0\x02\0"), "an ARJ archive");
        assert!(named(b"LZIP\x02\x0c").starts_with("an lzip file"));
        assert!(named(b"\x1f\x8b\x08\xe0").starts_with("a gzip file"));
        assert!(named(b"\x27\xb5\x2f\xfd\0").starts_with("a Zstandard file"));
        for first in [
            &b""[..],
            b"Rar",
            b"\x1f\x8b\x77\0",
            b"zPQR",
            b"\x60\xea",
            b"a -lhs- of text here, not LHA",
            b"PK\x03\x04",
            &[0; 512],
        ] {
            assert_eq!(foreign(first), None, "{first:?}");
        }
    }

    /// Other code asks for formats that are read first.
    #[test]
    fn no_row_is_of_a_format_that_is_read() {
        for (name, at, bytes) in FOREIGN {
            let first = [&vec![0; *at], *bytes].concat();
            assert!(Compression::of(&first).is_none() && stream(&first).is_none(), "{name}");
        }
    }
}
