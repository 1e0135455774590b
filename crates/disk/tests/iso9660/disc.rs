//! Small discs, built in memory.

use hashmill_disk::Medium;
use std::sync::Arc;

const SECTOR: usize = 2048;

/// A disc: sector 16 has its descriptor, sector 18 its root directory.
#[derive(Debug)]
pub struct Disc {
    pub bytes: Vec<u8>,
}

/// A number in both orders of bytes.
pub fn both(number: u32) -> [u8; 8] {
    let mut bytes = [0; 8];
    bytes[..4].copy_from_slice(&number.to_le_bytes());
    bytes[4..].copy_from_slice(&number.to_be_bytes());
    bytes
}

/// Returns a record: its block, its size, its flags, its name, and the area of the system.
pub fn record(block: u32, size: u32, flags: u8, name: &[u8], system: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0, 0];
    bytes.extend(both(block));
    bytes.extend(both(size));
    bytes.extend([100, 2, 29, 12, 34, 56, 0, flags, 0, 0, 1, 0, 0, 1, name.len() as u8]);
    bytes.extend(name);
    bytes.resize(bytes.len().next_multiple_of(2), 0);
    bytes.extend(system);
    bytes.resize(bytes.len().next_multiple_of(2), 0);
    bytes[0] = bytes.len() as u8;
    bytes
}

impl Disc {
    /// Creates a disc of some sectors whose root directory has these records, behind those of itself and its parent.
    pub fn new(sectors: usize, system: &[u8], records: &[Vec<u8>]) -> Disc {
        let mut disc = Disc { bytes: vec![0; sectors * SECTOR] };
        let descriptor = &mut disc.bytes[16 * SECTOR..17 * SECTOR];
        descriptor[..7].copy_from_slice(b"\x01CD001\x01");
        descriptor[40..72].copy_from_slice(&[b' '; 32]);
        descriptor[40..44].copy_from_slice(b"MADE");
        descriptor[80..88].copy_from_slice(&both(sectors as u32));
        for at in [120, 124] {
            descriptor[at..at + 4].copy_from_slice(&[1, 0, 0, 1]);
        }
        descriptor[128..132].copy_from_slice(&[0, 8, 8, 0]);
        descriptor[156..190].copy_from_slice(&record(18, SECTOR as u32, 2, b"\0", b""));
        disc.bytes[17 * SECTOR..][..7].copy_from_slice(b"\xffCD001\x01");
        disc.directory(18, system, records);
        disc
    }

    /// Puts a directory of one sector there.
    pub fn directory(&mut self, block: u32, system: &[u8], records: &[Vec<u8>]) {
        let own = record(block, SECTOR as u32, 2, b"\0", system);
        let parent = record(18, SECTOR as u32, 2, b"\x01", b"");
        let bytes: Vec<u8> = [own, parent].iter().chain(records).flatten().copied().collect();
        self.put(block, &bytes);
    }

    /// Puts bytes into a sector, and those behind.
    pub fn put(&mut self, block: u32, bytes: &[u8]) {
        self.bytes[block as usize * SECTOR..][..bytes.len()].copy_from_slice(bytes);
    }

    pub fn medium(&self) -> Arc<dyn Medium> {
        Arc::new(self.bytes.clone())
    }
}
