//! Files with known bytes, and maps of them.

use hashmill_mapped::Mapped;
use std::fs::File;
use std::io::Write;
use tempfile::NamedTempFile;

pub const PAGE: usize = 4096;

pub fn paint(length: usize) -> Vec<u8> {
    (0..length).map(|at| (at % 251) as u8 + 1).collect()
}

pub fn file(length: usize) -> NamedTempFile {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(&paint(length)).unwrap();
    file
}

pub fn map(file: &NamedTempFile, length: usize) -> Mapped {
    Mapped::new(&File::open(file.path()).unwrap(), length).unwrap()
}
