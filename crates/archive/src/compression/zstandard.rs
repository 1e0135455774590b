//! Zstandard (RFC 8878): frames, and frames to be skipped.

use super::decode::Step;
use super::packed::Packed;
use super::parted::Parted;
use super::problems::{trailing, within};
use crate::fields::{u16_at, u32_at, u64_at};
use crate::{Limits, Medium, Problem};
use zstd_safe::{DCtx, DParameter, InBuffer, OutBuffer, get_error_name};

/// The number that a frame begins with.
pub(super) const FRAME: u32 = 0xFD2F_B528;
/// The numbers that a frame to be skipped begins with.
pub(super) const SKIPPED_FIRST: u32 = 0x184D_2A50;
pub(super) const SKIPPED_LAST: u32 = 0x184D_2A5F;
/// The most bytes of the number and the header of a frame.
pub(super) const HEADER: usize = 18;
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

/// The beginning of something in a file.
enum Beginning {
    Frame,
    /// A frame to be skipped, which was passed over.
    Skipped,
    Nothing,
}

impl Zstandard {
    /// Looks at the header of the first frame.
    pub(super) fn new(packed: Packed, limits: &Limits) -> Result<Zstandard, Problem> {
        let mut decoder = Zstandard::at_part(packed, (), limits)?;
        if decoder.packed.is_at_end()? {
            return Err(Problem::Truncated);
        }
        decoder.is_in_frame = match decoder.begin_frame() {
            Err(Problem::Damaged(_)) => return Err(Problem::damaged("no frame of Zstandard begins there")),
            found => found?,
        };
        Ok(decoder)
    }

    /// Passes over frames to be skipped, and looks at the header of the next one. Returns whether there is one.
    fn begin_frame(&mut self) -> Result<bool, Problem> {
        loop {
            match self.begin()? {
                Beginning::Frame => return Ok(true),
                Beginning::Skipped => {}
                Beginning::Nothing => return Ok(false),
            }
        }
    }

    /// Looks at the header of a frame, or passes over one to be skipped.
    fn begin(&mut self) -> Result<Beginning, Problem> {
        let first = self.packed.peek(HEADER)?;
        if first.is_empty() {
            return Ok(Beginning::Nothing);
        }
        match u32_at(first, 0) {
            Ok(FRAME) => {
                self.window = FrameHeader::parse(first)?.window;
                within(&self.limits, self.window)?;
                Ok(Beginning::Frame)
            }
            Ok(SKIPPED_FIRST..=SKIPPED_LAST) => {
                let size = u32_at(first, 4)?;
                self.packed.skip(8 + u64::from(size))?;
                Ok(Beginning::Skipped)
            }
            Ok(0xFD2F_B522..=0xFD2F_B527) => {
                Err(Problem::Unsupported("a frame of Zstandard before version 0.8".into()))
            }
            Ok(_) => Err(trailing()),
            Err(_) if FRAME.to_le_bytes().starts_with(first) => Err(Problem::Truncated),
            Err(_) => Err(trailing()),
        }
    }
}

impl Parted for Zstandard {
    type Setting = ();
    type Passed = ();
    const FIRST: u64 = 0;

    fn at_part(packed: Packed, (): (), limits: &Limits) -> Result<Zstandard, Problem> {
        let mut context = DCtx::try_create().ok_or(Problem::Memory(1 << 20))?;
        // The exact limit is compared with the header of every frame.
        let log = limits.memory.max(1 << 10).checked_next_power_of_two().map_or(30, u64::ilog2);
        let log = DParameter::WindowLogMax(log.min(if usize::BITS < 64 { 30 } else { 31 }));
        context.set_parameter(log).map_err(|code| failure(code, 0))?;
        Ok(Zstandard { packed, limits: *limits, context, window: 0, is_in_frame: false })
    }

    fn setting(&self) {}

    fn boundary(&self) -> Option<u64> {
        (!self.is_in_frame).then(|| self.packed.position())
    }

    fn step(&mut self, buffer: &mut [u8]) -> Result<Step, Problem> {
        if !self.is_in_frame {
            match self.begin()? {
                Beginning::Frame => self.is_in_frame = true,
                Beginning::Skipped => return Ok(Step::Nothing),
                Beginning::Nothing => return Ok(Step::End),
            }
        }
        let mut input = InBuffer::around(self.packed.fill()?);
        let mut output = OutBuffer::around(buffer);
        let result = self.context.decompress_stream(&mut output, &mut input);
        let (taken, count) = (input.pos(), output.pos());
        let is_over = input.src.is_empty();
        self.packed.consume(taken);
        self.is_in_frame = result.map_err(|code| failure(code, self.window))? != 0;
        if count > 0 {
            return Ok(Step::Content(count));
        }
        if self.is_in_frame && taken == 0 {
            let stuck = Problem::damaged("a frame of Zstandard does not end");
            return Err(if is_over { Problem::Truncated } else { stuck });
        }
        Ok(Step::Nothing)
    }

    fn passed(self) {}

    fn pass(&mut self, packed: Packed, (): ()) {
        self.packed = packed;
        self.is_in_frame = false;
    }
}

/// Returns whether frames follow each other up to the end of the bytes.
///
/// # Errors
/// If they end too early or can't be read.
pub(super) fn reaches_end(medium: &dyn Medium) -> Result<bool, Problem> {
    let number = |at: u64, length: usize| {
        let mut bytes = [0; 4];
        let part = bytes.get_mut(..length).unwrap_or_default();
        medium.read_at(at, part).map(|()| u32::from_le_bytes(bytes)).map_err(Problem::from)
    };
    let mut at = 0_u64;
    while at < medium.size() {
        match number(at, 4)? {
            FRAME => at = at.saturating_add(4),
            SKIPPED_FIRST..=SKIPPED_LAST => {
                at = at.saturating_add(8).saturating_add(number(at.saturating_add(4), 4)?.into());
                continue;
            }
            _ => return Ok(false),
        }
        let flags = number(at, 1)?;
        let (is_single, has_checksum) = (flags & 0x20 != 0, flags & 4 != 0);
        let dictionary = [0, 1, 2, 4].get(flags as usize & 3).copied().unwrap_or(0);
        let size = [u64::from(is_single), 2, 4, 8].get(flags as usize >> 6).copied().unwrap_or(0);
        at = at.saturating_add(1 + u64::from(!is_single) + dictionary + size);
        loop {
            let block = number(at, 3)?;
            // A block of type 1 is one byte that is repeated.
            let length = if block >> 1 & 3 == 1 { 1 } else { block >> 3 };
            at = at.saturating_add(3).saturating_add(length.into());
            if block & 1 != 0 {
                break;
            }
        }
        at = at.saturating_add(if has_checksum { 4 } else { 0 });
    }
    Ok(at == medium.size())
}

/// The header of a frame (section 3.1.1.1).
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FrameHeader {
    /// The bytes of the window.
    pub(super) window: u64,
    /// The bytes of the number and the header.
    pub(super) length: usize,
    /// Whether a checksum follows the last block.
    pub(super) has_checksum: bool,
}

impl FrameHeader {
    /// Reads the header of a frame, with its number.
    pub(super) fn parse(header: &[u8]) -> Result<FrameHeader, Problem> {
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
        let at = at + used;
        let size = match descriptor >> 6 {
            0 if is_single => 1,
            0 => 0,
            code => 1 << code,
        };
        let window = match size {
            _ if !is_single => {
                let byte = *header.get(5).ok_or(Problem::Truncated)?;
                let base = 1_u64 << (10 + (byte >> 3));
                base + base / 8 * u64::from(byte & 7)
            }
            1 => u64::from(*header.get(at).ok_or(Problem::Truncated)?),
            2 => u64::from(u16_at(header, at)?) + 256,
            4 => u64::from(u32_at(header, at)?),
            _ => u64_at(header, at)?,
        };
        Ok(FrameHeader { window, length: at + size, has_checksum: descriptor & 4 != 0 })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_frames_are_those_of_the_specification() {
        for (rest, window, length) in [
            (&[0x00, 0x00][..], 1024, 6),
            (&[0x00, 0x58], 2 << 20, 6),
            (&[0x00, 0x59], (2 << 20) + (256 << 10), 6),
            (&[0x00, 0xFF], (1 << 41) + (1 << 38) * 7, 6),
            (&[0x40, 0x00, 0, 0], 1024, 8),
            (&[0x20, 200], 200, 6),
            (&[0x61, 0, 1, 0], 257, 8),
            (&[0xA0, 0, 0, 0, 1], 1 << 24, 9),
            (&[0xE3, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0], 1 << 32, 17),
        ] {
            let header = FrameHeader::parse(&[&FRAME.to_le_bytes(), rest].concat()).unwrap();
            assert_eq!(header, FrameHeader { window, length, has_checksum: false }, "{rest:x?}");
        }
        for cut in [&[][..], &[0x00], &[0x20], &[0x60, 1]] {
            let header = FrameHeader::parse(&[&FRAME.to_le_bytes(), cut].concat());
            assert!(matches!(header, Err(Problem::Truncated)), "{cut:x?}");
        }
    }
}
