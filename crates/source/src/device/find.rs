//! Finds the device of a number or of a path.

use super::block::Block;
use super::medium::Medium;
use super::mounts::{Mount, Mounts};
use super::root::Root;
use super::{Device, file_system};
use crate::Meta;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The most levels of devices on devices. No machine has more; it ends the search if the tables lead in a circle.
const DEEPEST: usize = 24;

/// One look at the system's tables.
#[derive(Clone, Copy)]
pub(super) struct Finder<'a> {
    pub(super) root: &'a Root,
    mounts: &'a Mounts,
    /// How many levels it may still go down.
    steps: usize,
}

/// What is known of a file before its device is looked for.
pub(super) struct Known<'a> {
    /// Its `st_dev`, or 0.
    pub(super) number: u64,
    /// A path to it, absolute and without links.
    pub(super) path: Option<&'a Path>,
    /// What `statfs` calls the type of its file system.
    pub(super) kind: Option<u32>,
}

/// The number by which to look for the device of what is at a path: that of the file system, or of a block
/// device itself.
pub(crate) fn number(path: &[u8], meta: &Meta) -> u64 {
    let block = meta.mode & libc::S_IFMT == libc::S_IFBLK;
    let named = || std::fs::metadata(OsStr::from_bytes(path)).ok().map(|meta| meta.rdev());
    block.then(named).flatten().unwrap_or(meta.dev)
}

/// The device of a file, with the system's tables as they are now.
pub(super) fn find(root: &Root, known: &Known<'_>) -> Device {
    let mounts = Mounts::parse(&root.bytes("/proc/self/mountinfo").unwrap_or_default());
    let finder = Finder { root, mounts: &mounts, steps: DEEPEST };
    let parts = (libc::major(known.number), libc::minor(known.number));
    let mount = mounts.by_number(parts, known.path);
    let mount = mount.or_else(|| known.path.and_then(|path| mounts.above(path)));
    let device = match mount {
        Some(mount) => finder.mounted(mount, parts),
        None => finder.bare(parts, known.kind),
    };
    Device { number: known.number, ..device }
}

impl<'a> Finder<'a> {
    /// A finder for the next level; `None` at the last one.
    pub(super) fn deeper(self) -> Option<Finder<'a>> {
        Some(Finder { steps: self.steps.checked_sub(1)?, ..self })
    }

    /// The device that holds a path without links.
    pub(super) fn by_path(self, path: &Path) -> Option<Device> {
        let mount = self.mounts.above(path)?;
        Some(self.deeper()?.mounted(mount, mount.number))
    }

    /// A device that is not in the table of mounts: as its number and `statfs` tell.
    fn bare(self, number: (u32, u32), kind: Option<u32>) -> Device {
        let name = kind.and_then(file_system::name).unwrap_or_default();
        let blocks: Vec<Block> = self.block_by_number(number).into_iter().collect();
        let medium = file_system::medium(name).unwrap_or_else(|| medium(&blocks));
        Device { file_system: name.into(), blocks, medium, ..Device::unknown(0) }
    }

    fn mounted(self, mount: &Mount, number: (u32, u32)) -> Device {
        let kind = mount.kind.as_str();
        let (blocks, medium) = if let Some(medium) = file_system::medium(kind) {
            (Vec::new(), medium)
        } else if file_system::OVERLAY.contains(&kind) {
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

    /// The block devices of a file system: by number, or by the name of what is mounted, where the number has no meaning
    /// (btrfs, FUSE on a disk).
    fn blocks(self, mount: &Mount, number: (u32, u32)) -> Vec<Block> {
        let by_number = [number, mount.number].into_iter().filter(|(major, _)| *major != 0);
        if let Some(block) = by_number.filter_map(|number| self.block_by_number(number)).next() {
            return vec![block];
        }
        let names: Vec<String> = self.sources(&mount.source);
        let all = if mount.kind == "btrfs" { self.btrfs(&names) } else { names };
        all.iter().filter_map(|name| self.block_by_name(name)).collect()
    }

    /// The kernel's names of `/dev/mapper/vg-home` and its like; bcachefs joins several with colons.
    fn sources(self, source: &OsStr) -> Vec<String> {
        let source = source.to_string_lossy();
        let devices = source.split(':').filter(|part| part.starts_with("/dev/"));
        let name = |device: &str| {
            let real = self.root.real(device).unwrap_or_else(|| device.into());
            real.file_name().map(|name| name.to_string_lossy().into_owned())
        };
        devices.filter_map(name).collect()
    }

    /// All disks of the btrfs that has one of these.
    fn btrfs(self, names: &[String]) -> Vec<String> {
        let known = self.root.names("/sys/fs/btrfs").into_iter();
        let disks = known.map(|id| self.root.names(format!("/sys/fs/btrfs/{id}/devices")));
        let all = disks.into_iter().find(|disks| names.iter().any(|name| disks.contains(name)));
        all.unwrap_or_else(|| names.to_vec())
    }

    /// The devices of an overlay are those of its directories. If one of them can't be seen, as in a container, it is a union
    /// of unknown devices.
    fn overlay(self, mount: &Mount) -> (Vec<Block>, Medium) {
        let mut blocks: Vec<Block> = Vec::new();
        let mut mediums = Vec::new();
        for layer in layers(&mount.options) {
            let device = self.layer(Path::new(OsStr::from_bytes(layer)), mount);
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
        // A relative path started where the overlay was mounted from, which nobody knows now.
        let path = self.root.real(path.is_absolute().then_some(path)?)?;
        if self.mounts.above(&path)?.number == overlay.number {
            return None;
        }
        self.by_path(&path)
    }
}

fn medium(blocks: &[Block]) -> Medium {
    Medium::of_all(blocks.iter().map(|block| block.medium))
}

/// The directories that the options of an overlay name.
fn layers(options: &[u8]) -> impl Iterator<Item = &[u8]> {
    const NAMES: [&[u8]; 4] = [b"lowerdir=", b"lowerdir+=", b"datadir+=", b"upperdir="];
    let values = options
        .split(|&byte| byte == b',')
        .filter_map(|option| NAMES.iter().find_map(|name| option.strip_prefix(*name)));
    values.flat_map(|value| value.split(|&byte| byte == b':')).filter(|path| !path.is_empty())
}
