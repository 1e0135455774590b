//! Tests of what all decoders have in common, and of the problems that they tell.

mod known;
mod problems;

use super::{Compression, decoder};
use crate::{Limits, Problem};
use std::io::{self, Read};

/// All formats with a file of each.
const FILES: &[(Compression, &str)] = &[
    (Compression::Gzip, known::GZIP),
    (Compression::Zstandard, known::ZSTD),
    (Compression::Xz, known::XZ),
    (Compression::Xz, known::XZ_SHA256),
    (Compression::Xz, known::XZ_CRC32),
    (Compression::Xz, known::XZ_NONE),
    (Compression::Bzip2, known::BZIP2),
    (Compression::Lz4, known::LZ4),
    (Compression::Lz4, known::LZ4_LEGACY),
    (Compression::Lzma, known::LZMA),
    (Compression::Lzip, known::LZIP),
    (Compression::Compress, known::Z),
    (Compression::Compress, known::Z_OLD),
];

/// Returns the text in all files.
fn text() -> Vec<u8> {
    let mut text = b"to be or not to be, ".repeat(20);
    text.extend(0..64);
    text
}

/// Returns the bytes of hexadecimal digits.
fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<_> = hex.chars().filter_map(|digit| digit.to_digit(16)).collect();
    digits.chunks(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect()
}

/// A source that yields some bytes at a time, and fails at the end if it shall.
struct Source {
    bytes: Vec<u8>,
    step: usize,
    fails: bool,
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.bytes.is_empty() && self.fails {
            return Err(Problem::Checksum("the disk").into());
        }
        let count = self.step.min(buffer.len()).min(self.bytes.len());
        buffer[..count].copy_from_slice(&self.bytes[..count]);
        self.bytes.drain(..count);
        Ok(count)
    }
}

/// Decodes bytes with a limit of memory. Returns the content and the problem behind it.
fn decode_within(memory: u64, compression: Compression, packed: &[u8]) -> (Vec<u8>, Option<Problem>) {
    let source = Source { bytes: packed.to_vec(), step: usize::MAX, fails: false };
    read(compression, source, memory, 64)
}

/// Decodes bytes. Returns the content and the problem behind it.
fn decode(compression: Compression, packed: &[u8]) -> (Vec<u8>, Option<Problem>) {
    decode_within(Limits::default().memory, compression, packed)
}

/// Reads all content in pieces of a size.
fn read(compression: Compression, source: Source, memory: u64, size: usize) -> (Vec<u8>, Option<Problem>) {
    let mut content = Vec::new();
    let mut reader = match decoder(compression, Box::new(source), &Limits { memory }) {
        Ok(reader) => reader,
        Err(problem) => return (content, Some(problem)),
    };
    let mut buffer = vec![0; size];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return (content, None),
            Ok(count) => content.extend_from_slice(&buffer[..count]),
            Err(error) => return (content, Some(error.into())),
        }
    }
}

#[test]
fn every_file_is_recognised_and_decoded_whatever_is_read_at_once() {
    for &(compression, hex) in FILES {
        let packed = bytes(hex);
        assert_eq!(Compression::of(&packed[..Compression::FIRST]), Some(compression));
        for (step, size) in [(1, 1), (1, 1000), (3, 7), (usize::MAX, 1), (usize::MAX, 1 << 20)] {
            let source = Source { bytes: packed.clone(), step, fails: false };
            let (content, problem) = read(compression, source, 1 << 26, size);
            assert!(problem.is_none(), "{compression:?}: {problem:?}");
            assert_eq!(content, text(), "{compression:?}");
        }
    }
}

#[test]
fn a_file_that_was_cut_at_any_length_is_told_to_be() {
    for &(compression, hex) in FILES {
        let packed = bytes(hex);
        for length in 0..packed.len() {
            let (content, problem) = decode(compression, &packed[..length]);
            assert!(text().starts_with(&content), "{compression:?} {length}");
            let has_end = !matches!(hex, known::Z | known::Z_OLD | known::LZ4_LEGACY) || length < 3;
            let is_told = matches!(problem, Some(Problem::Truncated));
            assert!(is_told || (!has_end && problem.is_none()), "{compression:?} {length}: {problem:?}");
        }
    }
}

#[test]
fn an_error_of_the_source_comes_through() {
    for &(compression, hex) in FILES {
        let packed = bytes(hex);
        for length in [0, 1, 8, 20, packed.len() / 2] {
            let source = Source { bytes: packed[..length].to_vec(), step: usize::MAX, fails: true };
            let (_, problem) = read(compression, source, 1 << 26, 64);
            let is_told = matches!(problem, Some(Problem::Checksum("the disk")));
            assert!(is_told, "{compression:?} {length}: {problem:?}");
        }
    }
}

#[test]
fn damage_of_any_byte_is_found_by_the_formats_that_check() {
    for &(compression, hex) in FILES {
        let packed = bytes(hex);
        let checks = !matches!(compression, Compression::Lzma | Compression::Compress)
            && !matches!(hex, known::XZ_NONE | known::LZ4_LEGACY);
        for at in 0..packed.len() {
            let change = [1, 0x10, 0x80, 0xFF][at % 4];
            let mut damaged = packed.clone();
            damaged[at] ^= change;
            let (content, problem) = decode(compression, &damaged);
            let is_known = content == text() || problem.is_some();
            assert!(is_known || !checks, "{compression:?} {at} {change}");
        }
    }
}

#[test]
fn members_before_the_damage_are_not_harmed() {
    for &(compression, hex) in FILES {
        let packed = bytes(hex);
        let is_single = matches!(compression, Compression::Lzma | Compression::Compress);
        for at in if is_single { 0..0 } else { 0..packed.len() } {
            let mut damaged = packed.repeat(2);
            damaged[packed.len() + at] ^= 0x41;
            let (content, _) = decode(compression, &damaged);
            assert!(content.starts_with(&text()), "{compression:?} {at}");
        }
    }
}

#[test]
fn there_is_no_content_behind_an_error() {
    let mut packed = bytes(known::GZIP);
    packed.push(1);
    let source = Source { bytes: packed, step: usize::MAX, fails: false };
    let mut reader = decoder(Compression::Gzip, Box::new(source), &Limits::default()).unwrap();
    let mut content = Vec::new();
    assert!(reader.read_to_end(&mut content).is_err());
    assert_eq!(content, text());
    assert!(reader.read(&mut [0; 8]).is_err());
    assert_eq!(reader.read(&mut []).unwrap(), 0);
}
