//! Files of many parts.

use crate::compression::Compression;
use flate2::{Compress, Compression as Level, Crc, FlushCompress};
use hashmill_testing::installed;
use std::io::{Seek, Write};
use std::process::{Command, Stdio};

/// Random numbers.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 8) as usize % bound.max(1)
    }

    /// Returns content that can be compressed to half or so.
    pub(super) fn content(&mut self, length: usize) -> Vec<u8> {
        let mut content = Vec::with_capacity(length + 64);
        while content.len() < length {
            match self.below(3) {
                0 => content.extend(self.next().to_le_bytes()),
                1 => content.extend_from_slice(b"All work and no play. "),
                _ => content.resize(content.len() + self.below(40), b'a'),
            }
        }
        content.truncate(length);
        content
    }
}

/// Runs a program over bytes. Returns its output; none if it is not installed.
pub(super) fn run(words: &str, input: &[u8]) -> Option<Vec<u8>> {
    let mut words = words.split(' ');
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(input).unwrap();
    file.rewind().unwrap();
    let mut command = Command::new(installed(words.next()?)?);
    let output = command.args(words).stdin(Stdio::from(file)).output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    Some(output.stdout)
}

/// Returns a member of BGZF, and with `second` another field before the one with its length.
pub(super) fn bgzf(content: &[u8], second: bool) -> Vec<u8> {
    let mut deflated = Vec::with_capacity(content.len() * 2 + 64);
    let mut compress = Compress::new(Level::fast(), false);
    compress.compress_vec(content, &mut deflated, FlushCompress::Finish).unwrap();
    let other: &[u8] = if second { b"XY\x03\0abc" } else { b"" };
    let extra = other.len() + 6;
    let length = 12 + extra + deflated.len() + 8;
    let mut crc = Crc::new();
    crc.update(content);
    let mut member = b"\x1F\x8B\x08\x04\0\0\0\0\0\xFF".to_vec();
    member.extend((extra as u16).to_le_bytes());
    member.extend_from_slice(other);
    member.extend_from_slice(b"BC\x02\0");
    member.extend(u16::try_from(length - 1).unwrap().to_le_bytes());
    member.extend(deflated);
    member.extend(crc.sum().to_le_bytes());
    member.extend((content.len() as u32).to_le_bytes());
    member
}

/// Returns a frame of Zstandard.
pub(super) fn zstandard(content: &[u8], has_checksum: bool) -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
    encoder.include_checksum(has_checksum).unwrap();
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// Returns a frame of LZ4.
pub(super) fn lz4(content: &[u8], kind: usize) -> Vec<u8> {
    use lz4_flex::frame::{BlockMode, BlockSize, FrameEncoder, FrameInfo};
    let info = FrameInfo::new()
        .block_size(BlockSize::Max64KB)
        .block_mode(if kind & 1 == 0 { BlockMode::Independent } else { BlockMode::Linked })
        .block_checksums(kind & 2 != 0)
        .content_checksum(kind & 4 != 0);
    let mut encoder = FrameEncoder::with_frame_info(info, Vec::new());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// Returns a frame to be skipped.
pub(super) fn skipped(size: usize) -> Vec<u8> {
    let mut frame = b"\x53\x2A\x4D\x18".to_vec();
    frame.extend((size as u32).to_le_bytes());
    frame.resize(8 + size, 0x28);
    frame
}

/// Returns a file of some parts with at most so many bytes of content each; none if no program makes it.
pub(super) fn file(
    compression: Compression,
    parts: usize,
    most: usize,
    random: &mut Random,
) -> Option<Vec<u8>> {
    let mut packed = Vec::new();
    if compression == Compression::Xz {
        return xz(parts, most, random);
    }
    for _ in 0..parts {
        let length = if random.below(5) == 0 { 0 } else { random.below(most) };
        let content = random.content(length);
        let way = random.below(8);
        match compression {
            Compression::Gzip => packed.extend(bgzf(&content, way == 0)),
            _ if way == 7 => packed.extend(skipped(length % 50)),
            Compression::Zstandard => packed.extend(zstandard(&content, way < 4)),
            _ => packed.extend(lz4(&content, way)),
        }
    }
    Some(packed)
}

/// Returns streams of xz with blocks, and padding behind some.
fn xz(parts: usize, most: usize, random: &mut Random) -> Option<Vec<u8>> {
    let mut packed = Vec::new();
    let mut left = parts;
    while left > 0 {
        let blocks = random.below(left + 1);
        let size = 1 + random.below(most);
        let content = random.content(size * blocks);
        let check = ["none", "crc32", "crc64", "sha256"][random.below(4)];
        let threads = ["-T2", "-T1"][random.below(2)];
        let words = format!("xz -c -0 {threads} --check={check} --block-size={size}");
        packed.extend(run(&words, &content)?);
        packed.resize(packed.len() + 4 * random.below(3), 0);
        left = left.saturating_sub(blocks.max(1));
    }
    Some(packed)
}
