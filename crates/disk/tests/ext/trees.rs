//! Folders with random files, and what is in them.

use hashmill_disk::NodeKind;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt, symlink};
use std::path::{Path, PathBuf};

/// Seeded random numbers (SplitMix64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    pub fn bytes(&mut self, length: u64) -> Vec<u8> {
        (0..length).map(|_| self.next() as u8).collect()
    }
}

/// An entry of a tree as a system shows it.
#[derive(Debug, PartialEq, Eq)]
pub struct Shown {
    pub kind: NodeKind,
    pub size: u64,
    pub links: u64,
    /// The times in seconds and nanoseconds.
    pub modified: (i64, u32),
    pub accessed: (i64, u32),
    pub changed: (i64, u32),
    pub bytes: Vec<u8>,
}

/// The names of random files.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Names {
    Plain,
    /// Also of odd characters, long, or of bytes that are no text.
    Odd,
}

/// Fills a folder with that many entries.
pub fn fill(folder: &Path, count: u64, seed: u64, names: Names) {
    let random = &mut Random(seed);
    let mut folders = vec![folder.to_owned()];
    let mut files: Vec<PathBuf> = Vec::new();
    for number in 0..count {
        let parent = &folders[random.below(folders.len() as u64) as usize];
        let path = parent.join(name(random, number, names));
        match random.below(20) {
            0 | 1 => {
                fs::create_dir(&path).unwrap();
                folders.push(path);
            }
            2 => {
                let length = 1 + random.below(200);
                symlink(OsString::from_vec(vec![b'a' + (length % 26) as u8; length as usize]), path).unwrap();
            }
            3 if !files.is_empty() => {
                fs::hard_link(&files[random.below(files.len() as u64) as usize], path).unwrap();
            }
            4 => sparse(&path, random),
            _ => {
                let longest = [40, 200, 5_000, 70_000][random.below(4) as usize];
                let length = random.below(longest);
                fs::write(&path, random.bytes(length)).unwrap();
                files.push(path);
            }
        }
    }
    fs::write(folder.join("large.bin"), random.bytes(700_000)).unwrap();
}

/// Writes a few bytes here and there, and at the end.
fn sparse(path: &Path, random: &mut Random) {
    let file = File::create(path).unwrap();
    for _ in 0..random.below(6) {
        let bytes = random.bytes(3000);
        file.write_all_at(&bytes, random.below(1 << 20)).unwrap();
    }
    file.write_all_at(b"end", random.below(1 << 20)).unwrap();
}

/// Returns a name that is new by its number.
pub fn name(random: &mut Random, number: u64, names: Names) -> OsString {
    let mut name = number.to_string().into_bytes();
    match random.below(8) {
        _ if names == Names::Plain => name.extend(b".txt"),
        0 => name.extend("\u{e4}\u{20ac}\u{1f600} \n\t\\\"".bytes()),
        1 => name.extend([0xff, 0xfe, b'\n', 1]),
        2 => name.resize(255, b'x'),
        3 => name.resize(100, b' '),
        _ => name.extend(b".txt"),
    }
    OsString::from_vec(name)
}

/// Reads all entries below a folder, by path.
pub fn shown(folder: &Path) -> BTreeMap<Vec<u8>, Shown> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(current) = folders.pop() {
        for entry in fs::read_dir(current).unwrap() {
            let path = entry.unwrap().path();
            let told = show(&path);
            if told.kind == NodeKind::Directory {
                folders.push(path.clone());
            }
            found.insert(path.strip_prefix(folder).unwrap().as_os_str().as_bytes().to_vec(), told);
        }
    }
    found
}

fn show(path: &Path) -> Shown {
    let facts = fs::symlink_metadata(path).unwrap();
    let kind = match facts.file_type() {
        kind if kind.is_dir() => NodeKind::Directory,
        kind if kind.is_symlink() => NodeKind::Link,
        kind if kind.is_fifo() => NodeKind::Fifo,
        kind if kind.is_socket() => NodeKind::Socket,
        kind if kind.is_file() => NodeKind::File,
        _ => NodeKind::Device,
    };
    let modified = (facts.mtime(), facts.mtime_nsec() as u32);
    let accessed = (facts.atime(), facts.atime_nsec() as u32);
    let changed = (facts.ctime(), facts.ctime_nsec() as u32);
    let bytes = match kind {
        NodeKind::File => fs::read(path).unwrap(),
        NodeKind::Link => fs::read_link(path).unwrap().into_os_string().into_vec(),
        _ => Vec::new(),
    };
    Shown { kind, size: facts.size(), links: facts.nlink(), modified, accessed, changed, bytes }
}
