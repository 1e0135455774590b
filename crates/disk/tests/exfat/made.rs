//! A small exFAT that is made by hand, after Microsoft's specification.

use hashmill_disk::Medium;
use std::sync::Arc;

pub const SECTOR: usize = 512;
const TABLE: usize = 24 * SECTOR;
const TABLE_SECTORS: usize = 2;
pub const HEAP: usize = TABLE + 2 * TABLE_SECTORS * SECTOR;
const CLUSTERS: u32 = 200;

/// The first cluster of the bitmap and that of the root directory.
const BITMAP: u32 = 2;
pub const ROOT: u32 = 3;

/// The end of a chain.
const END: u32 = u32::MAX;

/// A volume with clusters of one sector. Slots go to the root directory, one after the other.
#[derive(Debug, Clone)]
pub struct Made {
    pub bytes: Vec<u8>,
    slots: usize,
    /// The clusters of the root directory.
    root: Vec<u32>,
}

/// A file to be made.
#[derive(Debug, Clone)]
pub struct File<'a> {
    pub name: &'a str,
    pub is_directory: bool,
    pub first: u32,
    pub size: u64,
    pub valid: u64,
    pub is_contiguous: bool,
}

impl<'a> File<'a> {
    pub fn new(name: &'a str, first: u32, size: u64) -> File<'a> {
        File { name, is_directory: false, first, size, valid: size, is_contiguous: false }
    }

    /// Returns the slots, with their checksum.
    pub fn slots(&self) -> Vec<[u8; 32]> {
        let mut units: Vec<u16> = self.name.encode_utf16().collect();
        let length = units.len();
        units.resize(length.next_multiple_of(15), 0);
        let (mut file, mut stream) = ([0; 32], [0; 32]);
        (file[0], file[1]) = (0x85, 1 + (units.len() / 15) as u8);
        file[4] = if self.is_directory { 0x10 } else { 0x20 };
        // 2001-02-28 12:34:58, at +02:00; the last change at -01:00; the last access at an offset that is not known.
        for at in [8, 12, 16] {
            file[at..at + 4].copy_from_slice(&0x2a5c_645d_u32.to_le_bytes());
        }
        (file[20], file[22], file[23], file[24]) = (150, 0x88, 0xfc, 0x08);
        (stream[0], stream[1], stream[3]) = (0xc0, if self.is_contiguous { 3 } else { 1 }, length as u8);
        stream[8..16].copy_from_slice(&self.valid.to_le_bytes());
        stream[20..24].copy_from_slice(&self.first.to_le_bytes());
        stream[24..].copy_from_slice(&self.size.to_le_bytes());
        let mut slots = vec![file, stream];
        for units in units.chunks(15) {
            let mut slot = [0; 32];
            slot[0] = 0xc1;
            slot[2..].copy_from_slice(&units.iter().flat_map(|unit| unit.to_le_bytes()).collect::<Vec<_>>());
            slots.push(slot);
        }
        let bytes = slots.concat();
        let counted = bytes.iter().enumerate().filter(|(at, _)| !matches!(at, 2 | 3));
        let sum = counted.fold(0_u16, |sum, (_, byte)| sum.rotate_right(1).wrapping_add(u16::from(*byte)));
        slots[0][2..4].copy_from_slice(&sum.to_le_bytes());
        slots
    }

    /// Returns the slots as they are after the file was deleted.
    pub fn deleted(&self) -> Vec<[u8; 32]> {
        let mut slots = self.slots();
        slots.iter_mut().for_each(|slot| slot[0] &= 0x7f);
        slots
    }
}

impl Made {
    pub fn new() -> Made {
        let mut bytes = vec![0; HEAP + CLUSTERS as usize * SECTOR];
        let mut boot = [0; SECTOR];
        boot[..11].copy_from_slice(b"\xeb\x76\x90EXFAT   ");
        boot[72..80].copy_from_slice(&((bytes.len() / SECTOR) as u64).to_le_bytes());
        for (at, value) in [
            (80, (TABLE / SECTOR) as u32),
            (84, TABLE_SECTORS as u32),
            (88, (HEAP / SECTOR) as u32),
            (92, CLUSTERS),
            (96, ROOT),
            (100, 0x12ab_34cd),
        ] {
            boot[at..at + 4].copy_from_slice(&value.to_le_bytes());
        }
        (boot[105], boot[108], boot[109], boot[110], boot[510], boot[511]) = (1, 9, 0, 1, 0x55, 0xaa);
        bytes[..SECTOR].copy_from_slice(&boot);
        let mut made = Made { bytes, slots: 0, root: vec![ROOT] };
        made.sum();
        made.link(0, 0xffff_fff8);
        made.link(1, END);
        made.chain(&[BITMAP]);
        made.cluster(BITMAP).fill(0);
        made.use_clusters(&[BITMAP, ROOT]);
        made.link(ROOT, END);
        let mut bitmap = [0; 32];
        (bitmap[0], bitmap[20], bitmap[24]) = (0x81, BITMAP as u8, CLUSTERS.div_ceil(8) as u8);
        let mut label = [0; 32];
        label[..6].copy_from_slice(b"\x83\x02\xe4\0b\0");
        made.slots(&[label, bitmap]);
        made
    }

    pub fn medium(&self) -> Arc<dyn Medium> {
        Arc::new(self.bytes.clone())
    }

    /// Writes the checksum of the boot region, and its copy.
    pub fn sum(&mut self) {
        let counted =
            self.bytes[..11 * SECTOR].iter().enumerate().filter(|(at, _)| !matches!(at, 106 | 107 | 112));
        let sum = counted.fold(0_u32, |sum, (_, byte)| sum.rotate_right(1).wrapping_add(u32::from(*byte)));
        let sums = sum.to_le_bytes().repeat(SECTOR / 4);
        self.bytes[11 * SECTOR..12 * SECTOR].copy_from_slice(&sums);
        self.bytes.copy_within(..12 * SECTOR, 12 * SECTOR);
    }

    pub fn link(&mut self, cluster: u32, value: u32) {
        let at = TABLE + cluster as usize * 4;
        self.bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }

    /// Makes a chain of these clusters, which are in use and filled with their numbers.
    pub fn chain(&mut self, clusters: &[u32]) {
        for (number, cluster) in clusters.iter().enumerate() {
            self.link(*cluster, clusters.get(number + 1).copied().unwrap_or(END));
            self.cluster(*cluster).fill(*cluster as u8);
        }
        self.use_clusters(clusters);
    }

    pub fn use_clusters(&mut self, clusters: &[u32]) {
        for index in clusters.iter().map(|cluster| cluster - 2) {
            self.cluster(BITMAP)[index as usize / 8] |= 1 << (index % 8);
        }
    }

    pub fn cluster(&mut self, cluster: u32) -> &mut [u8] {
        let at = HEAP + (cluster as usize - 2) * SECTOR;
        &mut self.bytes[at..at + SECTOR]
    }

    /// Lets the root directory go on in another cluster.
    pub fn lengthen(&mut self, cluster: u32) {
        self.link(*self.root.last().unwrap(), cluster);
        self.link(cluster, END);
        self.use_clusters(&[cluster]);
        self.root.push(cluster);
    }

    /// Adds slots to the root directory.
    pub fn slots(&mut self, slots: &[[u8; 32]]) {
        for slot in slots {
            let cluster = self.root[self.slots / 16];
            let at = self.slots % 16 * 32;
            self.cluster(cluster)[at..at + 32].copy_from_slice(slot);
            self.slots += 1;
        }
    }

    pub fn file(&mut self, file: &File<'_>) {
        self.slots(&file.slots());
    }
}
