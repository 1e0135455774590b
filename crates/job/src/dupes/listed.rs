//! Search for duplicates by the digests in manifests: no file is read.
//!
//! One manifest is read twice, in memory that doesn't grow with it: first to find the digests that several records have,
//! then for those records. Several manifests may tell of the same files, and are read into memory as a whole.

use super::group::{Group, Groups, Single};
use super::whole;
use crate::audit::{Manifests, OnNotice};
use crate::error::Error;
use crate::notice::of_signatures;
use hashmill_content::output::sort::Sorter;
use hashmill_digest::{Algorithm, Class, Digest, hash};
use hashmill_engine::Cancel;
use hashmill_lists::entries::{Entries, List, ListEntry, Order, Stop};
use hashmill_lists::signatures::guard::Guard;
use hashmill_manifest::Status;
use std::collections::HashSet;
use std::ops::Range;
use std::path::PathBuf;
use std::thread;

/// The default for the bytes of digests in memory.
const MEMORY: usize = 256 << 20;

/// A search for duplicates in manifests.
pub struct ListedJob {
    /// The manifests; `-` is standard input.
    pub manifests: Vec<PathBuf>,
    /// The algorithm to group by; by default the strongest of those that most records have.
    pub algorithm: Option<&'static Algorithm>,
    /// The minimum size of a file in bytes.
    pub min_size: u64,
    /// The maximum number of bytes of digests in memory.
    pub memory: usize,
    /// The signatures that the manifests must have.
    pub guard: Guard,
    /// Ends the job soon after it is set.
    pub cancel: Cancel,
}

/// The files with the same content according to manifests.
#[derive(Debug)]
pub struct Listed {
    /// Files with the same content. Groups that waste most bytes come first.
    pub groups: Vec<Group>,
    /// The algorithm of the digests.
    pub algorithm: &'static Algorithm,
    /// Records without a digest of this algorithm.
    pub without: u64,
    /// Files that could not be read when their manifest was made.
    pub unread: Vec<Box<[u8]>>,
    /// Parts of the manifests that could not be parsed.
    pub malformed: u64,
}

impl ListedJob {
    /// Makes a search with default settings.
    pub fn new(manifests: Vec<PathBuf>, min_size: u64) -> ListedJob {
        ListedJob {
            manifests,
            algorithm: None,
            min_size,
            memory: MEMORY,
            guard: Guard::default(),
            cancel: Cancel::default(),
        }
    }

    /// Groups the files by their digests. Returns `None` if cancelled.
    ///
    /// # Errors
    /// If a file is not a manifest, there is no digest to group by, or there is no room for temporary files.
    pub fn run(self, told: &mut OnNotice<'_>) -> Result<Option<Listed>, Error> {
        let lists = self.manifests.iter();
        let lists = lists
            .map(|path| Ok((path.clone(), self.guard.open(path.as_os_str(), &mut of_signatures(told))?)));
        let lists = lists.collect::<Result<Vec<_>, Error>>()?;
        if let [(path, listing)] = &lists[..]
            && let Some(list) = List::new(path, listing)
        {
            let listed = match self.stream(&list) {
                // A list that is not in the order of paths is sorted in a second attempt.
                Err(Stop::Unordered) => self.stream(&list),
                listed => listed,
            };
            match listed {
                Ok(Some(listed)) if list.is_unchanged() => return Ok(Some(listed)),
                Err(Stop::Cancelled) => return Ok(None),
                Err(Stop::Failed(why)) => return Err(why.into()),
                Ok(_) | Err(Stop::Whole | Stop::Unordered) => {}
            }
        }
        let manifests = Manifests::default().read(lists, None, told)?;
        let listed = whole::listed(manifests, self.algorithm, self.min_size)?;
        Ok((!self.cancel.is_set()).then_some(listed))
    }

    /// Groups the files of a list without holding all of it in memory. Returns `None` if it has no digests.
    pub(super) fn stream(&self, list: &List) -> Result<Option<Listed>, Stop> {
        let mut passed = Passed::default();
        let mut leads = Leads::new(self.memory / 4);
        self.each(list, &mut |entry, entries| passed.add(entry, entries, self.algorithm, &mut leads))?;
        let Some((algorithm, _)) = passed.column.clone() else { return Ok(None) };
        let repeated = leads.repeated()?;
        let (mut groups, empty) = (Groups::new(algorithm), hash(algorithm, b""));
        let mut take = |entry: ListEntry<'_>, _: &Entries| {
            let Some(digest) = passed.digest(&entry).filter(|digest| repeated.contains(&lead(digest))) else {
                return Ok(());
            };
            let digest = Digest::new(digest);
            // In lists without sizes, an empty file is recognised by its digest.
            let size = entry.size.or((digest == empty).then_some(0));
            if size.is_none_or(|size| size >= self.min_size) {
                let file = Single { path: entry.path.into(), links: Vec::new() };
                groups.add(size, digest, entry.number as usize, file);
            }
            Ok(())
        };
        if !repeated.is_empty() {
            self.each(list, &mut take)?;
        }
        let Passed { without, mut unread, .. } = passed;
        unread.sort_unstable_by_key(|(number, _)| *number);
        let unread = unread.into_iter().map(|(_, path)| path).collect();
        Ok(Some(Listed { groups: groups.finish(), algorithm, without, unread, malformed: 0 }))
    }

    /// Passes the records of a list in the order of paths.
    fn each(
        &self,
        list: &List,
        take: &mut dyn FnMut(ListEntry<'_>, &Entries) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        thread::scope(|scope| {
            let order = Order::ByPath(self.memory / 2);
            let mut entries = Entries::start(scope, list, order, &self.cancel)?.ready()?;
            while let Some(entry) = entries.peek() {
                take(entry, &entries)?;
                entries.advance()?;
            }
            Ok(())
        })
    }
}

/// The result of the first pass over a list.
#[derive(Default)]
struct Passed {
    /// The algorithm to group by, and the place of its digest among those of a record, if they have it.
    column: Option<(&'static Algorithm, Option<Range<usize>>)>,
    without: u64,
    /// Files that could not be read, with their numbers in the list.
    unread: Vec<(u64, Box<[u8]>)>,
}

impl Passed {
    fn add(
        &mut self,
        entry: ListEntry<'_>,
        entries: &Entries,
        wanted: Option<&'static Algorithm>,
        leads: &mut Leads,
    ) -> Result<(), Stop> {
        if let Some(record) = entry.unhashed {
            if record.status != Status::Skipped {
                self.unread.push((entry.number, entry.path.into()));
            }
            return Ok(());
        }
        if self.column.is_none() {
            let counts: Vec<_> = entries.algorithms().iter().map(|algorithm| (*algorithm, 1)).collect();
            let algorithm = wanted.or_else(|| best(&counts)).ok_or(Stop::Whole)?;
            self.column = Some((algorithm, entries.place_of(algorithm)));
        }
        match self.digest(&entry) {
            Some(digest) => leads.add(lead(digest)),
            None => {
                self.without += 1;
                Ok(())
            }
        }
    }

    /// Returns the digest to group a hashed file by.
    fn digest<'a>(&self, entry: &ListEntry<'a>) -> Option<&'a [u8]> {
        let (_, place) = self.column.as_ref()?;
        entry.digests.get(place.clone()?)
    }
}

/// The first bytes of digests, of which the repeated ones are wanted. They are sorted in temporary files if there are too
/// many for memory.
struct Leads {
    held: Vec<u64>,
    /// The number of those that fit into memory.
    most: usize,
    sorter: Option<Sorter>,
}

impl Leads {
    fn new(memory: usize) -> Leads {
        Leads { held: Vec::new(), most: (memory / size_of::<u64>()).max(1), sorter: None }
    }

    fn add(&mut self, lead: u64) -> Result<(), Stop> {
        if let Some(sorter) = &mut self.sorter {
            return sorter.push(&lead.to_be_bytes(), &[]).map_err(Stop::Failed);
        }
        self.held.push(lead);
        if self.held.len() == self.most {
            let mut sorter = Sorter::new(self.most * size_of::<u64>());
            let mut held = std::mem::take(&mut self.held).into_iter();
            held.try_for_each(|lead| sorter.push(&lead.to_be_bytes(), &[])).map_err(Stop::Failed)?;
            self.sorter = Some(sorter);
        }
        Ok(())
    }

    /// Returns those that were added more than once.
    fn repeated(mut self) -> Result<HashSet<u64>, Stop> {
        let Some(sorter) = self.sorter else {
            self.held.sort_unstable();
            let pairs = self.held.windows(2).filter(|pair| pair[0] == pair[1]);
            return Ok(pairs.map(|pair| pair[0]).collect());
        };
        let (mut sorted, mut last, mut repeated) =
            (sorter.sorted().map_err(Stop::Failed)?, None, HashSet::new());
        while let Some((key, _)) = sorted.next_entry().map_err(Stop::Failed)? {
            let lead = Some(lead(key));
            repeated.extend(lead.filter(|_| lead == last));
            last = lead;
        }
        Ok(repeated)
    }
}

/// Returns the first eight bytes of a digest, as a number.
pub(super) fn lead(digest: &[u8]) -> u64 {
    digest.iter().take(8).fold(0, |lead, byte| lead << 8 | u64::from(*byte))
}

/// Returns the strongest of the algorithms that most records have, given for each the number of records with it.
pub(super) fn best(counts: &[(&'static Algorithm, u64)]) -> Option<&'static Algorithm> {
    let strength = |algorithm: &Algorithm| match algorithm.class {
        Class::Cryptographic => 2,
        Class::Broken => 1,
        Class::Checksum | Class::Truncated => 0,
    };
    // In reverse, because `max_by_key` returns the last of equal elements, and the first is wanted.
    let best =
        counts.iter().rev().max_by_key(|(algorithm, count)| (*count, strength(algorithm), algorithm.bits));
    best.map(|(algorithm, _)| *algorithm)
}
