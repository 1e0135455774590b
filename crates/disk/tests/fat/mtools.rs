//! A volume of mkfs.vfat that mtools fill.

use crate::tools::{Random, run};
use hashmill_disk::{Medium, Seekable};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::Arc;

/// The shape of a volume.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    pub bits: u32,
    pub sector: u32,
    /// Sectors in a cluster.
    pub cluster: u32,
    pub kilobytes: u32,
}

/// A volume, and the files that are in it.
#[derive(Debug)]
pub struct Volume {
    folder: tempfile::TempDir,
    random: Random,
    shape: Shape,
    pub files: BTreeMap<String, Vec<u8>>,
    pub directories: BTreeSet<String>,
    /// The files that were deleted, by the path that they had.
    pub removed: BTreeMap<String, Vec<u8>>,
}

/// The beginnings of names: short ones, ones with case bits, long ones, ones of other scripts.
const NAMES: [&str; 16] = [
    "UPPER#.TXT",
    "lower#.txt",
    "lower#.TXT",
    "Mixed#.Txt",
    "N#",
    "n#",
    "a name with spaces # and more.text",
    "dots.in.the.name.#.tar.gz",
    "Größe #.txt",
    "Ελληνικά #",
    "日本語の名前#.txt",
    "Кириллица #.png",
    ".hidden#",
    "+plus,comma;#=x",
    "exactly 13 #c",
    "long # long long long long long long long long long long long long long long long long long long long long \
     long long long long long long long long long long",
];

impl Volume {
    /// Makes an empty volume; none, with a message, if a program is missing.
    pub fn new(shape: Shape, seed: u64) -> Option<Volume> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("image");
        let text = |number: u32| number.to_string();
        let (bits, sector) = (text(shape.bits), text(shape.sector));
        let (cluster, blocks) = (text(shape.cluster), text(shape.kilobytes));
        let arguments = [
            "-F",
            &bits,
            "-S",
            &sector,
            "-s",
            &cluster,
            "-n",
            "A LABEL",
            "-i",
            "1234abcd",
            "-C",
            path.to_str().unwrap(),
            &blocks,
        ];
        let (is_made, _) = run("mkfs.vfat", &arguments, "")?;
        assert!(is_made, "{shape:?}");
        run("mdir", &["-i", path.to_str().unwrap(), "-b", "::/"], "")?;
        Some(Volume {
            folder,
            random: Random(seed),
            shape,
            files: BTreeMap::new(),
            directories: BTreeSet::from([String::new()]),
            removed: BTreeMap::new(),
        })
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().join("image")
    }

    pub fn medium(&self) -> Arc<dyn Medium> {
        Arc::new(Seekable::new(File::open(self.path()).unwrap()).unwrap())
    }

    /// Makes, overwrites, renames and removes files and directories.
    pub fn change(&mut self, times: usize) {
        for _ in 0..times {
            match self.random.below(20) {
                0 if self.directories.len() < 12 => self.make_directory(),
                1 => self.rename(),
                2..=7 => self.remove(),
                8..=9 => self.overwrite(),
                _ => self.write_new(),
            }
        }
    }

    /// Removes every other file, which leaves gaps.
    pub fn remove_every_other(&mut self) {
        for path in self.files.keys().step_by(2).cloned().collect::<Vec<_>>() {
            self.remove_one(&path);
        }
    }

    /// Removes a directory with everything in it.
    pub fn remove_directory(&mut self) {
        let Some(path) = self.directories.iter().skip(1).nth(1).cloned() else { return };
        assert!(self.tool("mdeltree", &[&format!("::{path}")]), "{path}");
        let below = format!("{path}/");
        let (gone, kept) =
            std::mem::take(&mut self.files).into_iter().partition(|(file, _)| file.starts_with(&below));
        self.files = kept;
        self.removed.extend(gone);
        self.directories.retain(|directory| *directory != path && !directory.starts_with(&below));
    }

    fn tool(&self, tool: &str, arguments: &[&str]) -> bool {
        let path = self.path();
        run(tool, &[&["-i", path.to_str().unwrap()], arguments].concat(), "").unwrap().0
    }

    fn new_path(&mut self) -> String {
        let number = self.random.below(1000);
        let name = NAMES[self.random.below(NAMES.len() as u64) as usize].replace('#', &number.to_string());
        let directory = self.random.below(self.directories.len() as u64) as usize;
        format!("{}/{name}", self.directories.iter().nth(directory).unwrap())
    }

    /// Returns whether a path is taken, as names are the same in upper and lower case.
    fn is_taken(&self, path: &str) -> bool {
        let same = |other: &String| other.to_lowercase() == path.to_lowercase();
        self.files.keys().any(same) || self.directories.iter().any(same)
    }

    fn bytes(&mut self) -> Vec<u8> {
        let cluster = u64::from(self.shape.sector * self.shape.cluster);
        let size = match self.random.below(8) {
            0 => 0,
            1 => cluster,
            2 => cluster + 1,
            3 => 2 * cluster - 1,
            _ => self.random.below((6 * cluster).min(u64::from(self.shape.kilobytes) * 1024 / 60)),
        };
        (0..size).map(|_| self.random.next() as u8).collect()
    }

    fn write_new(&mut self) {
        let path = self.new_path();
        if !self.is_taken(&path) {
            let bytes = self.bytes();
            self.write(&path, bytes);
        }
    }

    fn write(&mut self, path: &str, bytes: Vec<u8>) {
        let source = self.folder.path().join("source");
        fs::write(&source, &bytes).unwrap();
        if self.tool("mcopy", &["-D", "o", "-o", source.to_str().unwrap(), &format!("::{path}")]) {
            self.removed.remove(path);
            self.files.insert(path.into(), bytes);
        } else {
            // The volume is full, and a part of the file may be there.
            self.tool("mdel", &[&format!("::{path}")]);
            self.files.remove(path);
        }
    }

    fn any_file(&mut self) -> Option<String> {
        let number = self.random.below(self.files.len().max(1) as u64) as usize;
        self.files.keys().nth(number).cloned()
    }

    fn overwrite(&mut self) {
        if let Some(path) = self.any_file() {
            let bytes = self.bytes();
            self.write(&path, bytes);
        }
    }

    fn remove(&mut self) {
        if let Some(path) = self.any_file() {
            self.remove_one(&path);
        }
    }

    fn remove_one(&mut self, path: &str) {
        assert!(self.tool("mdel", &[&format!("::{path}")]), "{path}");
        let bytes = self.files.remove(path).unwrap();
        self.removed.insert(path.into(), bytes);
    }

    fn rename(&mut self) {
        let Some(path) = self.any_file() else { return };
        let to = self.new_path();
        // mmove loses the flags for lower case of some short names.
        if self.is_taken(&to) || to.contains("/lower") || to.contains("/n") {
            return;
        }
        if self.tool("mmove", &[&format!("::{path}"), &format!("::{to}")]) {
            let bytes = self.files.remove(&path).unwrap();
            self.files.insert(to, bytes);
        }
    }

    fn make_directory(&mut self) {
        let path = self.new_path();
        if !self.is_taken(&path) && self.tool("mmd", &[&format!("::{path}")]) {
            self.directories.insert(path);
        }
    }
}
