//! A cache of devices.

use super::Device;
use crate::sys::{self, DeviceTables};
use hashmill_os::Links;
use parking_lot::RwLock;
use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Finds devices and caches them. Any number of threads may use it. Only the first lookup of a device costs more than a
/// table lookup.
#[derive(Debug)]
pub struct Devices {
    tables: DeviceTables,
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
        Devices { tables: DeviceTables::new(), known: RwLock::default() }
    }

    /// Returns the devices that `proc`, `sys` and `dev` below this directory describe, for tests. Systems without these
    /// have no devices there.
    pub fn under(root: &Path) -> Devices {
        Devices { tables: DeviceTables::under(root), known: RwLock::default() }
    }

    /// Returns the device with this number, the `st_dev` of a file at this path. The path is only examined the first
    /// time, for numbers that are in no table of mounts (those of btrfs).
    pub fn device(&self, number: u64, path: &[u8]) -> Arc<Device> {
        if let Some(device) = self.known.read().get(&number) {
            return Arc::clone(device);
        }
        let device = Arc::new(if number == 0 { Device::unknown(0) } else { self.tables.find(number, path) });
        let mut known = self.known.write();
        Arc::clone(known.entry(number).or_insert(device))
    }
}

impl Device {
    /// Returns the device below the file at a path, or the device itself if the path is a block device.
    ///
    /// # Errors
    /// If nothing is at the path, or it can't be examined.
    pub fn from_path(path: &[u8]) -> io::Result<Device> {
        let meta = sys::stat(path, Links::Follow)?;
        let device = Devices::new().device(sys::device_number(path, &meta), path);
        Ok(Arc::unwrap_or_clone(device))
    }
}
