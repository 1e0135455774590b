//! The names in a directory: a B-tree whose root is in the record, and whose other nodes are in blocks.

use super::attribute::{BITMAP, INDEX_ALLOCATION, INDEX_ROOT};
use super::file::File;
use super::file_name::FileName;
use super::fixup;
use super::record::Reference;
use super::table::read_all;
use crate::fields::{le16, le32, le64};
use crate::{Content, Medium, Problem};
use std::collections::HashSet;

/// The name of the attributes of directories.
const NAME: &[u8] = b"$I30";

/// The sizes of blocks that are read.
const BLOCKS: std::ops::RangeInclusive<u64> = 512..=(64 << 10);

/// The most problems of one directory that are told one by one.
const MOST_PROBLEMS: usize = 100;

/// The most blocks that are looked through for names after a part of the tree could not be read. With 4 KiB each they
/// have some millions of names.
const MOST_SWEPT: u64 = 1 << 16;

const HAS_CHILD: u16 = 1;
const IS_LAST: u16 = 2;

/// The names in a directory.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// The names, and the records that they are for.
    pub found: Vec<(Reference, FileName)>,
    /// The parts that could not be read.
    pub problems: Vec<Problem>,
}

/// The blocks of a directory.
struct Tree<'a> {
    medium: &'a dyn Medium,
    content: Option<Content>,
    /// The size of a block, and of what their numbers count, in bytes.
    block: u64,
    step: u64,
    /// The numbers of the blocks that were read, or could not be.
    seen: HashSet<u64>,
    /// The numbers of those to be read.
    next: Vec<u64>,
    names: Names,
}

/// Reads the names in a directory. If a part of its tree can't be read, all blocks that are in use are read.
pub(super) fn names(file: &File<'_>, medium: &dyn Medium, cluster: u64) -> Names {
    let mut tree = Tree {
        medium,
        content: None,
        block: 4096,
        step: cluster.min(4096),
        seen: HashSet::new(),
        next: Vec::new(),
        names: Names::default(),
    };
    let used = match file.stream(BITMAP, NAME).map(|stream| stream.content) {
        Some(Ok(content)) => Some(content),
        _ => None,
    };
    if let Some(allocation) = file.stream(INDEX_ALLOCATION, NAME) {
        match allocation.content {
            Ok(content) => tree.content = Some(content),
            Err(problem) => tree.fail(problem),
        }
    }
    if let Err(problem) = tree.read_root(file, cluster) {
        tree.fail(problem);
    }
    tree.descend();
    if !tree.names.problems.is_empty() {
        tree.sweep(used.as_ref());
    }
    tree.names
}

impl Tree<'_> {
    /// Reads the node in the record.
    fn read_root(&mut self, file: &File<'_>, cluster: u64) -> Result<(), Problem> {
        let root = file.attributes(INDEX_ROOT).find(|attribute| attribute.name == NAME);
        let root = root.ok_or_else(|| Problem::damaged("it is a directory without the root of its names"))?;
        let bytes = root.resident().ok_or_else(|| damaged("the root"))?;
        let block = u64::from(le32(bytes, 8).unwrap_or_default());
        if !block.is_power_of_two() || !BLOCKS.contains(&block) {
            return Err(Problem::damaged("the blocks of its names have a size that makes no sense"));
        }
        // Numbers count clusters, or, where those are larger than a block, sectors of 512 bytes.
        (self.block, self.step) = (block, if cluster <= block { cluster } else { 512 });
        self.read_node(bytes.get(0x10..).unwrap_or_default()).ok_or_else(|| damaged("the root"))
    }

    /// Reads all nodes below those that were read.
    fn descend(&mut self) {
        while let Some(number) = self.next.pop() {
            if !self.seen.insert(number) {
                self.fail(Problem::damaged(format!("the tree of its names leads to block {number} twice")));
            } else if let Err(problem) = self.read_block(number) {
                self.fail(problem);
            }
        }
    }

    fn read_block(&mut self, number: u64) -> Result<(), Problem> {
        let Some(content) = &self.content else {
            return Err(Problem::damaged("the blocks of its names are missing"));
        };
        let offset = number.checked_mul(self.step).ok_or(Problem::Beyond)?;
        let mut bytes = vec![0; self.block as usize];
        read_all(self.medium, content, offset, &mut bytes)?;
        // A block that states another number could be read without end under many.
        if !bytes.starts_with(b"INDX") || le64(&bytes, 0x10) != Some(number) {
            return Err(Problem::damaged(format!("block {number} of its names is none")));
        }
        fixup::undo(&mut bytes)?;
        self.read_node(bytes.get(0x18..).unwrap_or_default()).ok_or_else(|| damaged("a block"))
    }

    /// Reads the entries of a node; none if they make no sense from some point on.
    fn read_node(&mut self, bytes: &[u8]) -> Option<()> {
        let end = (le32(bytes, 4)? as usize).min(bytes.len());
        let mut at = le32(bytes, 0)? as usize;
        loop {
            let length = usize::from(le16(bytes, at.checked_add(8)?)?);
            let entry =
                bytes.get(..end)?.get(at..at.checked_add(length)?).filter(|entry| entry.len() >= 16)?;
            let flags = le16(entry, 12)?;
            if flags & HAS_CHILD != 0 {
                self.next.push(le64(entry, length - 8)?);
            }
            if flags & IS_LAST != 0 {
                return Some(());
            }
            let key = entry.get(16..16 + usize::from(le16(entry, 10)?))?;
            self.names.found.push((Reference::new(le64(entry, 0)?), FileName::parse(key)?));
            at += length;
        }
    }

    /// Reads the blocks that are in use and were not met.
    fn sweep(&mut self, used: Option<&Content>) {
        let Some(runs) = self.content.as_ref().and_then(Content::runs) else { return };
        let stored: Vec<_> = runs.as_slice().iter().filter(|run| run.place.is_some()).copied().collect();
        let mut count = 0;
        for run in stored {
            for block in run.at.div_ceil(self.block)..run.end() / self.block {
                let number = block.saturating_mul(self.block) / self.step;
                if self.seen.contains(&number) || !is_used(self.medium, used, block) {
                    continue;
                }
                count += 1;
                if count > MOST_SWEPT {
                    return self.fail(Problem::TooMany("blocks of names"));
                }
                self.seen.insert(number);
                // Nodes below are met by the sweep as well.
                if self.read_block(number).is_err() {
                    self.fail(Problem::damaged(format!("block {number} of its names can't be read")));
                }
                self.next.clear();
            }
        }
    }

    fn fail(&mut self, problem: Problem) {
        match self.names.problems.len() {
            0..MOST_PROBLEMS => self.names.problems.push(problem),
            MOST_PROBLEMS => self.names.problems.push(Problem::TooMany("problems of its names")),
            _ => {}
        }
    }
}

fn damaged(part: &str) -> Problem {
    Problem::damaged(format!("{part} of its names makes no sense"))
}

/// Returns whether a block is in use; all are if that can't be read.
fn is_used(medium: &dyn Medium, used: Option<&Content>, block: u64) -> bool {
    let Some(used) = used else { return true };
    let mut byte = [0];
    match used.read_at(medium, block / 8, &mut byte) {
        Ok(1) => byte[0] >> (block % 8) & 1 != 0,
        Ok(_) => false,
        Err(_) => true,
    }
}
