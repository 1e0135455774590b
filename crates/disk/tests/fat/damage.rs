//! Damage: nothing panics or hangs, files elsewhere stay as they are, and copies are used.

use super::made::{Made, ROOT, short};
use super::mtools::{Shape, Volume};
use crate::seen::{everything, opened};
use crate::tools::Random;
use hashmill_disk::{DeletedEntries, DiskContent, FileSystemKind, Medium, file_system};
use hashmill_testing::cases;
use std::fs;
use std::io;
use std::sync::Arc;

fn sample() -> Made {
    let mut made = Made::new();
    made.chain(&[2, 3, 9, 4]);
    made.file(b"A       TXT", 2, 2000);
    made.cluster(5)[..64]
        .copy_from_slice(&[short(b".          ", 0x10, 5, 0), short(b"INSIDE     ", 0x20, 6, 700)].concat());
    made.link(5, 0xffff);
    made.chain(&[6, 7]);
    made.slot(short(b"DIR        ", 0x10, 5, 0));
    made.file(b"\xe5ELETED    ", 8, 512);
    made
}

/// Reads all there is; that ends, without a panic.
fn read_all(bytes: Vec<u8>) {
    let medium: Arc<dyn Medium> = Arc::new(bytes);
    if let Ok(DiskContent::FileSystem(_)) = file_system(&medium) {
        everything(&medium, DeletedEntries::Listed);
        assert!(opened(&medium).free().count() <= 5000);
    }
}

#[test]
#[ignore = "campaign: takes long"]
fn every_byte_of_the_metadata_may_be_wrong() {
    let made = sample();
    let metadata = (0..64)
        .chain(500..550)
        .chain(ROOT..ROOT + 6 * 32)
        .chain(ROOT + 64 * 32 + 3 * 512..ROOT + 64 * 32 + 3 * 512 + 64);
    for at in metadata {
        for value in [0, 1, 0x0f, 0x10, 0xe5, 0xff, made.bytes[at] ^ 0x80] {
            let mut bytes = made.bytes.clone();
            bytes[at] = value;
            read_all(bytes);
        }
    }
}

#[test]
fn many_random_bytes_may_be_wrong() {
    let made = sample();
    let mut random = Random(7);
    for _ in 0..cases(300) {
        let mut bytes = made.bytes.clone();
        for _ in 0..random.below(40) {
            let at = match random.below(3) {
                0 => random.below(600),
                1 => ROOT as u64 + random.below(300),
                _ => random.below(ROOT as u64 + 6000),
            };
            bytes[at as usize] = random.next() as u8;
        }
        bytes.truncate(random.below(2 * bytes.len() as u64) as usize);
        read_all(bytes);
    }
}

/// Bytes of which a range can't be read.
#[derive(Debug)]
struct Scratched {
    bytes: Vec<u8>,
    from: u64,
    to: u64,
}

impl Medium for Scratched {
    fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read_at(&self, position: u64, buffer: &mut [u8]) -> io::Result<()> {
        if position < self.to && position + buffer.len() as u64 > self.from {
            return Err(io::Error::other("scratched"));
        }
        self.bytes.read_at(position, buffer)
    }
}

#[test]
fn the_second_table_is_used_where_the_first_cannot_be_read() {
    let made = sample();
    let expected = everything(&made.medium(), DeletedEntries::LeftOut);
    let medium: Arc<dyn Medium> = Arc::new(Scratched { bytes: made.bytes.clone(), from: 512, to: 1024 });
    let notes = opened(&medium).info().remarks();
    assert!(notes.iter().any(|note| note.contains("another is used")), "{notes:?}");
    let found = everything(&medium, DeletedEntries::LeftOut);
    assert_eq!(found.len(), 3);
    for (path, seen) in found {
        assert_eq!(seen.bytes, expected[&path].bytes);
    }
}

#[test]
fn a_part_of_a_directory_that_cannot_be_read_is_told_and_the_rest_is_listed() {
    let mut made = Made::new();
    for number in 0..40_u8 {
        made.file(&[b'F', b'A' + number % 26, b'A' + number / 26, 32, 32, 32, 32, 32, 32, 32, 32], 0, 0);
    }
    let from = ROOT as u64 + 512;
    let medium: Arc<dyn Medium> = Arc::new(Scratched { bytes: made.bytes, from, to: from + 512 });
    let found = everything(&medium, DeletedEntries::LeftOut);
    assert!(found[&Vec::new()].bytes.as_ref().is_err_and(|problem| problem.contains("scratched")));
    assert_eq!(found.len(), 40 - 16 + 1);
}

#[test]
fn differing_tables_and_a_medium_that_ends_early_are_told() {
    let mut made = sample();
    made.bytes[512 + 4] ^= 1;
    let length = made.bytes.len() - 1000;
    made.bytes.truncate(length);
    let notes = opened(&made.medium()).info().remarks();
    assert!(notes.iter().any(|note| note.contains("differ")), "{notes:?}");
    assert!(notes.iter().any(|note| note.contains("ends before")), "{notes:?}");
}

#[test]
fn the_copy_of_a_boot_sector_is_used() {
    let shape = Shape { bits: 32, sector: 512, cluster: 1, kilobytes: 40_000 };
    let Some(mut volume) = Volume::new(shape, 3) else { return };
    volume.change(20);
    let expected = everything(&volume.medium(), DeletedEntries::LeftOut);
    let mut bytes = fs::read(volume.path()).unwrap();
    bytes[..512].fill(0);
    let medium: Arc<dyn Medium> = Arc::new(bytes);
    let system = opened(&medium);
    let info = system.info();
    assert_eq!(info.kind, FileSystemKind::Fat32);
    assert!(
        info.remarks().iter().any(|note| note.contains("copy of the boot sector")),
        "{:?}",
        info.remarks()
    );
    let found = everything(&medium, DeletedEntries::LeftOut);
    assert!(found.len() > 3 && found.keys().eq(expected.keys()));
    assert!(found.iter().all(|(path, seen)| seen.bytes == expected[path].bytes));
}
