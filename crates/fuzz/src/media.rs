//! Partition tables and file systems on media of any bytes. None may panic or read without end.

use hashmill_disk::{
    DeletedEntries, DiskContent, Limits, Medium, NodeKind, Problem, Walk, file_system, volumes,
};
use std::sync::Arc;

/// The most sectors of a medium.
const SECTORS: usize = 1024;

/// The limits of a walk, and the most bytes that are read of a file.
const LIMITS: Limits = Limits { depth: 50, entries: 2000, names: 1 << 20 };
const MOST: usize = 1 << 20;

/// Returns a medium. Most of one is zeros, so the input has the number of sectors and then pieces: the number of a sector, a
/// length, and that many bytes. Numbers have two bytes, the least one first.
pub fn placed(data: &[u8], sector: usize) -> Vec<u8> {
    let (sectors, mut rest) = number(data);
    let mut medium = vec![0; sectors.min(SECTORS) * sector];
    while !rest.is_empty() {
        let (start, behind) = number(rest);
        let (length, behind) = number(behind);
        let (bytes, behind) = behind.split_at(length.min(behind.len()));
        rest = behind;
        let place = medium.get_mut(start * sector..).unwrap_or_default();
        let length = bytes.len().min(place.len());
        place[..length].copy_from_slice(&bytes[..length]);
    }
    medium
}

/// Returns the number that bytes begin with, and those behind it.
fn number(data: &[u8]) -> (usize, &[u8]) {
    match data {
        [one, other, rest @ ..] => (usize::from(u16::from_le_bytes([*one, *other])), rest),
        _ => (0, &[]),
    }
}

/// Partition tables, on a medium with sectors of 512 bytes.
pub fn partitions(data: &[u8]) {
    let medium: Arc<dyn Medium> = Arc::new(placed(data, 512));
    let Ok(volumes) = volumes(&medium) else { return };
    let starts = volumes.partitions.iter().map(|one| one.start);
    assert!(starts.is_sorted());
    for (number, one) in (1..).zip(&volumes.partitions) {
        assert_eq!(one.number, number);
        let is_within = one.start.checked_add(one.size).is_some_and(|end| end <= medium.size());
        assert!(is_within || one.problem.is_some(), "{one:?}");
        assert!(!is_within || !matches!(one.problem, Some(Problem::Beyond)), "{one:?}");
    }
}

/// ISO 9660, on a medium with sectors of 2,048 bytes.
pub fn disc(data: &[u8]) {
    file_systems(placed(data, 2048));
}

/// Reads everything in the file system on a medium, if there is one, up to the limits.
pub fn file_systems(medium: Vec<u8>) {
    let medium: Arc<dyn Medium> = Arc::new(medium);
    let Ok(DiskContent::FileSystem(system)) = file_system(&medium) else { return };
    let mut part = vec![0; 64 << 10];
    for entry in Walk::new(&*system, DeletedEntries::Listed, LIMITS) {
        let Ok(node) = entry.node else { continue };
        let Ok(content) = node.content else { continue };
        let mut offset = 0;
        while node.kind != NodeKind::Directory && offset < MOST {
            match content.read_at(&*medium, offset as u64, &mut part) {
                Ok(0) | Err(_) => break,
                Ok(read) => offset += read,
            }
        }
    }
}
