//! A cache of devices.

use super::Device;
use super::find::{Known, find, number};
use super::root::Root;
use crate::Entry;
use crate::path::ShortPath;
use crate::sys::{self, Links};
use hashloom_os::names;
use parking_lot::RwLock;
use std::collections::HashMap;
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Finds devices and caches them. Any number of threads may use it. Only the first lookup of a device costs more than a
/// table lookup.
#[derive(Debug)]
pub struct Devices {
    root: Root,
    /// Whether the root is that of this system, so that files may be examined as well.
    real: bool,
    known: RwLock<HashMap<u64, Arc<Device>>>,
}

impl Default for Devices {
    fn default() -> Devices {
        Devices::new()
    }
}

impl Devices {
    /// Returns the devices of this machine.
    pub fn new() -> Devices {
        Devices { real: true, ..Devices::under(Path::new("/")) }
    }

    /// Returns the devices that `proc`, `sys` and `dev` below this directory describe, for tests.
    pub fn under(root: &Path) -> Devices {
        Devices { root: Root::new(root), real: false, known: RwLock::default() }
    }

    /// Returns the device of an entry; unknown for standard input.
    pub fn of_entry(&self, entry: &Entry) -> Arc<Device> {
        self.device(entry.device, &entry.path)
    }

    /// Returns the device with this number, the `st_dev` of a file at this path. The path is only examined the first
    /// time, for numbers that are in no table of mounts (those of btrfs).
    pub fn device(&self, number: u64, path: &[u8]) -> Arc<Device> {
        if let Some(device) = self.known.read().get(&number) {
            return Arc::clone(device);
        }
        let device = Arc::new(if number == 0 { Device::unknown(0) } else { self.find(number, path) });
        let mut known = self.known.write();
        Arc::clone(known.entry(number).or_insert(device))
    }

    fn find(&self, number: u64, path: &[u8]) -> Device {
        let real = self.absolute(path);
        let kind = if self.real { kind(path).ok() } else { None };
        find(&self.root, &Known { number, path: real.as_deref(), kind })
    }

    /// Returns the path from the root, without links.
    fn absolute(&self, path: &[u8]) -> Option<PathBuf> {
        let path = names::path(path).ok()?;
        if path.is_absolute() { self.root.real(&path) } else { path.canonicalize().ok() }
    }
}

impl Device {
    /// Returns the device below the file at a path, or the device itself if the path is a block device.
    ///
    /// # Errors
    /// If nothing is at the path, or it can't be examined.
    pub fn from_path(path: &[u8]) -> io::Result<Device> {
        let meta = sys::stat(path, Links::Follow)?;
        let device = Devices::new().device(number(path, &meta), path);
        Ok(Arc::unwrap_or_clone(device))
    }
}

/// Returns the kernel's number for the type of file system at a path.
fn kind(path: &[u8]) -> io::Result<u32> {
    let file = sys::open(&ShortPath::open(path)?, libc::O_PATH)?;
    sys::file_system(file.as_fd())
}
