//! Everything that mtools wrote is read, under the same paths, and The Sleuth Kit sees the same.

use super::mtools::{Shape, Volume};
use crate::seen::{bytes_of, everything, opened};
use crate::sleuthkit::{Line, listed, read};
use hashmill_disk::{Allocation, DeletedEntries, FileSystemKind, Limits, NodeKind, Recovery, Walk};
use hashmill_testing::cases;
use std::collections::{BTreeMap, BTreeSet};

const SHAPES: [Shape; 8] = [
    Shape { bits: 12, sector: 512, cluster: 1, kilobytes: 1440 },
    Shape { bits: 16, sector: 512, cluster: 4, kilobytes: 16_384 },
    Shape { bits: 32, sector: 512, cluster: 1, kilobytes: 40_000 },
    Shape { bits: 12, sector: 1024, cluster: 2, kilobytes: 4000 },
    Shape { bits: 16, sector: 4096, cluster: 1, kilobytes: 20_000 },
    Shape { bits: 32, sector: 4096, cluster: 1, kilobytes: 300_000 },
    Shape { bits: 12, sector: 512, cluster: 64, kilobytes: 30_000 },
    Shape { bits: 16, sector: 2048, cluster: 2, kilobytes: 40_000 },
];

#[test]
#[ignore = "campaign: takes long"]
fn files_are_read_as_they_were_written() {
    for case in 0..cases(5) as u64 {
        let shape = SHAPES[case as usize % SHAPES.len()];
        let Some(mut volume) = Volume::new(shape, case) else { return };
        volume.change(50);
        volume.remove_every_other();
        volume.change(15);
        volume.remove_directory();
        volume.change(4);
        let which = format!("case {case}, {shape:?}");
        compare(&volume, shape, &which);
        compare_with_sleuthkit(&volume, &which);
    }
}

fn compare(volume: &Volume, shape: Shape, which: &str) {
    let medium = volume.medium();
    let system = opened(&medium);
    let info = system.info();
    let kind = match shape.bits {
        12 => FileSystemKind::Fat12,
        16 => FileSystemKind::Fat16,
        _ => FileSystemKind::Fat32,
    };
    assert_eq!((info.kind, info.block), (kind, shape.sector * shape.cluster), "{which}");
    assert_eq!(info.label.as_deref(), Some(&b"A LABEL"[..]), "{which}");
    assert_eq!((info.identifier.as_deref(), info.remarks()), (Some("1234-ABCD"), Vec::new()), "{which}");
    let (mut files, mut directories) = (BTreeMap::new(), BTreeSet::from([String::new()]));
    for (path, seen) in everything(&medium, DeletedEntries::LeftOut) {
        let path = format!("/{}", String::from_utf8(path).unwrap());
        let node = seen.entry.node.unwrap_or_else(|problem| panic!("{which}: {path}: {problem}"));
        assert_eq!(node.allocation, Allocation::Live);
        assert!(node.times.modified.is_some() && node.times.created.is_some());
        match node.kind {
            NodeKind::Directory => drop(directories.insert(path)),
            _ => drop(files.insert(path, seen.bytes.unwrap())),
        }
    }
    assert_eq!(files.keys().collect::<Vec<_>>(), volume.files.keys().collect::<Vec<_>>(), "{which}");
    assert!(files == volume.files, "{which}");
    assert_eq!(directories, volume.directories, "{which}");
}

/// Compares paths and numbers, those of deleted files among them, and bytes. Differences are:
/// * deleted files whose first cluster is in use again, of which `icat` has nothing of use;
/// * short names, of which The Sleuth Kit shows ASCII alone;
/// * names that The Sleuth Kit takes from the slots of another entry, as it compares no checksums.
fn compare_with_sleuthkit(volume: &Volume, which: &str) {
    let Some(lines) = listed(&volume.path(), "fat") else { return };
    let medium = volume.medium();
    let system = opened(&medium);
    let (mut ours, mut intact) = (BTreeSet::new(), 0);
    for entry in Walk::new(&*system, DeletedEntries::Listed, Limits::default()) {
        let path = String::from_utf8_lossy(&entry.path).into_owned();
        let node = entry.node.unwrap_or_else(|problem| panic!("{which}: {path}: {problem}"));
        let is_deleted = node.allocation != Allocation::Live;
        let is_directory = node.kind == NodeKind::Directory;
        // Those in use were compared with what was written: a few are enough.
        let is_compared = is_deleted || node.number % 8 == 0;
        if is_compared && !is_directory && node.allocation != Allocation::Deleted(Recovery::Partial) {
            let theirs = read(&volume.path(), "fat", node.number);
            let is_same = theirs == bytes_of(&*medium, node.content.as_ref().unwrap()).unwrap();
            assert!(
                is_same || node.allocation == Allocation::Deleted(Recovery::Overlapped),
                "{which}: {path}"
            );
        }
        intact += usize::from(node.allocation == Allocation::Deleted(Recovery::Intact));
        ours.insert(Line { path: plain(&path, is_deleted), number: node.number, is_directory, is_deleted });
    }
    let theirs: BTreeSet<Line> = lines.into_iter().collect();
    let more: Vec<_> = ours.difference(&theirs).collect();
    let less: Vec<_> = theirs.difference(&ours).collect();
    assert!(more.is_empty() && less.is_empty(), "{which}: more {more:#?}, less {less:#?}");
    assert!(intact > 0, "{which}: {intact}");
}

/// Returns a path as The Sleuth Kit shows it: in short names of deleted entries, `^` is for what is not ASCII.
fn plain(path: &str, is_deleted: bool) -> String {
    let name = path.rsplit('/').next().unwrap();
    if !is_deleted || !name.starts_with('_') {
        return path.into();
    }
    let shown: String = name.chars().map(|char| if char.is_ascii() { char } else { '^' }).collect();
    path[..path.len() - name.len()].to_owned() + &shown
}
