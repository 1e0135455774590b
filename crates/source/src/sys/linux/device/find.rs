//! The search for the device of a number or a path.

use super::mediums;
use super::mounts::{Mount, Mounts};
use super::root::Root;
use crate::{Block, Device, Medium};
use hashmill_os::names;
use std::ffi::OsStr;
use std::path::Path;

/// The most levels of stacked devices. No machine has more; the limit ends the search if the tables form a cycle.
const DEEPEST: usize = 24;

/// A search with one reading of the system's tables.
#[derive(Clone, Copy)]
pub(super) struct Finder<'a> {
    pub(super) root: &'a Root,
    mounts: &'a Mounts,
    /// The number of levels that it may still descend.
    steps: usize,
}

/// The facts known of a file before its device is looked up.
pub(super) struct Known<'a> {
    /// The `st_dev`, or 0.
    pub(super) number: u64,
    /// An absolute path to it, without links.
    pub(super) path: Option<&'a Path>,
    /// The type number of its file system from `statfs`.
    pub(super) kind: Option<u32>,
}

/// Finds the device of a file, with the current tables of the system.
pub(super) fn find(root: &Root, known: &Known<'_>) -> Device {
    let mounts = Mounts::parse(&root.bytes("/proc/self/mountinfo").unwrap_or_default());
    let finder = Finder { root, mounts: &mounts, steps: DEEPEST };
    let parts = (libc::major(known.number), libc::minor(known.number));
    let mounted = mounts.by_number(parts, known.path);
    // The mount above the node of a device says nothing about the device.
    let blocks: Vec<Block> =
        finder.block_by_number(parts).filter(|_| mounted.is_none()).into_iter().collect();
    let above = || known.path.filter(|_| blocks.is_empty()).and_then(|path| mounts.above(path));
    let device = match mounted.or_else(above) {
        Some(mount) => finder.mounted(mount, parts),
        None if !blocks.is_empty() => Device { medium: medium(&blocks), blocks, ..Device::unknown(0) },
        None => bare(known.kind),
    };
    Device { number: known.number, ..device }
}

/// Returns a device that is in no table of the system, by the kind of its file system.
fn bare(kind: Option<u32>) -> Device {
    let name = kind.and_then(mediums::name).unwrap_or_default();
    let medium = mediums::medium(name).unwrap_or_else(|| medium(&[]));
    Device { file_system: name.into(), medium, ..Device::unknown(0) }
}

impl<'a> Finder<'a> {
    /// Returns a finder for the next level; `None` at the last one.
    pub(super) fn deeper(self) -> Option<Finder<'a>> {
        Some(Finder { steps: self.steps.checked_sub(1)?, ..self })
    }

    /// Returns the device that holds a path without links.
    pub(super) fn by_path(self, path: &Path) -> Option<Device> {
        let mount = self.mounts.above(path)?;
        Some(self.deeper()?.mounted(mount, mount.number))
    }

    fn mounted(self, mount: &Mount, number: (u32, u32)) -> Device {
        let kind = mount.kind.as_str();
        let (blocks, medium) = if let Some(medium) = mediums::medium(kind) {
            (Vec::new(), medium)
        } else if mediums::OVERLAY.contains(&kind) {
            self.overlay(mount)
        } else {
            let blocks = self.blocks(mount, number);
            let medium = medium(&blocks);
            (blocks, medium)
        };
        Device {
            number: 0,
            file_system: kind.into(),
            mount_point: Some(mount.point.clone()),
            source: Some(mount.source.to_string_lossy().into_owned()),
            blocks,
            medium,
        }
    }

    /// Returns the block devices of a file system: by number, or by the name of the mounted device where the number has
    /// no meaning (btrfs, FUSE on a disk).
    fn blocks(self, mount: &Mount, number: (u32, u32)) -> Vec<Block> {
        let by_number = [number, mount.number].into_iter().filter(|(major, _)| *major != 0);
        if let Some(block) = by_number.filter_map(|number| self.block_by_number(number)).next() {
            return vec![block];
        }
        let names: Vec<String> = self.sources(&mount.source);
        let all = if mount.kind == "btrfs" { self.btrfs(&names) } else { names };
        all.iter().filter_map(|name| self.block_by_name(name)).collect()
    }

    /// Returns the kernel's names of sources such as `/dev/mapper/vg-home`; bcachefs joins several with colons.
    fn sources(self, source: &OsStr) -> Vec<String> {
        let source = source.to_string_lossy();
        let devices = source.split(':').filter(|part| part.starts_with("/dev/"));
        let name = |device: &str| {
            let real = self.root.real(device).unwrap_or_else(|| device.into());
            real.file_name().map(|name| name.to_string_lossy().into_owned())
        };
        devices.filter_map(name).collect()
    }

    /// Returns all disks of the btrfs file system that has one of these.
    fn btrfs(self, names: &[String]) -> Vec<String> {
        let known = self.root.names("/sys/fs/btrfs").into_iter();
        let disks = known.map(|id| self.root.names(format!("/sys/fs/btrfs/{id}/devices")));
        let all = disks.into_iter().find(|disks| names.iter().any(|name| disks.contains(name)));
        all.unwrap_or_else(|| names.to_vec())
    }

    /// Returns the devices of an overlay, which are those of its directories. If one of them can't be seen, as in a
    /// container, it is a union of unknown devices.
    fn overlay(self, mount: &Mount) -> (Vec<Block>, Medium) {
        let mut blocks: Vec<Block> = Vec::new();
        let mut mediums = Vec::new();
        for layer in layers(&mount.options) {
            let device = names::path(layer).ok().and_then(|layer| self.layer(&layer, mount));
            mediums.push(device.as_ref().map_or(Medium::Union, |device| device.medium));
            for block in device.into_iter().flat_map(|device| device.blocks) {
                if !blocks.contains(&block) {
                    blocks.push(block);
                }
            }
        }
        let medium = mediums.into_iter().max().unwrap_or(Medium::Union);
        (blocks, medium)
    }

    fn layer(self, path: &Path, overlay: &Mount) -> Option<Device> {
        // A relative path was relative to the working directory of the mount command, which is unknown now.
        let path = self.root.real(path.is_absolute().then_some(path)?)?;
        if self.mounts.above(&path)?.number == overlay.number {
            return None;
        }
        self.by_path(&path)
    }
}

/// Returns the greatest medium of several devices; unknown if there are none.
pub(super) fn medium(blocks: &[Block]) -> Medium {
    blocks.iter().map(|block| block.medium).max().unwrap_or(Medium::Unknown)
}

/// Returns the directories that the options of an overlay name.
fn layers(options: &[u8]) -> impl Iterator<Item = &[u8]> {
    const NAMES: [&[u8]; 4] = [b"lowerdir=", b"lowerdir+=", b"datadir+=", b"upperdir="];
    let values = options
        .split(|&byte| byte == b',')
        .filter_map(|option| NAMES.iter().find_map(|name| option.strip_prefix(*name)));
    values.flat_map(|value| value.split(|&byte| byte == b':')).filter(|path| !path.is_empty())
}
