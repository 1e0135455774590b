//! A saved index: digests laid out for later searches, in blocks that are read, checked and searched one
//! after another, so that memory does not grow with the index.
//!
//! ```text
//! magic and version, then frames: HEAD (the algorithm), BLCK (digests and candidates) …, TAIL (totals)
//! ```
//!
//! Every frame has its number in its checksum, so that frames that are altered, missing, exchanged or added are
//! found. An answer is exact: the pairs that comparing everything gives.

mod block;
mod error;
mod frame;

pub use block::Block;
pub use error::Error;

use crate::{Digest, Foreign, Named, Similar, find};
use block::Draft;
use std::io::{Read, Write};
use std::mem::{Discriminant, discriminant};

/// What an index begins with.
pub const MAGIC: &[u8] = b"HLSIMI";
/// The version of the format that is written.
const VERSION: u16 = 1;

const HEAD: frame::Tag = *b"HEAD";
const BLOCK: frame::Tag = *b"BLCK";
const TAIL: frame::Tag = *b"TAIL";

/// Writes an index. Holds one block of it in memory.
pub struct Writer<W> {
    out: W,
    frames: u64,
    algorithm: &'static Similar,
    draft: Draft,
    totals: Totals,
    /// The kind of digest that was found to be right.
    kind: Option<Discriminant<Digest>>,
}

/// What an index holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// Digests; of those of several segments each segment counts.
    pub digests: u64,
    /// Of these, digests that hold too little to mean much.
    pub sparse: u64,
    /// Blocks.
    pub blocks: u64,
}

impl<W: Write> Writer<W> {
    /// Begins an index of digests of this algorithm.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn begin(mut out: W, algorithm: &'static Similar) -> Result<Self, Error> {
        out.write_all(MAGIC)?;
        out.write_all(&VERSION.to_le_bytes())?;
        frame::write(&mut out, 0, HEAD, algorithm.name.as_bytes())?;
        let (draft, totals) = (Draft::default(), Totals::default());
        Ok(Writer { out, frames: 1, algorithm, draft, totals, kind: None })
    }

    /// Adds a digest.
    ///
    /// # Errors
    /// Those of `out`, and [`Error::Foreign`] for a digest of another algorithm.
    pub fn push(&mut self, named: Named) -> Result<(), Error> {
        let kind = discriminant(&named.digest);
        for named in named.segments() {
            if self.kind != Some(kind) && (self.algorithm.compare)(&named, &named).is_none() {
                return Err(Error::Foreign(Foreign { at: self.totals.digests as usize }));
            }
            self.kind = Some(kind);
            self.totals.digests += 1;
            self.totals.sparse += u64::from(named.digest.is_sparse());
            self.draft.push(named);
            if self.draft.is_full() {
                self.flush()?;
            }
        }
        Ok(())
    }

    /// Writes what is left, and says what the index holds.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn end(mut self) -> Result<Totals, Error> {
        if !self.draft.is_empty() {
            self.flush()?;
        }
        let Totals { digests, sparse, blocks } = self.totals;
        let body = [digests, sparse, blocks].map(u64::to_le_bytes).concat();
        frame::write(&mut self.out, self.frames, TAIL, &body)?;
        self.out.flush()?;
        Ok(self.totals)
    }

    fn flush(&mut self) -> Result<(), Error> {
        let body = std::mem::take(&mut self.draft).encode();
        frame::write(&mut self.out, self.frames, BLOCK, &body)?;
        self.frames += 1;
        self.totals.blocks += 1;
        Ok(())
    }
}

/// An index that is read block by block.
pub struct Index<R> {
    input: R,
    frames: u64,
    algorithm: &'static Similar,
    seen: Totals,
    ended: bool,
}

impl<R: Read> Index<R> {
    /// Reads the start of an index.
    ///
    /// # Errors
    /// If it is not one, or one of another version or of an algorithm that is not known, or damaged.
    pub fn open(mut input: R) -> Result<Self, Error> {
        let mut start = [0; MAGIC.len() + 2];
        let magic = input.read_exact(&mut start).ok().and_then(|()| start.strip_prefix(MAGIC));
        match magic {
            Some(version) if *version == VERSION.to_le_bytes() => {}
            Some(version) => return Err(Error::Version(u16::from(version[0]) | u16::from(version[1]) << 8)),
            None => return Err(Error::NotAnIndex),
        }
        let head = frame::read(&mut input, 0)?;
        if head.tag != HEAD {
            return Err(Error::Damaged { frame: 0, what: "the head is missing" });
        }
        let name = String::from_utf8_lossy(head.body());
        let algorithm = find(&name).ok_or_else(|| Error::Algorithm(name.into_owned()))?;
        Ok(Index { input, frames: 1, algorithm, seen: Totals::default(), ended: false })
    }

    /// Whose digests it holds.
    pub fn algorithm(&self) -> &'static Similar {
        self.algorithm
    }

    /// What it holds, as far as it was read.
    pub fn totals(&self) -> Totals {
        self.seen
    }

    fn read(&mut self) -> Result<Option<Block>, Error> {
        let number = self.frames;
        let frame = frame::read(&mut self.input, number)?;
        self.frames += 1;
        let damaged = |what| Error::Damaged { frame: number, what };
        match frame.tag {
            BLOCK => {
                let block =
                    Block::decode(self.algorithm, self.seen.digests, frame.body()).map_err(damaged)?;
                self.seen.blocks += 1;
                self.seen.digests += block.members().len() as u64;
                self.seen.sparse +=
                    block.members().iter().filter(|named| named.digest.is_sparse()).count() as u64;
                Ok(Some(block))
            }
            TAIL => {
                let Totals { digests, sparse, blocks } = self.seen;
                if frame.body() != [digests, sparse, blocks].map(u64::to_le_bytes).concat() {
                    return Err(damaged("the totals are not those of the blocks"));
                }
                if self.input.read(&mut [0])? > 0 {
                    return Err(damaged("something follows the end"));
                }
                Ok(None)
            }
            _ => Err(damaged("neither a block nor the end")),
        }
    }
}

impl<R: Read> Iterator for Index<R> {
    type Item = Result<Block, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let next = self.read().transpose();
        self.ended = !matches!(next, Some(Ok(_)));
        next
    }
}
