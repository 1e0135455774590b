//! ext2, ext3 and ext4, which are one format with different features.
//!
//! The journal is not replayed: what it holds is told by a note, and is read as a file (`$Journal`, inode 8) among the
//! entries that no directory names.
//!
//! A wrong checksum of an inode or of a block of extents is the problem of that content, which is not read then; names in
//! a directory are read, and its wrong checksum is told beside them.
//!
//! A deleted name whose inode is in use tells nothing of what it stood for: it has the content of the inode as it is now,
//! and is told as overlapped. After a rename, that is the same file.
//!
//! Source: the kernel's documentation, `filesystems/ext4`; behaviour that it leaves open is that of e2fsprogs 1.47 and
//! Linux 6.1.

mod bitmaps;
mod blocks;
mod checksum;
mod directory;
mod extents;
mod features;
mod free;
mod groups;
mod inline;
mod inode;
mod mapping;
mod nodes;
mod notes;
mod orphans;
mod pointers;
mod superblock;
mod volume;

use crate::{
    Allocation, ByteRun, DeletedEntries, DirectoryListing, FileSystem, FileSystemInfo, Medium, Named, Node,
    NodeKind, Problem,
};
use nodes::Origin;
use std::sync::Arc;
use volume::Volume;

/// An open file system.
#[derive(Debug)]
pub(crate) struct Ext {
    volume: Volume,
    info: FileSystemInfo,
}

/// Returns whether a medium has a superblock at its start.
pub(crate) fn recognizes(medium: &dyn Medium) -> bool {
    volume::read(medium, superblock::SIZE as u64).is_ok()
}

/// Returns whether a medium has a copy of a superblock, or a damaged first one.
pub(crate) fn recognizes_damaged(medium: &dyn Medium) -> bool {
    volume::has_magic(medium) || volume::copy(medium).is_some()
}

/// Opens a file system.
///
/// # Errors
/// If no superblock makes sense, or a feature stands in the way of reading.
pub(crate) fn open(medium: Arc<dyn Medium>) -> Result<Box<dyn FileSystem>, Problem> {
    let volume = Volume::find(medium)?;
    volume.superblock.features.check_readable()?;
    Ok(Box::new(Ext { info: notes::info(&volume), volume }))
}

impl Ext {
    fn node(&self, named: &Named) -> Result<Node, Problem> {
        let inode = match named.number {
            // The name of the first entry of a block loses its inode when it is deleted.
            0 if named.is_deleted => return Ok(forgotten(named)),
            number => self.volume.inode(number)?,
        };
        let is_used = named.is_deleted || inode.links == 0;
        let is_used = is_used.then(|| self.volume.is_used(inode.number));
        let origin = match is_used {
            Some(true) if named.is_deleted => Origin::UsedAgain,
            Some(false) if named.is_deleted => Origin::Deleted,
            Some(false) => return Err(Problem::damaged("a name of a deleted inode")),
            _ => Origin::Used,
        };
        nodes::node(&self.volume, &inode, origin)
    }
}

impl FileSystem for Ext {
    fn info(&self) -> &FileSystemInfo {
        &self.info
    }

    fn doubts(&mut self) -> &mut Vec<Problem> {
        &mut self.info.doubts
    }

    fn root(&self) -> Result<Node, Problem> {
        let inode = self.volume.inode(superblock::ROOT_INODE.into())?;
        let node = nodes::node(&self.volume, &inode, Origin::Used)?;
        if node.kind == NodeKind::Directory { Ok(node) } else { Err(Problem::damaged("the root directory")) }
    }

    fn list(&self, directory: &Node, deleted: DeletedEntries) -> DirectoryListing {
        let is_dead = directory.allocation != Allocation::Live;
        match self.volume.inode(directory.number) {
            // Names in a directory that took the place of a deleted one are not those of the deleted one.
            Ok(inode) if is_dead && self.volume.is_used(inode.number) => DirectoryListing::default(),
            Ok(inode) => directory::list(&self.volume, &inode, is_dead, deleted),
            Err(_) if directory.number == 0 => DirectoryListing::default(),
            Err(problem) => DirectoryListing { names: Vec::new(), problems: vec![problem] },
        }
    }

    fn nodes(&self, name: &Named) -> Result<Vec<Node>, Problem> {
        self.node(name).map(|node| vec![node])
    }

    fn has_unnamed(&self, is_met: &dyn Fn(u64) -> bool) -> bool {
        orphans::are_left(&self.volume, is_met)
    }

    fn orphans(&self) -> Box<dyn Iterator<Item = Result<Named, Problem>> + Send + '_> {
        Box::new(orphans::Orphans::new(&self.volume))
    }

    fn free(&self) -> Box<dyn Iterator<Item = Result<ByteRun, Problem>> + Send + '_> {
        Box::new(free::Free::new(&self.volume))
    }
}

/// Returns an entry of which nothing but its name is known.
fn forgotten(named: &Named) -> Node {
    let is_directory = named.is_directory == Some(true);
    let kind = if is_directory { NodeKind::Directory } else { NodeKind::File };
    let allocation = Allocation::Deleted(crate::Recovery::Partial);
    Node { allocation, ..Node::new(0, kind, 0, Ok(crate::Content::empty())) }
}
