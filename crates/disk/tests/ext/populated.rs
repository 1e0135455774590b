//! Images that mke2fs fills with a folder, of all sizes of blocks and many features.

use super::programs::{make, medium};
use super::trees::{Names, Shown, fill, shown};
use crate::seen::{Seen, everything, opened};
use hashmill_disk::{DeletedEntries, FileSystemKind, NodeKind};
use hashmill_testing::{all_installed, cases};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The size of an image in MiB, and the options of mke2fs.
pub const IMAGES: &[(u64, FileSystemKind, &str)] = &[
    (64, FileSystemKind::Ext2, "-t ext2 -b 1024"),
    (64, FileSystemKind::Ext2, "-t ext2 -b 2048 -I 128 -O ^filetype,^dir_index,^sparse_super,^resize_inode"),
    (64, FileSystemKind::Ext2, "-t ext2 -b 4096 -r 0 -O none"),
    (64, FileSystemKind::Ext3, "-t ext3 -b 1024"),
    (64, FileSystemKind::Ext3, "-t ext3 -b 4096 -I 512"),
    (64, FileSystemKind::Ext4, "-t ext4 -b 1024"),
    (64, FileSystemKind::Ext4, "-t ext4 -b 2048 -I 1024"),
    (64, FileSystemKind::Ext4, "-t ext4 -b 4096"),
    (96, FileSystemKind::Ext4, "-t ext4 -b 8192"),
    (128, FileSystemKind::Ext4, "-t ext4 -b 16384"),
    (128, FileSystemKind::Ext4, "-t ext4 -b 32768"),
    (256, FileSystemKind::Ext4, "-t ext4 -b 65536"),
    (256, FileSystemKind::Ext2, "-t ext2 -b 65536"),
    (64, FileSystemKind::Ext4, "-t ext4 -b 4096 -O inline_data"),
    (64, FileSystemKind::Ext4, "-t ext4 -b 1024 -I 512 -O inline_data,^metadata_csum"),
    (96, FileSystemKind::Ext4, "-t ext4 -b 4096 -O bigalloc -C 16384"),
    (96, FileSystemKind::Ext4, "-t ext4 -b 1024 -O bigalloc -C 65536"),
    (64, FileSystemKind::Ext4, "-t ext4 -b 1024 -O meta_bg,^resize_inode"),
    (64, FileSystemKind::Ext4, "-t ext4 -b 1024 -O ^64bit,^metadata_csum,uninit_bg -g 1024"),
    (64, FileSystemKind::Ext4, "-t ext4 -b 1024 -O ^metadata_csum,uninit_bg,^flex_bg"),
    (64, FileSystemKind::Ext4, "-t ext4 -O ^extents,^64bit,^flex_bg"),
    (64, FileSystemKind::Ext4, "-t ext4 -b 1024 -O sparse_super2,metadata_csum_seed,^resize_inode"),
    (64, FileSystemKind::Ext4, "-t ext4 -O large_dir,ea_inode,quota,project,mmp,verity"),
    (64, FileSystemKind::Ext4, "-t ext4 -O casefold,encrypt -E encoding=utf8"),
    (64, FileSystemKind::Ext4, "-t ext4 -O orphan_file"),
];

/// The number of files of a folder in each image.
const FILES: u64 = 60;

#[test]
fn everything_is_as_it_was_in_the_folder() {
    if !all_installed(&["mke2fs"]) {
        return;
    }
    // With more files there are directories with a tree of hashes.
    let times = cases(1) as u64;
    let files = FILES * times.min(25);
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("image");
    for (number, (mebibytes, kind, options)) in IMAGES.iter().enumerate() {
        let tree = tempfile::tempdir().unwrap();
        fill(tree.path(), files, number as u64, Names::Odd);
        if !options.contains("inline_data") {
            // With that feature, mke2fs 1.47.0 forgets a hole at the end.
            fs::File::create(tree.path().join("hole")).unwrap().set_len(5_000_001).unwrap();
        }
        make(&image, mebibytes * times.min(8), options, Some(tree.path()));
        compare(&image, &shown(tree.path()), options);
        let system = opened(&medium(&image));
        let info = system.info();
        assert_eq!((info.kind, info.remarks().as_slice()), (*kind, [].as_slice()), "{options}");
    }
}

/// Compares everything on an image with what was put there.
fn compare(image: &Path, expected: &BTreeMap<Vec<u8>, Shown>, options: &str) {
    let mut found = everything(&medium(image), DeletedEntries::LeftOut);
    assert!(found.remove(&b"lost+found"[..]).is_some(), "{options}");
    let paths = |path: &Vec<u8>| String::from_utf8_lossy(path).into_owned();
    let (one, other): (Vec<_>, Vec<_>) =
        (found.keys().map(paths).collect(), expected.keys().map(paths).collect());
    assert_eq!(one, other, "{options}");
    for (path, shown) in expected {
        compare_one(&found[path], shown, &format!("{options}: {}", String::from_utf8_lossy(path)));
    }
}

fn compare_one(found: &Seen, expected: &Shown, what: &str) {
    let node = found.entry.node.as_ref().unwrap_or_else(|problem| panic!("{what}: {problem}"));
    assert_eq!(node.kind, expected.kind, "{what}");
    assert_eq!(node.times.modified.map(|time| time.seconds), Some(expected.modified.0), "{what}");
    if node.kind != NodeKind::Directory {
        assert_eq!((node.size, u64::from(node.links)), (expected.size, expected.links), "{what}");
        let bytes = found.bytes.as_ref().unwrap_or_else(|problem| panic!("{what}: {problem}"));
        assert!(*bytes == expected.bytes, "{what}: other bytes");
    }
}
