//! Damaged volumes: nothing panics or runs without end, and files that were not hit are read as before.

use super::volume::{Filled, Shape, Volume};
use crate::seen::everything;
use crate::tools::Random;
use hashmill_disk::{DeletedEntries, DiskContent, Limits, Medium, Walk, file_system};
use hashmill_testing::cases;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The bytes of files by their paths.
type Files = BTreeMap<String, Vec<u8>>;

/// Returns the bytes of a small volume with files, and these files.
fn small(seed: u64) -> Option<(Vec<u8>, Files)> {
    let volume = Volume::new(Shape { sector: 512, cluster: 1024, megabytes: 4 })?;
    let mounted = volume.mount()?;
    let mut filled = Filled::new(&mounted, seed);
    filled.change_small(60);
    drop(mounted);
    Some((std::fs::read(volume.image()).unwrap(), filled.all()))
}

/// Reads everything that can be read.
pub fn read_all(bytes: Vec<u8>) -> Option<DiskContent> {
    let medium: Arc<dyn Medium> = Arc::new(bytes);
    let found = file_system(&medium).ok()?;
    let DiskContent::FileSystem(system) = &found else { return Some(found) };
    let mut part = vec![0; 70_000];
    for entry in
        Walk::new(&**system, DeletedEntries::Listed, Limits { depth: 20, entries: 3000, ..Limits::default() })
    {
        let Ok(content) = entry.node.and_then(|node| node.content) else { continue };
        // Sizes of holes may be any.
        let mut offset = 0;
        while offset < 1 << 21
            && let Ok(read @ 1..) = content.read_at(&*medium, offset, &mut part)
        {
            offset += read as u64;
        }
    }
    assert!(system.free().count() < 10_000);
    Some(found)
}

#[test]
fn damage_anywhere_does_not_stop_the_rest() {
    let Some((bytes, _)) = small(7) else { return };
    let mut random = Random(11);
    // Nine in ten bytes of a volume are those of the journal and of files.
    let records: Vec<usize> = (0..bytes.len())
        .step_by(1024)
        .filter(|at| matches!(&bytes[*at..*at + 4], b"FILE" | b"INDX"))
        .collect();
    for _ in 0..cases(400) {
        let mut bytes = bytes.clone();
        for _ in 0..=random.below(6) {
            let at = match random.below(8) {
                0 => random.below(bytes.len() as u64) as usize,
                1 => random.below(80) as usize,
                _ => records[random.below(records.len() as u64) as usize] + random.below(600) as usize,
            };
            match random.below(3) {
                0 => bytes[at] = random.next() as u8,
                1 => bytes[at] ^= 1 << random.below(8),
                _ => {
                    let value = [0, 0xff, 0x80, 0x7f, 1][random.below(5) as usize];
                    let end = (at + random.below(9) as usize).min(bytes.len());
                    bytes[at..end].fill(value);
                }
            }
        }
        read_all(bytes);
    }
}

#[test]
fn a_medium_that_ends_early_is_read_up_to_there() {
    let Some((bytes, _)) = small(8) else { return };
    for length in [0, 1, 511, 512, 4096, 100_000, 1 << 20, 2 << 20, bytes.len() - 1] {
        read_all(bytes[..length].to_vec());
    }
}

/// Returns the number of files that were read as they were written, and the problems of the others.
fn judged(bytes: &[u8], files: &Files) -> (usize, BTreeMap<String, String>) {
    let medium: Arc<dyn Medium> = Arc::new(bytes.to_vec());
    let seen = everything(&medium, DeletedEntries::Listed);
    let (mut right, mut wrong) = (0, BTreeMap::new());
    for (path, expected) in files {
        match seen.get(path.as_bytes()).map(|seen| &seen.bytes) {
            Some(Ok(bytes)) if bytes == expected => right += 1,
            Some(Ok(_)) => panic!("{path} has other bytes"),
            Some(Err(problem)) => drop(wrong.insert(path.clone(), problem.clone())),
            None => drop(wrong.insert(path.clone(), "missing".into())),
        }
    }
    (right, wrong)
}

#[test]
fn a_torn_record_is_the_failure_of_its_file_alone() {
    let Some((bytes, files)) = small(9) else { return };
    let (right, _) = judged(&bytes, &files);
    assert_eq!(right, files.len());
    let user = |at: &usize| u32::from_le_bytes(bytes[at + 44..at + 48].try_into().unwrap()) >= 64;
    let records = (0..bytes.len()).step_by(1024).filter(|at| bytes[*at..].starts_with(b"FILE") && user(at));
    let mut hit = 0;
    for at in records.take(12) {
        let mut bytes = bytes.clone();
        bytes[at + 510] ^= 1;
        let (right, wrong) = judged(&bytes, &files);
        // A file, or a directory with what is in it.
        hit += wrong.len();
        assert!(right + wrong.len() == files.len());
        assert!(
            wrong.values().all(|problem| problem.contains("torn off") || problem == "missing"),
            "{wrong:?}"
        );
    }
    assert!(hit > 3);
}

#[test]
fn the_copy_of_the_boot_sector_is_used() {
    let Some((mut bytes, files)) = small(10) else { return };
    bytes[..512].fill(0);
    let (right, _) = judged(&bytes, &files);
    assert_eq!(right, files.len());
    let Some(DiskContent::FileSystem(system)) = read_all(bytes.clone()) else {
        panic!("it is not recognised")
    };
    assert_eq!(system.info().remarks(), ["the boot sector is damaged: its copy at the end was used"]);
    let end = bytes.len();
    bytes[end - 512..].fill(0);
    assert!(matches!(read_all(bytes), Some(DiskContent::Nothing)));
}

#[test]
fn the_copy_of_the_first_record_is_used() {
    let Some((mut bytes, files)) = small(10) else { return };
    let table = u64::from_le_bytes(bytes[48..56].try_into().unwrap()) as usize * 1024;
    bytes[table..table + 4].fill(0);
    let (right, _) = judged(&bytes, &files);
    assert_eq!(right, files.len());
}
