//! Decoders of files whose parts are independent.

use super::decode::{Decode, Step};
use super::packed::Packed;
use crate::{Limits, Problem};

/// A decoder of a format in whose files parts can be decoded without those before: frames, members or blocks.
///
/// It stands at a *boundary* where one part ended and the next may begin. There it can pass over a part that was
/// decoded elsewhere, and goes on as if it had decoded it.
pub(super) trait Parted: Send + Sized + 'static {
    /// The facts that it takes to decode a part.
    type Setting: Copy + PartialEq + Send + 'static;
    /// The facts about a part that were found by decoding it.
    type Passed: Default + Send + 'static;
    /// The position of the first boundary.
    const FIRST: u64;

    /// Creates a decoder that stands at a boundary.
    ///
    /// # Errors
    /// If there is no memory.
    fn at_part(packed: Packed, setting: Self::Setting, limits: &Limits) -> Result<Self, Problem>;

    /// Returns the facts that it takes to decode the next part.
    fn setting(&self) -> Self::Setting;

    /// Returns the position, if it is a boundary.
    fn boundary(&self) -> Option<u64>;

    /// Does a part of the work, which ends at a boundary at the latest. The buffer is not empty.
    ///
    /// # Errors
    /// If no further content can be had intact.
    fn step(&mut self, buffer: &mut [u8]) -> Result<Step, Problem>;

    /// Returns the facts about the part that was decoded.
    fn passed(self) -> Self::Passed;

    /// Goes to the boundary where these bytes begin, behind a part with these facts.
    fn pass(&mut self, packed: Packed, passed: Self::Passed);
}

impl<D: Parted> Decode for D {
    fn decode(&mut self, buffer: &mut [u8]) -> Result<usize, Problem> {
        loop {
            match self.step(buffer)? {
                Step::Content(count) => return Ok(count),
                Step::Nothing => {}
                Step::End => return Ok(0),
            }
        }
    }
}

/// A part of a file, as far as it is known before it is decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FilePart<S> {
    /// The positions of its first byte and of the byte behind its last one.
    pub(super) start: u64,
    pub(super) end: u64,
    /// The memory that its decoder takes for a window or dictionary.
    pub(super) memory: u64,
    /// The facts that it takes to decode it.
    pub(super) setting: S,
}
