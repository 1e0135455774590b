//! Reparse points, short names, encrypted files, and what a hostile volume may have.

use super::volume::{Shape, Volume};
use crate::seen::{Seen, everything, opened};
use crate::tools::run;
use hashmill_disk::{DeletedEntries, Medium, NodeKind};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

const SMALL: Shape = Shape { sector: 512, cluster: 1024, megabytes: 8 };

/// Sets an extended attribute of a file, by which ntfs-3g takes what has no call of its own.
fn set(path: &Path, name: &str, value: &[u8]) {
    let script = "import os, sys; os.setxattr(sys.argv[1], sys.argv[2], bytes.fromhex(sys.argv[3]))";
    let value: String = value.iter().map(|byte| format!("{byte:02x}")).collect();
    let set = run("python3", &["-c", script, path.to_str().unwrap(), name, &value], "");
    assert!(set.is_some_and(|(succeeded, _)| succeeded), "{name}");
}

/// Returns the value of a reparse point.
fn reparse(tag: u32, data: &[u8]) -> Vec<u8> {
    [&tag.to_le_bytes()[..], &(data.len() as u32).to_le_bytes(), data].concat()
}

fn read(bytes: &[u8]) -> BTreeMap<Vec<u8>, Seen> {
    let medium: Arc<dyn Medium> = Arc::new(bytes.to_vec());
    everything(&medium, DeletedEntries::LeftOut)
}

fn problem(seen: &BTreeMap<Vec<u8>, Seen>, path: &str) -> String {
    seen[path.as_bytes()].bytes.as_ref().expect_err(path).clone()
}

/// Returns the position of an attribute in an image with unbroken records of 1 KiB.
fn attribute(bytes: &[u8], number: u64, kind: u32) -> usize {
    let table = u64::from_le_bytes(bytes[48..56].try_into().unwrap()) as usize * 1024;
    let record = table + number as usize * 1024;
    let mut at =
        record + usize::from(u16::from_le_bytes(bytes[record + 20..record + 22].try_into().unwrap()));
    while bytes[at..at + 4] != kind.to_le_bytes() {
        at += u32::from_le_bytes(bytes[at + 4..at + 8].try_into().unwrap()) as usize;
        assert!(at < record + 1024, "it has no such attribute");
    }
    at
}

fn number(seen: &BTreeMap<Vec<u8>, Seen>, path: &str) -> u64 {
    seen[path.as_bytes()].entry.node.as_ref().unwrap().number
}

#[test]
fn files_that_stand_for_something_else_are_told() {
    let Some(volume) = Volume::new(SMALL) else { return };
    let Some(mounted) = volume.mount() else { return };
    let path = |name: &str| mounted.root.join(name);
    let target = reparse(0xa000_000c, b"\x0c\0\x0c\0\0\0\x0c\0\0\0\0\0t\0a\0r\0g\0e\0t\0t\0a\0r\0g\0e\0t\0");
    let files = [
        ("link", target.clone()),
        ("system", reparse(0x8000_0017, &[1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0])),
        ("dedup", reparse(0x8000_0013, &[0; 16])),
        ("cloud", reparse(0x9000_601a, &[0; 16])),
        ("alias", reparse(0x8000_001b, &[3, 0, 0, 0])),
        ("unknown", reparse(0x8000_4321, &[0; 16])),
    ];
    for (name, value) in &files {
        fs::write(path(name), "").unwrap();
        set(&path(name), "system.ntfs_reparse_data", value);
    }
    fs::create_dir(path("junction")).unwrap();
    let junction = reparse(0xa000_0003, &[0, 0, 2, 0, 4, 0, 0, 0, b'c', 0, 0, 0, 0, 0]);
    set(&path("junction"), "system.ntfs_reparse_data", &junction);
    // ntfs-3g does not look into a directory with a reparse point that it does not know.
    fs::create_dir(path("synced")).unwrap();
    fs::write(path("synced/inside"), "bytes").unwrap();
    set(&path("synced"), "system.ntfs_reparse_data", &reparse(0x9000_601a, &[0; 16]));
    fs::write(path("a long name.text"), "").unwrap();
    set(&path("a long name.text"), "system.ntfs_dos_name", b"ALONGN~1.TEX");
    drop(mounted);

    let seen = read(&fs::read(volume.image()).unwrap());
    let kind = |path: &str| seen[path.as_bytes()].entry.node.as_ref().unwrap().kind;
    for (name, expected) in [("link", &target), ("junction", &junction)] {
        assert_eq!((kind(name), seen[name.as_bytes()].bytes.as_ref().unwrap()), (NodeKind::Link, expected));
    }
    assert_eq!((kind("synced"), kind("alias")), (NodeKind::Directory, NodeKind::File));
    assert_eq!(problem(&seen, "system"), "content that is compressed by the system (WOF) can't be read");
    assert_eq!(problem(&seen, "dedup"), "deduplicated content can't be read");
    assert_eq!(problem(&seen, "cloud"), "content that is in the cloud (placeholder) can't be read");
    let unknown = "content behind a reparse point of the unknown tag 0x80004321 can't be read";
    assert_eq!(problem(&seen, "unknown"), unknown);
    assert_eq!(seen[&b"synced/inside"[..]].bytes.as_ref().unwrap(), b"bytes");
    assert!(!seen.keys().any(|path| path.contains(&b'~')));
    assert_eq!(seen[&b"a long name.text"[..]].entry.node.as_ref().unwrap().links, 1);
}

#[test]
fn encrypted_files_and_a_dirty_volume_are_told() {
    let Some(volume) = Volume::new(SMALL) else { return };
    let Some(mounted) = volume.mount() else { return };
    fs::write(mounted.root.join("resident"), "secret").unwrap();
    fs::write(mounted.root.join("large"), [1; 5000]).unwrap();
    drop(mounted);
    let mut bytes = fs::read(volume.image()).unwrap();
    let seen = read(&bytes);
    for name in ["resident", "large"] {
        let at = attribute(&bytes, number(&seen, name), 0x80);
        bytes[at + 13] |= 0x40;
    }
    let at = attribute(&bytes, 3, 0x70);
    bytes[at + 0x18 + 10] |= 1;
    let seen = read(&bytes);
    for (name, size) in [("resident", 6), ("large", 5000)] {
        assert_eq!(problem(&seen, name), "it is encrypted (EFS)");
        assert_eq!(seen[name.as_bytes()].entry.node.as_ref().unwrap().size, size);
    }
    let medium: Arc<dyn Medium> = Arc::new(bytes);
    let notes = opened(&medium).info().remarks();
    assert!(notes.len() == 1 && notes[0].contains("dirty"), "{notes:?}");
}

#[test]
fn runs_beyond_the_end_and_lists_that_lead_elsewhere_are_told() {
    let Some(volume) = Volume::new(SMALL) else { return };
    let Some(mounted) = volume.mount() else { return };
    fs::write(mounted.root.join("beyond"), [1; 5000]).unwrap();
    fs::write(mounted.root.join("other"), [2; 5000]).unwrap();
    for at in 0..40 {
        fs::write(mounted.root.join(format!("listed:{at:02}")), [at; 300]).unwrap();
    }
    drop(mounted);
    let bytes = fs::read(volume.image()).unwrap();
    let seen = read(&bytes);
    let mut changed = bytes.clone();
    let at = attribute(&bytes, number(&seen, "beyond"), 0x80);
    // One run of five clusters: its place becomes one of three bytes.
    let runs = at + usize::from(bytes[at + 32]);
    changed[runs..runs + 6].copy_from_slice(&[0x31, 5, 0xff, 0xff, 0x7f, 0]);
    let after = read(&changed);
    assert_eq!(problem(&after, "beyond"), "it lies beyond the end of the file system");
    assert_eq!(after.len(), seen.len());

    let listed = number(&seen, "listed");
    let at = attribute(&bytes, listed, 0x20);
    let runs = at + usize::from(bytes[at + 32]);
    let counts = usize::from(bytes[runs] >> 4);
    let place = &bytes[runs + 2..runs + 2 + counts];
    let list = place.iter().rev().fold(0, |place, byte| place << 8 | usize::from(*byte)) * 1024;
    for lead_to in [listed, number(&seen, "other"), 5, 1 << 30] {
        let mut changed = bytes.clone();
        let (mut entry, mut count) = (list, 0);
        while changed[entry] != 0 {
            let place = u64::from_le_bytes(changed[entry + 16..entry + 24].try_into().unwrap());
            if place & 0xffff_ffff_ffff != listed {
                changed[entry + 16..entry + 22].copy_from_slice(&lead_to.to_le_bytes()[..6]);
                count += 1;
            }
            entry += usize::from(u16::from_le_bytes(changed[entry + 4..entry + 6].try_into().unwrap()));
        }
        assert!(count > 10);
        let after = read(&changed);
        let streams = after.iter().filter(|(path, _)| path.starts_with(b"listed:"));
        let failed = streams.filter(|(_, seen)| seen.bytes.is_err()).count();
        assert!(failed > 0 || lead_to == listed, "{lead_to}");
        for name in ["other", "beyond"] {
            assert!(after[name.as_bytes()].bytes.is_ok());
        }
        for (path, found) in after.iter().filter(|(_, seen)| seen.bytes.is_ok()) {
            assert_eq!(found.bytes, seen[path].bytes);
        }
    }
}

#[test]
fn rings_in_the_tree_of_a_directory_end() {
    let Some(volume) = Volume::new(SMALL) else { return };
    let Some(mounted) = volume.mount() else { return };
    fs::create_dir(mounted.root.join("many")).unwrap();
    for at in 0..600 {
        fs::write(mounted.root.join(format!("many/a name that is long enough {at}")), "x").unwrap();
    }
    drop(mounted);
    let bytes = fs::read(volume.image()).unwrap();
    let seen = read(&bytes);
    let blocks: Vec<usize> =
        (0..bytes.len()).step_by(1024).filter(|at| bytes[*at..].starts_with(b"INDX")).collect();
    // All references to the blocks of the directory lead to the same one.
    let at = attribute(&bytes, number(&seen, "many"), 0x90);
    let mut changed = bytes.clone();
    let mut count = 0;
    let root = at + usize::from(bytes[at + 20]) + 0x10;
    for node in blocks.iter().map(|at| at + 0x18).chain([root]) {
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        let (mut at, end) = (node + word(node), node + word(node + 4));
        while at < end && bytes[at + 8] != 0 {
            let length = usize::from(bytes[at + 8]) + 256 * usize::from(bytes[at + 9]);
            // A name that lies across the end of a sector would hit what is protected there.
            if bytes[at + 12] & 1 != 0 && (at + length - 8) / 510 == (at + length) / 510 {
                changed[at + length - 8] = 0;
                count += 1;
            }
            at += length;
        }
    }
    assert!(count > 3, "{count}");
    let after = read(&changed);
    // They are found in the blocks all the same, which are in use.
    for path in seen.keys().filter(|path| path.starts_with(b"many/")) {
        assert!(after.contains_key(path), "{}", String::from_utf8_lossy(path));
    }
}
