//! Random trees of files, and trees as they are found on disk.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{FileTypeExt, MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

/// A generator of random numbers (xorshift).
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) % bound
    }

    fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.below(256) as u8).collect()
    }
}

/// A file, directory or link, as a program extracted it.
#[derive(Debug, PartialEq, Eq, Clone)]
pub enum Node {
    File(Vec<u8>),
    Directory,
    Link(Vec<u8>),
    Fifo,
}

/// The nodes of a tree by their path, with the nanoseconds of their last change since 1970.
pub type Tree = BTreeMap<Vec<u8>, (Node, i128)>;

/// The names that trees have: programs that convert names only read those in UTF-8.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Names {
    Ascii,
    Unicode,
    Bytes,
    /// In ASCII, so short that every header has room for their path.
    Short,
}

/// Makes a random tree.
pub fn plant(root: &Path, names: Names, random: &mut Random) {
    let mut directories = vec![root.to_path_buf()];
    let mut files: Vec<PathBuf> = Vec::new();
    let mut all = Vec::new();
    for number in 0..8 + random.below(8) {
        let parent = directories[random.below(directories.len() as u64) as usize].clone();
        let path = parent.join(OsStr::from_bytes(&name(number, names, random)));
        if path.as_os_str().len() - root.as_os_str().len() > 401 {
            continue;
        }
        match random.below(12) {
            0..=2 if names != Names::Short || directories.len() < 3 => {
                fs::create_dir(&path).unwrap();
                directories.push(path.clone());
            }
            3 => {
                let length = [1, 99, 100, 101, 155, 300][random.below(6) as usize];
                symlink(OsStr::from_bytes(&text(length, names, random)), &path).unwrap();
                all.push(path);
                continue;
            }
            4 if !files.is_empty() => {
                fs::hard_link(&files[random.below(files.len() as u64) as usize], &path).unwrap();
                continue;
            }
            5 if names == Names::Bytes => {
                assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
            }
            kind => {
                write(&path, kind > 9, random);
                files.push(path.clone());
            }
        }
        all.push(path);
    }
    // Python writes a billionth of a second as 1e-09, which others take for a second: no times are so small.
    // Deepest first, so that no directory changes after its time was set.
    for path in all.iter().rev() {
        let seconds =
            [0, 1, 1_000_000_000, 1_700_000_000, 4_294_967_296, 8_589_934_592][random.below(6) as usize];
        let time = SystemTime::UNIX_EPOCH
            + Duration::new(seconds, [0, 1_000_000, 123_456_789][random.below(3) as usize]);
        set_time(path, time);
    }
    for path in &directories {
        set_time(path, SystemTime::UNIX_EPOCH + Duration::new(1_600_000_000 + random.below(9999), 0));
    }
}

fn set_time(path: &Path, time: SystemTime) {
    if path.symlink_metadata().is_ok_and(|data| data.is_file() || data.is_dir()) {
        File::open(path).unwrap().set_modified(time).unwrap();
    }
}

/// Returns a name of 1 to 250 bytes which no other number has.
fn name(number: u64, names: Names, random: &mut Random) -> Vec<u8> {
    let length = [1, 5, 30, 95, 98, 99, 100, 101, 154, 156, 200, 250][random.below(12) as usize];
    let length = if names == Names::Short { length % 20 } else { length };
    let mut name = text(length, names, random);
    name.truncate(length.saturating_sub(2));
    while std::str::from_utf8(&name).is_err() && names != Names::Bytes {
        name.pop();
    }
    name.push(b'a' + number as u8);
    // bsdtar takes a first backslash for the root.
    if name.starts_with(b"\\") { name.split_off(1) } else { name }
}

fn text(length: usize, names: Names, random: &mut Random) -> Vec<u8> {
    let mut text = Vec::new();
    while text.len() < length {
        match (names, random.below(20)) {
            (Names::Unicode, 0) => text.extend("é".bytes()),
            (Names::Unicode, 1) => text.extend("日".bytes()),
            (Names::Bytes, 0) => text.push(0x80 | random.below(128) as u8),
            (Names::Bytes, 1) => text.push(b"\n=\\ \x01"[random.below(5) as usize]),
            _ => text.push(b'a' + random.below(26) as u8),
        }
    }
    text
}

/// Writes a file, of random parts between holes or whole.
fn write(path: &Path, has_holes: bool, random: &mut Random) {
    let mut file = File::create(path).unwrap();
    if !has_holes {
        let length = [0, 1, 511, 512, 513, 1024, 5000, 10_240][random.below(8) as usize];
        return file.write_all(&random.bytes(length)).unwrap();
    }
    // More parts than the four of a header, or the twenty-one of a further block.
    let parts = [0, 1, 3, 6, 30][random.below(5) as usize];
    for part in 0..parts {
        let hole = if part == 0 && random.below(2) == 0 { 0 } else { 4096 * (1 + random.below(3)) as i64 };
        file.seek(SeekFrom::Current(hole)).unwrap();
        let length = [4096, 4096, 8192, 4096 + 100][random.below(4) as usize];
        file.write_all(&random.bytes(length)).unwrap();
        let end = file.stream_position().unwrap();
        let next = if part + 1 == parts { end } else { end.next_multiple_of(4096) };
        file.seek(SeekFrom::Start(next)).unwrap();
    }
    let end = file.stream_position().unwrap();
    file.set_len(end + [0, 1, 4096, 100_000][random.below(4) as usize]).unwrap();
}

/// Returns the nodes below a directory.
pub fn scan(root: &Path) -> Tree {
    let mut tree = Tree::new();
    let mut directories = vec![(root.to_path_buf(), Vec::new())];
    while let Some((directory, prefix)) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let entry = entry.unwrap();
            let mut path = prefix.clone();
            path.extend(entry.file_name().into_vec());
            let data = entry.path().symlink_metadata().unwrap();
            let node = if data.is_dir() {
                directories.push((entry.path(), [path.as_slice(), b"/"].concat()));
                Node::Directory
            } else if data.is_symlink() {
                Node::Link(fs::read_link(entry.path()).unwrap().into_os_string().into_vec())
            } else if data.file_type().is_fifo() {
                Node::Fifo
            } else {
                Node::File(fs::read(entry.path()).unwrap())
            };
            tree.insert(
                path,
                (node, i128::from(data.mtime()) * 1_000_000_000 + i128::from(data.mtime_nsec())),
            );
        }
    }
    tree
}
