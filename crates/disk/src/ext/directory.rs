//! The names in a directory, block after block. Its index is not used, as it leads to nothing else.

use super::blocks::{Block, Rules};
use super::features::{incompatible, read_only};
use super::inode::Inode;
use super::volume::Volume;
use super::{inline, nodes};
use crate::{ByteRun, DeletedEntries, DirectoryListing, Named, NodeKind, Problem};
use std::collections::HashSet;

/// The most names that are read of one directory.
const MOST_NAMES: usize = 10_000_000;
/// The bytes before the names of a directory in the inode: the number of its parent.
const PARENT: usize = 4;

/// Reads the names in a directory, which `is_dead` if it was deleted itself.
pub(super) fn list(
    volume: &Volume,
    inode: &Inode,
    is_dead: bool,
    deleted: DeletedEntries,
) -> DirectoryListing {
    let features = volume.superblock.features;
    let has_checksums = features.has_read_only(read_only::CHECKSUMS) && !inode.is_inline();
    let rules = Rules {
        has_types: features.has_incompatible(incompatible::FILE_TYPE),
        seed: has_checksums.then_some(inode.seed),
        is_indexed: inode.is_indexed(),
        is_encrypted: inode.is_encrypted(),
        has_hashes: inode.is_encrypted() && inode.is_case_folded(),
        inodes: volume.superblock.inodes,
        deleted,
    };
    let mut reading = Reading { rules, listing: DirectoryListing::default() };
    reading.read(volume, inode);
    let Reading { listing: DirectoryListing { mut names, mut problems }, .. } = reading;
    if !inode.is_intact {
        problems.push(Problem::Checksum("its inode"));
    }
    if inode.is_encrypted() {
        problems.push(Problem::Encrypted("fscrypt"));
    }
    if is_dead {
        names.iter_mut().for_each(|named| named.is_deleted = true);
    }
    leave_copies_out(&mut names);
    DirectoryListing { names, problems }
}

/// A directory that is being read.
struct Reading {
    rules: Rules,
    listing: DirectoryListing,
}

impl Reading {
    fn read(&mut self, volume: &Volume, inode: &Inode) {
        match nodes::mapping(volume, inode, NodeKind::Directory) {
            None => self.read_inline(inode),
            Some(Err(problem)) => self.listing.problems.push(problem),
            Some(Ok(mapping)) => {
                // It has no holes, so that a larger one has blocks more than once.
                let size = inode.size.min(volume.medium.size());
                if size < inode.size {
                    self.listing.problems.push(Problem::damaged("a directory larger than the medium"));
                }
                for run in mapping.runs.as_slice().iter().filter(|run| run.at < size) {
                    self.run(volume, ByteRun { length: run.length.min(size - run.at), ..*run });
                    if self.listing.names.len() > MOST_NAMES {
                        self.listing.names.truncate(MOST_NAMES);
                        return self.listing.problems.push(Problem::TooMany("names in the directory"));
                    }
                }
            }
        }
    }

    fn run(&mut self, volume: &Volume, run: ByteRun) {
        let size = volume.superblock.block_size;
        let Some(place) = run.place else {
            return self.listing.problems.push(Problem::damaged("a hole in the directory"));
        };
        for number in place / size..place.saturating_add(run.length).div_ceil(size) {
            if self.listing.names.len() > MOST_NAMES {
                return;
            }
            match volume.block(number) {
                Ok(bytes) => {
                    self.block(Block { bytes: &bytes, is_first: run.at == 0 && place / size == number })
                }
                Err(problem) => self.listing.problems.push(problem),
            }
        }
    }

    fn block(&mut self, block: Block<'_>) {
        let DirectoryListing { names, problems } = &mut self.listing;
        if !self.rules.has_right_checksum(block) {
            problems.push(Problem::Checksum("a directory block"));
        }
        problems.extend(self.rules.names(block, names).err());
    }

    /// Reads names in the place of the block map, and in the attribute after them.
    fn read_inline(&mut self, inode: &Inode) {
        self.rules.is_indexed = false;
        let first = inode.block();
        for bytes in [first.get(PARENT..).unwrap_or_default(), inline::value(inode)] {
            self.block(Block { bytes, is_first: false });
        }
    }
}

/// Leaves out deleted names that are in use for the same inode, and their repetitions: copies that stay behind when a
/// block is split.
fn leave_copies_out(names: &mut Vec<Named>) {
    if !names.iter().any(|named| named.is_deleted) {
        return;
    }
    let (mut used, mut deleted): (Vec<Named>, Vec<Named>) =
        std::mem::take(names).into_iter().partition(|named| !named.is_deleted);
    let live: HashSet<(&[u8], u64)> = used.iter().map(|named| (&*named.name, named.number)).collect();
    let mut met = HashSet::new();
    deleted.retain(|named| {
        !live.contains(&(&*named.name, named.number)) && met.insert((named.name.clone(), named.number))
    });
    used.append(&mut deleted);
    *names = used;
}
