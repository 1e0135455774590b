//! Volumes that ntfs-3g fills, and what is known to be in them.

use crate::tools::{Random, done, run, unmount};
use hashmill_disk::{Medium, Seekable};
use hashmill_testing::{installed, not_possible};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

/// How a volume is made.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    pub sector: u32,
    pub cluster: u32,
    pub megabytes: u64,
}

/// An image with NTFS.
#[derive(Debug)]
pub struct Volume {
    folder: TempDir,
}

/// A volume that is mounted; it is unmounted when this is dropped.
#[derive(Debug)]
pub struct Mounted {
    pub root: PathBuf,
    program: Child,
}

impl Volume {
    /// Makes an empty volume; none, noted, if that is not possible here.
    pub fn new(shape: Shape) -> Option<Volume> {
        let folder = tempfile::tempdir().unwrap();
        let volume = Volume { folder };
        let file = File::create(volume.image()).unwrap();
        file.set_len(shape.megabytes << 20).unwrap();
        let (sector, cluster) = (shape.sector.to_string(), shape.cluster.to_string());
        let image = volume.image();
        let options = ["-F", "-Q", "-s", &sector, "-c", &cluster, "-p", "0", "-H", "16", "-S", "63"];
        let named = ["-L", "T\u{e4}st \u{1f600}", image.to_str().unwrap()];
        done("mkfs.ntfs", &[&options[..], &named[..]].concat(), "")?;
        Some(volume)
    }

    pub fn image(&self) -> PathBuf {
        self.folder.path().join("image")
    }

    pub fn medium(&self) -> Arc<dyn Medium> {
        Arc::new(Seekable::new(File::open(self.image()).unwrap()).unwrap())
    }

    /// Mounts it; none, noted, if that is not possible here.
    pub fn mount(&self) -> Option<Mounted> {
        let root = self.folder.path().join("mounted");
        fs::create_dir_all(&root).unwrap();
        let mut command = Command::new(installed("ntfs-3g")?);
        command.args(["-o", "no_detach,streams_interface=windows,compression"]);
        command.stderr(Stdio::null());
        let program = command.arg(self.image()).arg(&root).spawn().unwrap();
        let mut mounted = Mounted { root, program };
        while !is_mounted(&mounted.root) {
            if mounted.program.try_wait().unwrap().is_some() {
                not_possible("mounting NTFS");
                return None;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Some(mounted)
    }
}

impl Drop for Mounted {
    /// Unmounts, and waits until everything is written.
    fn drop(&mut self) {
        unmount(&self.root);
        let _ = self.program.wait();
    }
}

fn is_mounted(root: &Path) -> bool {
    let mounts = fs::read_to_string("/proc/mounts").unwrap_or_default();
    mounts.split(' ').any(|word| Path::new(word) == root)
}

/// The content of a volume, and how it is changed.
#[derive(Debug)]
pub struct Filled {
    root: PathBuf,
    random: Random,
    /// The bytes by path; the path of an alternate stream ends in `:` and its name.
    pub files: BTreeMap<String, Vec<u8>>,
    /// The directories, the root first.
    pub directories: Vec<String>,
    /// Files with several names, by each: they are not changed any more.
    pub linked: Vec<(String, Vec<u8>)>,
    /// Those that were removed last.
    pub removed: BTreeMap<String, Vec<u8>>,
    /// The number of directories whose files are compressed.
    pub compressed: usize,
    count: usize,
}

impl Filled {
    pub fn new(mounted: &Mounted, seed: u64) -> Filled {
        Filled {
            root: mounted.root.clone(),
            random: Random(seed),
            files: BTreeMap::new(),
            directories: vec![String::new()],
            linked: Vec::new(),
            removed: BTreeMap::new(),
            compressed: 0,
            count: 0,
        }
    }

    /// Changes something, many times.
    pub fn change(&mut self, times: usize) {
        for _ in 0..times {
            match self.random.below(40) {
                0 => self.make_directory(),
                1..4 => self.append(),
                4 => self.write_far(),
                5 => self.truncate(),
                6 | 7 => self.remove(),
                8 => self.rename(),
                9 => self.link(),
                10 | 11 => self.add_stream(),
                _ => self.create(),
            }
        }
    }

    /// Returns all paths with their bytes, those of files with several names among them.
    pub fn all(&self) -> BTreeMap<String, Vec<u8>> {
        self.files.clone().into_iter().chain(self.linked.clone()).collect()
    }

    fn update(&mut self, path: &str, change: impl FnOnce(&mut Vec<u8>)) {
        change(self.files.get_mut(path).unwrap());
    }

    /// Makes files on a small volume.
    pub fn change_small(&mut self, times: usize) {
        for at in 0..times {
            match at % 10 {
                0 => self.make_directory(),
                1 => self.add_stream(),
                2 => self.link(),
                _ => self.create(),
            }
        }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    fn pick_file(&mut self) -> Option<String> {
        let count = self.files.len() as u64;
        let at = self.random.below(count.max(1)) as usize;
        self.files.keys().nth(at).cloned()
    }

    fn new_path(&mut self) -> String {
        const ODD: [&str; 8] =
            ["\u{e4}\u{20ac}", "\u{1f600}", " blank ", "UPPER.TXT", "a.b.c", "\u{fdd0}", "x\u{301}", "-"];
        self.count += 1;
        let at = self.random.below(self.directories.len() as u64) as usize;
        let odd = ODD[self.random.below(8) as usize];
        let long = if self.random.below(20) == 0 { "n".repeat(200) } else { String::new() };
        let name = format!("{odd}{}{long}x", self.count);
        let directory = &self.directories[at];
        if directory.is_empty() { name } else { format!("{directory}/{name}") }
    }

    /// Returns bytes that are short or long, and easy or hard to compress.
    pub fn bytes(&mut self) -> Vec<u8> {
        let length = match self.random.below(20) {
            0 => 0,
            1..12 => self.random.below(800),
            12..19 => self.random.below(20_000),
            _ => self.random.below(400_000),
        };
        let range = [1, 2, 4, 256, 256][self.random.below(5) as usize];
        let mut bytes = Vec::new();
        while bytes.len() < length as usize {
            let part = self.random.below(3000) as usize;
            if self.random.below(3) == 0 {
                let value = self.random.next() as u8;
                bytes.extend(std::iter::repeat_n(value, part * 4));
            } else {
                bytes.extend((0..part).map(|_| self.random.below(range) as u8));
            }
        }
        bytes.truncate(length as usize);
        bytes
    }

    fn create(&mut self) {
        let (path, bytes) = (self.new_path(), self.bytes());
        fs::write(self.path(&path), &bytes).unwrap();
        self.files.insert(path, bytes);
    }

    fn make_directory(&mut self) {
        let path = self.new_path();
        fs::create_dir(self.path(&path)).unwrap();
        self.compressed += usize::from(self.random.below(2) == 0 && compress(&self.path(&path)));
        self.directories.push(path);
    }

    fn append(&mut self) {
        for _ in 0..self.random.below(8) {
            let (Some(path), bytes) = (self.pick_file(), self.bytes()) else { return };
            let mut file = OpenOptions::new().append(true).open(self.path(&path)).unwrap();
            file.write_all(&bytes).unwrap();
            self.update(&path, |held| held.extend_from_slice(&bytes));
        }
    }

    /// Writes beyond the end of a file, which leaves a hole.
    fn write_far(&mut self) {
        let (Some(path), bytes) = (self.pick_file(), self.bytes()) else { return };
        let far = self.random.below(3_000_000);
        let mut file = OpenOptions::new().write(true).open(self.path(&path)).unwrap();
        file.seek(SeekFrom::Start(far)).unwrap();
        file.write_all(&bytes).unwrap();
        let (far, end) = (far as usize, far as usize + bytes.len());
        self.update(&path, |held| {
            if !bytes.is_empty() {
                held.resize(held.len().max(end), 0);
                held[far..end].copy_from_slice(&bytes);
            }
        });
    }

    fn truncate(&mut self) {
        let Some(path) = self.pick_file() else { return };
        let length = self.random.below(self.files[&path].len() as u64 + 1);
        OpenOptions::new().write(true).open(self.path(&path)).unwrap().set_len(length).unwrap();
        self.update(&path, |held| held.truncate(length as usize));
    }

    pub fn remove(&mut self) {
        let Some(path) = self.pick_file() else { return };
        fs::remove_file(self.path(&path)).unwrap();
        self.files.remove(&path);
        let streams: Vec<_> = self.files.keys().filter(|other| is_stream_of(other, &path)).cloned().collect();
        streams.iter().for_each(|stream| drop(self.files.remove(stream)));
    }

    /// Removes files, and directories with all that is in them.
    pub fn remove_many(&mut self) {
        let before = self.files.clone();
        (0..60).for_each(|_| self.remove());
        for _ in 0..3 {
            let at = self.random.below(self.directories.len() as u64) as usize;
            let directory = self.directories[at].clone();
            if directory.is_empty() {
                continue;
            }
            fs::remove_dir_all(self.path(&directory)).unwrap();
            let within = format!("{directory}/");
            self.files.retain(|path, _| !path.starts_with(&within));
            self.linked.retain(|(path, _)| !path.starts_with(&within));
            self.directories.retain(|path| *path != directory && !path.starts_with(&within));
        }
        let is_gone = |(path, _): &(String, Vec<u8>)| !self.files.contains_key(path);
        self.removed = before.into_iter().filter(is_gone).collect();
    }

    fn rename(&mut self) {
        let (Some(path), new) = (self.pick_file(), self.new_path()) else { return };
        if path.contains(':') {
            return;
        }
        fs::rename(self.path(&path), self.path(&new)).unwrap();
        let is_moved = |other: &&String| **other == path || is_stream_of(other, &path);
        let moved: Vec<_> = self.files.keys().filter(is_moved).cloned().collect();
        for old in moved {
            let bytes = self.files.remove(&old).unwrap();
            self.files.insert(format!("{new}{}", &old[path.len()..]), bytes);
        }
    }

    /// Gives a file another name; sometimes the first one is taken away.
    fn link(&mut self) {
        let (Some(path), new) = (self.pick_file(), self.new_path()) else { return };
        if path.contains(':') || self.files.keys().any(|other| is_stream_of(other, &path)) {
            return;
        }
        fs::hard_link(self.path(&path), self.path(&new)).unwrap();
        if self.random.below(3) == 0 {
            fs::remove_file(self.path(&path)).unwrap();
            self.files.remove(&path).map(|bytes| self.files.insert(new, bytes));
        } else {
            // It has no changes any more, as all names would have them.
            let bytes = self.files.remove(&path).unwrap();
            self.linked.push((path, bytes.clone()));
            self.linked.push((new, bytes));
        }
    }

    fn add_stream(&mut self) {
        let (Some(path), bytes) = (self.pick_file(), self.bytes()) else { return };
        if path.contains(':') {
            return;
        }
        self.count += 1;
        let path = format!("{path}:str\u{e4}m{}", self.count);
        fs::write(self.path(&path), &bytes).unwrap();
        self.files.insert(path, bytes);
    }
}

fn is_stream_of(path: &str, file: &str) -> bool {
    path.strip_prefix(file).is_some_and(|rest| rest.starts_with(':'))
}

/// Has new files in a directory compressed.
fn compress(directory: &Path) -> bool {
    let script = "import os, sys; name = 'system.ntfs_attrib_be'; path = sys.argv[1]; \
        flags = int.from_bytes(os.getxattr(path, name), 'big') | 0x800; \
        os.setxattr(path, name, flags.to_bytes(4, 'big'))";
    run("python3", &["-c", script, directory.to_str().unwrap()], "").is_some_and(|(succeeded, _)| succeeded)
}
