//! The content of a member.

use super::blocks::{BlockSource, at_most, padding};
use super::sparse::Expansion;
use crate::Problem;

/// The content of a member, as far as it was read.
#[derive(Debug, Default)]
pub(super) struct Body {
    /// The bytes that are left in the archive.
    pub stored: u64,
    /// The bytes between them and the next header.
    padding: u64,
    pub shape: Shape,
}

/// The ways to make content of the bytes in the archive.
#[derive(Debug, Default)]
pub(super) enum Shape {
    /// They are the content.
    #[default]
    Plain,
    /// They are its parts between holes.
    Sparse(Expansion),
    /// They are no content.
    Empty,
    /// It can't be known.
    Unreadable,
}

impl Body {
    /// Creates content that takes so many bytes in the archive.
    pub(super) fn new(stored: u64) -> Body {
        Body { stored, padding: padding(stored), shape: Shape::Plain }
    }

    /// Reads some of the content; none at its end.
    ///
    /// # Errors
    /// If it can't be read.
    pub(super) fn read(&mut self, blocks: &mut BlockSource, buffer: &mut [u8]) -> Result<usize, Problem> {
        match &mut self.shape {
            Shape::Plain => {
                let length = blocks.read(at_most(buffer, self.stored))?;
                self.stored -= length as u64;
                Ok(length)
            }
            Shape::Sparse(expansion) => expansion.read(&mut self.stored, blocks, buffer),
            Shape::Empty => Ok(0),
            Shape::Unreadable => Err(Problem::damaged("the parts of a sparse file")),
        }
    }

    /// Passes over the bytes that are left.
    ///
    /// # Errors
    /// If there are fewer, or they can't be read.
    pub(super) fn pass(self, blocks: &mut BlockSource) -> Result<(), Problem> {
        blocks.skip(self.stored)?;
        blocks.skip(self.padding)
    }
}
