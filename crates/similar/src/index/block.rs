//! A block of an index: names, digests, and for ssdeep the candidates for every run of seven characters.
//!
//! Digests of ssdeep and TLSH are stored as short texts; those of sdhash and mrsh-v2 as filters, ready for comparison.

use crate::bloom::{BYTES, Filter};
use crate::pairs::{Foreign, Pair, Search, Set as _};
use crate::{LikenessDigest, Named, Similar, mrsh, sdhash, ssdeep};
use std::ops::ControlFlow;

/// The maximum number of digests in a block.
const MEMBERS: usize = 1 << 16;
/// The number of digest bytes after which a block is full.
const FULL: usize = 16 << 20;

/// A block under construction.
#[derive(Default)]
pub(super) struct Draft {
    members: Vec<Named>,
    bytes: Vec<u8>,
}

impl Draft {
    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    pub(super) fn is_full(&self) -> bool {
        self.members.len() >= MEMBERS || self.bytes.len() >= FULL
    }

    pub(super) fn push(&mut self, named: Named) {
        part(&named.name, &mut self.bytes);
        match &named.digest {
            LikenessDigest::Ssdeep(digest) => part(&digest.text(), &mut self.bytes),
            LikenessDigest::Tlsh(digest) => part(&digest.text(), &mut self.bytes),
            LikenessDigest::Sdhash(segments) => {
                segments.iter().for_each(|digest| sdhash(digest, &mut self.bytes))
            }
            LikenessDigest::Mrsh(digest) => mrsh(digest, &mut self.bytes),
        }
        // Only ssdeep's digests are needed again, for the candidates.
        let kept = matches!(named.digest, LikenessDigest::Ssdeep(_));
        let digest = if kept { named.digest } else { LikenessDigest::Sdhash(Vec::new()) };
        self.members.push(Named { name: Vec::new(), digest });
    }

    pub(super) fn encode(self) -> Vec<u8> {
        let mut bytes = (self.members.len() as u32).to_le_bytes().to_vec();
        bytes.extend_from_slice(&self.bytes);
        // Lists of other digests have no candidates.
        let set = ssdeep::Set::gather(&self.members).ok();
        let candidates = set.as_ref().map(ssdeep::Set::candidates).unwrap_or_default();
        bytes.extend(candidates.iter().flat_map(|entry| entry.to_le_bytes()));
        bytes
    }
}

fn part(text: &[u8], bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
    bytes.extend_from_slice(text);
}

fn sdhash(digest: &sdhash::SdhashDigest, bytes: &mut Vec<u8>) {
    let block = if let sdhash::Layout::Blocks(block) = digest.layout { block } else { 0 };
    bytes.extend_from_slice(&digest.size.to_le_bytes());
    bytes.extend_from_slice(&block.to_le_bytes());
    part(&digest.counts, bytes);
    bytes.extend(digest.filters.iter().flat_map(Filter::to_bytes));
}

fn mrsh(digest: &mrsh::MrshDigest, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&digest.size.to_le_bytes());
    bytes.extend_from_slice(&digest.last.to_le_bytes());
    bytes.extend_from_slice(&(digest.filters.len() as u32).to_le_bytes());
    bytes.extend(digest.filters.iter().flat_map(Filter::to_bytes));
}

/// The digests of a block, ready to be searched.
pub struct Block {
    first: u64,
    members: Vec<Named>,
    /// For ssdeep: the saved candidates.
    candidates: Option<Vec<u64>>,
}

impl Block {
    /// Decodes the body of a block; `first` is the position of its first digest in the index.
    ///
    /// # Errors
    /// Returns a description of the damage.
    pub fn decode(algorithm: &Similar, first: u64, body: &[u8]) -> Result<Self, &'static str> {
        let mut rest = BlockCursor(body);
        let count = rest.number()? as usize;
        let mut members = Vec::with_capacity(count.min(body.len() / 8));
        for _ in 0..count {
            members.push(member(algorithm, &mut rest)?);
        }
        let saved = is_ssdeep(algorithm).then(|| candidates(rest.0, count));
        match saved {
            None if !rest.0.is_empty() => Err("a block is too long"),
            None => Ok(Block { first, members, candidates: None }),
            Some(candidates) => Ok(Block { first, members, candidates: Some(candidates?) }),
        }
    }

    /// Returns the position of its first digest in the index.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// Returns its digests.
    pub fn members(&self) -> &[Named] {
        &self.members
    }

    /// Passes on the pairs of a list and this block that are similar by this variant; `b` counts from the block's
    /// start.
    ///
    /// # Errors
    /// Returns [`Foreign`] for a digest of another algorithm in the list.
    pub fn against(
        &mut self,
        algorithm: &Similar,
        list: &[Named],
        search: &Search,
        sink: &mut dyn FnMut(Pair) -> ControlFlow<()>,
    ) -> Result<(), Foreign> {
        let Some(candidates) = self.candidates.take() else {
            return (algorithm.against)(list, &self.members, search, sink);
        };
        let set = ssdeep::Set::gather(&self.members)?.with_candidates(candidates);
        search.against(&ssdeep::Set::gather(list)?, &set, sink);
        Ok(())
    }
}

fn is_ssdeep(algorithm: &Similar) -> bool {
    algorithm.header == Some(ssdeep::HEADER)
}

/// Decodes the candidates of a block with this number of digests.
fn candidates(bytes: &[u8], members: usize) -> Result<Vec<u64>, &'static str> {
    let (entries, rest) = bytes.as_chunks();
    let entries: Vec<u64> = entries.iter().map(|entry| u64::from_le_bytes(*entry)).collect();
    let good =
        rest.is_empty() && entries.is_sorted() && entries.iter().all(|e| (*e as u32 as usize) < members);
    if good { Ok(entries) } else { Err("its candidates are invalid") }
}

fn member(algorithm: &Similar, rest: &mut BlockCursor<'_>) -> Result<Named, &'static str> {
    let name = rest.part()?.to_vec();
    let digest = match algorithm.name {
        row if row.starts_with("sdhash") => LikenessDigest::Sdhash(vec![rest.sdhash()?]),
        row if row.starts_with("mrsh") => LikenessDigest::Mrsh(rest.mrsh()?),
        _ => algorithm.read(rest.part()?).map_err(|_| "a digest is malformed")?,
    };
    Ok(Named { name, digest })
}

/// The remainder of a block.
struct BlockCursor<'a>(&'a [u8]);

impl<'a> BlockCursor<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], &'static str> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or("a block is too short")?;
        self.0 = rest;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u32, &'static str> {
        Ok(self.take(4)?.iter().rev().fold(0, |sum, byte| sum << 8 | u32::from(*byte)))
    }

    fn long(&mut self) -> Result<u64, &'static str> {
        Ok(u64::from(self.number()?) | u64::from(self.number()?) << 32)
    }

    fn part(&mut self) -> Result<&'a [u8], &'static str> {
        let length = self.number()? as usize;
        self.take(length)
    }

    fn filters(&mut self, count: usize) -> Result<Vec<Filter>, &'static str> {
        let bytes = self.take(count.checked_mul(BYTES).ok_or("a block is too short")?)?;
        Ok(bytes.as_chunks().0.iter().map(Filter::from_bytes).collect())
    }

    fn sdhash(&mut self) -> Result<sdhash::SdhashDigest, &'static str> {
        let (size, block) = (self.long()?, self.number()?);
        let counts = self.part()?.to_vec();
        let filters = self.filters(counts.len())?;
        let layout = if block == 0 { sdhash::Layout::Whole } else { sdhash::Layout::Blocks(block) };
        let digest = sdhash::SdhashDigest { layout, size, offset: None, filters, counts };
        if digest.is_whole() { Ok(digest) } else { Err("a digest is malformed") }
    }

    fn mrsh(&mut self) -> Result<mrsh::MrshDigest, &'static str> {
        let (size, last, count) = (self.long()?, self.number()?, self.number()?);
        let digest = mrsh::MrshDigest { size, last, filters: self.filters(count as usize)? };
        if digest.is_whole() { Ok(digest) } else { Err("a digest is malformed") }
    }
}
