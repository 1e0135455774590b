//! Packs for tests.

use super::{PackIndex, PackReader};
use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use hashmill_digest::{find, hash};
use std::io::{self, Write};

/// A pack, and what its index says.
pub(super) struct Made {
    pub pack: Vec<u8>,
    pub names: Vec<[u8; 20]>,
    pub crcs: Vec<u32>,
    offsets: Vec<u32>,
}

impl Default for Made {
    fn default() -> Made {
        // The number of objects, and an empty digest at the end.
        let pack = [&b"PACK\0\0\0\x02\0\0\0\0"[..], &[0; 20]].concat();
        Made { pack, names: Vec::new(), crcs: Vec::new(), offsets: Vec::new() }
    }
}

impl Made {
    /// Adds an object by what is stored and its content.
    pub fn add(&mut self, stored: Vec<u8>, word: &str, content: &[u8]) -> usize {
        let object = [format!("{word} {}\0", content.len()).as_bytes(), content].concat();
        let mut crc = Crc::new();
        crc.update(&stored);
        self.crcs.push(crc.sum());
        self.names.push(hash(find("sha1").unwrap(), &object).as_bytes().try_into().unwrap());
        let end = self.pack.len() - 20;
        self.offsets.push(end as u32);
        self.pack.splice(end..end, stored);
        self.pack[8..12].copy_from_slice(&(self.names.len() as u32).to_be_bytes());
        self.names.len() - 1
    }

    /// Adds a delta of an object before.
    pub fn add_delta(&mut self, base: usize, delta: &[u8], content: &[u8]) -> usize {
        let mut distance = self.pack.len() as u64 - 20 - u64::from(self.offsets[base]);
        let mut bytes = vec![(distance & 0x7f) as u8];
        while distance > 0x7f {
            distance = (distance >> 7) - 1;
            bytes.insert(0, (distance & 0x7f) as u8 | 0x80);
        }
        self.add([head(6, delta.len()), bytes, zlib(delta)].concat(), "blob", content)
    }

    /// Adds a delta of the object of this name.
    pub fn add_named(&mut self, base: &[u8], delta: &[u8], content: &[u8]) -> usize {
        self.add([head(7, delta.len()), base.to_vec(), zlib(delta)].concat(), "blob", content)
    }

    pub fn index(&self) -> PackIndex {
        let mut order: Vec<usize> = (0..self.names.len()).collect();
        order.sort_by_key(|number| self.names[*number]);
        let mut bytes = b"\xfftOc\0\0\0\x02".to_vec();
        for byte in 0..=255_u8 {
            let count = self.names.iter().filter(|name| name[0] <= byte).count() as u32;
            bytes.extend(count.to_be_bytes());
        }
        bytes.extend(order.iter().flat_map(|number| self.names[*number]));
        bytes.extend(order.iter().flat_map(|number| self.crcs[*number].to_be_bytes()));
        bytes.extend(order.iter().flat_map(|number| self.offsets[*number].to_be_bytes()));
        bytes.extend([0; 40]);
        PackIndex::parse(bytes, 20).unwrap()
    }
}

impl PackReader for Made {
    fn read(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let start = offset as usize;
        let bytes = self.pack.get(start..start + buffer.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
        buffer.copy_from_slice(bytes);
        Ok(())
    }
}

/// Returns what is stored of a whole object.
pub(super) fn whole(content: &[u8]) -> Vec<u8> {
    [head(3, content.len()), zlib(content)].concat()
}

fn head(kind: u8, size: usize) -> Vec<u8> {
    let mut head = vec![kind << 4 | (size & 0x0f) as u8];
    let mut rest = size >> 4;
    while rest > 0 {
        *head.last_mut().unwrap() |= 0x80;
        head.push((rest & 0x7f) as u8);
        rest >>= 7;
    }
    head
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}
