//! Everything that exfat-fuse wrote is read, under the same paths, and The Sleuth Kit sees the same.

use super::volume::{Filled, Shape, Volume};
use crate::seen::{bytes_of, everything, opened};
use crate::sleuthkit::{Line, listed, read};
use hashmill_disk::{Allocation, DeletedEntries, FileSystemKind, Limits, NodeKind, Recovery, Walk};
use hashmill_testing::cases;
use std::collections::{BTreeMap, BTreeSet};

const SHAPES: [Shape; 4] = [
    Shape { cluster: 4096, megabytes: 16 },
    Shape { cluster: 1024, megabytes: 8 },
    Shape { cluster: 32_768, megabytes: 64 },
    Shape { cluster: 2048, megabytes: 8 },
];

#[test]
fn files_are_read_as_they_were_written() {
    for case in 0..cases(4) as u64 {
        let shape = SHAPES[case as usize % SHAPES.len()];
        let Some(volume) = Volume::new(shape) else { return };
        let which = format!("case {case}, {shape:?}");
        let Some(mounted) = volume.mount() else { return };
        let mut filled = Filled::new(&mounted, shape, case);
        filled.change(200);
        filled.remove_many();
        drop(mounted);
        if opened(&volume.medium()).info().remarks().iter().any(|note| note.contains("no bitmap")) {
            eprintln!("skipped: {which}: exfat-fuse overwrote the slot of the bitmap");
            continue;
        }
        compare(&volume, &filled, shape, &which);
        compare_with_sleuthkit(&volume, &which);
    }
}

#[test]
fn an_empty_volume_has_its_label_and_its_free_clusters() {
    let Some(volume) = Volume::new(SHAPES[0]) else { return };
    let medium = volume.medium();
    let system = opened(&medium);
    let info = system.info();
    assert_eq!((info.kind, info.block, info.size), (FileSystemKind::ExFat, 4096, 16 << 20));
    assert_eq!(info.label.as_deref(), Some("Größe".as_bytes()));
    assert_eq!((info.identifier.as_ref().map(String::len), info.remarks()), (Some(9), Vec::new()));
    assert!(everything(&medium, DeletedEntries::Listed).is_empty());
    let free: Vec<_> = system.free().map(Result::unwrap).collect();
    assert_eq!(free.len(), 1);
    assert_eq!(free[0].end(), 16 << 20);
}

fn compare(volume: &Volume, filled: &Filled, shape: Shape, which: &str) {
    let medium = volume.medium();
    let system = opened(&medium);
    assert_eq!(u64::from(system.info().block), shape.cluster);
    let (mut files, mut directories) = (BTreeMap::new(), BTreeSet::from([String::new()]));
    for (path, seen) in everything(&medium, DeletedEntries::LeftOut) {
        let path = String::from_utf8(path).unwrap();
        let node = seen.entry.node.unwrap_or_else(|problem| panic!("{which}: {path}: {problem}"));
        assert!(node.times.modified.is_some() && node.times.created.is_some());
        match node.kind {
            NodeKind::Directory => drop(directories.insert(path)),
            _ => drop(files.insert(path, seen.bytes.unwrap())),
        }
    }
    assert_eq!(files.keys().collect::<Vec<_>>(), filled.files.keys().collect::<Vec<_>>(), "{which}");
    assert!(files == filled.files, "{which}");
    assert_eq!(directories, filled.directories, "{which}");
}

/// Compares paths and numbers, those of deleted files among them, and bytes. Differences are:
/// * deleted files of which a cluster is in use again: in one piece they are read from where they lay, while `icat`
///   leaves out what is in use;
/// * deleted entries with a slot of another one among theirs, whose checksum is wrong.
fn compare_with_sleuthkit(volume: &Volume, which: &str) {
    let Some(lines) = listed(&volume.path(), "exfat") else { return };
    let medium = volume.medium();
    let system = opened(&medium);
    let (mut ours, mut unchecked, mut intact) = (BTreeSet::new(), BTreeSet::new(), 0);
    for entry in Walk::new(&*system, DeletedEntries::Listed, Limits::default()) {
        let path = String::from_utf8_lossy(&entry.path).into_owned();
        let node = match entry.node {
            Ok(node) => node,
            Err(problem) => {
                assert_eq!(problem.word(), "checksum-mismatch", "{which}: {path}");
                unchecked.insert(path);
                continue;
            }
        };
        let is_deleted = node.allocation != Allocation::Live;
        let is_directory = node.kind == NodeKind::Directory;
        // Those in use were compared with what was written: a few are enough.
        let is_compared = is_deleted || node.number % 8 == 0;
        if is_compared && !is_directory && node.allocation != Allocation::Deleted(Recovery::Partial) {
            let theirs = read(&volume.path(), "exfat", node.number);
            let is_same = theirs == bytes_of(&*medium, node.content.as_ref().unwrap()).unwrap();
            assert!(
                is_same || node.allocation == Allocation::Deleted(Recovery::Overlapped),
                "{which}: {path}"
            );
        }
        intact += usize::from(node.allocation == Allocation::Deleted(Recovery::Intact));
        ours.insert(Line { path, number: node.number, is_directory, is_deleted });
    }
    let theirs: BTreeSet<Line> = lines.into_iter().collect();
    let more: Vec<_> = ours.difference(&theirs).collect();
    let is_unchecked = |line: &&Line| line.is_deleted && unchecked.contains(&line.path);
    let less: Vec<_> = theirs.difference(&ours).filter(|line| !is_unchecked(line)).collect();
    assert!(more.is_empty() && less.is_empty(), "{which}: more {more:#?}, less {less:#?}");
    assert!(intact > 0, "{which}: {intact}");
}
