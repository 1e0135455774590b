//! Known records by their content, to tell where a file under a new name comes from.

use super::digests::{Column, Group};
use super::known::Known;
use crate::Record;
use hashbrown::{DefaultHashBuilder, HashTable};
use hashmill_digest::Algorithm;
use std::hash::{BuildHasher, Hasher};
use std::iter;

/// Known records by their content.
pub(super) struct Contents {
    /// For each group, the columns whose algorithms the run computes.
    shared: Vec<Vec<SharedColumn>>,
    hasher: DefaultHashBuilder,
    /// Records with equal digests and equal sizes.
    sized: Index,
    /// Records with equal digests, whatever their sizes: for observed files whose size is unknown, made for the first one.
    any_size: Option<Index>,
}

/// A column of a group, and the algorithm by which it is looked up.
type SharedColumn = (usize, &'static Algorithm);

/// Whether records of other sizes have other content.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sizes {
    Compared,
    Ignored,
}

/// Chains of records of the same content, each in the order of the manifests.
struct Index {
    sizes: Sizes,
    /// The first record of each chain.
    heads: HashTable<u32>,
    /// The next record of the same chain, or [`NONE`].
    next: Vec<u32>,
}

/// The known records that may have the content of an observed one: what is left of the chain of those with its size, and
/// of the chain of those without a size.
#[derive(Clone, Copy)]
pub(super) struct Chains {
    heads: [u32; 2],
    has_size: bool,
}

/// The content of a record: its group, its offset if it is a piece, the size if it matters, and the digests.
#[derive(Clone, Copy)]
struct Key<D> {
    group: u16,
    offset: Option<u64>,
    size: Option<u64>,
    digests: D,
}

const NONE: u32 = u32::MAX;

impl Contents {
    /// Arranges all known records by those digests that a run computes.
    pub(super) fn new(known: &Known, algorithms: &[&'static Algorithm]) -> Contents {
        let shared = |group: &Group| {
            let usual = |(place, column): (usize, &Column)| Some((place, column.usual()?));
            let all = group.columns.iter().enumerate().filter_map(usual);
            all.filter(|(_, algorithm)| algorithms.contains(algorithm)).collect()
        };
        let shared: Vec<_> = known.groups().iter().map(shared).collect();
        let hasher = DefaultHashBuilder::default();
        let sized = Index::new(known, &shared, &hasher, Sizes::Compared);
        Contents { shared, hasher, sized, any_size: None }
    }

    /// Returns the known records of a group with an observed record's content; `None` if there are none.
    pub(super) fn find(&mut self, known: &Known, group: u16, record: &Record) -> Option<Chains> {
        let shared = &self.shared[usize::from(group)];
        let digests = shared.iter().map(|(_, algorithm)| Some(record.digest(algorithm)?.as_bytes()));
        let digests = digests.collect::<Option<Vec<&[u8]>>>()?;
        if digests.is_empty() {
            return None;
        }
        let (offset, has_size) = (record.piece.map(|piece| piece.offset), record.size.is_some());
        let key = |size| Key { group, offset, size, digests: digests.iter().copied() };
        let (all, hasher) = (&self.shared, &self.hasher);
        let heads = if has_size {
            [record.size, None].map(|size| self.sized.head(known, all, hasher, key(size)))
        } else {
            let made = || Index::new(known, all, hasher, Sizes::Ignored);
            let index = self.any_size.get_or_insert_with(made);
            [index.head(known, all, hasher, key(None)), NONE]
        };
        (heads != [NONE; 2]).then_some(Chains { heads, has_size })
    }

    /// Returns the first record.
    pub(super) fn first(&self, chains: Chains) -> u32 {
        // `NONE` is greater than all others.
        chains.heads[0].min(chains.heads[1])
    }

    /// Returns the records from each one on, in the order of the manifests.
    pub(super) fn walk(&self, chains: Chains) -> impl Iterator<Item = Chains> {
        let next = &self.index(chains).next;
        iter::successors(Some(chains), |chains| {
            let mut heads = chains.heads;
            let first = usize::from(heads[1] < heads[0]);
            heads[first] = next[heads[first] as usize];
            (heads != [NONE; 2]).then_some(Chains { heads, ..*chains })
        })
    }

    /// Leaves out the records at the start that are gone. Links over them are shortened, so that a million copies of one
    /// content take a million steps and not their square.
    pub(super) fn skip(&mut self, chains: Chains, gone: &[bool]) -> Option<Chains> {
        let next = match chains.has_size {
            true => &mut self.sized.next,
            false => &mut self.any_size.as_mut()?.next,
        };
        let heads = chains.heads.map(|head| {
            let is_gone = |entry: u32| entry != NONE && gone[entry as usize];
            let (mut end, mut entry) = (head, head);
            while is_gone(end) {
                end = next[end as usize];
            }
            while is_gone(entry) {
                entry = std::mem::replace(&mut next[entry as usize], end);
            }
            end
        });
        (heads != [NONE; 2]).then_some(Chains { heads, ..chains })
    }

    fn index(&self, chains: Chains) -> &Index {
        self.any_size.as_ref().filter(|_| !chains.has_size).unwrap_or(&self.sized)
    }
}

impl Index {
    fn new(known: &Known, shared: &[Vec<SharedColumn>], hasher: &DefaultHashBuilder, sizes: Sizes) -> Index {
        let (mut heads, mut next) = (HashTable::<u32>::with_capacity(known.len()), vec![NONE; known.len()]);
        let key = |entry| key(known, shared, entry, sizes);
        let hash = |entry: &u32| key(*entry).hash(hasher);
        // Backwards, so that each chain is in the order of the manifests.
        for entry in (0..known.len() as u32).rev() {
            if shared[usize::from(known.group(entry))].is_empty() {
                continue;
            }
            match heads.find_mut(hash(&entry), |other| key(*other).equals(key(entry))) {
                Some(head) => next[entry as usize] = std::mem::replace(head, entry),
                None => {
                    heads.insert_unique(hash(&entry), entry, hash);
                }
            }
        }
        Index { sizes, heads, next }
    }

    /// Returns the first record of this content, or [`NONE`].
    fn head<'a>(
        &self,
        known: &Known,
        shared: &[Vec<SharedColumn>],
        hasher: &DefaultHashBuilder,
        wanted: Key<impl Iterator<Item = &'a [u8]> + Clone>,
    ) -> u32 {
        let is_it = |entry: &u32| key(known, shared, *entry, self.sizes).equals(wanted.clone());
        self.heads.find(wanted.clone().hash(hasher), is_it).copied().unwrap_or(NONE)
    }
}

/// Returns the content of a known record, with those digests that the run computes.
fn key<'a>(
    known: &'a Known,
    shared: &'a [Vec<SharedColumn>],
    entry: u32,
    sizes: Sizes,
) -> Key<impl Iterator<Item = &'a [u8]>> {
    let group = known.group(entry);
    let columns = &shared[usize::from(group)];
    let is_shared = |place: usize| columns.iter().any(|(column, _)| *column == place);
    let digests = known.digests(entry).enumerate();
    let digests = digests.filter(move |(place, _)| is_shared(*place)).map(|(_, stored)| stored.bytes);
    let offset = known.piece(entry).map(|piece| piece.offset);
    Key { group, offset, size: known.size(entry).filter(|_| sizes == Sizes::Compared), digests }
}

impl<'a, D: Iterator<Item = &'a [u8]>> Key<D> {
    fn equals<'b>(self, other: Key<impl Iterator<Item = &'b [u8]>>) -> bool {
        let facts = (self.group, self.offset, self.size) == (other.group, other.offset, other.size);
        facts && self.digests.eq(other.digests)
    }

    fn hash(self, hasher: &DefaultHashBuilder) -> u64 {
        let mut state = hasher.build_hasher();
        state.write_u16(self.group);
        for number in [self.offset, self.size] {
            state.write_u64(number.unwrap_or(u64::MAX));
        }
        self.digests.for_each(|digest| state.write(digest));
        state.finish()
    }
}
