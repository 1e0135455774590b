//! Expert Witness images for tests, written section by section.

use std::fs;
use std::path::{Path, PathBuf};

/// Writes segment files section by section.
#[derive(Debug)]
pub struct Writer {
    /// The content so far.
    pub bytes: Vec<u8>,
}

impl Writer {
    /// Creates a segment file with this number and without sections.
    pub fn new(number: u16) -> Self {
        let mut bytes = b"EVF\x09\x0d\x0a\xff\x00\x01".to_vec();
        bytes.extend_from_slice(&number.to_le_bytes());
        bytes.extend_from_slice(&[0, 0]);
        Writer { bytes }
    }

    /// Appends a section with any offset and size in its descriptor.
    pub fn raw_section(&mut self, name: &str, next: u64, size: u64, content: &[u8]) {
        let mut descriptor = vec![0; 76];
        descriptor[..name.len()].copy_from_slice(name.as_bytes());
        descriptor[16..24].copy_from_slice(&next.to_le_bytes());
        descriptor[24..32].copy_from_slice(&size.to_le_bytes());
        let sum = adler(&descriptor[..72]);
        descriptor[72..].copy_from_slice(&sum);
        self.bytes.extend_from_slice(&descriptor);
        self.bytes.extend_from_slice(content);
    }

    /// Appends a section that points to the next one; the last sections point to themselves.
    pub fn section(&mut self, name: &str, content: &[u8]) -> &mut Self {
        let at = self.bytes.len() as u64;
        let size = 76 + content.len() as u64;
        let next = if ["done", "next"].contains(&name) { at } else { at + size };
        self.raw_section(name, next, size, content);
        self
    }

    /// Appends a volume.
    pub fn volume(&mut self, chunks: u32, per_chunk: u32, per_sector: u32, sectors: u64) -> &mut Self {
        let mut content = vec![0; 1048];
        content[4..8].copy_from_slice(&chunks.to_le_bytes());
        content[8..12].copy_from_slice(&per_chunk.to_le_bytes());
        content[12..16].copy_from_slice(&per_sector.to_le_bytes());
        content[16..24].copy_from_slice(&sectors.to_le_bytes());
        let sum = adler(&content);
        content.extend_from_slice(&sum);
        self.section("volume", &content)
    }

    /// Appends a table of chunk offsets relative to a base.
    pub fn table(&mut self, count: u32, base: u64, entries: &[u32]) -> &mut Self {
        self.section("table", &table(count, base, entries))
    }

    /// Appends uncompressed chunks with their section, table and its copy.
    pub fn chunks(&mut self, chunks: &[&[u8]]) -> &mut Self {
        let (mut stored, mut entries) = (Vec::new(), Vec::new());
        let start = self.bytes.len() as u32 + 76;
        for chunk in chunks {
            entries.push(start + stored.len() as u32);
            stored.extend_from_slice(chunk);
            stored.extend_from_slice(&adler(chunk));
        }
        let table = table(entries.len() as u32, 0, &entries);
        self.section("sectors", &stored).section("table", &table).section("table2", &table)
    }

    /// Appends the stored MD5 of these media.
    pub fn md5(&mut self, media: &[u8]) -> &mut Self {
        let mut content = md5(media);
        content.resize(32, 0);
        let sum = adler(&content);
        content.extend_from_slice(&sum);
        self.section("hash", &content)
    }

    /// Writes the file into a folder.
    pub fn save(&self, folder: &Path, name: &str) -> PathBuf {
        let path = folder.join(name);
        fs::write(&path, &self.bytes).unwrap();
        path
    }
}

fn table(count: u32, base: u64, entries: &[u32]) -> Vec<u8> {
    let mut content = vec![0; 20];
    content[..4].copy_from_slice(&count.to_le_bytes());
    content[8..16].copy_from_slice(&base.to_le_bytes());
    let sum = adler(&content);
    content.extend_from_slice(&sum);
    let entries: Vec<u8> = entries.iter().flat_map(|entry| entry.to_le_bytes()).collect();
    content.extend_from_slice(&entries);
    content.extend_from_slice(&adler(&entries));
    content
}

/// Returns the stored form of the Adler-32 of bytes.
pub fn adler(bytes: &[u8]) -> [u8; 4] {
    let (mut one, mut sum) = (1_u64, 0_u64);
    for byte in bytes {
        one = (one + u64::from(*byte)) % 65521;
        sum = (sum + one) % 65521;
    }
    (((sum << 16) | one) as u32).to_le_bytes()
}

fn md5(media: &[u8]) -> Vec<u8> {
    let mut bank = (hashmill_digest::find("md5").unwrap().bank)();
    let slot = bank.open();
    bank.update(&[hashmill_digest::StreamPart { slot, bytes: media, last: true }]);
    bank.close(slot).as_bytes().to_vec()
}
