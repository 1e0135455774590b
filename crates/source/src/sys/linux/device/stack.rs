//! Block devices and the devices below them, from `/sys/dev/block` and `/sys/class/block`.

use super::find::{self, Finder};
use super::mounts::numbers;
use crate::{Block, Medium};
use std::path::Path;

/// Model names of disks that hypervisors emulate. These disks report rotation unless they were configured otherwise, as
/// `virtio_blk` does.
const VIRTUAL: [&str; 6] =
    ["QEMU HARDDISK", "VBOX HARDDISK", "Virtual disk", "Virtual Disk", "VMware Virtual", "PersistentDisk"];

/// The type of a device, and the devices below it.
struct Stacking {
    what: String,
    below: Vec<Block>,
    /// The medium, if the devices below don't decide it.
    medium: Option<Medium>,
}

impl Finder<'_> {
    pub(super) fn block_by_number(&self, (major, minor): (u32, u32)) -> Option<Block> {
        self.block(&self.root.real(format!("/sys/dev/block/{major}:{minor}"))?)
    }

    pub(super) fn block_by_name(&self, name: &str) -> Option<Block> {
        self.block(&self.root.real(format!("/sys/class/block/{name}"))?)
    }

    /// Reads the block device of a directory of `/sys` that has no links in its path.
    fn block(&self, directory: &Path) -> Option<Block> {
        let deeper = self.deeper()?;
        let name = directory.file_name()?.to_str()?.to_string();
        let text = |file: &str| self.root.text(directory.join(file));
        let rotational = text("queue/rotational").map(|text| text != "0");
        let model = text("device/model").or_else(|| text("device/name")).filter(|model| !model.is_empty());
        let Stacking { what, below, medium } = deeper.stacking(directory, &name);
        let medium = match medium {
            Some(medium) => medium,
            None if below.is_empty() => self.leaf(directory, &name, rotational, model.as_deref()),
            None => find::medium(&below),
        };
        let number = text("dev").and_then(|text| numbers(text.as_bytes())).unwrap_or_default();
        let read_ahead =
            text("queue/read_ahead_kb").and_then(|text| text.parse::<u64>().ok()).map(|kib| kib << 10);
        Some(Block { name, number, what, model, rotational, read_ahead, medium, below })
    }

    fn stacking(&self, directory: &Path, name: &str) -> Stacking {
        let text = |file: &str| self.root.text(directory.join(file));
        if text("partition").is_some() {
            let disk = directory.parent().and_then(|disk| self.block(disk));
            return Stacking { what: "partition".into(), below: disk.into_iter().collect(), medium: None };
        }
        if let Some(file) = text("loop/backing_file") {
            return self.looped(&file);
        }
        let below = self.root.names(directory.join("slaves"));
        let below = below.iter().filter_map(|below| self.block_by_name(below)).collect();
        let what = if let Some(volume) = text("dm/name") {
            mapped(&volume, &text("dm/uuid").unwrap_or_default())
        } else if let Some(level) = text("md/level") {
            format!("md {level}")
        } else {
            plain(name).into()
        };
        Stacking { what, below, medium: None }
    }

    /// Returns the stack of a loop device, which is on the device of its file.
    fn looped(&self, file: &str) -> Stacking {
        let what = format!("loop device of {file}");
        let found = self.root.real(file).and_then(|path| self.deeper()?.by_path(&path));
        match found {
            Some(device) => Stacking { what, below: device.blocks, medium: Some(device.medium) },
            None => Stacking { what, below: Vec::new(), medium: Some(Medium::Unknown) },
        }
    }

    /// Returns the medium of a device that is stacked on nothing.
    fn leaf(&self, directory: &Path, name: &str, rotational: Option<bool>, model: Option<&str>) -> Medium {
        match (plain(name), rotational) {
            (MEMORY_DISK | COMPRESSED, _) => Medium::Memory,
            (NETWORK_DISK, _) => Medium::Network,
            (_, Some(false)) => Medium::Solid,
            _ if self.is_virtual(directory, name, model) => Medium::Virtual,
            (_, Some(true)) => Medium::Rotational,
            (_, None) => Medium::Unknown,
        }
    }

    fn is_virtual(&self, directory: &Path, name: &str, model: Option<&str>) -> bool {
        let driver = self.root.real(directory.join("device/driver"));
        let driver = driver.as_deref().and_then(Path::file_name);
        name.starts_with("vd")
            || driver.is_some_and(|driver| driver == "virtio_blk")
            || model.is_some_and(|model| VIRTUAL.iter().any(|known| model.contains(known)))
    }
}

const MEMORY_DISK: &str = "disk in memory";
const COMPRESSED: &str = "compressed memory";
const NETWORK_DISK: &str = "network disk";

/// Returns the type of a device from the name that its driver gives it.
fn plain(name: &str) -> &'static str {
    let stem = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    match stem {
        "ram" | "pmem" => MEMORY_DISK,
        "zram" => COMPRESSED,
        "nbd" | "rbd" => NETWORK_DISK,
        _ if stem.starts_with("vd") => "virtual disk",
        _ => "disk",
    }
}

/// Describes a mapped volume by the start of `dm/uuid`.
fn mapped(name: &str, uuid: &str) -> String {
    let kind = match uuid.split('-').next() {
        Some("LVM") => "LVM volume",
        Some("CRYPT") => "encrypted volume",
        Some("mpath") => "multipath disk",
        _ => "mapped volume",
    };
    format!("{kind} {name}")
}
