//! Zstandard (RFC 8878): frames, and frames to be skipped.

use super::decode::Decode;
use super::packed::Packed;
use super::problems::{trailing, within};
use crate::fields::{u16_at, u32_at, u64_at};
use crate::{Limits, Problem};
use zstd::zstd_safe::{DCtx, DParameter, InBuffer, OutBuffer, get_error_name};

/// The number that a frame begins with.
pub(super) const FRAME: u32 = 0xFD2F_B528;
/// The most bytes of the number and the header of a frame.
const HEADER: usize = 18;
/// The error code of the library for a wrong checksum.
const WRONG_CHECKSUM: usize = 22;
/// The error code of the library for too little memory.
const NO_MEMORY: usize = 64;

/// A decoder of Zstandard.
pub(super) struct Zstandard {
    packed: Packed,
    limits: Limits,
    context: DCtx<'static>,
    /// The bytes that the window of this frame takes.
    window: u64,
    is_in_frame: bool,
}

impl Zstandard {
    /// Looks at the header of the first frame.
    pub(super) fn new(packed: Packed, limits: &Limits) -> Result<Zstandard, Problem> {
        let mut context = DCtx::try_create().ok_or(Problem::Memory(1 << 20))?;
        // The exact limit is compared with the header of every frame.
        let log = limits.memory.max(1 << 10).checked_next_power_of_two().map_or(30, u64::ilog2);
        let log = DParameter::WindowLogMax(log.min(if usize::BITS < 64 { 30 } else { 31 }));
        context.set_parameter(log).map_err(|code| failure(code, 0))?;
        let mut decoder = Zstandard { packed, limits: *limits, context, window: 0, is_in_frame: false };
        if decoder.packed.is_at_end()? {
            return Err(Problem::Truncated);
        }
        decoder.is_in_frame = match decoder.begin() {
            Err(Problem::Damaged(_)) => return Err(Problem::damaged("no frame of Zstandard begins there")),
            found => found?,
        };
        Ok(decoder)
    }

    /// Passes over frames to be skipped, and looks at the header of the next one. Returns whether there is one.
    fn begin(&mut self) -> Result<bool, Problem> {
        loop {
            let first = self.packed.peek(HEADER)?;
            if first.is_empty() {
                return Ok(false);
            }
            match u32_at(first, 0) {
                Ok(FRAME) => {
                    self.window = window(first)?;
                    within(&self.limits, self.window)?;
                    return Ok(true);
                }
                Ok(0x184D_2A50..=0x184D_2A5F) => {
                    let size = u32_at(first, 4)?;
                    self.packed.skip(8 + u64::from(size))?;
                }
                Ok(0xFD2F_B522..=0xFD2F_B527) => {
                    return Err(Problem::Unsupported("a frame of Zstandard before version 0.8".into()));
                }
                Ok(_) => return Err(trailing()),
                Err(_) if FRAME.to_le_bytes().starts_with(first) => return Err(Problem::Truncated),
                Err(_) => return Err(trailing()),
            }
        }
    }
}

impl Decode for Zstandard {
    fn decode(&mut self, buffer: &mut [u8]) -> Result<usize, Problem> {
        loop {
            if !self.is_in_frame {
                self.is_in_frame = self.begin()?;
                if !self.is_in_frame {
                    return Ok(0);
                }
            }
            let mut input = InBuffer::around(self.packed.fill()?);
            let mut output = OutBuffer::around(&mut *buffer);
            let result = self.context.decompress_stream(&mut output, &mut input);
            let (taken, count) = (input.pos(), output.pos());
            let is_over = input.src.is_empty();
            self.packed.consume(taken);
            self.is_in_frame = result.map_err(|code| failure(code, self.window))? != 0;
            if count > 0 {
                return Ok(count);
            }
            if self.is_in_frame && taken == 0 {
                let stuck = Problem::damaged("a frame of Zstandard does not end");
                return Err(if is_over { Problem::Truncated } else { stuck });
            }
        }
    }
}

/// Returns the bytes of the window of a frame (section 3.1.1.1).
fn window(header: &[u8]) -> Result<u64, Problem> {
    let descriptor = *header.get(4).ok_or(Problem::Truncated)?;
    if descriptor & 8 != 0 {
        return Err(Problem::Unsupported("a reserved flag of Zstandard".into()));
    }
    let is_single = descriptor & 0x20 != 0;
    let at = if is_single { 5 } else { 6 };
    let (identifier, used) = match descriptor & 3 {
        0 => (0, 0),
        1 => (u32::from(*header.get(at).ok_or(Problem::Truncated)?), 1),
        2 => (u32::from(u16_at(header, at)?), 2),
        _ => (u32_at(header, at)?, 4),
    };
    if identifier != 0 {
        return Err(Problem::Unsupported(format!("dictionary {identifier} of Zstandard").into()));
    }
    if !is_single {
        let byte = *header.get(5).ok_or(Problem::Truncated)?;
        let base = 1_u64 << (10 + (byte >> 3));
        return Ok(base + base / 8 * u64::from(byte & 7));
    }
    let at = at + used;
    match descriptor >> 6 {
        0 => Ok(u64::from(*header.get(at).ok_or(Problem::Truncated)?)),
        1 => Ok(u64::from(u16_at(header, at)?) + 256),
        2 => Ok(u64::from(u32_at(header, at)?)),
        _ => u64_at(header, at),
    }
}

/// Returns the problem of an error of the library. Its numbers are fixed.
fn failure(code: usize, window: u64) -> Problem {
    match code.wrapping_neg() {
        WRONG_CHECKSUM => Problem::Checksum("the content"),
        NO_MEMORY => Problem::Memory(window),
        _ => Problem::damaged(format!("a frame of Zstandard: {}", get_error_name(code))),
    }
}
