//! Random trees of files.

use hashmill_archive::MemberKind;
use std::collections::BTreeMap;
use std::fs::{self, FileTimes, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Random numbers (xorshift64*), equal in every run.
pub(crate) struct Random(pub u64);

impl Random {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16) as usize % bound.max(1)
    }

    fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }

    /// Returns content that compresses well, badly or not at all.
    pub(crate) fn content(&mut self) -> Vec<u8> {
        let length = match self.below(8) {
            0 => 0,
            1 => self.below(4),
            2 => 100_000 + self.below(200_000),
            _ => self.below(5000),
        };
        let letters = [1, 2, 20, 256][self.below(4)];
        (0..length).map(|_| self.below(letters) as u8).collect()
    }
}

/// A file, directory or link of a tree.
#[derive(Debug)]
pub(crate) struct Node {
    pub kind: MemberKind,
    pub content: Vec<u8>,
    pub mode: u32,
    pub modified: i64,
}

/// A random tree on disk, which is removed in the end.
pub(crate) struct Tree(tempfile::TempDir);

const NAMES: &[&str] =
    &["a", "b.txt", "with space", "ä", "日本", "x.y.z", "-dash", "long-long-long-name", "😀", "ß'"];

impl Tree {
    pub(crate) fn random(seed: u64) -> Tree {
        let tree = Tree(tempfile::tempdir().unwrap());
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let mut folders = vec![tree.path().to_path_buf()];
        for _ in 0..3 + random.below(12) {
            let parent = folders[random.below(folders.len())].clone();
            let path = parent.join(format!("{}{}", random.pick(NAMES), random.below(100)));
            if path.symlink_metadata().is_ok() {
                continue;
            }
            match random.below(6) {
                0 => {
                    fs::create_dir(&path).unwrap();
                    folders.push(path);
                }
                1 => {
                    let target = path.with_file_name(format!("target of {}", random.below(100_000)));
                    fs::write(&target, random.content()).unwrap();
                    set(&target, &mut random);
                    std::os::unix::fs::symlink(target.file_name().unwrap(), &path).unwrap();
                }
                _ => {
                    fs::write(&path, random.content()).unwrap();
                    set(&path, &mut random);
                }
            }
        }
        folders.iter().rev().for_each(|folder| set(folder, &mut random));
        tree
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Returns all nodes by their paths. Links are followed unless they are kept.
    pub(crate) fn nodes(&self, keeps_links: bool) -> BTreeMap<Vec<u8>, Node> {
        let mut nodes = BTreeMap::new();
        let mut folders = vec![self.path().to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                let node = node(&path, keeps_links);
                if node.kind == MemberKind::Directory {
                    folders.push(path.clone());
                }
                let name = path.strip_prefix(self.path()).unwrap().to_str().unwrap();
                nodes.insert(name.as_bytes().to_vec(), node);
            }
        }
        nodes
    }
}

fn node(path: &Path, keeps_links: bool) -> Node {
    let facts = if keeps_links { path.symlink_metadata() } else { path.metadata() }.unwrap();
    let (mut content, mut kind) = (Vec::new(), MemberKind::File);
    if facts.is_dir() {
        kind = MemberKind::Directory;
    } else if facts.is_symlink() {
        kind = MemberKind::Link(fs::read_link(path).unwrap().to_str().unwrap().into());
    } else {
        content = fs::read(path).unwrap();
    }
    Node { kind, content, mode: facts.mode() & 0o7777, modified: facts.mtime() }
}

/// Sets random times and permissions.
fn set(path: &Path, random: &mut Random) {
    let nanoseconds = random.below(1_000_000_000) as u32;
    let time =
        SystemTime::UNIX_EPOCH + Duration::new(400_000_000 + random.below(1_500_000_000) as u64, nanoseconds);
    let file = fs::File::open(path).unwrap();
    file.set_times(FileTimes::new().set_modified(time)).unwrap();
    let mode = if path.is_dir() { [0o755, 0o700, 0o1777] } else { [0o644, 0o755, 0o600] }[random.below(3)];
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}
