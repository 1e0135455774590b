//! Images with changed bytes: no panic, no end that never comes, and files that are not touched stay as they are.

use super::programs::make;
use super::trees::{Names, Random, fill};
use crate::seen::bytes_of;
use hashmill_disk::{DeletedEntries, DiskContent, Limits, Medium, NodeKind, Walk, WalkEntry, file_system};
use hashmill_testing::{all_installed, cases};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::Arc;

const OPTIONS: &[&str] = &[
    "-t ext2 -b 1024 -O ^resize_inode",
    "-t ext3 -b 1024 -O ^resize_inode",
    "-t ext4 -b 1024 -O ^resize_inode",
    "-t ext4 -b 1024 -O inline_data,^resize_inode,^metadata_csum",
    "-t ext4 -b 1024 -O bigalloc -C 4096",
    "-t ext4 -b 4096 -O ^has_journal,meta_bg,^resize_inode",
];

/// The most bytes that are read of one file: damaged sizes are up to 2^64.
const MOST: u64 = 2 << 20;

/// Reads what can be read, but no sizes that only damage can have made.
fn read(medium: &Arc<dyn Medium>, deleted: DeletedEntries) -> BTreeMap<Vec<u8>, Result<Vec<u8>, String>> {
    let Ok(DiskContent::FileSystem(system)) = file_system(medium) else { return BTreeMap::new() };
    let limits = Limits { depth: 50, entries: 20_000, ..Limits::default() };
    let bytes = |entry: &WalkEntry| match &entry.node {
        Ok(node) => match &node.content {
            Ok(content) if node.kind != NodeKind::Directory && node.size <= MOST => {
                bytes_of(&**medium, content)
            }
            Ok(_) => Ok(Vec::new()),
            Err(problem) => Err(problem.to_string()),
        },
        Err(problem) => Err(problem.to_string()),
    };
    let found =
        Walk::new(&*system, deleted, limits).map(|entry| (entry.path.clone(), bytes(&entry))).collect();
    assert!(system.free().take(100_000).count() <= 100_000);
    found
}

#[test]
#[ignore = "campaign: takes long"]
fn changed_bytes_mislead_nobody() {
    if !all_installed(&["mke2fs"]) {
        return;
    }
    let random = &mut Random(1);
    for options in OPTIONS {
        let folder = tempfile::tempdir().unwrap();
        let (image, tree) = (folder.path().join("image"), folder.path().join("tree"));
        fs::create_dir(&tree).unwrap();
        fill(&tree, 60, 3, Names::Plain);
        make(&image, 16, options, Some(&tree));
        let bytes = fs::read(&image).unwrap();
        let used: Vec<usize> =
            (0..bytes.len()).filter(|at| bytes[*at] != 0 && !is_content(&bytes, *at)).collect();
        for _ in 0..cases(60) {
            let mut changed = bytes.clone();
            for _ in 0..1 + random.below(8) {
                let at = used[random.below(used.len() as u64) as usize];
                changed[at] = random.next() as u8;
            }
            let medium: Arc<dyn Medium> = Arc::new(changed);
            read(&medium, DeletedEntries::Listed);
        }
    }
}

/// Returns whether a byte is probably one of a random file: its neighbours are not zero, either.
fn is_content(bytes: &[u8], at: usize) -> bool {
    let around = &bytes[at.saturating_sub(16)..(at + 16).min(bytes.len())];
    around.iter().filter(|byte| **byte == 0).count() < 4
}

#[test]
fn with_checksums_a_changed_byte_is_never_unnoticed() {
    if !all_installed(&["mke2fs"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (image, tree) = (folder.path().join("image"), folder.path().join("tree"));
    fs::create_dir(&tree).unwrap();
    fill(&tree, 60, 3, Names::Plain);
    make(&image, 16, "-t ext4 -b 1024 -O ^resize_inode,^has_journal", Some(&tree));
    let bytes = fs::read(&image).unwrap();
    let whole = read(&(Arc::new(bytes.clone()) as Arc<dyn Medium>), DeletedEntries::LeftOut);
    let random = &mut Random(2);
    let metadata: Vec<usize> =
        (0..bytes.len()).filter(|at| bytes[*at] != 0 && !is_content(&bytes, *at)).collect();
    for _ in 0..cases(100) {
        let mut changed = bytes.clone();
        let at = metadata[random.below(metadata.len() as u64) as usize];
        changed[at] ^= 1 << random.below(8);
        let medium: Arc<dyn Medium> = Arc::new(changed);
        let found = read(&medium, DeletedEntries::LeftOut);
        let has_notes = |found: DiskContent| matches!(found, DiskContent::FileSystem(system) if !system.info().remarks().is_empty());
        let is_told = found.values().any(Result::is_err) || file_system(&medium).map_or(true, has_notes);
        let changed = whole.iter().filter(|(path, read)| found.get(*path) != Some(read));
        let changed: BTreeSet<_> = changed.map(|(_, read)| read).collect();
        // It may be a byte of a file after all, which has no checksum, but may have several names.
        assert!(is_told || (changed.len() <= 1 && found.len() == whole.len()), "byte {at}");
    }
}
