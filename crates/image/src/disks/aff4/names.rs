//! The names of things: of AFF4 in both of its vocabularies, and of segments.

use crate::disks::blocks::{Filling, Packing};

/// The vocabularies of the standard and of what was before it. Both begin with `aff4:` here, as they differ in few
/// words.
const VOCABULARIES: [&str; 2] = ["http://aff4.org/Schema#", "http://afflib.org/2009/aff4#"];

/// The length after which texts without end begin again (AFF4 Standard v1.0, 4.4).
const PERIOD: u64 = 1 << 20;

/// The properties of which several spellings are in use.
pub(super) const CHUNK_SIZE: &[&str] = &["aff4:chunkSize", "aff4:chunk_size"];
pub(super) const CHUNKS: &[&str] =
    &["aff4:chunksInSegment", "aff4:chunks_in_segment", "aff4:chunks_per_segment"];
pub(super) const COMPRESSION: &[&str] =
    &["aff4:compressionMethod", "aff4:CompressionMethod", "aff4:compression"];
pub(super) const IMAGE_TYPES: &[&str] = &[
    "aff4:Image",
    "aff4:DiskImage",
    "aff4:ContiguousImage",
    "aff4:DiscontiguousImage",
    "aff4:VolumeImage",
    "aff4:MemoryImage",
];
pub(super) const STREAM_TYPES: &[&str] = &["aff4:ImageStream", "aff4:stream", "aff4:image"];
pub(super) const MAP_TYPES: &[&str] = &["aff4:Map", "aff4:map"];

/// The types of what can't be read: files of logical images, and encrypted streams.
pub(super) const FILE_TYPES: &[&str] = &["aff4:FileImage", "aff4:Folder", "aff4:FolderImage"];
pub(super) const SEALED_TYPES: &[&str] = &["aff4:EncryptedStream", "aff4:RandomAccessImageStream"];

/// Replaces the vocabulary of a name by a short one.
pub(super) fn shortened(name: &str) -> String {
    match VOCABULARIES.iter().find_map(|start| name.strip_prefix(start)) {
        Some(word) => format!("aff4:{word}"),
        None => name.to_string(),
    }
}

/// Returns the bytes that a name stands for, if it is that of a stream without end.
pub(super) fn filling(name: &str) -> Option<Filling> {
    /// All bytes, for texts of one byte.
    static BYTES: [u8; 256] = {
        let (mut bytes, mut value) = ([0; 256], 0);
        while value < 256 {
            bytes[value] = value as u8;
            value += 1;
        }
        bytes
    };
    let text = match name {
        "aff4:UnknownData" => &b"UNKNOWN"[..],
        "aff4:UnreadableData" => b"UNREADABLEDATA",
        "aff4:Zero" => BYTES.get(..1)?,
        "aff4:FF" | "aff4:FFDevice" => BYTES.get(255..)?,
        _ => {
            let starts = ["aff4:SymbolicStream", "http://afflib.org/2012/SymbolicStream#"];
            let digits = starts.iter().find_map(|start| name.strip_prefix(start))?;
            let hexadecimal = digits.len() == 2 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
            let value = usize::from_str_radix(digits, 16).ok().filter(|_| hexadecimal)?;
            BYTES.get(value..=value)?
        }
    };
    Some(Filling { text, period: PERIOD })
}

/// The compression of a stream's chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Compression {
    /// The name, for people.
    pub(super) name: &'static str,
    /// `None` if all chunks are stored.
    pub(super) packing: Option<Packing>,
    /// Chunks of full length are compressed as well.
    pub(super) always: bool,
}

/// Returns the compression with a name; without one, chunks are stored.
pub(super) fn compression(name: Option<&str>) -> Option<Compression> {
    let (name, packing) = match name {
        None | Some("aff4:NullCompressor" | "aff4:nullCompressor" | "aff4:compression/stored") => {
            ("none", None)
        }
        Some("https://github.com/google/snappy") => {
            return Some(Compression { name: "snappy", packing: Some(Packing::Snappy), always: true });
        }
        Some("http://code.google.com/p/snappy/") => ("snappy", Some(Packing::Snappy)),
        Some("https://code.google.com/p/lz4/") => ("lz4", Some(Packing::Lz4)),
        Some("https://www.ietf.org/rfc/rfc1950.txt") => ("zlib", Some(Packing::Zlib)),
        Some("https://tools.ietf.org/html/rfc1951" | "http://tools.ietf.org/html/rfc1951") => {
            ("deflate", Some(Packing::Zlib))
        }
        Some(_) => return None,
    };
    Some(Compression { name, packing, always: false })
}

/// Returns the name of the algorithm of a digest by its type, or by the end of a segment's name.
pub(super) fn algorithm(kind: &str) -> Option<&'static str> {
    Some(match kind.strip_prefix("aff4:").unwrap_or(kind).to_ascii_lowercase().as_str() {
        "md5" => "md5",
        "sha1" => "sha1",
        "sha256" | "blockmaphashsha256" => "sha256",
        "sha512" | "blockmaphashsha512" => "sha512",
        "blake2b" => "blake2b-512",
        _ => return None,
    })
}

/// Returns the full name of a segment by its name in the zip file (AFF4 Standard v1.0, 5.1 and 5.2): what does not
/// begin with a full name itself is below the volume.
pub(super) fn of_segment(volume: &str, name: &[u8]) -> Vec<u8> {
    let plain = unescaped(name);
    if plain.starts_with(b"aff4://") {
        return plain;
    }
    [volume.as_bytes(), b"/", &plain].concat()
}

/// Replaces `%` and two hexadecimal digits by a byte.
fn unescaped(name: &[u8]) -> Vec<u8> {
    let (mut plain, mut rest) = (Vec::with_capacity(name.len()), name);
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..2).filter(|_| *first == b'%').and_then(|digits| str::from_utf8(digits).ok());
        let digits = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                plain.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                plain.push(*first);
                rest = after;
            }
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_segments_are_completed() {
        for (name, full) in [
            ("aff4%3A%2F%2Fs/00000000", "aff4://s/00000000"),
            ("aff4%3a%2f%2fs/map", "aff4://s/map"),
            ("a%20b/%zz%4", "aff4://v/a b/%zz%4"),
        ] {
            assert_eq!(String::from_utf8_lossy(&of_segment("aff4://v", name.as_bytes())), full);
        }
    }

    #[test]
    fn streams_without_end_have_their_bytes() {
        let bytes = |name: &str, at: u64| {
            let mut out = [9; 4];
            filling(&shortened(name)).unwrap().fill(at, &mut out);
            out
        };
        assert_eq!(bytes("http://aff4.org/Schema#Zero", 7), [0; 4]);
        assert_eq!(bytes("http://aff4.org/Schema#SymbolicStreamfe", 7), [0xfe; 4]);
        assert_eq!(bytes("http://afflib.org/2012/SymbolicStream#61", 7), [0x61; 4]);
        assert_eq!(&bytes("http://afflib.org/2009/aff4#UnknownData", 5), b"WNUN");
        // A mebibyte is no multiple of seven.
        assert_eq!(&bytes("http://aff4.org/Schema#UnknownData", (1 << 20) - 2), b"KNUN");
        for other in ["aff4:SymbolicStream", "aff4:SymbolicStream123", "aff4:SymbolicStream+1", "aff4://x"] {
            assert!(filling(other).is_none(), "{other}");
        }
    }
}
