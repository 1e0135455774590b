//! Virtual disks from any bytes, in memory.

use super::image::examine;
use hashmill_image::{Image, Opener, SharedFile};
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// The line between the files of a disk of several.
const BETWEEN: &[u8] = b"\n--\n";

/// The size of a VHDX file that is made, as most of one is zeros.
const VHDX: usize = 9 << 20;

/// Files in memory: the first is `disk`, the others are `a`, `b` and so on.
#[derive(Debug)]
struct Memory(Vec<Arc<Bytes>>);

#[derive(Debug)]
struct Bytes(Vec<u8>);

impl Opener for Memory {
    fn open(&self, path: &Path) -> io::Result<Arc<dyn SharedFile>> {
        let name = path.to_string_lossy();
        let index = match name.as_bytes() {
            b"disk" => 0,
            [letter @ b'a'..=b'z'] => usize::from(letter - b'a') + 1,
            _ => usize::MAX,
        };
        match self.0.get(index) {
            Some(file) => Ok(Arc::<Bytes>::clone(file)),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn beside(&self, _: &Path, start: &[u8]) -> io::Result<Vec<OsString>> {
        let letters = (b'a'..=b'z').take(self.0.len().saturating_sub(1));
        let names = letters.map(|letter| char::from(letter).to_string()).chain(["disk".to_string()]);
        Ok(names.filter(|name| name.as_bytes().starts_with(start)).map(OsString::from).collect())
    }
}

impl SharedFile for Bytes {
    fn size(&self) -> io::Result<u64> {
        Ok(self.0.len() as u64)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(self.0.len());
        let length = buffer.len().min(self.0.len() - start);
        buffer[..length].copy_from_slice(&self.0[start..start + length]);
        Ok(length)
    }
}

fn open(files: Vec<Vec<u8>>) {
    let memory = Memory(files.into_iter().map(|file| Arc::new(Bytes(file))).collect());
    let opener: Arc<dyn Opener> = Arc::new(memory);
    if let Ok(image) = Image::open_by(&opener, Path::new("disk")) {
        examine(&image);
    }
}

/// Opens, verifies and reads a disk of one file with these bytes.
pub fn disk(data: &[u8]) {
    open(vec![data.to_vec()]);
}

/// Opens, verifies and reads a disk of several files, with a line between them.
pub fn several(data: &[u8]) {
    let (mut files, mut rest) = (Vec::new(), data);
    while let Some(at) = rest.windows(BETWEEN.len()).position(|window| window == BETWEEN) {
        files.push(rest[..at].to_vec());
        rest = &rest[at + BETWEEN.len()..];
    }
    files.push(rest.to_vec());
    open(files);
}

/// Opens, verifies and reads a VHDX file that is zeros but for these parts: each is the number of a sector of 512
/// bytes, a number of bytes, and the bytes. Checksums are made right.
pub fn vhdx(data: &[u8]) {
    let mut file = vec![0; VHDX];
    let mut rest = data;
    while let [low, high, length, bytes @ ..] = rest {
        let (bytes, others) = bytes.split_at((*length as usize).min(bytes.len()));
        let at = usize::from(u16::from_le_bytes([*low, *high])) * 512;
        if let Some(target) = file.get_mut(at..at + bytes.len()) {
            target.copy_from_slice(bytes);
        }
        rest = others;
    }
    for (at, length) in [(64 << 10, 4096), (128 << 10, 4096), (192 << 10, 64 << 10), (256 << 10, 64 << 10)] {
        seal(&mut file[at..at + length]);
    }
    // Entries of the log.
    for at in (0..VHDX).step_by(4096).filter(|at| file[*at..].starts_with(b"loge")).collect::<Vec<_>>() {
        let length =
            file[at + 8..at + 12].iter().rev().fold(0, |length, byte| length << 8 | usize::from(*byte));
        if let Some(entry) = file.get_mut(at..at + length).filter(|entry| entry.len() >= 8) {
            seal(entry);
        }
    }
    open(vec![file]);
}

/// Opens, verifies and reads an AFF4 volume: whole zip files are used unchanged; other bytes become its metadata,
/// and after a line between them its other segments, each with a line for its name. Checksums are made right.
pub fn aff4(data: &[u8]) {
    if data.starts_with(b"PK") {
        return disk(data);
    }
    let (mut file, mut directory, mut count) = (Vec::new(), Vec::new(), 0_u16);
    let (mut name, mut rest) = (&b"information.turtle"[..], data);
    loop {
        let end = rest.windows(BETWEEN.len()).position(|window| window == BETWEEN);
        let content = &rest[..end.unwrap_or(rest.len())];
        segment(&mut file, &mut directory, name, content);
        count = count.wrapping_add(1);
        let Some(end) = end else { break };
        rest = &rest[end + BETWEEN.len()..];
        let line = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len()).min(200);
        (name, rest) = rest.split_at(line);
        rest = rest.get(1..).unwrap_or_default();
    }
    let start = file.len() as u32;
    file.extend_from_slice(&directory);
    file.extend_from_slice(b"PK\x05\x06\0\0\0\0");
    file.extend_from_slice(&[count.to_le_bytes(), count.to_le_bytes()].concat());
    file.extend_from_slice(&(directory.len() as u32).to_le_bytes());
    file.extend_from_slice(&start.to_le_bytes());
    file.extend_from_slice(b"\x08\0aff4://v");
    open(vec![file]);
}

/// Adds a stored segment to a zip file and its directory.
fn segment(file: &mut Vec<u8>, directory: &mut Vec<u8>, name: &[u8], content: &[u8]) {
    let digest = hashmill_digest::hash(hashmill_digest::find("crc32").expect("it is there"), content);
    let mut common = vec![20, 0, 0, 0, 0, 0, 0, 0, 33, 0];
    common.extend(digest.as_bytes().iter().rev());
    let length = (content.len() as u32).to_le_bytes();
    common.extend_from_slice(&[length, length].concat());
    common.extend_from_slice(&(name.len() as u16).to_le_bytes());
    common.extend_from_slice(&[0, 0]);
    directory.extend_from_slice(b"PK\x01\x02\x14\0");
    directory.extend_from_slice(&common);
    directory.extend_from_slice(&[0; 10]);
    directory.extend_from_slice(&(file.len() as u32).to_le_bytes());
    directory.extend_from_slice(name);
    file.extend_from_slice(b"PK\x03\x04");
    file.extend_from_slice(&common);
    file.extend_from_slice(name);
    file.extend_from_slice(content);
}

/// Sets the CRC-32C at byte 4.
fn seal(bytes: &mut [u8]) {
    bytes[4..8].fill(0);
    let digest = hashmill_digest::hash(hashmill_digest::find("crc32c").expect("it is there"), bytes);
    let sum: Vec<u8> = digest.as_bytes().iter().rev().copied().collect();
    bytes[4..8].copy_from_slice(&sum);
}
