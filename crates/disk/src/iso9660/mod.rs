//! ISO 9660 (ECMA-119, 4th edition) with the names of Rock Ridge (SUSP 1.12, RRIP 1.12) or Joliet.
//!
//! Names are those of Rock Ridge where they are, else those of Joliet, else the plain ones, as the Linux kernel chooses. Of
//! plain names and those of Joliet the version is left out if it is 1, and of plain names the dot of an empty extension;
//! letters stay as they are. Directories that Rock Ridge moved up are shown where they belong.
//!
//! The format has no inodes: names with the same extent are files of their own.

mod boot;
mod descriptors;
mod moment;
mod paths;
mod record;
mod rock;

use crate::{ByteRun, ByteRuns, Times};
use crate::{
    Content, DirectoryListing, FileSystem, FileSystemInfo, FileSystemKind, Limits, Medium, Named, Node,
    NodeKind, Problem, Walk,
};
use crate::{DeletedEntries, name::utf16};
use boot::Boot;
use descriptors::{Descriptors, Volume};
use paths::Tabled;
use record::{Record, SECTOR};
use rock::Rock;
use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The most names of a directory, the most empty sectors in it, and the most extents of a file.
const NAMES: usize = 1 << 20;
const EMPTY: usize = 64;
const EXTENTS: usize = 1 << 20;

/// An open volume.
#[derive(Debug)]
struct Iso {
    medium: Arc<dyn Medium>,
    info: FileSystemInfo,
    volume: Volume,
    names: Names,
    boots: Vec<Boot>,
    moved: Mutex<Moved>,
}

/// Directories that Rock Ridge moved up, by their places, and those that were listed.
#[derive(Debug, Default)]
struct Moved {
    /// Those that were met where they are, which other programs may show there.
    met: BTreeMap<u64, Named>,
    /// Those that were met where they belong.
    placed: HashSet<u64>,
    /// All directories that were listed.
    listed: HashSet<u64>,
}

/// The content that a tree leads to.
#[derive(Debug, Default)]
struct Reached {
    /// The places and lengths of the bytes of files.
    files: HashSet<(Option<u64>, u64)>,
    /// The number of entries that can't be read.
    faults: usize,
}

/// The names that are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Names {
    Plain,
    Joliet,
    /// Those of Rock Ridge, with the number of bytes before its entries.
    Rock(usize),
}

impl Names {
    /// Returns the names of a volume without Rock Ridge.
    fn of(volume: &Volume) -> Names {
        if volume.is_joliet { Names::Joliet } else { Names::Plain }
    }
}

/// Returns whether a volume begins on the medium.
pub(crate) fn recognizes(medium: &dyn Medium) -> bool {
    let mut name = [0; 5];
    medium.read_at(16 * SECTOR + 1, &mut name).is_ok() && name == *b"CD001"
}

/// Opens the first volume on a medium.
pub(crate) fn open(medium: Arc<dyn Medium>) -> Result<Box<dyn FileSystem>, Problem> {
    let Descriptors { mut volumes, catalogs, mut notes, mut doubts } = Descriptors::read(&*medium)?;
    let rock = rock::is_used(&*medium, &volumes[0]).map(Names::Rock);
    let joliet = volumes.iter().position(|volume| volume.is_joliet).filter(|_| rock.is_none());
    let volume = volumes.remove(joliet.unwrap_or(0));
    let names = rock.unwrap_or(Names::of(&volume));
    if volume.size > medium.size() {
        notes.push("the medium is shorter than the volume".into());
    }
    let images = |catalog| boot::images(&*medium, catalog, volume.size, &mut doubts);
    let boots = boot::numbered(catalogs.iter().copied().flat_map(images).collect());
    let mut iso = Iso::new(medium, volume, names);
    let others = iso.other_trees(volumes);
    doubts.extend(iso.differences(&others, Limits::default().entries));
    doubts.extend(iso.unnamed_rests(&boots, &catalogs, &others));
    (iso.info.notes, iso.info.doubts, iso.boots) = (notes, doubts, boots);
    Ok(Box::new(iso))
}

impl FileSystem for Iso {
    fn info(&self) -> &FileSystemInfo {
        &self.info
    }

    fn doubts(&mut self) -> &mut Vec<Problem> {
        &mut self.info.doubts
    }

    fn root(&self) -> Result<Node, Problem> {
        self.directory(&self.volume.root, Rock::default())
    }

    fn list(&self, directory: &Node, _deleted: DeletedEntries) -> DirectoryListing {
        let mut listing = DirectoryListing::default();
        self.moved_up().listed.insert(directory.number);
        if let Err(problem) = self.add_names(directory, &mut listing) {
            listing.problems.push(problem);
        }
        if directory.number == self.root_number() {
            listing.names.extend(self.boots.iter().map(Boot::named));
        }
        listing
    }

    fn has_unnamed(&self, _is_met: &dyn Fn(u64) -> bool) -> bool {
        !self.misplaced().is_empty() || self.unreached().next().is_some()
    }

    fn orphans(&self) -> Box<dyn Iterator<Item = Result<Named, Problem>> + Send + '_> {
        Box::new(self.misplaced().into_iter().map(Ok).chain(self.unreached()))
    }

    fn nodes(&self, name: &Named) -> Result<Vec<Node>, Problem> {
        if let Some(boot) = self.boots.iter().find(|boot| boot.named() == *name) {
            return Ok(vec![boot.node(self.medium.size())]);
        }
        let record = Record::read(&*self.medium, name.number)?;
        let mut rock = self.rock(&record);
        if let Some(child) = rock.child.take() {
            return Ok(vec![self.moved(child, rock)?]);
        }
        let node =
            if record.is_directory() { self.directory(&record, rock) } else { Ok(self.file(&record, rock)) };
        Ok(vec![node?])
    }
}

impl Iso {
    fn new(medium: Arc<dyn Medium>, volume: Volume, names: Names) -> Iso {
        let info = FileSystemInfo {
            kind: FileSystemKind::Iso9660,
            label: Some(volume.label.clone()).filter(|label| !label.is_empty()),
            identifier: volume.identifier.clone(),
            block: volume.block,
            size: volume.size,
            notes: Vec::new(),
            doubts: Vec::new(),
        };
        Iso { medium, info, volume, names, boots: Vec::new(), moved: Mutex::default() }
    }

    /// Opens the trees that are not read, each once: several descriptors may lead to one.
    fn other_trees(&self, volumes: Vec<Volume>) -> Vec<Iso> {
        let root = |tree: &Iso| (tree.root_number(), tree.volume.root.size, tree.volume.block);
        let mut roots = HashSet::from([root(self)]);
        let opened = volumes.into_iter().map(|volume| {
            let names = Names::of(&volume);
            Iso::new(Arc::clone(&self.medium), volume, names)
        });
        opened.filter(|other| roots.insert(root(other))).collect()
    }

    /// Looks for files that only other trees on the same disc have. At most so many entries are read of its own tree, and
    /// as many of all others together, as a small image may state many trees.
    fn differences(&self, others: &[Iso], entries: u64) -> Vec<Problem> {
        let (mut own, mut left) = (entries, entries);
        let own = if others.is_empty() { Reached::default() } else { self.reached(&mut own) };
        let told = |other: &Iso| {
            let reached = other.reached(&mut left);
            let more = reached.files.difference(&own.files).count();
            let which = match other.names {
                Names::Joliet => "for Joliet".into(),
                _ if other.volume.sector == 16 => "with plain names".into(),
                _ => format!("of the volume descriptor in sector {}", other.volume.sector),
            };
            let what = match more {
                0 if reached.faults <= own.faults => return None,
                0 => "can't be read as a whole".into(),
                1 => "has a file that the other has not (1)".into(),
                more => format!("has files that the other has not ({more})"),
            };
            Some(Problem::ambiguous(format!("the tree {which}, which is not read, {what}")))
        };
        others.iter().filter_map(told).collect()
    }

    /// Looks for images to start from of which only the part is known that is loaded, as no tree has a file there, and that
    /// go on behind it.
    fn unnamed_rests(&self, boots: &[Boot], catalogs: &[u32], others: &[Iso]) -> Vec<Problem> {
        if boots.iter().all(|boot| boot.is_whole) {
            return Vec::new();
        }
        let trees: Vec<&Iso> = std::iter::once(self).chain(others).collect();
        let starts: HashSet<u64> = trees.iter().flat_map(|tree| tree.starts()).collect();
        let blocks = trees.iter().flat_map(|tree| tree.volume.tables.map(|table| (table, tree.volume.block)));
        let catalogs = catalogs.iter().map(|catalog| u64::from(*catalog) * SECTOR);
        let others = blocks.map(|(table, block)| u64::from(table) * u64::from(block)).chain(catalogs);
        let taken: HashSet<u64> = others.chain(boots.iter().map(|boot| boot.start)).collect();
        let goes_on = |at: u64| {
            let mut sector = [0; SECTOR as usize];
            let is_there = at < self.volume.size && self.medium.read_at(at, &mut sector).is_ok();
            is_there && sector.iter().any(|byte| *byte != 0)
        };
        let is_rest = |at: u64| !starts.contains(&at) && !taken.contains(&at) && goes_on(at);
        let unnamed = boots.iter().filter(|boot| !boot.is_whole && !starts.contains(&boot.start));
        let rests = unnamed.filter(|boot| is_rest(boot.end()));
        let told = |boot: &Boot| {
            format!("{} is what is loaded of an image to start from, which no file has as a whole", boot.name)
        };
        rests.map(|boot| Problem::incomplete(told(boot))).collect()
    }

    /// Returns the places of all files and directories.
    fn starts(&self) -> HashSet<u64> {
        let nodes =
            Walk::new(self, DeletedEntries::LeftOut, Limits::default()).filter_map(|entry| entry.node.ok());
        let root = std::iter::once(self.root_number());
        root.chain(nodes.filter_map(|node| node.content.ok()?.runs()?.as_slice().first()?.place)).collect()
    }

    /// Returns where the bytes of all files lie, and the number of entries that can't be read. At most so many entries are read
    /// as are left.
    fn reached(&self, left: &mut u64) -> Reached {
        let mut reached = Reached::default();
        for entry in Walk::new(self, DeletedEntries::LeftOut, Limits { entries: *left, ..Limits::default() })
        {
            *left = left.saturating_sub(1);
            let runs = entry.node.and_then(|node| match node.kind {
                NodeKind::Directory => Ok(ByteRuns::default()),
                _ => node.content.map(|content| content.runs().cloned().unwrap_or_default()),
            });
            match runs {
                Ok(runs) => reached.files.extend(runs.as_slice().iter().map(|run| (run.place, run.length))),
                Err(_) => reached.faults += 1,
            }
        }
        reached
    }

    /// Returns the number of a directory: the position of its first record.
    fn number(&self, directory: &Record) -> u64 {
        directory.start(self.volume.block)
    }

    fn moved_up(&self) -> MutexGuard<'_, Moved> {
        self.moved.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the directories that were moved up, have names in them, and that nothing says where they belong. The one
    /// that only holds what was moved is often marked so itself.
    fn misplaced(&self) -> Vec<Named> {
        let (mut found, mut looked) = (Vec::new(), HashSet::new());
        loop {
            let moved = self.moved_up();
            let is_next = |start: &u64| !moved.placed.contains(start) && !looked.contains(start);
            let next = moved.met.iter().find(|(start, _)| is_next(start));
            let Some((start, named)) = next.map(|(start, named)| (*start, named.clone())) else { break };
            drop(moved);
            looked.insert(start);
            let nodes = self.nodes(&named).unwrap_or_default();
            let has_names = |node: &Node| !self.list(node, DeletedEntries::LeftOut).names.is_empty();
            found.extend(nodes.iter().any(has_names).then_some(named));
        }
        found
    }

    /// Returns the directories with names in them that a table of paths names, and that were not listed so far. If there are
    /// too many to keep, the last item says so.
    fn unreached(&self) -> impl Iterator<Item = Result<Named, Problem>> + Send + '_ {
        let is_unlisted = |named: &Named| !self.moved_up().listed.contains(&named.number);
        let has_names = |named: &Named| {
            let record = Record::read(&*self.medium, named.number).ok();
            let own = record.filter(|record| record.is_self() && self.number(record) == named.number);
            let node = own.and_then(|record| self.directory(&record, Rock::default()).ok());
            let mut listing = DirectoryListing::default();
            node.is_some_and(|node| self.add_names(&node, &mut listing).is_err() || !listing.names.is_empty())
        };
        let Tabled { directories, has_more } = paths::tabled(&*self.medium, &self.volume);
        let named = directories.into_iter().map(|(number, name)| {
            let name = if self.names == Names::Joliet { utf16(units(&name)) } else { name };
            Named { name, number, generation: 0, is_directory: Some(true), is_deleted: false }
        });
        let more = has_more.then_some(Err(Problem::TooMany("directories in the tables of paths")));
        named.filter(is_unlisted).filter(has_names).map(Ok).chain(more)
    }

    fn root_number(&self) -> u64 {
        self.number(&self.volume.root)
    }

    fn rock(&self, record: &Record) -> Rock {
        match self.names {
            Names::Rock(skip) => Rock::read(&*self.medium, &record.system, skip, self.volume.block),
            _ => Rock::default(),
        }
    }

    /// Adds the names in a directory, as far as it lies on the medium.
    fn add_names(&self, directory: &Node, listing: &mut DirectoryListing) -> Result<(), Problem> {
        let content = directory.content.as_ref().map_err(|_| Problem::Beyond)?;
        let runs = content.runs().map(ByteRuns::as_slice).unwrap_or_default();
        let Some(ByteRun { place: Some(start), length, .. }) = runs.first() else {
            return Err(Problem::damaged("a directory without records"));
        };
        let end = start.saturating_add(*length);
        let (mut at, mut records, mut empty, mut extents, mut disagree) = (*start, 0_u64, 0, None, 0_u64);
        while at < end {
            let sector_end = (at - at % SECTOR).saturating_add(SECTOR).min(end);
            let Some(record) = self.next_record(at, sector_end, listing) else {
                empty = if at % SECTOR == 0 { empty + 1 } else { 0 };
                if empty > EMPTY {
                    return Err(Problem::damaged("a directory with empty sectors"));
                }
                at = sector_end;
                continue;
            };
            at = at.saturating_add(record.length);
            disagree += u64::from(!record.agrees);
            let continues = extents.take().is_some_and(|name| name == record.identifier);
            if record.has_more() {
                extents = Some(record.identifier.clone());
            }
            // The directory itself and its parent come first; later records with their names are something else.
            records += 1;
            let is_link = records <= 2 && record.is_self_or_parent() && record.is_directory();
            if !continues && !is_link {
                self.add_name(&record, listing);
            }
            if listing.names.len() > NAMES {
                return Err(Problem::TooMany("names in a directory"));
            }
        }
        if disagree > 0 {
            let what = format!("{disagree} records state an extent or size in two ways that differ");
            listing.problems.push(Problem::damaged(what));
        }
        if end - start < directory.size { Err(Problem::Beyond) } else { Ok(()) }
    }

    /// Reads the record at a position; none if the rest of the sector has none. Records that make no sense are told.
    fn next_record(&self, at: u64, sector_end: u64, listing: &mut DirectoryListing) -> Option<Record> {
        let mut bytes = [0; 255];
        let length = usize::try_from(sector_end.saturating_sub(at)).map_or(255, |left| left.min(255));
        let bytes = bytes.get_mut(..length)?;
        if let Err(error) = self.medium.read_at(at, bytes) {
            listing.problems.push(error.into());
            return None;
        }
        if bytes.first() == Some(&0) {
            return None;
        }
        let record = Record::parse(at, bytes);
        if record.is_none() {
            listing.problems.push(Problem::damaged(format!("no record is at byte {at}")));
        }
        record
    }

    fn add_name(&self, record: &Record, listing: &mut DirectoryListing) {
        let mut rock = self.rock(record);
        listing.problems.extend(rock.fault.take());
        let name = match rock.name {
            Some(name) => name,
            None => self.plain_name(record),
        };
        let is_directory = Some(record.is_directory() || rock.child.is_some());
        let named = Named { name, number: record.position, generation: 0, is_directory, is_deleted: false };
        if rock.is_moved && record.is_directory() {
            self.moved_up().met.insert(self.number(record), named);
        } else {
            listing.names.push(named);
        }
    }

    /// Returns the name in a record itself, without the version if that is 1.
    fn plain_name(&self, record: &Record) -> Vec<u8> {
        let is_joliet = self.names == Names::Joliet;
        let mut name = if is_joliet { utf16(units(&record.identifier)) } else { record.identifier.clone() };
        if !record.is_directory() && name.ends_with(b";1") {
            name.truncate(name.len() - 2);
            if !is_joliet && name.ends_with(b".") {
                name.pop();
            }
        }
        name
    }

    /// Returns a directory that was moved up, by its own first record.
    fn moved(&self, block: u32, rock: Rock) -> Result<Node, Problem> {
        let start = u64::from(block) * u64::from(self.volume.block);
        let record = Record::read(&*self.medium, start)?;
        if !record.is_self() || !record.is_directory() {
            return Err(Problem::damaged(format!(
                "the directory that was moved to byte {start} is not there"
            )));
        }
        // Its first record may not lead elsewhere: its number would be that of another one.
        if self.number(&record) != start {
            return Err(Problem::damaged(format!("the directory at byte {start} states another place")));
        }
        self.moved_up().placed.insert(start);
        self.directory(&record, rock)
    }

    fn directory(&self, record: &Record, rock: Rock) -> Result<Node, Problem> {
        let start = self.number(record);
        let length = u64::from(record.size).min(self.medium.size().saturating_sub(start));
        if length == 0 {
            return Err(if record.size == 0 {
                Problem::damaged("a directory without records")
            } else {
                Problem::Beyond
            });
        }
        let mut runs = ByteRuns::default();
        runs.push(Some(start), length, self.medium.size())?;
        let content = Content::plain(runs, length);
        let size = record.size.into();
        Ok(node(start, NodeKind::Directory, size, record, rock, Ok(content)))
    }

    fn file(&self, record: &Record, mut rock: Rock) -> Node {
        // A record with bytes is a file, whatever its mode says.
        let kind = if record.size > 0 { NodeKind::File } else { rock.kind() };
        if kind == NodeKind::Link {
            let target = rock.target.take();
            let size = target.as_ref().map_or(0, |target| target.len() as u64);
            let content = target.map(|target| Content::Inline(target.into()));
            let lacking = || Problem::damaged("a symbolic link without a target");
            let content = rock.fault.take().map_or_else(|| content.ok_or_else(lacking), Err);
            return node(record.position, kind, size, record, rock, content);
        }
        let mut size = 0;
        let read = self.content(record, &mut size);
        let content = match () {
            () if rock.is_sparse => Err(Problem::Unsupported("a sparse file (SF of Rock Ridge)".into())),
            () if rock.is_compressed => Err(Problem::Unsupported("a file compressed by zisofs".into())),
            () => read,
        };
        let mut node = node(record.position, kind, size, record, rock, content);
        node.stream = record.is_associated().then(|| b"associated".to_vec());
        node
    }

    /// Returns the content in all extents of a file, and adds up their sizes as they are stated.
    fn content(&self, first: &Record, size: &mut u64) -> Result<Content, Problem> {
        let mut runs = ByteRuns::default();
        let mut fault = self.extent(first, &mut runs).err();
        *size = first.size.into();
        let mut last = first.clone();
        for _ in 0..EXTENTS {
            if !last.has_more() {
                return match fault {
                    Some(fault) => Err(fault),
                    None if *size == 0 => Ok(Content::empty()),
                    None => Ok(Content::plain(runs, *size)),
                };
            }
            let next = last.following(&*self.medium)?;
            if next.identifier != first.identifier {
                return Err(Problem::damaged("its further extents are missing"));
            }
            fault = fault.or(self.extent(&next, &mut runs).err());
            *size = size.saturating_add(next.size.into());
            last = next;
        }
        Err(Problem::TooMany("pieces of the file"))
    }

    /// Adds an extent to the runs of a file.
    fn extent(&self, record: &Record, runs: &mut ByteRuns) -> Result<(), Problem> {
        if record.is_interleaved {
            return Err(Problem::Unsupported("an interleaved file".into()));
        }
        if self.volume.of_set > 1 && record.sequence != self.volume.sequence {
            return Err(Problem::Unsupported(format!("a file on volume {}", record.sequence).into()));
        }
        let size = u64::from(record.size);
        if size == 0 {
            Ok(())
        } else {
            runs.push(Some(record.start(self.volume.block)), size, self.medium.size())
        }
    }
}

/// Returns the units of a name for Joliet.
fn units(name: &[u8]) -> impl Iterator<Item = u16> + '_ {
    name.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]))
}

/// Returns an entry with the times and links of Rock Ridge, or the time of the record.
fn node(
    number: u64,
    kind: NodeKind,
    size: u64,
    record: &Record,
    rock: Rock,
    content: Result<Content, Problem>,
) -> Node {
    let times = Times { modified: rock.times.modified.or(record.modified), ..rock.times };
    let links = rock.links.unwrap_or(1);
    Node { links, times, ..Node::new(number, kind, size, content) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a tree whose root, in this sector, has so many empty files.
    fn tree(medium: &mut Vec<u8>, sector: u32, files: u8) -> Volume {
        let record = |name: &[u8], (block, size): (u32, u32), flags: u8| {
            let mut bytes = vec![34 + (name.len() as u8 & !1), 0];
            for number in [block, size] {
                bytes.extend(number.to_le_bytes().into_iter().chain(number.to_be_bytes()));
            }
            bytes.extend([100, 1, 1, 0, 0, 0, 0, flags, 0, 0, 1, 0, 0, 1, name.len() as u8]);
            bytes.extend(name);
            bytes.resize(bytes[0].into(), 0);
            bytes
        };
        let own = record(&[0], (sector, 2048), 2);
        let named = (0..files).flat_map(|number| record(&[b'A' + number], (0, 0), 0));
        let records: Vec<u8> = [&own[..], &record(&[1], (sector, 2048), 2)].concat();
        let records: Vec<u8> = records.into_iter().chain(named).collect();
        let at = sector as usize * SECTOR as usize;
        medium.resize(medium.len().max(at + SECTOR as usize), 0);
        medium[at..at + records.len()].copy_from_slice(&records);
        Volume {
            sector: sector.into(),
            is_joliet: false,
            label: Vec::new(),
            identifier: None,
            block: 2048,
            size: 1 << 20,
            of_set: 1,
            sequence: 1,
            root: Record::parse(at as u64, &own).unwrap(),
            tables: [0; 4],
            table_bytes: 0,
        }
    }

    #[test]
    fn the_entries_of_all_trees_that_are_not_read_are_bounded_together() {
        let mut medium = Vec::new();
        let volumes: Vec<Volume> = (20..30).map(|sector| tree(&mut medium, sector, 4)).collect();
        let medium: Arc<dyn Medium> = Arc::new(medium);
        let mut trees: Vec<Iso> =
            volumes.into_iter().map(|volume| Iso::new(Arc::clone(&medium), volume, Names::Plain)).collect();
        let own = trees.remove(0);
        // Each of the nine others has four entries.
        for (entries, told) in [(36, 0), (35, 1), (20, 4), (4, 8)] {
            let doubts = own.differences(&trees, entries);
            assert_eq!(doubts.len(), told, "{entries}: {doubts:?}");
            assert!(doubts.iter().all(|doubt| doubt.to_string().contains("can't be read as a whole")));
        }
        let mut left = 10;
        let read: Vec<usize> = trees.iter().map(|tree| tree.reached(&mut left).faults).collect();
        assert_eq!((left, read), (0, vec![0, 0, 1, 1, 1, 1, 1, 1, 1]));
    }
}
