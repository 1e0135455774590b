//! The inodes that no directory need name, in the order of their numbers.

use super::bitmaps::is_set;
use super::inode::Inode;
use super::superblock::ROOT_INODE;
use super::volume::Volume;
use crate::{Named, NodeKind, Problem};
use std::collections::VecDeque;

/// The most bytes of a table of inodes that are read at once.
const PART: u64 = 64 << 10;
/// Reserved inodes without content of their own: they keep blocks from being used.
const KEEPERS: [u32; 2] = [1, 7];

/// An iterator of all inodes that are in use, and of those that once were.
pub(super) struct Orphans<'a> {
    volume: &'a Volume,
    /// The next group, and the one that is being read.
    next: u64,
    table: Option<Table>,
    ready: VecDeque<Result<Named, Problem>>,
}

/// The inodes of a group that were not read yet.
struct Table {
    /// The position of the next inode, its number, and how many there are.
    position: u64,
    number: u32,
    left: u64,
    /// The bits of the inodes in use, and the number of the inode that has the first.
    used: Vec<u8>,
    first: u32,
}

impl<'a> Orphans<'a> {
    pub fn new(volume: &'a Volume) -> Orphans<'a> {
        Orphans { volume, next: 0, table: None, ready: VecDeque::new() }
    }

    /// Goes to the next group. If its bitmap can't be read, all its inodes count as used.
    fn open(&mut self) -> Result<(), Problem> {
        let (volume, group) = (self.volume, self.next);
        self.next += 1;
        let inodes = volume.superblock.inodes_per_group;
        let descriptor = volume.descriptor(group)?;
        let used = volume.inode_bits(&descriptor);
        let (used, problem) = match used {
            Ok(used) => (used, None),
            Err(problem) => (Vec::new(), Some(problem)),
        };
        let first = (group as u32).saturating_mul(inodes).saturating_add(1);
        let position = descriptor.inode_table.saturating_mul(volume.superblock.block_size);
        self.table = Some(Table { position, number: first, left: inodes.into(), used, first });
        problem.map_or(Ok(()), Err)
    }

    /// Reads the next inodes of a table.
    fn read(&mut self, mut table: Table) -> Result<(), Problem> {
        let volume = self.volume;
        let size = volume.superblock.inode_size;
        let count = (PART / size as u64).min(table.left);
        let mut bytes = vec![0; count as usize * size];
        volume.medium.read_at(table.position, &mut bytes)?;
        for (number, bytes) in (table.number..).zip(bytes.chunks_exact(size)) {
            let is_used = is_set(&table.used, (number - table.first).into());
            self.ready.extend(self.named(number, bytes, is_used).map(Ok));
        }
        table.position = table.position.saturating_add(count * size as u64);
        table.number = table.number.saturating_add(count as u32);
        table.left -= count;
        self.table = Some(table).filter(|table| table.left > 0);
        Ok(())
    }

    /// Returns a name for an inode, if there is something to tell of it.
    fn named(&self, number: u32, bytes: &[u8], is_used: bool) -> Option<Named> {
        if bytes.iter().all(|byte| *byte == 0) {
            return None;
        }
        let inode = self.volume.parse_inode(number, bytes.into())?;
        let is_reserved = number < self.volume.superblock.first_inode;
        let is_told = match is_reserved {
            true => number != ROOT_INODE && !KEEPERS.contains(&number) && is_used && inode.size > 0,
            false => is_used || inode.was_used(),
        };
        let name = || match self.volume.superblock.special_name(number) {
            Some(name) => name.to_owned(),
            None if is_reserved => format!("$Reserved-{number}"),
            None if inode.is_attribute() => format!("$Attribute-{number}"),
            None => format!("OrphanFile-{number}"),
        };
        is_told.then(|| named(&inode, name(), !is_used))
    }
}

/// Returns whether inodes of files in use are not among those that were met. Those without a link are deleted, and only
/// open still.
pub(super) fn are_left(volume: &Volume, is_met: &dyn Fn(u64) -> bool) -> bool {
    let inodes = volume.superblock.inodes_per_group;
    (0..volume.groups()).any(|group| {
        let Ok(used) = volume.descriptor(group).and_then(|descriptor| volume.inode_bits(&descriptor)) else {
            return false;
        };
        let first = (group as u32).saturating_mul(inodes).saturating_add(1);
        let is_used = |number: &u32| is_set(&used, (number - first).into()) && !is_met((*number).into());
        (first..first.saturating_add(inodes)).filter(is_used).any(|number| {
            let is_own = number >= volume.superblock.first_inode && !volume.superblock.is_internal(number);
            is_own && volume.inode(number.into()).is_ok_and(|inode| is_lost(&inode))
        })
    })
}

fn is_lost(inode: &Inode) -> bool {
    inode.links > 0 && inode.kind().is_some() && !inode.is_attribute()
}

fn named(inode: &Inode, name: String, is_deleted: bool) -> Named {
    Named {
        name: name.into(),
        number: inode.number.into(),
        generation: inode.generation,
        is_directory: inode.kind().map(|kind| kind == NodeKind::Directory),
        is_deleted,
    }
}

impl Iterator for Orphans<'_> {
    type Item = Result<Named, Problem>;

    fn next(&mut self) -> Option<Result<Named, Problem>> {
        while self.ready.is_empty() {
            let read = match self.table.take() {
                Some(table) => self.read(table),
                None if self.next < self.volume.groups() => self.open(),
                None => return None,
            };
            self.ready.extend(read.err().map(Err));
        }
        self.ready.pop_front()
    }
}
