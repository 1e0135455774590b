//! How compressed bytes begin.

use super::format::Compression;
use super::lz4::{FRAME as LZ4, LEGACY};
use super::zstandard::FRAME as ZSTANDARD;

/// Returns the format of bytes that begin so.
pub(super) fn recognise(first: &[u8]) -> Option<Compression> {
    match first {
        [0x1F, 0x8B, 8, flags, ..] if flags & 0xE0 == 0 => Some(Compression::Gzip),
        [0x1F, 0x9D, flags, ..] if flags & 0x60 == 0 && (9..=16).contains(&(flags & 0x1F)) => {
            Some(Compression::Compress)
        }
        [0xFD, b'7', b'z', b'X', b'Z', 0, ..] => Some(Compression::Xz),
        [b'L', b'Z', b'I', b'P', 0 | 1, ..] => Some(Compression::Lzip),
        [b'B', b'Z', b'h', b'1'..=b'9', rest @ ..] => is_bzip2_block(rest).then_some(Compression::Bzip2),
        _ => frame(first).or_else(|| is_lzma(first).then_some(Compression::Lzma)),
    }
}

/// Returns whether bytes begin as a block of bzip2, or as the end of a stream without one, does.
fn is_bzip2_block(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x31, 0x41, 0x59, 0x26, 0x53, 0x59])
        || bytes.starts_with(&[0x17, 0x72, 0x45, 0x38, 0x50, 0x90])
}

/// Returns the format of a frame. Both formats have frames to be skipped, which begin alike, so that a frame behind
/// them decides where it can be seen; pzstd begins its files so.
fn frame(mut first: &[u8]) -> Option<Compression> {
    let mut skipped = false;
    loop {
        let Some((magic, rest)) = first.split_first_chunk() else {
            return skipped.then_some(Compression::Zstandard);
        };
        match u32::from_le_bytes(*magic) {
            ZSTANDARD => return Some(Compression::Zstandard),
            LZ4 | LEGACY => return Some(Compression::Lz4),
            0x184D_2A50..=0x184D_2A5F => {
                let (size, rest) = rest.split_first_chunk()?;
                skipped = true;
                let size = usize::try_from(u32::from_le_bytes(*size)).unwrap_or(usize::MAX);
                first = rest.get(size..).unwrap_or_default();
            }
            _ => return None,
        }
    }
}

/// Returns whether bytes look like a file of LZMA alone, which has no magic number. All fields must be as programs
/// write them; if the size is known, also the properties, as else tables of small numbers would be taken for it.
fn is_lzma(first: &[u8]) -> bool {
    let Some((&properties, rest)) = first.split_first() else { return false };
    let Some((dictionary, rest)) = rest.split_first_chunk().map(|(a, b)| (u32::from_le_bytes(*a), b)) else {
        return false;
    };
    let Some((size, rest)) = rest.split_first_chunk().map(|(a, b)| (u64::from_le_bytes(*a), b)) else {
        return false;
    };
    // A power of two, or one and a half.
    let is_dictionary = dictionary >= 1 << 12 && matches!(dictionary >> dictionary.trailing_zeros(), 1 | 3);
    let is_size = match size {
        u64::MAX => properties < 225 && properties % 9 + properties / 9 % 5 <= 4,
        _ => size > 0 && size < 1 << 38 && properties == 0x5D,
    };
    // The range coder begins with a zero.
    (is_dictionary || dictionary == u32::MAX) && is_size && rest.first() == Some(&0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(first: &[u8]) -> Option<&'static str> {
        recognise(first).map(Compression::word)
    }

    #[test]
    fn every_format_is_known_by_its_first_bytes() {
        assert_eq!(of(b"\x1F\x8B\x08\0\0\0\0\0\0\x03"), Some("gzip"));
        assert_eq!(of(b"\x28\xB5\x2F\xFD\x24\0"), Some("zstd"));
        assert_eq!(of(b"\x50\x2A\x4D\x18\x04\0\0\0abcd\x28\xB5\x2F\xFD"), Some("zstd"));
        assert_eq!(of(b"\x50\x2A\x4D\x18\x04\0\0\0abcd\x04\x22\x4D\x18"), Some("lz4"));
        assert_eq!(of(b"\x04\x22\x4D\x18"), Some("lz4"));
        assert_eq!(of(b"\x02\x21\x4C\x18"), Some("lz4"));
        assert_eq!(of(b"\xFD7zXZ\0"), Some("xz"));
        assert_eq!(of(b"LZIP\x01\x0C"), Some("lzip"));
        assert_eq!(of(b"BZh91AY&SY"), Some("bzip2"));
        assert_eq!(of(b"\x1F\x9D\x90"), Some("compress"));
        assert_eq!(of(b"\x5D\0\0\x80\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\0\0"), Some("lzma"));
        assert_eq!(of(b"\x5D\0\0\x80\0\x05\0\0\0\0\0\0\0\0\0"), Some("lzma"));
    }

    #[test]
    fn what_only_looks_alike_is_none() {
        for first in [
            &b""[..],
            b"\x1F\x8B\x08\xE0",
            b"\x1F\x8B\x07\0",
            b"\x1F\x9D\x88",
            b"\x1F\x9D\xF0",
            b"BZh9 is a name",
            b"BZh0\x31AY&SY",
            b"LZIPPER",
            b"\x5D\0\0\x80\0\x05\0\0\0\0\0\0\0\x01\0",
            b"\x5D\0\0\x81\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\0\0",
            b"\x59\0\0\x80\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\0\0",
            b"\x01\0\0\0\x01\0\0\0\x01\0\0\0\0\0\0\0",
            &[0; 32],
            &[0xFF; 32],
        ] {
            assert_eq!(of(first), None, "{first:?}");
        }
    }
}
