//! Volumes as no program at hand makes them: each fault is told where it is, and the rest is read.

use super::made::{File, HEAP, Made, ROOT, SECTOR};
use crate::seen::{Seen, everything, opened};
use crate::sleuthkit::{listed, read as icat};
use crate::tools::Random;
use hashmill_disk::{Allocation, DeletedEntries, DiskContent, Medium, Recovery, Time, file_system};
use hashmill_testing::cases;
use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

fn seen(made: &Made) -> BTreeMap<String, Seen> {
    let text = |(path, seen): (Vec<u8>, Seen)| (String::from_utf8_lossy(&path).into_owned(), seen);
    everything(&made.medium(), DeletedEntries::Listed).into_iter().map(text).collect()
}

/// Returns the bytes of a file, as the numbers of their clusters.
fn read(made: &Made, path: &str) -> Result<Vec<u8>, String> {
    let mut bytes = seen(made).remove(path).unwrap_or_else(|| panic!("{path} is missing")).bytes?;
    bytes.dedup();
    Ok(bytes)
}

fn recovery(made: &Made, path: &str) -> Option<Recovery> {
    match seen(made)[path].entry.node.as_ref().unwrap().allocation {
        Allocation::Deleted(recovery) => Some(recovery),
        Allocation::Live => None,
    }
}

/// Returns a volume whose root directory has three clusters that do not follow each other.
fn volume() -> Made {
    let mut made = Made::new();
    made.lengthen(100);
    made.lengthen(50);
    made
}

#[test]
fn files_lie_in_chains_or_in_one_piece() {
    let mut made = volume();
    made.chain(&[10, 12, 11]);
    made.file(&File::new("chain", 10, 1500));
    // The table says nothing of these.
    made.use_clusters(&[20, 21, 22]);
    for cluster in 20..23 {
        made.cluster(cluster).fill(cluster as u8);
    }
    made.file(&File { is_contiguous: true, ..File::new("piece", 20, 1500) });
    made.file(&File { is_contiguous: true, valid: 600, ..File::new("valid", 20, 1500) });
    made.file(&File::new("empty", 0, 0));
    made.file(&File::new("a name whose slots go on in another cluster of the directory", 10, 512));
    let system = opened(&made.medium());
    let info = system.info();
    assert_eq!(info.label.as_deref(), Some("äb".as_bytes()));
    assert_eq!((info.identifier.as_deref(), info.remarks()), (Some("12AB-34CD"), Vec::new()));
    assert_eq!(read(&made, "chain").unwrap(), [10, 12, 11]);
    assert_eq!(read(&made, "piece").unwrap(), [20, 21, 22]);
    let valid = [vec![20; 512], vec![21; 88], vec![0; 900]].concat();
    assert_eq!(seen(&made)["valid"].bytes.as_ref().unwrap(), &valid);
    assert_eq!(read(&made, "empty").unwrap(), []);
    assert_eq!(read(&made, "a name whose slots go on in another cluster of the directory").unwrap(), [10]);
    compare_with_sleuthkit(&made, &["valid"]);
}

/// Compares numbers and bytes. `icat` reads what lies behind the valid bytes, in place of zeros.
fn compare_with_sleuthkit(made: &Made, except: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("image");
    fs::write(&path, &made.bytes).unwrap();
    let Some(lines) = listed(&path, "exfat") else { return };
    let seen = seen(made);
    assert_eq!(lines.len(), seen.len());
    for line in lines {
        let seen = &seen[&line.path];
        let node = seen.entry.node.as_ref().unwrap();
        assert_eq!(node.number, line.number, "{}", line.path);
        if !line.is_directory && !except.contains(&&*line.path) {
            assert!(icat(&path, "exfat", line.number) == *seen.bytes.as_ref().unwrap(), "{}", line.path);
        }
    }
}

#[test]
fn directories_lie_in_chains_or_in_one_piece() {
    let mut made = volume();
    let names = [
        "one of the names in it",
        "two of the names in it",
        "three of the names in it",
        "the fourth and the last of them",
    ];
    let inside: Vec<u8> = names.iter().flat_map(|name| File::new(name, 0, 0).slots().concat()).collect();
    assert!(inside.len() > SECTOR);
    made.chain(&[30, 33]);
    made.use_clusters(&[40, 41]);
    for (first, second) in [(30, 33), (40, 41)] {
        made.cluster(second).fill(0);
        made.cluster(first).copy_from_slice(&inside[..SECTOR]);
        made.cluster(second)[..inside.len() - SECTOR].copy_from_slice(&inside[SECTOR..]);
    }
    let directory = |name, first| File { is_directory: true, ..File::new(name, first, 1024) };
    made.file(&directory("chain", 30));
    made.file(&File { is_contiguous: true, ..directory("piece", 40) });
    let found = seen(&made);
    for directory in ["chain", "piece"] {
        for name in names {
            assert!(found[&format!("{directory}/{name}")].entry.node.is_ok(), "{directory}/{name}");
        }
    }
    assert_eq!(found.len(), 10);
    compare_with_sleuthkit(&made, &[]);
}

#[test]
fn files_behind_the_end_of_a_directory_are_told_and_read_if_they_are_in_use() {
    let mut made = volume();
    made.chain(&[10]);
    made.chain(&[11, 12]);
    made.chain(&[13]);
    made.cluster(14).fill(14);
    made.file(&File::new("listed", 10, 512));
    made.slots(&[[0; 32]]);
    made.file(&File::new("hidden", 11, 1024));
    // Their clusters are free, or those of others.
    made.file(&File::new("free", 14, 512));
    made.file(&File::new("taken", 10, 512));
    made.slots(&File::new("erased", 14, 512).deleted());
    let mut broken = File::new("broken", 13, 512).slots();
    broken[1][30] ^= 1;
    made.slots(&broken);
    let told = |deleted| -> Vec<String> {
        let walked = everything(&made.medium(), deleted);
        walked.into_keys().map(|path| String::from_utf8(path).unwrap()).collect()
    };
    assert_eq!(told(DeletedEntries::LeftOut), ["$OrphanFiles", "$OrphanFiles/hidden", "listed"]);
    assert_eq!(read(&made, "$OrphanFiles/hidden").unwrap(), [11, 12]);
    assert!(seen(&made)["$OrphanFiles"].bytes.is_err());
    let rest = ["erased", "free", "taken"].map(|name| format!("$OrphanFiles/{name}"));
    assert!(
        rest.iter().all(|path| told(DeletedEntries::Listed).contains(path)),
        "{:?}",
        told(DeletedEntries::Listed)
    );
    made.use_clusters(&[14]);
    assert!(seen(&made).contains_key("$OrphanFiles/free"));
}

#[test]
fn what_is_no_directory_is_told() {
    let mut made = volume();
    made.chain(&[10]);
    made.chain(&[11]);
    made.chain(&[12]);
    made.cluster(10)[..8].copy_from_slice(b"PK\x03\x04zip!");
    made.cluster(11).fill(0);
    made.cluster(11)[8..15].copy_from_slice(b"payload");
    made.cluster(12).fill(0);
    for (name, first) in [("zip", 10), ("zero", 11), ("empty", 12)] {
        made.file(&File { is_directory: true, ..File::new(name, first, 512) });
    }
    let found = seen(&made);
    let is_told = |name: &str| found[name].bytes.is_err();
    assert_eq!(["zip", "zero", "empty"].map(is_told), [true, true, false]);
}

#[test]
fn faults_are_told_and_other_files_are_read() {
    let mut made = volume();
    made.chain(&[10, 11]);
    made.file(&File::new("good", 10, 1024));
    made.file(&File::new("short", 10, 1025));
    made.chain(&[12, 13]);
    made.link(13, 12);
    made.file(&File::new("loop", 12, 2000));
    made.file(&File { is_contiguous: true, ..File::new("beyond", 200, 1025) });
    made.file(&File::new("outside", 5000, 1));
    made.file(&File { size: u64::MAX, valid: u64::MAX, is_contiguous: true, ..File::new("huge", 10, 0) });
    let mut wrong = File::new("checksum", 10, 512).slots();
    wrong[1][24] ^= 1;
    made.slots(&wrong);
    made.slots(&File::new("cut off", 10, 512).slots()[..2]);
    made.file(&File::new("last", 10, 512));
    let found = seen(&made);
    for (path, expected) in [
        ("short", "ends before its size"),
        ("loop", "leads back"),
        ("beyond", "beyond the end"),
        ("outside", "beyond the end"),
        ("huge", "beyond the end"),
        ("checksum", "checksum of a directory entry"),
        ("", "not whole"),
    ] {
        let problem = found[path].bytes.as_ref().unwrap_err();
        assert!(problem.contains(expected), "{path}: {problem}");
    }
    assert_eq!(read(&made, "good").unwrap(), [10, 11]);
    assert_eq!(read(&made, "last").unwrap(), [10]);
    assert_eq!(found.len(), 9);
}

#[test]
fn deleted_files_are_told_with_what_is_left_of_them() {
    let mut made = volume();
    for cluster in 60..70 {
        made.cluster(cluster).fill(cluster as u8);
    }
    made.use_clusters(&[64]);
    made.slots(&File::new("free", 60, 2000).deleted());
    made.slots(&File::new("skips", 62, 1500).deleted());
    made.slots(&File { is_contiguous: true, ..File::new("piece", 62, 1500) }.deleted());
    made.slots(&File::new("used", 64, 1000).deleted());
    made.slots(&File::new("large", 60, 1 << 40).deleted());
    made.slots(&File::new("without a name", 60, 512).deleted()[..2]);
    made.slots(&File::new("a name of which a part is overwritten", 60, 512).deleted()[..4]);
    made.file(&File::new("live", 0, 0));
    for (path, expected, bytes) in [
        ("free", Recovery::Intact, Some(&[60, 61, 62, 63][..])),
        ("skips", Recovery::Overlapped, Some(&[62, 63, 65])),
        ("piece", Recovery::Overlapped, Some(&[62, 63, 64])),
        ("used", Recovery::Overlapped, Some(&[64, 65])),
        ("large", Recovery::Partial, None),
        ("a name of which a part is over", Recovery::Intact, Some(&[60])),
    ] {
        assert_eq!(recovery(&made, path), Some(expected), "{path}");
        assert_eq!(read(&made, path).ok().as_deref(), bytes, "{path}");
    }
    assert_eq!(seen(&made).len(), 7);
    assert_eq!(recovery(&made, "live"), None);
}

#[test]
fn times_are_in_utc() {
    let mut made = volume();
    made.file(&File::new("file", 0, 0));
    let times = seen(&made)["file"].entry.node.as_ref().unwrap().times;
    let local = 983_363_698;
    let time = |seconds, nanoseconds| Some(Time { seconds, nanoseconds });
    assert_eq!(times.created, time(local - 7200 + 1, 500_000_000));
    assert_eq!((times.modified, times.accessed), (time(local + 3600, 0), time(local, 0)));
}

#[test]
fn the_copy_of_the_boot_region_is_used() {
    let mut made = volume();
    made.file(&File::new("file", 0, 0));
    for damaged in [0..SECTOR, 3..4, 92..93, 2000..2001] {
        let mut bytes = made.bytes.clone();
        bytes[damaged].fill(0x77);
        let medium: Arc<dyn Medium> = Arc::new(bytes.clone());
        assert!(opened(&medium).info().remarks()[0].contains("the copy of the boot region"));
        assert_eq!(everything(&medium, DeletedEntries::Listed).len(), 1);
        // Without a good copy the first is used if it makes sense.
        bytes[12 * SECTOR..13 * SECTOR].fill(0);
        let medium: Arc<dyn Medium> = Arc::new(bytes);
        if let Ok(DiskContent::FileSystem(system)) = file_system(&medium) {
            assert!(system.info().remarks()[0].contains("checksum of the boot region"));
        }
    }
}

#[test]
fn damage_ends_in_problems() {
    let mut made = volume();
    made.chain(&[10, 12, 11]);
    made.file(&File::new("chain", 10, 1500));
    made.file(&File { is_directory: true, ..File::new("directory", 14, 512) });
    made.chain(&[14]);
    made.cluster(14).fill(0);
    let inside = File::new("inside", 11, 300).slots().concat();
    made.cluster(14)[..inside.len()].copy_from_slice(&inside);
    made.slots(&File::new("deleted", 60, 2000).deleted());
    let root = HEAP + (ROOT as usize - 2) * SECTOR;
    let mut random = Random(11);
    for case in 0..cases(1500) as u64 {
        let mut bytes = made.bytes.clone();
        for _ in 0..1 + random.below(5) {
            let at = match random.below(4) {
                0 => random.below(130),
                1 => 24 * 512 + random.below(80),
                2 => root as u64 + random.below(512),
                _ => random.below(bytes.len() as u64),
            };
            bytes[at as usize] = random.next() as u8;
        }
        if case % 2 == 0 {
            // The copy would hide the damage.
            bytes[12 * SECTOR..24 * SECTOR].fill(0);
        }
        let medium: Arc<dyn Medium> = Arc::new(bytes);
        if let Ok(DiskContent::FileSystem(system)) = file_system(&medium) {
            everything(&medium, DeletedEntries::Listed);
            assert!(system.free().count() <= 200);
        }
    }
}
