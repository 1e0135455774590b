//! BCJ2: code for x86 without the addresses of its branches, which lie in streams of their own.
//!
//! The first stream is the code. Behind each opcode that may be a branch, a bit in the fourth stream, which has
//! them arithmetically coded, says whether its address was taken out. Those of calls are in the second stream, of
//! jumps in the third, as absolute addresses.

use super::decode::Stage;
use crate::Problem;
use std::io::{self, BufRead, BufReader, Read};

/// The bytes of each stream that are read at once.
const BUFFER: usize = 16 << 10;

/// The code of a call, and of a jump.
const CALL: u8 = 0xe8;
const JUMP: u8 = 0xe9;

/// A reader of code with its addresses.
pub(super) struct Bcj2 {
    code: BufReader<Stage>,
    calls: BufReader<Stage>,
    jumps: BufReader<Stage>,
    bits: RangeDecoder,
    /// The last byte, and the number of bytes so far, as far as addresses go.
    last: u8,
    position: u32,
    /// The opcode that was met last, if its bit was not read yet, and the byte before it.
    opcode: Option<(u8, u8)>,
    /// The bytes of an address that were not read yet.
    address: [u8; 4],
    left: usize,
    /// The reason why there is no more.
    failure: Option<io::Error>,
}

impl Bcj2 {
    /// Creates a reader of four streams.
    pub(super) fn new(streams: Vec<Stage>) -> io::Result<Bcj2> {
        let streams = streams.into_iter().map(|stream| BufReader::with_capacity(BUFFER, stream));
        let streams: Result<[BufReader<Stage>; 4], _> = streams.collect::<Vec<BufReader<Stage>>>().try_into();
        let [code, calls, jumps, bits] = streams.map_err(|_| Problem::damaged("BCJ2 has four streams"))?;
        let bits = RangeDecoder::new(bits)?;
        let (last, position, opcode, address, left, failure) = (0, 0, None, [0; 4], 0, None);
        Ok(Bcj2 { code, calls, jumps, bits, last, position, opcode, address, left, failure })
    }

    /// Reads the address behind an opcode, if it was taken out.
    fn branch(&mut self, opcode: u8, before: u8) -> io::Result<()> {
        let model = match opcode {
            CALL => usize::from(before),
            JUMP => 256,
            _ => 257,
        };
        if !self.bits.bit(model)? {
            return Ok(());
        }
        let stream = if opcode == CALL { &mut self.calls } else { &mut self.jumps };
        let mut absolute = [0; 4];
        stream.read_exact(&mut absolute)?;
        self.position = self.position.wrapping_add(4);
        self.address = u32::from_be_bytes(absolute).wrapping_sub(self.position).to_le_bytes();
        self.left = self.address.len();
        self.last = self.address[3];
        Ok(())
    }

    /// Reads code up to the next opcode, or an address.
    fn step(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some((opcode, before)) = self.opcode {
            self.branch(opcode, before)?;
            self.opcode = None;
        }
        if self.left == 0 {
            return self.copy(buffer);
        }
        let rest = self.address.get(self.address.len().saturating_sub(self.left)..).unwrap_or_default();
        let read = { rest }.read(buffer)?;
        self.left = self.left.saturating_sub(read);
        Ok(read)
    }

    /// Copies code, up to and with the next opcode that may be a branch.
    fn copy(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut done = 0;
        for (to, from) in buffer.iter_mut().zip(self.code.fill_buf()?) {
            *to = *from;
            done += 1;
            let before = std::mem::replace(&mut self.last, *from);
            if is_branch(before, *from) {
                self.opcode = Some((*from, before));
                break;
            }
        }
        self.code.consume(done);
        self.position = self.position.wrapping_add(done as u32);
        Ok(done)
    }
}

impl Read for Bcj2 {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(error) = self.failure.take() {
            return Err(error);
        }
        let mut done = 0;
        while let Some(rest) = buffer.get_mut(done..).filter(|rest| !rest.is_empty()) {
            match self.step(rest) {
                Ok(0) => break,
                Ok(read) => done = read.saturating_add(done),
                // The bytes before it come first.
                Err(error) if done > 0 => {
                    self.failure = Some(error);
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(done)
    }
}

/// Returns whether two bytes are, or end with, the opcode of a branch with an address of four bytes.
fn is_branch(before: u8, byte: u8) -> bool {
    byte & 0xfe == CALL || (before == 0x0f && byte & 0xf0 == 0x80)
}

/// A decoder of bits whose probabilities adapt, as in LZMA.
struct RangeDecoder {
    input: BufReader<Stage>,
    range: u32,
    code: u32,
    models: [u16; 258],
}

impl RangeDecoder {
    /// Reads the first bytes.
    fn new(mut input: BufReader<Stage>) -> io::Result<RangeDecoder> {
        let mut first = [0; 5];
        input.read_exact(&mut first)?;
        let [zero, code @ ..] = first;
        let code = u32::from_be_bytes(code);
        if zero != 0 || code == u32::MAX {
            return Err(Problem::damaged("the bits of BCJ2 begin wrongly").into());
        }
        Ok(RangeDecoder { input, range: u32::MAX, code, models: [1 << 10; 258] })
    }

    /// Returns the next bit of a model.
    fn bit(&mut self, model: usize) -> io::Result<bool> {
        if self.range < 1 << 24 {
            let mut next = [0];
            self.input.read_exact(&mut next)?;
            self.range <<= 8;
            self.code = self.code << 8 | u32::from(next[0]);
        }
        let Some(model) = self.models.get_mut(model) else { return Ok(false) };
        let bound = (self.range >> 11) * u32::from(*model);
        let is_set = self.code >= bound;
        if is_set {
            self.range -= bound;
            self.code -= bound;
            *model -= *model >> 5;
        } else {
            self.range = bound;
            *model += ((1 << 11) - *model) >> 5;
        }
        Ok(is_set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a reader of four streams.
    fn reader(streams: [&[u8]; 4]) -> io::Result<Bcj2> {
        let stage = |bytes: &[u8]| Box::new(io::Cursor::new(bytes.to_vec())) as Stage;
        Bcj2::new(streams.map(stage).into())
    }

    const CODE: &[u8] = b"a\xe8b\x0f\x85c\xe9";
    const CALLS: &[u8] = &[0, 0, 1, 6];
    const JUMPS: &[u8] = &[0, 0, 2, 0, 0, 0, 3, 0];
    /// Bits that are all set, and bits none of which is.
    const ONES: &[u8] = &[0, 255, 255, 255, 254, 255, 255, 255, 255];
    const ZEROS: &[u8] = &[0; 9];

    #[test]
    fn addresses_are_relative_again() {
        // They count from the byte behind them: from 6, 13 and 19.
        let expected = b"a\xe8\0\x01\0\0b\x0f\x85\xf3\x01\0\0c\xe9\xed\x02\0\0";
        for part in 1..expected.len() {
            for (bits, expected) in [(ONES, &expected[..]), (ZEROS, CODE)] {
                let mut reader = reader([CODE, CALLS, JUMPS, bits]).unwrap();
                let (mut bytes, mut buffer) = (Vec::new(), vec![0; part]);
                while let Ok(read @ 1..) = reader.read(&mut buffer) {
                    bytes.extend_from_slice(&buffer[..read]);
                }
                // The last opcode has an address only if more is read.
                assert_eq!(bytes, expected, "parts of {part}");
            }
        }
    }

    #[test]
    fn streams_that_end_early_or_begin_wrongly_are_errors() {
        for bits in [&[][..], &[0; 4], &[1, 0, 0, 0, 0], &[0, 255, 255, 255, 255]] {
            assert!(reader([CODE, CALLS, JUMPS, bits]).is_err());
        }
        let mut bytes = Vec::new();
        let mut reader = reader([CODE, &CALLS[..3], JUMPS, ONES]).unwrap();
        assert!(reader.read_to_end(&mut bytes).is_err());
        assert_eq!(bytes, b"a\xe8");
        assert!(Bcj2::new(Vec::new()).is_err());
    }
}
