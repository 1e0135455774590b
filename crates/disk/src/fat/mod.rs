//! FAT12, FAT16 and FAT32, with long names.
//!
//! Source: Microsoft, "FAT: General Overview of On-Disk Format", version 1.03 (2000). Numbers of entries are those of
//! sleuthkit: the root is 2, and others are counted in slots of 32 bytes from behind the tables on, beginning with 3.
//!
//! FAT has no inodes: an entry whose slot is gone can't be found but by searching all free clusters for what looks like
//! a directory. That is not done. A chain is followed for the clusters that a size
//! needs, and at most for as many as there are; two files that have a cluster in common are both read as they are.
//!
//! The specification ends a directory with its first empty slot, as Windows and 7-Zip do; Linux goes on behind it. Systems
//! clear all slots behind the end, but damage and poor firmware leave old ones there ("entries after end of directory" of
//! fsck_msdos). What is there, or poses as a part of a long name, counts as a file in use if its first cluster is in use
//! and no listed entry has that cluster; else it is a deleted one.

mod boot;
mod entry;
mod long_name;

use crate::clusters::{
    Chain, ClusterTable, FreeRuns, Link, Slot, Slots, Unlisted, Used, Window, chain, lost,
};
use crate::{
    Allocation, Content, DirectoryListing, FileSystem, FileSystemInfo, FileSystemKind, Medium, Named, Node,
    NodeKind,
};
use crate::{ByteRun, ByteRuns, Problem, Recovery};
use crate::{DeletedEntries, name::is_plain};
use boot::Boot;
use entry::{Short, SlotKind};
use long_name::LongName;
use std::sync::{Arc, OnceLock};

/// The number of the root directory, and that of the first slot behind the tables.
const ROOT: u64 = 2;
const FIRST_SLOT: u64 = 3;

/// The most bytes of a directory: 65,536 slots.
const DIRECTORY: u64 = 2 << 20;

/// The bytes of each table that are compared when it is opened.
const COMPARED: u64 = 64 << 20;

/// Returns whether a medium begins with a boot sector of FAT.
pub(crate) fn recognizes(medium: &dyn Medium) -> bool {
    Boot::read(medium).is_ok_and(|boot| !boot.is_backup)
}

/// Returns whether a medium has the copy of a boot sector of FAT32.
pub(crate) fn recognizes_copy(medium: &dyn Medium) -> bool {
    Boot::read(medium).is_ok()
}

/// Opens a file system.
pub(crate) fn open(medium: Arc<dyn Medium>) -> Result<Box<dyn FileSystem>, Problem> {
    Ok(Box::new(Fat::open(medium)?))
}

/// An open FAT file system.
#[derive(Debug)]
struct Fat {
    medium: Arc<dyn Medium>,
    boot: Boot,
    table: ClusterTable,
    info: FileSystemInfo,
    used: OnceLock<Option<Used>>,
    unlisted: Unlisted,
}

impl Fat {
    fn open(medium: Arc<dyn Medium>) -> Result<Fat, Problem> {
        let boot = Boot::read(&*medium)?;
        let table =
            ClusterTable::new(Arc::clone(&medium), boot.table_places(), boot.table_length, boot.width());
        let info = FileSystemInfo {
            kind: boot.kind,
            label: None,
            identifier: boot.serial.map(|serial| format!("{:04X}-{:04X}", serial >> 16, serial & 0xffff)),
            block: u32::try_from(boot.clusters.size).unwrap_or(u32::MAX),
            size: boot.size,
            notes: notes(&*medium, &boot, &table),
            doubts: doubts(&boot, &table),
        };
        let unlisted = Unlisted::new(boot.clusters);
        let mut fat = Fat { medium, boot, table, info, used: OnceLock::new(), unlisted };
        fat.info.label = fat.label();
        Ok(fat)
    }

    /// Reads the label in the root directory, or else that in the boot sector.
    fn label(&self) -> Option<Vec<u8>> {
        let root = self.root_places().runs;
        let slots = Slots::new(&*self.medium, &root).flatten();
        for slot in slots {
            let short = Short(&slot.bytes);
            match short.kind() {
                SlotKind::End => break,
                SlotKind::Label if !short.is_deleted() => return short.label(),
                _ => {}
            }
        }
        self.boot.label.and_then(entry::label).filter(|label| label != b"NO NAME")
    }

    fn is_fat32(&self) -> bool {
        self.boot.kind == FileSystemKind::Fat32
    }

    fn root_places(&self) -> Chain {
        if self.is_fat32() {
            return self.directory_chain(self.boot.root);
        }
        let mut runs = ByteRuns::default();
        let problem = runs.push(Some(self.boot.data), self.boot.fixed_root, self.boot.size).err();
        Chain { runs, problem }
    }

    fn directory_chain(&self, first: u32) -> Chain {
        let most = self.boot.clusters.needed(DIRECTORY);
        let mut chain = chain(&self.table, self.boot.clusters, first, most.saturating_add(1));
        if chain.runs.length() > most.saturating_mul(self.boot.clusters.size) {
            chain.problem.get_or_insert(Problem::TooMany("entries of a directory"));
        }
        chain
    }

    /// Returns the clusters that are in use, for which the whole table is read once.
    ///
    /// # Errors
    /// If there are too many.
    fn used(&self) -> Result<&Used, Problem> {
        let read = || {
            let mut used = Used::new(self.boot.clusters.count)?;
            let clusters = self.boot.clusters;
            self.table.each(clusters.count, &mut |cluster, link| {
                if let (Link::Free, Some(index)) = (link, clusters.index(cluster)) {
                    used.free(index);
                }
            });
            Some(used)
        };
        self.used.get_or_init(read).as_ref().ok_or(Problem::TooMany("clusters"))
    }

    fn number(&self, position: u64) -> u64 {
        position.saturating_sub(self.boot.data) / 32 + FIRST_SLOT
    }

    fn slot(&self, number: u64) -> Result<Slot, Problem> {
        let index = number.checked_sub(FIRST_SLOT).ok_or(Problem::Beyond)?;
        let offset = index.checked_mul(32).ok_or(Problem::Beyond)?;
        let position = self.boot.data.checked_add(offset).ok_or(Problem::Beyond)?;
        let mut bytes = [0; 32];
        self.medium.read_at(position, &mut bytes)?;
        Ok(Slot { position, bytes })
    }

    /// Returns the places of a directory.
    fn directory(&self, number: u64, is_deleted: bool) -> Result<(Chain, Recovery), Problem> {
        if number == ROOT {
            return Ok((self.root_places(), Recovery::Intact));
        }
        let slot = self.slot(number)?;
        let first = Short(&slot.bytes).first_cluster(self.is_fat32());
        if !is_deleted {
            return Ok((self.directory_chain(first), Recovery::Intact));
        }
        self.deleted_directory(first)
    }

    /// Returns the first cluster of a deleted directory, if that is free and has a directory in it: no more is known.
    fn deleted_directory(&self, first: u32) -> Result<(Chain, Recovery), Problem> {
        let (runs, recovery) = lost(self.boot.clusters, self.used()?, first, 1)?;
        let dot = Slots::new(&*self.medium, &runs).next().transpose()?;
        let is_own = dot.is_some_and(|dot| {
            let dot = Short(&dot.bytes);
            dot.kind() == SlotKind::Dots && dot.first_cluster(self.is_fat32()) == first
        });
        if recovery != Recovery::Intact || !is_own {
            return Ok((Chain::default(), Recovery::Overlapped));
        }
        let ends = Slots::new(&*self.medium, &runs)
            .any(|slot| slot.is_ok_and(|slot| Short(&slot.bytes).kind() == SlotKind::End));
        let recovery = if ends { Recovery::Intact } else { Recovery::Partial };
        Ok((Chain { runs, problem: None }, recovery))
    }

    fn names(
        &self,
        runs: &ByteRuns,
        is_deleted: bool,
        deleted: DeletedEntries,
        listing: &mut DirectoryListing,
    ) {
        let (mut long, mut is_behind) = (LongName::default(), false);
        for (place, slot) in Slots::new(&*self.medium, runs).enumerate() {
            let slot = match slot {
                Ok(slot) => slot,
                Err(problem) => {
                    long.clear();
                    listing.problems.push(problem);
                    continue;
                }
            };
            let short = Short(&slot.bytes);
            match short.kind() {
                SlotKind::End if is_deleted => break,
                SlotKind::End => {
                    is_behind = true;
                    long.clear();
                }
                SlotKind::Long => long.take(slot),
                SlotKind::Label => long.clear(),
                // They are the first two; others hide something.
                SlotKind::Dots if place < 2 => long.clear(),
                SlotKind::Dots | SlotKind::WalkEntry => {
                    let name = long.of(short).unwrap_or_else(|| short.name());
                    let is_deleted = is_deleted || short.is_deleted();
                    let named = Named { is_deleted, ..self.named(&slot, name) };
                    if is_behind {
                        listing.problems.extend(self.keep(named, short).err());
                    } else if deleted == DeletedEntries::Listed || !is_deleted {
                        listing.names.push(named);
                    }
                }
            }
        }
        for slot in long.into_strays().iter().filter(|_| !is_deleted) {
            let short = Short(&slot.bytes);
            listing.problems.extend(self.keep(self.named(slot, short.name()), short).err());
        }
    }

    /// Returns the name of an entry that is in use.
    fn named(&self, slot: &Slot, name: Vec<u8>) -> Named {
        let is_directory = Some(Short(&slot.bytes).is_directory());
        Named { name, number: self.number(slot.position), generation: 0, is_directory, is_deleted: false }
    }

    /// Keeps an entry that is not listed, if its first cluster is in use or it is likely the rest of a deleted one.
    fn keep(&self, named: Named, short: Short<'_>) -> Result<(), Problem> {
        let first = short.first_cluster(self.is_fat32());
        let has_cluster = self.boot.clusters.index(first).is_some();
        let link = || self.table.link(first, &mut Window::default());
        let has_bytes = has_cluster && (short.is_directory() || short.size() > 0);
        let is_in_use = has_bytes && !named.is_deleted && link().is_ok_and(|link| link != Link::Free);
        let is_rest = has_cluster && short.kind() == SlotKind::WalkEntry && short.is_likely();
        if !is_in_use && !is_rest {
            return Ok(());
        }
        self.unlisted.add(first, Named { is_deleted: !is_in_use, ..named })
    }

    /// Returns why what is marked as a directory is none, as each but the root begins with its own name.
    fn not_a_directory(&self, number: u64, runs: &ByteRuns) -> Option<Problem> {
        let first = Slots::new(&*self.medium, runs).next()?.ok()?;
        let is_one = number == ROOT || Short(&first.bytes).is_first_of_directory();
        (!is_one).then(|| Problem::damaged("it is marked as a directory, and does not begin as one"))
    }

    /// Returns a directory, without times and attributes.
    fn directory_node(&self, number: u64, is_deleted: bool) -> Node {
        let (content, recovery) = match self.directory(number, is_deleted) {
            Ok((Chain { problem: Some(problem), runs }, recovery)) if runs.length() == 0 => {
                (Err(problem), recovery)
            }
            Ok((Chain { runs, .. }, recovery)) => {
                if !is_deleted {
                    self.unlisted.meet(&runs);
                }
                let size = runs.length();
                (Ok(Content::plain(runs, size)), recovery)
            }
            Err(problem) => (Err(problem), Recovery::Partial),
        };
        let size = content.as_ref().map_or(0, Content::size);
        let allocation = if is_deleted { Allocation::Deleted(recovery) } else { Allocation::Live };
        Node { allocation, ..Node::new(number, NodeKind::Directory, size, content) }
    }

    fn file_node(&self, number: u64, short: Short<'_>, is_deleted: bool) -> Node {
        let (first, size) = (short.first_cluster(self.is_fat32()), short.size());
        let (content, allocation) = match is_deleted {
            false => (self.live(first, size), Allocation::Live),
            true => match self.deleted(first, size) {
                Ok((content, recovery)) => (Ok(content), Allocation::Deleted(recovery)),
                Err(problem) => (Err(problem), Allocation::Deleted(Recovery::Partial)),
            },
        };
        let (times, attributes) = (short.times(), short.attributes().into());
        Node { times, attributes, allocation, ..Node::new(number, NodeKind::File, size, content) }
    }

    /// Returns the content of a file. A chain that ends too early leaves the bytes before that readable.
    fn live(&self, first: u32, size: u64) -> Result<Content, Problem> {
        if size == 0 {
            return Ok(Content::empty());
        }
        let needed = self.boot.clusters.needed(size);
        let Chain { runs, problem } = chain(&self.table, self.boot.clusters, first, needed);
        self.unlisted.meet(&runs);
        match problem {
            None | Some(Problem::Damaged(_)) => Ok(Content::plain(runs, size)),
            Some(problem) => Err(problem),
        }
    }

    fn deleted(&self, first: u32, size: u64) -> Result<(Content, Recovery), Problem> {
        if size == 0 {
            return Ok((Content::empty(), Recovery::Intact));
        }
        let (runs, recovery) = lost(self.boot.clusters, self.used()?, first, size)?;
        Ok((Content::plain(runs, size), recovery))
    }
}

impl FileSystem for Fat {
    fn info(&self) -> &FileSystemInfo {
        &self.info
    }

    fn doubts(&mut self) -> &mut Vec<Problem> {
        &mut self.info.doubts
    }

    fn root(&self) -> Result<Node, Problem> {
        let is_deleted = false;
        Ok(self.directory_node(ROOT, is_deleted))
    }

    fn list(&self, directory: &Node, deleted: DeletedEntries) -> DirectoryListing {
        let is_deleted = directory.allocation != Allocation::Live;
        let mut listing = DirectoryListing::default();
        match self.directory(directory.number, is_deleted) {
            Ok((Chain { runs, problem }, _)) => {
                self.names(&runs, is_deleted, deleted, &mut listing);
                let is_none = || self.not_a_directory(directory.number, &runs).filter(|_| !is_deleted);
                listing.problems.extend(problem.or_else(is_none));
            }
            Err(problem) => listing.problems.push(problem),
        }
        listing
    }

    fn nodes(&self, name: &Named) -> Result<Vec<Node>, Problem> {
        let slot = self.slot(name.number)?;
        let short = Short(&slot.bytes);
        Ok(vec![match short.is_directory() {
            true => {
                let (times, attributes) = (short.times(), short.attributes().into());
                Node { times, attributes, ..self.directory_node(name.number, name.is_deleted) }
            }
            false => self.file_node(name.number, short, name.is_deleted),
        }])
    }

    fn has_unnamed(&self, _is_met: &dyn Fn(u64) -> bool) -> bool {
        self.unlisted.has_in_use()
    }

    fn orphans(&self) -> Box<dyn Iterator<Item = Result<Named, Problem>> + Send + '_> {
        let entries = std::iter::from_fn(|| self.unlisted.take());
        // A slot that poses as part of a long name has no name of its own, and is told only if it is in use.
        Box::new(entries.filter(|named| !named.is_deleted || is_plain(&named.name)).map(Ok))
    }

    fn free(&self) -> Box<dyn Iterator<Item = Result<ByteRun, Problem>> + Send + '_> {
        match self.used() {
            Ok(used) => Box::new(FreeRuns::new(used, self.boot.clusters).map(Ok)),
            Err(problem) => Box::new(std::iter::once(Err(problem))),
        }
    }
}

fn notes(medium: &dyn Medium, boot: &Boot, table: &ClusterTable) -> Vec<String> {
    let told = [
        (boot.size > medium.size(), "the medium ends before the file system"),
        (is_dirty(boot, table), "it was not unmounted cleanly"),
    ];
    told.into_iter().filter(|(is_so, _)| *is_so).map(|(_, note)| note.to_owned()).collect()
}

fn doubts(boot: &Boot, table: &ClusterTable) -> Vec<Problem> {
    let compared = table.compare(COMPARED);
    let told = [
        (
            boot.is_backup,
            Problem::incomplete("the copy of the boot sector is used, as the first makes no sense"),
        ),
        (
            compared.is_first_unreadable,
            Problem::incomplete(
                "the first table of clusters can't be read everywhere: another is used there",
            ),
        ),
        (
            compared.is_different,
            Problem::ambiguous("the tables of clusters differ, and only the first is used"),
        ),
    ];
    told.into_iter().filter(|(is_so, _)| *is_so).map(|(_, doubt)| doubt).collect()
}

/// Returns whether the second entry of the table says that the file system is, or was last, mounted.
fn is_dirty(boot: &Boot, table: &ClusterTable) -> bool {
    let clean = match boot.kind {
        FileSystemKind::Fat16 => 0x8000,
        FileSystemKind::Fat32 => 0x0800_0000,
        _ => return false,
    };
    table.value(1, &mut Window::default()).is_ok_and(|value| value & clean == 0)
}
