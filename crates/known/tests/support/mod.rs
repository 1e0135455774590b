//! What the tests and benchmarks of this crate share.
#![allow(dead_code, reason = "each test binary uses a part of it")]

pub mod zip;

use hashloom_digest::{Algorithm, Digest, find};
use std::path::{Path, PathBuf};

/// A folder of its own for a test, removed at the end.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("hashloom-known-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn at(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.at(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// SplitMix64: the same numbers on every machine.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    pub fn digest(&mut self, bytes: usize) -> Digest {
        let mut value = [0; 64];
        for chunk in value.chunks_mut(8) {
            chunk.copy_from_slice(&self.next().to_be_bytes());
        }
        Digest::new(&value[..bytes])
    }
}

/// An algorithm whose digests have so many bytes.
pub fn algorithm(bytes: usize) -> &'static Algorithm {
    let name = match bytes {
        8 => "xxh64",
        16 => "md5",
        20 => "sha1",
        28 => "sha224",
        32 => "sha256",
        48 => "sha384",
        _ => "sha512",
    };
    find(name).unwrap()
}
