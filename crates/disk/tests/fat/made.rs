//! A small FAT16 that is made by hand, for faults that no program makes.

use hashmill_disk::Medium;
use std::sync::Arc;

pub const SECTOR: usize = 512;

/// The number of clusters of one sector: the fewest of FAT16, and more.
const CLUSTERS: usize = 4200;
const TABLE_SECTORS: usize = 17;
const ROOT_SLOTS: usize = 64;
const TABLE: usize = SECTOR;
pub const ROOT: usize = TABLE + 2 * TABLE_SECTORS * SECTOR;
const DATA: usize = ROOT + ROOT_SLOTS * 32;

/// The end of a chain.
pub const END: u16 = 0xffff;

/// A volume. Slots go to the root directory, one after the other.
#[derive(Debug, Clone)]
pub struct Made {
    pub bytes: Vec<u8>,
    slots: usize,
}

impl Made {
    pub fn new() -> Made {
        let mut bytes = vec![0; DATA + CLUSTERS * SECTOR];
        bytes[..3].copy_from_slice(b"\xeb\x3c\x90");
        let sectors = (bytes.len() / SECTOR) as u16;
        for (at, value) in [
            (11, SECTOR as u16),
            (14, 1),
            (17, ROOT_SLOTS as u16),
            (19, sectors),
            (22, TABLE_SECTORS as u16),
            (510, 0xaa55),
        ] {
            bytes[at..at + 2].copy_from_slice(&value.to_le_bytes());
        }
        (bytes[13], bytes[16], bytes[21], bytes[38]) = (1, 2, 0xf8, 0x29);
        bytes[43..54].copy_from_slice(b"NO NAME    ");
        let mut made = Made { bytes, slots: 0 };
        made.link(0, 0xfff8);
        made.link(1, END);
        made
    }

    pub fn medium(&self) -> Arc<dyn Medium> {
        Arc::new(self.bytes.clone())
    }

    /// Sets the entry of a cluster in both tables.
    pub fn link(&mut self, cluster: u16, value: u16) {
        for table in 0..2 {
            let at = TABLE + table * TABLE_SECTORS * SECTOR + usize::from(cluster) * 2;
            self.bytes[at..at + 2].copy_from_slice(&value.to_le_bytes());
        }
    }

    /// Makes a chain of these clusters, which are filled with their numbers.
    pub fn chain(&mut self, clusters: &[u16]) {
        for (number, cluster) in clusters.iter().enumerate() {
            self.link(*cluster, clusters.get(number + 1).copied().unwrap_or(END));
            self.cluster(*cluster).fill(*cluster as u8);
        }
    }

    pub fn cluster(&mut self, cluster: u16) -> &mut [u8] {
        let at = DATA + (usize::from(cluster) - 2) * SECTOR;
        &mut self.bytes[at..at + SECTOR]
    }

    /// Adds a slot to the root directory.
    pub fn slot(&mut self, slot: [u8; 32]) {
        let at = ROOT + self.slots * 32;
        self.bytes[at..at + 32].copy_from_slice(&slot);
        self.slots += 1;
    }

    /// Fills the first two slots of a directory in a cluster: itself and the root.
    pub fn dots(&mut self, cluster: u16) {
        let dots = [short(b".          ", 0x10, cluster, 0), short(b"..         ", 0x10, 0, 0)];
        self.cluster(cluster)[..64].copy_from_slice(&dots.concat());
    }

    pub fn file(&mut self, name: &[u8; 11], first: u16, size: u32) {
        self.slot(short(name, 0x20, first, size));
    }
}

/// Returns a slot with a short name.
pub fn short(name: &[u8; 11], attributes: u8, first: u16, size: u32) -> [u8; 32] {
    let mut slot = [0; 32];
    slot[..11].copy_from_slice(name);
    slot[11] = attributes;
    slot[26..28].copy_from_slice(&first.to_le_bytes());
    slot[28..].copy_from_slice(&size.to_le_bytes());
    slot
}

/// Returns the slots of a long name.
pub fn long(name: &str, checksum: u8) -> Vec<[u8; 32]> {
    let mut units: Vec<u16> = name.encode_utf16().collect();
    if !units.len().is_multiple_of(13) {
        units.push(0);
    }
    units.resize(units.len().next_multiple_of(13), 0xffff);
    let count = units.len() / 13;
    let part = |(number, units): (usize, &[u16])| {
        let mut slot = [0; 32];
        slot[0] = number as u8 + 1 + if number + 1 == count { 0x40 } else { 0 };
        (slot[11], slot[13]) = (0x0f, checksum);
        let places = [1, 3, 5, 7, 9, 14, 16, 18, 20, 22, 24, 28, 30];
        for (at, unit) in places.into_iter().zip(units) {
            slot[at..at + 2].copy_from_slice(&unit.to_le_bytes());
        }
        slot
    };
    units.chunks(13).enumerate().map(part).rev().collect()
}

/// Returns the checksum of a short name.
pub fn checksum(name: &[u8; 11]) -> u8 {
    name.iter().fold(0, |sum: u8, byte| sum.rotate_right(1).wrapping_add(*byte))
}
