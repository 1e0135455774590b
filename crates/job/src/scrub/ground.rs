//! The folders of a run, from which kept files are opened.

use hashmill_content::selection::own::identity_at;
use hashmill_content::selection::path_of;
use hashmill_content::stores::Stores;
use hashmill_content::stores::location::with_slash;
use hashmill_engine::flow::Entries;
use hashmill_keep::Stamp;
use hashmill_source::{Entry, Meta, OperandDirectory, Origin, WalkItem};
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

/// The folders and files that were named, as the walk met them.
#[derive(Debug, Default)]
pub(super) struct Ground {
    stores: Stores,
    /// Their paths as they were named.
    names: Vec<Box<[u8]>>,
    operands: Vec<Operand>,
}

/// One that was named.
#[derive(Debug)]
struct Operand {
    path: Box<[u8]>,
    origin: Origin,
    directory: Option<Arc<OperandDirectory>>,
}

impl Ground {
    pub(super) fn new(names: Vec<Box<[u8]>>, stores: &Stores) -> Ground {
        Ground { stores: stores.clone(), names, operands: Vec::new() }
    }

    /// Returns the paths as they were named.
    pub(super) fn names(&self) -> &[Box<[u8]>] {
        &self.names
    }

    /// Returns the device of a folder that was named; none of a location.
    pub(super) fn device(&self, name: &[u8]) -> Option<u64> {
        let identity = || identity_at(&path_of(name));
        if self.stores.is_location(name) { None } else { identity().map(|(device, _)| device) }
    }

    /// Returns the empty folder below an operand that a file lay in which was on another device: a mount point whose disk is
    /// away. After a restart, a disk may have another number: then its files are there, or their folder isn't.
    pub(super) fn empty_mount_point(&self, path: &[u8], device: u64) -> Option<Box<[u8]>> {
        let operand = self.names.iter().find(|name| is_below(path, name))?;
        let slashes = path.iter().enumerate().rev().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        let mut folders = slashes.take_while(|at| *at > operand.len()).map(|at| &path[..at]);
        let folder = folders.find(|folder| path_of(folder).symlink_metadata().is_ok())?;
        let mut within = path_of(folder).read_dir().ok()?;
        let is_empty = within.all(|entry| entry.is_ok_and(|entry| entry.file_name() == "lost+found"));
        let is_other = identity_at(&path_of(folder)).is_some_and(|(other, _)| other != device);
        (is_empty && is_other && self.location(path).is_none()).then(|| folder.into())
    }

    /// Returns whether a path is one that was named, or below it.
    pub(super) fn covers(&self, path: &[u8]) -> bool {
        self.names.iter().any(|name| is_below(path, name))
    }

    /// Learns from a file of the walk how files below its operand are opened.
    pub(super) fn learn(&mut self, entry: &Entry) {
        if self.operand(&entry.path).is_some() {
            return;
        }
        if let Some(path) = self.names.iter().find(|name| is_below(&entry.path, name)) {
            let (origin, directory) = (entry.origin, entry.operand.clone());
            self.operands.push(Operand { path: path.clone(), origin, directory });
        }
    }

    /// Returns the entries of kept files, each with its device: those of folders in this order, then those of each location.
    pub(super) fn entries<'a>(&self, files: impl Iterator<Item = (&'a [u8], u64)>) -> Entries {
        let mut here = Vec::new();
        let mut stored: BTreeMap<&[u8], Vec<Box<[u8]>>> = BTreeMap::new();
        for (path, device) in files {
            match self.location(path) {
                None => here.extend(self.entry(path, device).map(WalkItem::File)),
                Some(location) if location == path => here.push(self.stores.file(path)),
                Some(location) => {
                    let name = &path[with_slash(location).len()..];
                    stored.entry(location).or_default().push(name.into());
                }
            }
        }
        let stored: Vec<_> = stored.into_iter().map(|(at, names)| (with_slash(at), names)).collect();
        let stores = self.stores.clone();
        let stored = stored.into_iter().flat_map(move |(at, names)| stores.below(&at, names));
        Box::new(here.into_iter().chain(stored))
    }

    /// Returns the location that was named and is this path, or above it.
    fn location(&self, path: &[u8]) -> Option<&[u8]> {
        let mut names = self.names.iter().filter(|name| self.stores.is_location(name));
        names.find(|name| is_below(path, name)).map(|name| &**name)
    }

    /// Returns the entry of a kept file; nothing if it is below no operand.
    fn entry(&self, path: &[u8], device: u64) -> Option<Entry> {
        let operand = self.operand(path)?;
        let entry = Entry::new(path.into(), operand.origin);
        Some(Entry { device, operand: operand.directory.clone(), ..entry })
    }

    /// Returns the directory from which a kept file is opened, and the path that it has there.
    ///
    /// # Errors
    /// If it is below no operand that the walk met, or the folder of a file can't be opened.
    pub(super) fn directory(&self, path: &[u8]) -> io::Result<(Arc<OperandDirectory>, Box<[u8]>)> {
        let operand =
            self.operand(path).ok_or_else(|| io::Error::other("it is below no folder of this run"))?;
        match &operand.directory {
            Some(directory) => Ok((Arc::clone(directory), path.into())),
            None => {
                let (folder, whole) = folder_of(path);
                Ok((Arc::new(OperandDirectory::open(&folder)?), whole))
            }
        }
    }

    /// Returns the size of a file that was never read; 0 if it can't be looked up. Listings of locations have sizes.
    pub(super) fn size(&self, path: &[u8]) -> u64 {
        if self.location(path).is_some() {
            return 0;
        }
        let directory = self.operand(path).and_then(|operand| operand.directory.as_ref());
        match directory {
            Some(directory) => directory.meta(path).map_or(0, |meta| meta.size),
            None => path_of(path).metadata().map_or(0, |meta| meta.len()),
        }
    }

    fn operand(&self, path: &[u8]) -> Option<&Operand> {
        self.operands.iter().find(|operand| is_below(path, &operand.path))
    }
}

/// Returns what is kept of the metadata of a file. An object has no ctime: what stands for its ETag and its version takes that
/// place, as another content has another one. Nothing is kept of an object of which the store states no time either.
pub(super) fn stamp(meta: &Meta) -> Option<Stamp> {
    let stamp = match meta.stamp {
        0 => stamp_of_file(meta),
        stamp => Stamp { ctime: ((stamp ^ (stamp >> 64)) as i64, 0), ..stamp_of_file(meta) },
    };
    let nothing = Stamp { device: 0, inode: 0, mtime: (0, 0), ctime: (0, 0) };
    Some(stamp).filter(|stamp| *stamp != nothing)
}

/// Returns what is kept of the metadata of a file of this machine.
pub(super) fn stamp_of_file(meta: &Meta) -> Stamp {
    Stamp { device: meta.dev, inode: meta.ino, mtime: meta.mtime, ctime: meta.ctime }
}

/// Returns the folder of a file, and the path of the file that begins with it.
pub(super) fn folder_of(path: &[u8]) -> (Box<[u8]>, Box<[u8]>) {
    match path.iter().rposition(|byte| *byte == b'/') {
        None => (b".".as_slice().into(), [b"./", path].concat().into()),
        Some(0) => (b"/".as_slice().into(), path.into()),
        Some(slash) => (path[..slash].into(), path.into()),
    }
}

/// Returns whether a path is this operand, or below it.
pub(super) fn is_below(path: &[u8], operand: &[u8]) -> bool {
    match path.strip_prefix(operand) {
        Some([]) => true,
        Some([first, ..]) => *first == b'/' || operand.ends_with(b"/"),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_below;

    #[test]
    fn names_that_only_begin_alike_are_not_below() {
        for (path, operand, wanted) in
            [("a/b", "a", true), ("a", "a", true), ("ab", "a", false), ("a/b", "a/", true), ("/x", "/", true)]
        {
            assert_eq!(is_below(path.as_bytes(), operand.as_bytes()), wanted, "{path} {operand}");
        }
    }
}
