//! LZ4: frames, legacy frames, and frames to be skipped.

use super::decode::Step;
use super::packed::Packed;
use super::parted::Parted;
use super::problems::{trailing, within};
use crate::fields::{u32_at, u64_at};
use crate::{Limits, Problem};
use hashmill_digest::Xxh32;
use lz4_flex::block::{decompress_into, decompress_into_with_dict};

/// The number that a frame begins with.
pub(super) const FRAME: u32 = 0x184D_2204;
/// The number that a legacy frame begins with.
pub(super) const LEGACY: u32 = 0x184C_2102;
/// The most bytes of the number and the header of a frame.
pub(super) const HEADER: usize = 19;
/// The farthest that a match reaches back.
const WINDOW: usize = 64 << 10;
/// The most bytes in a block of a legacy frame.
const LEGACY_BLOCK: usize = 8 << 20;

/// A decoder of LZ4.
pub(super) struct Lz4 {
    packed: Packed,
    limits: Limits,
    frame: Option<Frame>,
    /// A compressed block.
    block: Vec<u8>,
    /// The content of blocks; linked ones may refer to those before.
    content: Vec<u8>,
    /// The content that waits.
    start: usize,
    end: usize,
}

/// A frame.
pub(super) struct Frame {
    is_legacy: bool,
    is_linked: bool,
    pub(super) has_block_checksums: bool,
    size: Option<u64>,
    pub(super) checksum: Option<Xxh32>,
    /// The most bytes in a block.
    most: usize,
    /// The bytes of content so far.
    decoded: u64,
}

impl Lz4 {
    /// Reads the header of the first frame.
    pub(super) fn new(packed: Packed, limits: &Limits) -> Result<Lz4, Problem> {
        let mut decoder = Lz4::at_part(packed, (), limits)?;
        if decoder.packed.is_at_end()? {
            return Err(Problem::Truncated);
        }
        while decoder.frame.is_none() {
            match decoder.begin() {
                Err(Problem::Damaged(_)) => return Err(Problem::damaged("no frame of LZ4 begins there")),
                Err(problem) => return Err(problem),
                Ok(false) => break,
                Ok(true) => {}
            }
        }
        Ok(decoder)
    }

    /// Reads the header of a frame, or passes over one to be skipped. Returns whether there is either.
    fn begin(&mut self) -> Result<bool, Problem> {
        let first = self.packed.peek(8)?;
        let Some((magic, _)) = first.split_first_chunk() else {
            let is_cut = FRAME.to_le_bytes().starts_with(first) || LEGACY.to_le_bytes().starts_with(first);
            return match first {
                [] => Ok(false),
                _ if is_cut => Err(Problem::Truncated),
                _ => Err(trailing()),
            };
        };
        let frame = match u32::from_le_bytes(*magic) {
            FRAME => {
                let (frame, length) = Frame::parse(self.packed.peek(HEADER)?)?;
                self.packed.consume(length);
                frame
            }
            LEGACY => legacy(&mut self.packed),
            0x184D_2A50..=0x184D_2A5F => {
                let size = u32_at(first, 4)?;
                self.packed.skip(8 + u64::from(size))?;
                return Ok(true);
            }
            _ => return Err(trailing()),
        };
        within(&self.limits, frame.memory())?;
        (self.start, self.end) = (0, 0);
        self.frame = Some(frame);
        Ok(true)
    }

    /// Decodes a block. Returns whether the frame goes on.
    fn next_block(&mut self, frame: &mut Frame) -> Result<bool, Problem> {
        self.make_room(frame);
        let head = match self.packed.peek(4)? {
            // Nothing ends a legacy frame but the end of the file or another frame.
            [] if frame.is_legacy => return Ok(false),
            first => u32_at(first, 0)?,
        };
        if frame.is_legacy && is_magic(head) {
            return Ok(false);
        }
        self.packed.consume(4);
        if head == 0 && !frame.is_legacy {
            return frame.end(&mut self.packed).map(|()| false);
        }
        let is_stored = head >> 31 != 0 && !frame.is_legacy;
        let size = if is_stored { head & 0x7FFF_FFFF } else { head } as usize;
        if size == 0 || size > frame.most_packed() {
            return Err(Problem::damaged("a block of LZ4 is too long"));
        }
        self.read_block(size)?;
        if frame.has_block_checksums && u32::from_le_bytes(self.packed.array()?) != Xxh32::sum_of(&self.block)
        {
            return Err(Problem::Checksum("a block of LZ4"));
        }
        self.decode_block(frame, is_stored)?;
        frame.add(self.content.get(self.start..self.end).unwrap_or_default());
        Ok(true)
    }

    /// Reads a compressed block.
    fn read_block(&mut self, size: usize) -> Result<(), Problem> {
        self.block.resize(size, 0);
        self.packed.exactly(&mut self.block)
    }

    /// Makes room for the content of a block. Linked ones keep what came before.
    fn make_room(&mut self, frame: &Frame) {
        self.start = if frame.is_linked { self.end } else { 0 };
        if self.content.len() < frame.room() {
            self.content.resize(frame.room(), 0);
        }
        if self.start + frame.most > self.content.len() {
            let from = self.start.saturating_sub(WINDOW);
            self.content.copy_within(from..self.start, 0);
            self.start -= from;
        }
        self.end = self.start;
    }

    /// Decodes a block into the room for it.
    fn decode_block(&mut self, frame: &Frame, is_stored: bool) -> Result<(), Problem> {
        let (before, room) = self.content.split_at_mut(self.start);
        let history = before.get(before.len().saturating_sub(WINDOW)..).unwrap_or_default();
        let room = room.get_mut(..frame.most).unwrap_or_default();
        let decoded = if is_stored {
            let (now, _) = room.split_at_mut(self.block.len().min(room.len()));
            now.copy_from_slice(&self.block);
            Ok(self.block.len())
        } else if history.is_empty() {
            decompress_into(&self.block, room)
        } else {
            decompress_into_with_dict(&self.block, room, history)
        };
        let decoded = decoded.map_err(|error| Problem::damaged(format!("a block of LZ4: {error}")))?;
        self.end = self.start + decoded;
        Ok(())
    }
}

impl Parted for Lz4 {
    type Setting = ();
    type Passed = ();
    const FIRST: u64 = 0;

    fn at_part(packed: Packed, (): (), limits: &Limits) -> Result<Lz4, Problem> {
        let (block, content) = (Vec::new(), Vec::new());
        Ok(Lz4 { packed, limits: *limits, frame: None, block, content, start: 0, end: 0 })
    }

    fn setting(&self) {}

    fn boundary(&self) -> Option<u64> {
        (self.frame.is_none() && self.start >= self.end).then(|| self.packed.position())
    }

    fn step(&mut self, buffer: &mut [u8]) -> Result<Step, Problem> {
        if self.start >= self.end {
            match self.frame.take() {
                Some(mut frame) => {
                    if self.next_block(&mut frame)? {
                        self.frame = Some(frame);
                    } else {
                        (self.start, self.end) = (0, 0);
                    }
                }
                None if !self.begin()? => return Ok(Step::End),
                None => {}
            }
        }
        let waiting = self.content.get(self.start..self.end).unwrap_or_default();
        if waiting.is_empty() {
            return Ok(Step::Nothing);
        }
        let count = waiting.len().min(buffer.len());
        let (now, _) = buffer.split_at_mut(count);
        now.copy_from_slice(waiting.get(..count).unwrap_or_default());
        self.start += count;
        Ok(Step::Content(count))
    }

    fn passed(self) {}

    fn pass(&mut self, packed: Packed, (): ()) {
        self.packed = packed;
        self.frame = None;
        (self.start, self.end) = (0, 0);
    }
}

impl Frame {
    /// Reads the header of a frame, with its number. Returns its length, too.
    pub(super) fn parse(first: &[u8]) -> Result<(Frame, usize), Problem> {
        let (&flags, &sizes) =
            (first.get(4).ok_or(Problem::Truncated)?, first.get(5).ok_or(Problem::Truncated)?);
        let (has_size, has_dictionary) = (flags & 8 != 0, flags & 1 != 0);
        let length = 6 + 8 * usize::from(has_size) + 4 * usize::from(has_dictionary);
        let (descriptor, check) =
            (first.get(4..length).ok_or(Problem::Truncated)?, *first.get(length).ok_or(Problem::Truncated)?);
        if (Xxh32::sum_of(descriptor) >> 8) as u8 != check {
            return Err(Problem::Checksum("a header of LZ4"));
        }
        if flags >> 6 != 1 || flags & 2 != 0 || sizes & 0x8F != 0 {
            return Err(Problem::Unsupported(format!("flags {flags:#04x} {sizes:#04x} of LZ4").into()));
        }
        if has_dictionary {
            return Err(Problem::Unsupported("a dictionary of LZ4".into()));
        }
        let most = match sizes >> 4 {
            code @ 4..=7 => 1 << (8 + 2 * code),
            _ => return Err(Problem::damaged("the size of blocks of LZ4 makes no sense")),
        };
        let frame = Frame {
            is_legacy: false,
            is_linked: flags & 0x20 == 0,
            has_block_checksums: flags & 0x10 != 0,
            size: if has_size { Some(u64_at(first, 6)?) } else { None },
            checksum: (flags & 4 != 0).then(Xxh32::new),
            most,
            decoded: 0,
        };
        Ok((frame, length + 1))
    }

    /// Returns the memory for a compressed block, and the content.
    pub(super) fn memory(&self) -> u64 {
        self.most as u64 + self.room() as u64
    }

    /// Returns the most bytes of a compressed block. A legacy one may be longer than its content.
    pub(super) fn most_packed(&self) -> usize {
        if self.is_legacy { self.most + self.most / 255 + 16 } else { self.most }
    }

    /// Returns the room for content: with linked blocks so much that what came before need not often be moved.
    fn room(&self) -> usize {
        if self.is_linked { WINDOW + 2 * self.most } else { self.most }
    }

    /// Adds the content of a block.
    fn add(&mut self, content: &[u8]) {
        self.decoded = self.decoded.saturating_add(content.len() as u64);
        if let Some(checksum) = &mut self.checksum {
            checksum.update(content);
        }
    }

    /// Compares all content with what the frame says of it.
    fn end(&self, packed: &mut Packed) -> Result<(), Problem> {
        if let Some(checksum) = &self.checksum
            && u32::from_le_bytes(packed.array()?) != checksum.sum()
        {
            return Err(Problem::Checksum("the content"));
        }
        if self.size.is_some_and(|size| size != self.decoded) {
            return Err(Problem::damaged("the size of the content is another than its frame says"));
        }
        Ok(())
    }
}

/// Returns whether a frame begins with this number.
fn is_magic(number: u32) -> bool {
    matches!(number, FRAME | LEGACY | 0x184D_2A50..=0x184D_2A5F)
}

/// Begins a legacy frame.
fn legacy(packed: &mut Packed) -> Frame {
    packed.consume(4);
    Frame {
        is_legacy: true,
        is_linked: false,
        has_block_checksums: false,
        size: None,
        checksum: None,
        most: LEGACY_BLOCK,
        decoded: 0,
    }
}
