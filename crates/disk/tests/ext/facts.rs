//! Free places, copies of the superblock, times, and content that is told rather than read.

use super::populated::IMAGES;
use super::programs::{change, make, medium, run, step};
use super::trees::{Names, fill};
use crate::seen::{everything, opened};
use hashmill_disk::{Allocation, DeletedEntries, Medium, NodeKind, Recovery, Time};
use hashmill_testing::all_installed;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// Returns the free blocks that dumpe2fs lists, as ranges that don't touch.
fn free_blocks(image: &Path) -> Vec<(u64, u64)> {
    let told = String::from_utf8(run("dumpe2fs", [image])).unwrap();
    let lines = told.lines().filter_map(|line| line.strip_prefix("  Free blocks: "));
    let ranges =
        lines.flat_map(|line| line.split(", ")).filter(|range| range.contains(|c: char| c.is_ascii_digit()));
    let mut found: Vec<(u64, u64)> = Vec::new();
    for range in ranges {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, end) = (first.parse().unwrap(), last.parse::<u64>().unwrap() + 1);
        match found.last_mut() {
            Some(before) if before.1 == first => before.1 = end,
            _ => found.push((first, end)),
        }
    }
    found
}

#[test]
fn free_places_are_those_of_dumpe2fs() {
    if !all_installed(&["mke2fs", "dumpe2fs"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (image, tree) = (folder.path().join("image"), folder.path().join("tree"));
    fs::create_dir(&tree).unwrap();
    fill(&tree, 50, 7, Names::Plain);
    for (mebibytes, _, options) in IMAGES.iter().step_by(step(3)) {
        make(&image, *mebibytes, options, Some(&tree));
        let system = opened(&medium(&image));
        let block = u64::from(system.info().block);
        let runs = system.free().map(|run| run.unwrap());
        let ours: Vec<(u64, u64)> = runs.map(|run| (run.at / block, (run.at + run.length) / block)).collect();
        // With clusters, it shows the first block of the last cluster of a range as the end.
        let cluster = [("-C 16384", 4), ("-C 65536", 64)].iter().find(|(option, _)| options.contains(option));
        let more = cluster.map_or(0, |(_, blocks)| blocks - 1);
        let shown = free_blocks(&image).into_iter().map(|(first, end)| (first, end + more));
        assert_eq!(ours, shown.collect::<Vec<_>>(), "{options}");
    }
}

/// Returns an image with a file `file` of the bytes `content`, and one `empty`.
fn small(options: &str) -> Option<(tempfile::TempDir, std::path::PathBuf)> {
    sized(32, options)
}

fn sized(mebibytes: u64, options: &str) -> Option<(tempfile::TempDir, std::path::PathBuf)> {
    all_installed(&["mke2fs", "debugfs"]).then(|| {
        let folder = tempfile::tempdir().unwrap();
        let (image, tree) = (folder.path().join("image"), folder.path().join("tree"));
        fs::create_dir(&tree).unwrap();
        fs::write(tree.join("file"), b"content".repeat(1000)).unwrap();
        fs::write(tree.join("empty"), b"").unwrap();
        make(&image, mebibytes, options, Some(&tree));
        (folder, image)
    })
}

#[test]
fn a_copy_is_used_where_the_superblock_is_damaged() {
    for options in [
        "-t ext4 -b 1024",
        "-t ext2 -b 1024",
        "-t ext4 -b 1024 -O sparse_super2",
        "-t ext4 -b 1024 -O meta_bg,^resize_inode",
    ] {
        let Some((_folder, image)) = small(options) else { return };
        let mut bytes = fs::read(&image).unwrap();
        bytes[1024..1024 + 1024].fill(0);
        let medium: Arc<dyn Medium> = Arc::new(bytes);
        let notes = opened(&medium).info().remarks();
        assert_eq!(notes[0], "the superblock is damaged: its copy in group 1 was used", "{options}");
        let found = everything(&medium, DeletedEntries::LeftOut);
        assert_eq!(found[&b"file"[..]].bytes.as_ref().unwrap(), &b"content".repeat(1000), "{options}");
    }
}

#[test]
fn copies_of_descriptors_are_used_where_the_first_are_damaged() {
    for options in [
        "-t ext4 -b 1024",
        "-t ext4 -b 1024 -O ^metadata_csum,uninit_bg",
        "-t ext4 -b 1024 -O meta_bg,^resize_inode",
        "-t ext2 -b 1024",
    ] {
        let Some((_folder, image)) = small(options) else { return };
        let mut bytes = fs::read(&image).unwrap();
        bytes[2048..2048 + 64].fill(0);
        let medium: Arc<dyn Medium> = Arc::new(bytes);
        let notes = opened(&medium).info().remarks().join(", ");
        assert!(notes.contains("group descriptors are damaged"), "{options}: {notes}");
        let found = everything(&medium, DeletedEntries::LeftOut);
        assert_eq!(found[&b"file"[..]].bytes.as_ref().unwrap(), &b"content".repeat(1000), "{options}");
    }
}

#[test]
fn a_wrong_checksum_of_the_superblock_alone_is_told() {
    let Some((_folder, image)) = sized(8, "-t ext4 -b 1024") else { return };
    let mut bytes = fs::read(&image).unwrap();
    // The number of mounts, in the superblock of the only group.
    bytes[1024 + 0x34] ^= 1;
    let medium: Arc<dyn Medium> = Arc::new(bytes);
    let notes = opened(&medium).info().remarks().join(", ");
    assert!(
        notes.contains("group 1 was used") || notes.contains("the checksum of the superblock"),
        "{notes}"
    );
}

#[test]
fn a_superblock_without_sense_is_told_if_no_copy_is_there() {
    let Some((_folder, image)) = sized(8, "-t ext2 -b 1024") else { return };
    let mut bytes = fs::read(&image).unwrap();
    bytes[1024 + 0x58] = 77;
    let medium: Arc<dyn Medium> = Arc::new(bytes);
    let problem = hashmill_disk::file_system(&medium).unwrap_err().to_string();
    assert_eq!(problem, "its metadata are damaged: the superblock: the size of an inode");
}

/// Returns the problem of a file whose inode was changed, in an image where the first 12 blocks of it are known.
fn problem_after(options: &str, change_file: impl Fn(u64) -> String) -> Option<String> {
    let (_folder, image) = small(options)?;
    let mut found = everything(&medium(&image), DeletedEntries::LeftOut);
    let node = found.remove(&b"file"[..]).unwrap().entry.node.unwrap();
    let place = node.content.unwrap().runs().unwrap().as_slice()[0].place.unwrap();
    let first = place / u64::from(opened(&medium(&image)).info().block);
    change(&image, &change_file(first));
    let found = everything(&medium(&image), DeletedEntries::LeftOut);
    assert!(found[&b"empty"[..]].bytes.is_ok());
    Some(found[&b"file"[..]].bytes.as_ref().unwrap_err().clone())
}

#[test]
fn trees_of_blocks_that_lead_back_end() {
    let twice = |block| {
        format!(
            "sif file size 100000000\nsif file block[IND] {}\nsif file block[DIND] {}\nzap {}\nzap {}",
            block, block, block, block
        )
        .replace("zap", "zap_block")
    };
    let Some(problem) = problem_after("-t ext2 -b 1024", twice) else { return };
    assert_eq!(problem, "it leads back to itself");
    // Two entries of an index that lead to the same node, which has no extents.
    let node = |block| {
        let bytes = [0x0a, 0xf3, 0, 0, 80];
        let write = |(at, byte)| format!("zap_block -o {at} -l 1 -p {byte} {block}\n");
        let node: String = bytes.into_iter().enumerate().map(write).collect();
        format!(
            "zap_block {block}\n{node}sif file block[0] 0x2f30a\nsif file block[1] 0x10004\nsif file block[3] 0\n\
             sif file block[4] {block}\nsif file block[5] 0\nsif file block[6] 9\nsif file block[7] {block}\nsif file block[8] 0"
        )
    };
    let problem = problem_after("-t ext4 -b 1024 -O ^metadata_csum", node).unwrap();
    assert_eq!(problem, "it leads back to itself");
}

#[test]
fn features_that_are_not_known_are_refused_by_name() {
    let Some((_folder, image)) = small("-t ext2 -b 1024") else { return };
    for (bit, expected) in [
        (1, "the feature `compression` of ext2 can't be read"),
        (8, "an external journal can't be read"),
        (0x4000_0000, "the unknown feature 0x40000000 of ext4 can't be read"),
    ] {
        let mut bytes = fs::read(&image).unwrap();
        let features = u32::from_le_bytes(bytes[1024 + 0x60..1024 + 0x64].try_into().unwrap()) | bit;
        bytes[1024 + 0x60..1024 + 0x64].copy_from_slice(&features.to_le_bytes());
        let medium: Arc<dyn Medium> = Arc::new(bytes);
        assert_eq!(hashmill_disk::file_system(&medium).unwrap_err().to_string(), expected);
    }
}

#[test]
fn states_are_told() {
    let Some((_folder, image)) = small("-t ext4 -b 4096") else { return };
    change(&image, "ssv state 2\nfeature needs_recovery\nssv last_orphan 12\n");
    let medium = medium(&image);
    let system = opened(&medium);
    let info = system.info();
    assert_eq!(
        info.remarks(),
        [
            "it was not unmounted cleanly",
            "the system that used it found errors in it",
            "its journal has changes that were not written back; they are not read",
            "files without a name were in use, or files were about to be shortened",
        ]
    );
    assert_eq!(info.identifier.as_ref().map(|uuid| uuid.len()), Some(36));
}

#[test]
fn times_have_all_their_bits() {
    let Some((_folder, image)) = small("-t ext4 -b 4096") else { return };
    change(
        &image,
        "sif file mtime @0xffffffff\nsif file mtime_extra 0\nsif file atime @0x80000000\nsif file atime_extra 0xee6b27fd\n\
         sif file ctime @0x7fffffff\nsif file ctime_extra 3\nsif file crtime @5\nsif file crtime_extra 4\n",
    );
    let found = everything(&medium(&image), DeletedEntries::LeftOut);
    let times = found[&b"file"[..]].entry.node.as_ref().unwrap().times;
    let time = |seconds, nanoseconds| Some(Time { seconds, nanoseconds });
    assert_eq!(times.modified, time(-1, 0));
    assert_eq!(times.accessed, time(-0x8000_0000 + 0x1_0000_0000, 999_999_999));
    assert_eq!(times.changed, time(0x7fff_ffff + 0x3_0000_0000, 0));
    assert_eq!(times.created, time(5, 1));
}

#[test]
fn encrypted_and_damaged_content_is_told() {
    for (commands, expected) in [
        ("sif file flags 0x80800", "it is encrypted (fscrypt)"),
        ("sif file block[0] 0", "its metadata are damaged: the header of extents"),
        ("sif file block[1] 0x90004", "its metadata are damaged: the depth of the tree of extents"),
    ] {
        let Some((_folder, image)) = small("-t ext4 -b 4096") else { return };
        change(&image, commands);
        let found = everything(&medium(&image), DeletedEntries::LeftOut);
        assert_eq!(found[&b"file"[..]].bytes.as_ref().unwrap_err(), expected);
        assert!(found[&b"empty"[..]].bytes.is_ok());
    }
}

/// Returns the position of an inode.
fn position(image: &Path, path: &str) -> usize {
    let told = run("debugfs", ["-R".as_ref(), format!("imap {path}").as_ref(), image.as_os_str()]);
    let told = String::from_utf8(told).unwrap();
    let (_, place) = told.split_once("located at block ").unwrap();
    let (block, offset) = place.trim().split_once(", offset 0x").unwrap();
    let size = opened(&medium(image)).info().block as usize;
    block.parse::<usize>().unwrap() * size + usize::from_str_radix(offset, 16).unwrap()
}

#[test]
fn wrong_checksums_are_told_of_what_they_are() {
    let Some((_folder, image)) = small("-t ext4 -b 4096") else { return };
    let bytes = fs::read(&image).unwrap();
    let root = opened(&medium(&image)).root().unwrap();
    let names = root.content.unwrap().runs().unwrap().as_slice()[0].place.unwrap() as usize;
    let problems = |at: usize| {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        let medium: Arc<dyn Medium> = Arc::new(changed);
        let found = everything(&medium, DeletedEntries::LeftOut);
        let problems = found
            .into_iter()
            .filter_map(|(path, seen)| Some((String::from_utf8(path).unwrap(), seen.bytes.err()?)));
        problems.collect::<Vec<_>>()
    };
    let told = |path: &str, of: &str| vec![(path.to_owned(), format!("the checksum of {of} is wrong"))];
    // A time of access, of a file and of the root; and a byte behind the names.
    assert_eq!(problems(position(&image, "file") + 8), told("file", "its inode"));
    assert_eq!(problems(position(&image, "/") + 8), told("", "its inode"));
    assert_eq!(problems(names + 2000), told("", "a directory block"));
}

#[test]
fn names_in_an_encrypted_directory_are_told_as_they_are_stored() {
    let Some((_folder, image)) = small("-t ext4 -b 4096") else { return };
    change(&image, "mkdir secret\nln file secret/\u{1}\u{2}\nsif secret flags 0x80800");
    let found = everything(&medium(&image), DeletedEntries::LeftOut);
    assert_eq!(found[&b"secret"[..]].bytes.as_ref().unwrap_err(), "it is encrypted (fscrypt)");
    assert!(found.contains_key(&b"secret/\x01\x02"[..]));
}

#[test]
fn the_journal_is_metadata_without_a_name() {
    let Some((_folder, image)) = small("-t ext4 -b 4096 -O quota,project,orphan_file") else { return };
    let found = everything(&medium(&image), DeletedEntries::Listed);
    let kind = |path: &str| {
        found.get(path.as_bytes()).and_then(|seen| seen.entry.node.as_ref().ok()).map(|node| node.kind)
    };
    assert_eq!(kind("$Journal"), Some(NodeKind::Metadata));
    assert_eq!(kind("$UserQuota"), Some(NodeKind::Metadata));
    assert_eq!(kind("$GroupQuota"), Some(NodeKind::Metadata));
    assert_eq!(kind("$ProjectQuota"), Some(NodeKind::Metadata));
    assert_eq!(kind("$OrphanList"), Some(NodeKind::Metadata));
    assert_eq!(found[&b"$Journal"[..]].bytes.as_ref().unwrap()[..4], [0xc0, 0x3b, 0x39, 0x98]);
}

#[test]
fn deleted_files_tell_how_much_is_left() {
    for options in ["-t ext2 -b 1024", "-t ext4 -b 4096"] {
        let Some((_folder, image)) = small(options) else { return };
        let deleted = || {
            let seen = everything(&medium(&image), DeletedEntries::Listed).remove(&b"file"[..]).unwrap();
            (seen.entry.node.unwrap(), seen.bytes)
        };
        change(&image, "rm file");
        let (node, bytes) = deleted();
        assert_eq!(node.allocation, Allocation::Deleted(Recovery::Intact), "{options}");
        assert_eq!(bytes, Ok(b"content".repeat(1000)), "{options}");
        let last = node.content.unwrap().runs().unwrap().as_slice().last().copied().unwrap();
        let block = u64::from(opened(&medium(&image)).info().block);
        change(&image, &format!("setb {}", (last.place.unwrap() + last.length - 1) / block));
        assert_eq!(deleted().0.allocation, Allocation::Deleted(Recovery::Overlapped), "{options}");
        change(&image, &format!("sif <{}> size 0", node.number));
        assert_eq!(deleted().0.allocation, Allocation::Deleted(Recovery::Partial), "{options}");
        change(&image, &format!("seti <{}>", node.number));
        assert_eq!(deleted().0.allocation, Allocation::Deleted(Recovery::Overlapped), "{options}");
    }
}

#[test]
fn a_file_in_use_without_a_name_is_an_orphan() {
    let Some((_folder, image)) = small("-t ext4 -b 4096") else { return };
    let number = everything(&medium(&image), DeletedEntries::LeftOut)[&b"file"[..]]
        .entry
        .node
        .as_ref()
        .unwrap()
        .number;
    // The name loses its inode as well.
    change(&image, &format!("ln file later\nunlink file\nunlink later\nsif <{number}> links_count 0"));
    let mut found = everything(&medium(&image), DeletedEntries::Listed);
    let name = format!("$OrphanFiles/OrphanFile-{number}").into_bytes();
    let orphan = found.remove(&name).or_else(|| found.remove(&b"file"[..])).unwrap();
    assert_eq!(orphan.bytes, Ok(b"content".repeat(1000)));
    assert!(!everything(&medium(&image), DeletedEntries::LeftOut).contains_key(&b"file"[..]));
}
