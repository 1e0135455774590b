//! The hash of eDonkey: the MD4 of the MD4 of every 9,728,000 bytes. For a file that is not longer, it is the file's
//! MD4.
//!
//! Clients disagree about files with a multiple of that length: `ed2k` adds an empty chunk, as eMule and rhash do
//! ("red"), `ed2k-blue` does not, as AniDB's clients.

use super::fold::{Fold, hash_parts};
use super::{Leaves, Shape};
use crate::Digest;
use crate::algorithms::md4::Md4;
use crate::bank::{StreamState, serial};
use crate::field::{Field, LONGEST_MESSAGE};
use crate::lanes::bank::lanes;
use crate::stream::Blocks;

pub(super) const CHUNK: u64 = 9_728_000;

/// Adds an empty chunk after a last chunk that is full.
pub(crate) struct Ed2k;
/// Adds no empty chunk.
pub(crate) struct Ed2kBlue;

impl Shape for Ed2k {
    const LEAVES: Leaves = leaves(|| Box::new(Chunks { red: true, ..Chunks::new() }));
}

impl Shape for Ed2kBlue {
    const LEAVES: Leaves = leaves(|| Box::new(Chunks::new()));
}

const fn leaves(fold: fn() -> Box<dyn Fold>) -> Leaves {
    Leaves::new(CHUNK, 16, [lanes::<Md4>, serial::<Blocks<Md4>>], fold)
}

#[derive(Clone)]
struct Chunks {
    red: bool,
    first: Option<Digest>,
    count: u64,
    all: Blocks<Md4>,
}

impl Chunks {
    fn new() -> Self {
        Chunks { red: false, first: None, count: 0, all: Blocks::new() }
    }
}

impl Fold for Chunks {
    fn leaf(&mut self, digest: &[u8]) {
        self.first.get_or_insert(Digest::new(digest));
        self.count += 1;
        self.all.update(digest);
    }

    fn finish(&mut self, bytes: u64) -> Digest {
        if self.red && bytes > 0 && bytes.is_multiple_of(CHUNK) {
            self.leaf(hash_parts::<Blocks<Md4>>(&[]).as_bytes());
        }
        match self.first {
            Some(only) if self.count == 1 => only,
            _ => self.all.finish(),
        }
    }

    fn save(&self, into: &mut Vec<u8>) -> bool {
        (self.first, self.count).put(into);
        self.all.save(into)
    }

    fn load(&mut self, from: &mut &[u8]) -> Option<()> {
        (self.first, self.count) = Field::take(from)?;
        self.all.load(from).filter(|()| self.count <= LONGEST_MESSAGE)
    }
}
