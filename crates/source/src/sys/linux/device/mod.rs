//! The device below a file, from `/proc/self/mountinfo` and `/sys`.

mod find;
mod mediums;
mod mounts;
mod root;
mod stack;

use super::file_system::file_system;
use super::short_path::ShortPath;
use super::unix::open_short;
use crate::{Device, Meta};
use find::{Known, find};
use hashmill_os::names;
use root::Root;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The system's tables of devices.
#[derive(Debug)]
pub(crate) struct DeviceTables {
    root: Root,
    /// Whether the root is that of this system, so that files may be examined as well.
    is_real: bool,
}

impl DeviceTables {
    /// Returns the tables of this machine.
    pub(crate) fn new() -> DeviceTables {
        DeviceTables { is_real: true, ..DeviceTables::under(Path::new("/")) }
    }

    /// Returns the tables below a directory.
    pub(crate) fn under(root: &Path) -> DeviceTables {
        DeviceTables { root: Root::new(root), is_real: false }
    }

    /// Finds the device with a number, which holds a path.
    pub(crate) fn find(&self, number: u64, path: &[u8]) -> Device {
        let real = self.absolute(path);
        let kind = if self.is_real { kind(path).ok() } else { None };
        find(&self.root, &Known { number, path: real.as_deref(), kind })
    }

    /// Returns the path from the root, without links.
    fn absolute(&self, path: &[u8]) -> Option<PathBuf> {
        let path = names::path(path).ok()?;
        if path.is_absolute() { self.root.real(&path) } else { path.canonicalize().ok() }
    }
}

/// Returns the kernel's number for the type of file system at a path.
fn kind(path: &[u8]) -> io::Result<u32> {
    let file = open_short(&ShortPath::open(path)?, libc::O_PATH)?;
    file_system(&file)
}

/// Returns the device number to look up for a path: that of the file system, or of a block device itself.
pub(crate) fn device_number(path: &[u8], meta: &Meta) -> u64 {
    let named = || std::fs::metadata(names::path(path).ok()?).ok().map(|meta| meta.rdev());
    meta.is_block_device().then(named).flatten().unwrap_or(meta.dev)
}
