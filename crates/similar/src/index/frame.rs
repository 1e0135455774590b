//! Frames: a tag, the length of the body, the body, and a checksum over these and the frame's number.

use super::Error;
use hashmill_digest::{Digest, hash};
use std::io::{ErrorKind, Read, Write};

/// The kind of a frame.
pub(super) type Tag = [u8; 4];

/// The length of number, tag and body length in bytes.
const HEAD: usize = 8 + 4 + 8;
/// The length of the number, which is counted and not written.
const NUMBER: usize = 8;
/// The length of a checksum: 128-bit XXH3.
const SUM: usize = 16;

pub(super) struct Frame {
    pub tag: Tag,
    /// The body, with the head before it.
    bytes: Vec<u8>,
}

impl Frame {
    pub(super) fn body(&self) -> &[u8] {
        &self.bytes[HEAD..]
    }
}

pub(super) fn write(out: &mut dyn Write, number: u64, tag: Tag, body: &[u8]) -> Result<(), Error> {
    let mut bytes = head(number, tag, body.len() as u64);
    bytes.extend_from_slice(body);
    out.write_all(&bytes[NUMBER..])?;
    out.write_all(sum(&bytes).as_bytes())?;
    Ok(())
}

/// Reads a frame, which must have this number.
pub(super) fn read(input: &mut dyn Read, number: u64) -> Result<Frame, Error> {
    let damaged = |what| Error::Damaged { frame: number, what };
    let short = |error: std::io::Error| match error.kind() {
        ErrorKind::UnexpectedEof => damaged("it is cut short"),
        _ => Error::Io(error),
    };
    let (mut tag, mut length, mut stored) = ([0; 4], [0; 8], [0; SUM]);
    input.read_exact(&mut tag).map_err(short)?;
    input.read_exact(&mut length).map_err(short)?;
    let length = u64::from_le_bytes(length);
    let mut bytes = head(number, tag, length);
    // A damaged length is not trusted: memory is only allocated for bytes that exist.
    let got = input.take(length).read_to_end(&mut bytes)?;
    if got as u64 != length {
        return Err(damaged("it is cut short"));
    }
    input.read_exact(&mut stored).map_err(short)?;
    if sum(&bytes).as_bytes() != stored {
        return Err(damaged("the checksum is wrong"));
    }
    Ok(Frame { tag, bytes })
}

fn head(number: u64, tag: Tag, length: u64) -> Vec<u8> {
    [&number.to_le_bytes(), tag.as_slice(), &length.to_le_bytes()].concat()
}

fn sum(bytes: &[u8]) -> Digest {
    let xxh3 = hashmill_digest::ALGORITHMS.iter().find(|row| row.name == "xxh128");
    xxh3.map_or(Digest::new(&[]), |row| hash(row, bytes))
}
