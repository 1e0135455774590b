//! A volume of mkfs.exfat that exfat-fuse fills. To mount it takes root and a loop device.

use crate::tools::{Random, done, run, unmount};
use hashmill_disk::{Medium, Seekable};
use hashmill_testing::not_possible;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The shape of a volume.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    pub cluster: u64,
    pub megabytes: u64,
}

/// A volume.
#[derive(Debug)]
pub struct Volume {
    folder: tempfile::TempDir,
}

/// A mounted volume, until it is dropped.
#[derive(Debug)]
pub struct Mounted {
    device: String,
    pub root: PathBuf,
}

impl Volume {
    /// Makes an empty volume; none, noted, if `mkfs.exfat` is missing.
    pub fn new(shape: Shape) -> Option<Volume> {
        let volume = Volume { folder: tempfile::tempdir().unwrap() };
        let path = volume.path();
        File::create(&path).unwrap().set_len(shape.megabytes << 20).unwrap();
        let cluster = shape.cluster.to_string();
        let arguments = ["-c", &cluster, "-L", "Größe", path.to_str().unwrap()];
        done("mkfs.exfat", &arguments, "")?;
        Some(volume)
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().join("image")
    }

    pub fn medium(&self) -> Arc<dyn Medium> {
        Arc::new(Seekable::new(File::open(self.path()).unwrap()).unwrap())
    }

    /// Mounts it; none, noted, where that can't be done.
    pub fn mount(&self) -> Option<Mounted> {
        let root = self.folder.path().join("mounted");
        fs::create_dir(&root).unwrap();
        let (is_attached, device) = run("losetup", &["-f", "--show", self.path().to_str().unwrap()], "")?;
        if !is_attached {
            not_possible("a loop device");
            return None;
        }
        let mounted = Mounted { device: String::from_utf8(device).unwrap().trim().into(), root };
        let arguments = [&*mounted.device, mounted.root.to_str().unwrap()];
        let (is_mounted, _) = run("mount.exfat-fuse", &arguments, "")?;
        if !is_mounted {
            not_possible("mounting exFAT");
            return None;
        }
        Some(mounted)
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        unmount(&self.root);
        run("losetup", &["-d", &self.device], "");
    }
}

/// The files that were written to a volume.
#[derive(Debug)]
pub struct Filled {
    root: PathBuf,
    random: Random,
    cluster: u64,
    pub files: BTreeMap<String, Vec<u8>>,
    pub directories: BTreeSet<String>,
    pub removed: BTreeMap<String, Vec<u8>>,
}

const NAMES: [&str; 8] = [
    "UPPER#.TXT",
    "lower#.txt",
    "n#",
    "a name with spaces # and more.text",
    "Größe und Ελληνικά #",
    "日本語の名前#.txt",
    ".hidden#",
    "long # long long long long long long long long long long long long long long long long long long long long long \
     long long long long long long long long long long long long long long long long long long long long long long",
];

impl Filled {
    pub fn new(mounted: &Mounted, shape: Shape, seed: u64) -> Filled {
        Filled {
            root: mounted.root.clone(),
            random: Random(seed),
            cluster: shape.cluster,
            files: BTreeMap::new(),
            directories: BTreeSet::from([String::new()]),
            removed: BTreeMap::new(),
        }
    }

    fn place(&self, path: &str) -> PathBuf {
        Path::new(&self.root).join(path)
    }

    /// Makes, lengthens and removes files, and makes directories.
    pub fn change(&mut self, times: usize) {
        for _ in 0..times {
            match self.random.below(20) {
                0 if self.directories.len() < 10 => {
                    let path = self.new_path();
                    if !self.is_taken(&path) {
                        fs::create_dir(self.place(&path)).unwrap();
                        self.directories.insert(path);
                    }
                }
                1..=5 => self.remove(),
                6..=10 => self.lengthen(),
                _ => {
                    let (path, bytes) = (self.new_path(), self.bytes());
                    if !self.is_taken(&path) {
                        fs::write(self.place(&path), &bytes).unwrap();
                        self.removed.remove(&path);
                        self.files.insert(path, bytes);
                    }
                }
            }
        }
    }

    /// Removes every third file, and nothing is written after that.
    pub fn remove_many(&mut self) {
        for path in self.files.keys().step_by(3).cloned().collect::<Vec<_>>() {
            self.remove_one(&path);
        }
    }

    fn is_taken(&self, path: &str) -> bool {
        let same = |other: &String| other.to_lowercase() == path.to_lowercase();
        self.files.keys().any(same) || self.directories.iter().any(same)
    }

    fn new_path(&mut self) -> String {
        let number = self.random.below(10_000);
        let name = NAMES[self.random.below(NAMES.len() as u64) as usize].replace('#', &number.to_string());
        let directory = self.random.below(self.directories.len() as u64) as usize;
        match self.directories.iter().nth(directory).unwrap().as_str() {
            "" => name,
            directory => format!("{directory}/{name}"),
        }
    }

    fn bytes(&mut self) -> Vec<u8> {
        let size = match self.random.below(6) {
            0 => 0,
            1 => self.cluster,
            _ => self.random.below((4 * self.cluster).min(200_000)),
        };
        (0..size).map(|_| self.random.next() as u8).collect()
    }

    fn any_file(&mut self) -> Option<String> {
        let number = self.random.below(self.files.len().max(1) as u64) as usize;
        self.files.keys().nth(number).cloned()
    }

    /// Adds bytes to a file, which gives it a chain unless the next cluster is free.
    fn lengthen(&mut self) {
        let Some(path) = self.any_file() else { return };
        let more = self.bytes();
        let place = self.place(&path);
        let bytes = self.files.get_mut(&path).unwrap();
        bytes.extend(more);
        fs::write(place, bytes).unwrap();
    }

    fn remove(&mut self) {
        if let Some(path) = self.any_file() {
            self.remove_one(&path);
        }
    }

    fn remove_one(&mut self, path: &str) {
        fs::remove_file(self.place(path)).unwrap();
        let bytes = self.files.remove(path).unwrap();
        self.removed.insert(path.into(), bytes);
    }
}
