//! A saved index: digests for later searches, in blocks that are read, checked and searched one after another, so that
//! memory does not grow with the index.
//!
//! ```text
//! magic and version, then frames: HEAD (the algorithm), BLCK (digests and candidates) …, TAIL (totals)
//! ```
//!
//! The checksum of every frame includes its number, so that altered, missing, exchanged or added frames are detected.
//! Results are exact: the same pairs as comparing everything.

mod block;
mod error;
mod frame;

pub use block::Block;
pub use error::Error;

use crate::{Foreign, LikenessDigest, Named, Similar, find};
use block::Draft;
use std::io::{Read, Write};
use std::mem::{Discriminant, discriminant};

/// The magic bytes of an index.
pub const MAGIC: &[u8] = b"HMSIMI";
/// The version of the written format.
const VERSION: u16 = 1;

const HEAD: frame::Tag = *b"HEAD";
const BLOCK: frame::Tag = *b"BLCK";
const TAIL: frame::Tag = *b"TAIL";

/// Writes an index. Keeps one block in memory.
pub struct Writer<W> {
    out: W,
    frames: u64,
    algorithm: &'static Similar,
    draft: Draft,
    totals: Totals,
    /// The kind of digest that was already checked.
    kind: Option<Discriminant<LikenessDigest>>,
}

/// The totals of an index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// The number of digests; each segment counts.
    pub digests: u64,
    /// The number of sparse digests among them.
    pub sparse: u64,
    /// The number of blocks.
    pub blocks: u64,
}

impl<W: Write> Writer<W> {
    /// Begins an index of digests by this algorithm.
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
    /// Returns those of `out`, and [`Error::Foreign`] for a digest of another algorithm.
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

    /// Writes the last block and the totals, which it returns.
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
    /// If it is no index, damaged, or of an unknown version or algorithm.
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

    /// Returns the algorithm of its digests.
    pub fn algorithm(&self) -> &'static Similar {
        self.algorithm
    }

    /// Returns the totals of the blocks read so far.
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
                    return Err(damaged("the totals don't match the blocks"));
                }
                if self.input.read(&mut [0])? > 0 {
                    return Err(damaged("something follows the end"));
                }
                Ok(None)
            }
            _ => Err(damaged("neither a block nor the totals")),
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
