//! exFAT.
//!
//! Source: Microsoft, "exFAT file system specification", revision 1.00. Numbers of entries are those of sleuthkit: the
//! root is 2, and others are counted in slots of 32 bytes from the first cluster on, beginning with 3. TexFAT is read as
//! its active table and bitmap have it; the table of upper-case letters is not needed to list names.
//!
//! Deleted sets of slots are listed while a part of their name is there. A set that no directory has is not searched for.
//! One behind the end of a directory, which the Sleuth Kit shows, counts as a file in use as on FAT: if its first cluster
//! is in use, and no listed entry has that cluster.

mod bitmap;
mod boot;
mod entry_set;

use crate::clusters::{
    Chain, ClusterTable, FreeRuns, Link, Slot, Unlisted, Used, Width, Window, chain, lost, lost_in_one_piece,
};
use crate::{
    Allocation, Content, DeletedEntries, DirectoryListing, FileSystem, FileSystemInfo, FileSystemKind,
    Medium, Named, Node, NodeKind,
};
use crate::{ByteRun, ByteRuns, Problem, Recovery, clusters};
use bitmap::Bitmap;
use boot::Boot;
use entry_set::{EntrySet, FILE, IN_USE, SECONDARY, Slots};
use std::sync::{Arc, OnceLock};

/// The number of the root directory, and that of the first slot of the first cluster.
const ROOT: u64 = 2;
const FIRST_SLOT: u64 = 3;

/// The most bytes of a directory.
const DIRECTORY: u64 = 256 << 20;

/// The types of slots that only the root directory has.
const BITMAP: u8 = 0x81;
const LABEL: u8 = 0x83;

/// The first type of entries in use that may be left alone if they are not known.
const BENIGN: u8 = 0xa0;

/// Returns whether a medium begins with a boot sector of exFAT.
pub(crate) fn recognizes(medium: &dyn Medium) -> bool {
    let mut name = [0; 8];
    medium.read_at(3, &mut name).is_ok() && name == *b"EXFAT   " && Boot::read(medium).is_ok()
}

/// Returns whether a medium has the copy of a boot region of exFAT.
pub(crate) fn recognizes_copy(medium: &dyn Medium) -> bool {
    Boot::read(medium).is_ok()
}

/// Opens a file system.
pub(crate) fn open(medium: Arc<dyn Medium>) -> Result<Box<dyn FileSystem>, Problem> {
    Ok(Box::new(ExFat::open(medium)?))
}

/// An open exFAT file system.
#[derive(Debug)]
struct ExFat {
    medium: Arc<dyn Medium>,
    boot: Boot,
    table: ClusterTable,
    info: FileSystemInfo,
    bitmap: Option<Bitmap>,
    used: OnceLock<Option<Used>>,
    unlisted: Unlisted,
}

/// The part of a directory that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stretch {
    UpToEnd,
    BehindEnd,
}

impl ExFat {
    fn open(medium: Arc<dyn Medium>) -> Result<ExFat, Problem> {
        let boot = Boot::read(&*medium)?;
        let copies = boot.tables.clone();
        let table = ClusterTable::new(Arc::clone(&medium), copies, boot.table_length, Width::ThirtyTwo);
        let info = FileSystemInfo {
            kind: FileSystemKind::ExFat,
            label: None,
            identifier: Some(format!("{:04X}-{:04X}", boot.serial >> 16, boot.serial & 0xffff)),
            block: u32::try_from(boot.clusters.size).unwrap_or(u32::MAX),
            size: boot.size,
            notes: Vec::new(),
            doubts: Vec::new(),
        };
        let (used, unlisted) = (OnceLock::new(), Unlisted::new(boot.clusters));
        let mut system = ExFat { medium, boot, table, info, bitmap: None, used, unlisted };
        system.read_root();
        system.info.notes = system.notes();
        system.info.doubts.extend(system.boot.region.doubt().map(Problem::incomplete));
        Ok(system)
    }

    /// Reads the label and the place of the bitmap.
    fn read_root(&mut self) {
        let chain = self.directory_chain(self.boot.root);
        for Slot { bytes, .. } in clusters::Slots::new(&*self.medium, &chain.runs).flatten() {
            match bytes[0] {
                0 => break,
                LABEL => {
                    let length = usize::from(bytes[1]).min(11) * 2;
                    let label = bytes.get(2..2 + length).map(crate::name::utf16_le);
                    self.info.label = label.filter(|label| !label.is_empty());
                }
                BITMAP => {
                    let found = Bitmap::parse(&bytes);
                    self.bitmap =
                        found.filter(|found| found.is_second == self.boot.is_second_active).or(self.bitmap);
                }
                _ => {}
            }
        }
    }

    fn notes(&self) -> Vec<String> {
        let told = [
            (self.boot.size > self.medium.size(), "the medium ends before the file system"),
            (self.boot.is_dirty, "it was not unmounted cleanly"),
            (self.boot.has_failed, "parts of the medium failed when it was in use"),
            (self.boot.tables.len() == 2, "it is TexFAT: the active table and bitmap are used"),
            (self.bitmap.is_none(), "it has no bitmap of clusters: what is free is not known"),
        ];
        told.into_iter().filter(|(is_so, _)| *is_so).map(|(_, note)| note.to_owned()).collect()
    }

    fn used(&self) -> Result<&Used, Problem> {
        let bitmap = self.bitmap.ok_or_else(|| Problem::damaged("it has no bitmap of clusters"))?;
        let read = || bitmap.read(&*self.medium, &self.boot, &self.table).ok();
        self.used.get_or_init(read).as_ref().ok_or(Problem::TooMany("clusters"))
    }

    fn number(&self, position: u64) -> u64 {
        position.saturating_sub(self.boot.clusters.start) / 32 + FIRST_SLOT
    }

    /// Reads the set whose first slot has a number. Its slots go on in the next cluster: the chain, or the number of the
    /// cluster, tells which.
    fn set(&self, number: u64, is_contiguous: bool) -> Result<EntrySet, Problem> {
        let index = number.checked_sub(FIRST_SLOT).ok_or(Problem::Beyond)?;
        let offset = index.checked_mul(32).ok_or(Problem::Beyond)?;
        let mut position = self.boot.clusters.start.checked_add(offset).ok_or(Problem::Beyond)?;
        let broken = || Problem::damaged("a directory entry is not whole");
        let mut set = Slots::begin(position, self.slot(position)?).ok_or_else(broken)?;
        while !set.is_whole() {
            let next = self.after(position, is_contiguous).and_then(|next| Ok((next, self.slot(next)?)));
            match next {
                Ok((next, slot)) if set.take(slot) => position = next,
                _ if set.is_useful() => break,
                Ok(_) => return Err(broken()),
                Err(problem) => return Err(problem),
            }
        }
        set.parse().ok_or_else(broken)
    }

    fn slot(&self, position: u64) -> Result<[u8; 32], Problem> {
        let mut bytes = [0; 32];
        self.medium.read_at(position, &mut bytes)?;
        Ok(bytes)
    }

    /// Returns the position of the next slot of a directory.
    fn after(&self, position: u64, is_contiguous: bool) -> Result<u64, Problem> {
        let next = position.checked_add(32).ok_or(Problem::Beyond)?;
        let cluster = self.boot.clusters.at(position).ok_or(Problem::Beyond)?;
        if is_contiguous || self.boot.clusters.at(next) == Some(cluster) {
            return Ok(next);
        }
        match self.table.link(cluster, &mut Window::default())? {
            Link::Next(next) => self.boot.clusters.place(next).ok_or(Problem::Beyond),
            _ => Err(Problem::Short),
        }
    }

    fn directory_chain(&self, first: u32) -> Chain {
        let most = self.boot.clusters.needed(DIRECTORY);
        let mut chain = chain(&self.table, self.boot.clusters, first, most.saturating_add(1));
        if chain.runs.length() > DIRECTORY.max(self.boot.clusters.size) {
            chain.problem.get_or_insert(Problem::TooMany("entries of a directory"));
        }
        chain
    }

    /// Returns where a deleted directory lay. Of one that is in use by others now, or partly, there is nothing to list:
    /// its slots would be those of the others.
    fn lost_directory(&self, set: &EntrySet) -> Result<(ByteRuns, Recovery), Problem> {
        let (runs, recovery) = self.lost(set)?;
        Ok((if recovery == Recovery::Intact { runs } else { ByteRuns::default() }, recovery))
    }

    /// Returns why a directory that is in use has fewer bytes than its size.
    fn missing(&self, directory: &Node, runs: &ByteRuns) -> Option<Problem> {
        let size = directory.size.min(DIRECTORY);
        if runs.length() >= size {
            return (directory.size > size).then_some(Problem::TooMany("entries of a directory"));
        }
        let first = runs.as_slice().first().and_then(|run| self.boot.clusters.at(run.place?));
        let Some(first) = first else { return Some(Problem::Beyond) };
        let needed = self.boot.clusters.needed(size);
        Some(chain(&self.table, self.boot.clusters, first, needed).problem.unwrap_or(Problem::Short))
    }

    /// Returns where the first bytes of what is in use lie.
    fn places(&self, set: &EntrySet, size: u64) -> Chain {
        let clusters = self.boot.clusters;
        let needed = clusters.needed(size);
        match size {
            0 => Chain::default(),
            _ if set.is_contiguous => {
                let mut runs = ByteRuns::default();
                let place = clusters.place(set.first).ok_or(Problem::Beyond);
                let length = needed.saturating_mul(clusters.size);
                let problem = place.and_then(|place| runs.push(Some(place), length, clusters.end())).err();
                Chain { runs, problem }
            }
            _ => chain(&self.table, clusters, set.first, needed),
        }
    }

    fn lost(&self, set: &EntrySet) -> Result<(ByteRuns, Recovery), Problem> {
        if set.size == 0 {
            return Ok((ByteRuns::default(), Recovery::Intact));
        }
        let find = if set.is_contiguous { lost_in_one_piece } else { lost };
        find(self.boot.clusters, self.used()?, set.first, set.size)
    }

    /// Reads the sets in a stretch of a directory.
    fn sets(&self, runs: &ByteRuns, stretch: Stretch, take: &mut dyn FnMut(Result<Slots, Problem>)) {
        let is_behind = stretch == Stretch::BehindEnd;
        let mut open: Option<Slots> = None;
        let mut is_ended = false;
        let broken =
            |open: &mut Option<Slots>, take: &mut dyn FnMut(Result<Slots, Problem>)| match open.take() {
                Some(open) if open.is_useful() => take(Ok(open)),
                Some(open) if !open.is_deleted() => {
                    take(Err(Problem::damaged("an entry of the directory is not whole")));
                }
                _ => {}
            };
        for slot in clusters::Slots::new(&*self.medium, runs) {
            let Slot { position, bytes } = match slot {
                Ok(slot) => slot,
                Err(problem) => {
                    open = None;
                    take(Err(problem));
                    continue;
                }
            };
            match bytes[0] {
                0 if is_behind => {
                    is_ended = true;
                    open = None;
                }
                0 => break,
                _ if is_behind && !is_ended => {}
                kind if kind & !IN_USE == FILE => {
                    broken(&mut open, take);
                    open = Slots::begin(position, bytes);
                    if open.is_none() && kind & IN_USE != 0 {
                        take(Err(Problem::damaged("an entry of the directory is not whole")));
                    }
                }
                kind if kind & SECONDARY != 0 => {
                    if !open.as_mut().is_none_or(|open| open.take(bytes)) {
                        broken(&mut open, take);
                    }
                }
                _ => broken(&mut open, take),
            }
            if open.as_ref().is_some_and(Slots::is_whole)
                && let Some(whole) = open.take()
            {
                take(Ok(whole));
            }
        }
        broken(&mut open, take);
    }

    fn names(
        &self,
        runs: &ByteRuns,
        is_deleted: bool,
        deleted: DeletedEntries,
        listing: &mut DirectoryListing,
    ) {
        let DirectoryListing { names, problems } = listing;
        // Whether by a chain or not: the next cluster is the next.
        let is_contiguous = runs.as_slice().len() <= 1;
        let named = |set: EntrySet, position, is_deleted| Named {
            name: set.name,
            number: self.number(position),
            generation: u32::from(is_contiguous),
            is_directory: Some(set.is_directory),
            is_deleted,
        };
        self.sets(runs, Stretch::UpToEnd, &mut |slots| {
            let slots = match slots {
                Ok(slots) => slots,
                Err(problem) => return problems.push(problem),
            };
            let is_deleted = is_deleted || slots.is_deleted();
            match slots.parse() {
                _ if is_deleted && deleted == DeletedEntries::LeftOut => {}
                Some(set) => names.push(named(set, slots.position, is_deleted)),
                None if is_deleted => {}
                None => problems.push(Problem::damaged("an entry of the directory has no name")),
            }
        });
        let behind = |slots: Result<Slots, Problem>| {
            let slots = slots.ok()?;
            let set = slots.parse().filter(|set| set.is_checked && set.size > 0)?;
            let (first, index) = (set.first, self.boot.clusters.index(set.first)?);
            let is_in_use = !slots.is_deleted() && self.used().is_ok_and(|used| used.is_used(index));
            self.unlisted.add(first, named(set, slots.position, !is_in_use)).err()
        };
        if !is_deleted {
            self.sets(runs, Stretch::BehindEnd, &mut |slots| problems.extend(behind(slots)));
        }
    }

    /// Returns why what is marked as a directory is none: one begins with an entry, or with none and is empty.
    fn not_a_directory(&self, runs: &ByteRuns) -> Option<Problem> {
        let first = clusters::Slots::new(&*self.medium, runs).next()?.ok()?.bytes;
        let is_one = match first[0] {
            0 => first == [0; 32],
            kind => kind & !IN_USE == FILE || (BENIGN..SECONDARY | IN_USE).contains(&kind),
        };
        (!is_one).then(|| Problem::damaged("it is marked as a directory, and does not begin as one"))
    }

    fn directory_node(&self, number: u64, set: &EntrySet, is_deleted: bool) -> Node {
        let (content, recovery) = if is_deleted {
            let found = self.lost_directory(set);
            let recovery = found.as_ref().map_or(Recovery::Partial, |(_, recovery)| *recovery);
            (found.map(|(runs, _)| plain(runs, set.size, set.size)), Some(recovery))
        } else {
            let content = match self.places(set, set.size.min(DIRECTORY)) {
                Chain { problem: Some(problem), runs } if runs.length() == 0 => Err(problem),
                Chain { runs, .. } => {
                    self.unlisted.meet(&runs);
                    Ok(plain(runs, set.size, set.size))
                }
            };
            (content, None)
        };
        node(number, NodeKind::Directory, set, content, recovery)
    }

    fn file_node(&self, number: u64, set: &EntrySet, is_deleted: bool) -> Node {
        let whole = |runs: ByteRuns| match set.size {
            0 => Content::empty(),
            size => plain(runs, size, set.valid.min(size)),
        };
        let (content, recovery) = if is_deleted {
            match self.lost(set) {
                Ok((runs, recovery)) => (Ok(whole(runs)), Some(recovery)),
                Err(problem) => (Err(problem), Some(Recovery::Partial)),
            }
        } else {
            let Chain { runs, problem } = self.places(set, set.size);
            self.unlisted.meet(&runs);
            match problem {
                // The bytes before the end of a chain that ends too early can be read.
                None | Some(Problem::Damaged(_)) => (Ok(whole(runs)), None),
                Some(problem) => (Err(problem), None),
            }
        };
        node(number, NodeKind::File, set, content, recovery)
    }
}

fn node(
    number: u64,
    kind: NodeKind,
    set: &EntrySet,
    content: Result<Content, Problem>,
    recovery: Option<Recovery>,
) -> Node {
    let allocation = recovery.map_or(Allocation::Live, Allocation::Deleted);
    let (times, attributes) = (set.times, set.attributes.into());
    Node { times, attributes, allocation, ..Node::new(number, kind, set.size, content) }
}

fn plain(runs: ByteRuns, size: u64, valid: u64) -> Content {
    Content::Plain { runs: Arc::new(runs), size, valid }
}

impl FileSystem for ExFat {
    fn info(&self) -> &FileSystemInfo {
        &self.info
    }

    fn doubts(&mut self) -> &mut Vec<Problem> {
        &mut self.info.doubts
    }

    fn root(&self) -> Result<Node, Problem> {
        let Chain { runs, problem } = self.directory_chain(self.boot.root);
        let size = runs.length();
        let content = match problem {
            Some(problem) if size == 0 => Err(problem),
            _ => {
                self.unlisted.meet(&runs);
                Ok(plain(runs, size, size))
            }
        };
        Ok(Node::new(ROOT, NodeKind::Directory, size, content))
    }

    fn list(&self, directory: &Node, deleted: DeletedEntries) -> DirectoryListing {
        let mut listing = DirectoryListing::default();
        let is_deleted = directory.allocation != Allocation::Live;
        let Some(runs) = directory.content.as_ref().ok().and_then(Content::runs) else {
            listing.problems.push(Problem::Beyond);
            return listing;
        };
        self.names(runs, is_deleted, deleted, &mut listing);
        listing.problems.extend(match directory.number {
            ROOT => self.directory_chain(self.boot.root).problem,
            _ if is_deleted => None,
            _ => self.missing(directory, runs).or_else(|| self.not_a_directory(runs)),
        });
        listing
    }

    fn nodes(&self, name: &Named) -> Result<Vec<Node>, Problem> {
        let set = self.set(name.number, name.generation == 1)?;
        if !set.is_checked {
            return Err(Problem::Checksum("a directory entry"));
        }
        Ok(vec![match set.is_directory {
            true => self.directory_node(name.number, &set, name.is_deleted),
            false => self.file_node(name.number, &set, name.is_deleted),
        }])
    }

    fn has_unnamed(&self, _is_met: &dyn Fn(u64) -> bool) -> bool {
        self.unlisted.has_in_use()
    }

    fn orphans(&self) -> Box<dyn Iterator<Item = Result<Named, Problem>> + Send + '_> {
        Box::new(std::iter::from_fn(|| self.unlisted.take().map(Ok)))
    }

    fn free(&self) -> Box<dyn Iterator<Item = Result<ByteRun, Problem>> + Send + '_> {
        match self.used() {
            Ok(used) => Box::new(FreeRuns::new(used, self.boot.clusters).map(Ok)),
            Err(problem) => Box::new(std::iter::once(Err(problem))),
        }
    }
}
