//! Devices of simulated systems, and of this one.

use crate::common::Folder;
use hashmill_source::{Block, Device, Devices, Entry, Medium, Origin, ReadOrder};
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;
use std::sync::Arc;

struct System {
    folder: Folder,
    mounts: String,
}

impl System {
    fn new(test: &str) -> System {
        let system = System { folder: Folder::new(&format!("device-{test}")), mounts: String::new() };
        system.folder.file("home/file", "x");
        system
    }

    /// Creates a disk: its directory in `/sys`, its number, and its attributes.
    fn disk(&self, name: &str, number: &str, rotational: &str) -> &System {
        let directory = format!("sys/devices/pci0/{name}");
        self.folder.file(format!("{directory}/dev"), format!("{number}\n"));
        self.folder.file(format!("{directory}/queue/rotational"), format!("{rotational}\n"));
        self.folder.file(format!("{directory}/queue/read_ahead_kb"), "128\n");
        self.names(name, number, &directory)
    }

    fn names(&self, name: &str, number: &str, directory: &str) -> &System {
        self.folder.file(format!("dev/{name}"), "");
        for link in [format!("sys/dev/block/{number}"), format!("sys/class/block/{name}")] {
            fs::create_dir_all(self.folder.join(&link).parent().unwrap()).unwrap();
            symlink(format!("../../../{directory}"), self.folder.join(link)).unwrap();
        }
        self
    }

    fn partition(&self, disk: &str, name: &str, number: &str) -> &System {
        let directory = format!("sys/devices/pci0/{disk}/{name}");
        self.folder.file(format!("{directory}/dev"), number).to_str().unwrap();
        self.folder.file(format!("{directory}/partition"), "1\n");
        self.names(name, number, &directory)
    }

    /// Creates a device that is stacked on others.
    fn stack(&self, name: &str, number: &str, below: &[&str]) -> &System {
        self.disk(name, number, "0");
        for below in below {
            let slaves = format!("sys/devices/pci0/{name}/slaves");
            fs::create_dir_all(self.folder.join(&slaves)).unwrap();
            let target = fs::canonicalize(self.folder.join(format!("sys/class/block/{below}"))).unwrap();
            symlink(target, self.folder.join(format!("{slaves}/{below}"))).unwrap();
        }
        self
    }

    fn says(&self, name: &str, file: &str, text: &str) -> &System {
        self.folder.file(format!("sys/devices/pci0/{name}/{file}"), format!("{text}\n"));
        self
    }

    fn mount(&mut self, number: &str, point: &str, kind: &str, source: &str, options: &str) -> &mut System {
        self.mounts += &format!("1 1 {number} / {point} rw shared:1 - {kind} {source} {options}\n");
        self.folder.file("proc/self/mountinfo", &self.mounts);
        fs::create_dir_all(self.folder.join(point.trim_start_matches('/'))).unwrap();
        self
    }

    fn device(&self, number: (u32, u32), path: &str) -> Arc<Device> {
        Devices::under(self.folder.path()).device(libc::makedev(number.0, number.1), path.as_bytes())
    }

    /// Returns the medium of the device with this number.
    fn medium(&self, number: (u32, u32)) -> Medium {
        self.device(number, "/home/file").medium
    }
}

/// Returns the first device of each level: `dm-0 (LVM volume a) > md0 (md raid1) > ...`.
fn way(device: &Device) -> String {
    let mut names = Vec::new();
    let mut block: Option<&Block> = device.blocks.first();
    while let Some(one) = block {
        names.push(format!("{} ({})", one.name, one.what));
        block = one.below.first();
    }
    names.join(" > ")
}

#[test]
fn disks_are_what_they_say() {
    for (name, rotational, expected) in [
        ("sda", "1", Medium::Rotational),
        ("sda", "0", Medium::Solid),
        ("nvme0n1", "0", Medium::Solid),
        ("mmcblk0", "0", Medium::Solid),
        ("vda", "1", Medium::Virtual),
        ("vda", "0", Medium::Solid),
        ("zram0", "0", Medium::Memory),
        ("ram0", "1", Medium::Memory),
        ("pmem0", "0", Medium::Memory),
        ("nbd0", "1", Medium::Network),
    ] {
        let mut system = System::new("disk");
        system.disk(name, "8:0", rotational).partition(name, "p1", "8:1");
        system.mount("8:1", "/", "ext4", "/dev/p1", "rw");
        let device = system.device((8, 1), "/home/file");
        assert_eq!(device.medium, expected, "{name} {rotational}");
        assert_eq!(device.file_system, "ext4");
        assert_eq!(device.read_ahead(), Some(128 << 10), "that of the disk holds for its partition");
        assert!(way(&device).starts_with(&format!("p1 (partition) > {name} (")), "{}", way(&device));
    }
}

#[test]
fn a_virtual_disk_is_known_by_its_driver_and_its_model() {
    for model in ["QEMU HARDDISK", "VBOX HARDDISK", "Virtual disk", "ST4000DM004"] {
        let mut system = System::new("model");
        system.disk("sda", "8:0", "1").says("sda", "device/model", model);
        system.mount("8:0", "/", "xfs", "/dev/sda", "rw");
        let device = system.device((8, 0), "/home/file");
        assert_eq!(device.blocks[0].model.as_deref(), Some(model));
        let expected = if model == "ST4000DM004" { Medium::Rotational } else { Medium::Virtual };
        assert_eq!(device.medium, expected, "{model}");
    }
    let mut system = System::new("driver");
    system.disk("sdq", "8:0", "1").says("virtio_blk", "uevent", "");
    system.says("sdq", "device/uevent", "");
    symlink("../../virtio_blk", system.folder.join("sys/devices/pci0/sdq/device/driver")).unwrap();
    system.mount("8:0", "/", "xfs", "/dev/sdq", "rw");
    assert_eq!(system.medium((8, 0)), Medium::Virtual);
}

#[test]
fn a_disk_that_is_not_mounted_is_not_the_memory_that_its_node_lies_in() {
    let mut system = System::new("node");
    system.disk("sdb", "8:16", "1").partition("sdb", "sdb1", "8:17");
    system.mount("0:5", "/dev", "devtmpfs", "devtmpfs", "rw");
    let device = system.device((8, 17), "/dev/sdb1");
    assert_eq!(device.medium, Medium::Rotational);
    assert_eq!(way(&device), "sdb1 (partition) > sdb (disk)");
    assert_eq!(system.device((0, 5), "/dev/null").medium, Medium::Memory);
}

#[test]
fn one_spinning_disk_makes_a_stack_spin() {
    for (second, expected) in [("1", Medium::Rotational), ("0", Medium::Solid)] {
        let mut system = System::new("stack");
        system.disk("sda", "8:0", "0").disk("sdb", "8:16", second).partition("sdb", "sdb1", "8:17");
        system.stack("md0", "9:0", &["sda", "sdb1"]).says("md0", "md/level", "raid1");
        system.stack("dm-0", "253:0", &["md0"]).says("dm-0", "dm/name", "luks").says(
            "dm-0",
            "dm/uuid",
            "CRYPT-LUKS2-0",
        );
        system
            .stack("dm-1", "253:1", &["dm-0"])
            .says("dm-1", "dm/name", "vg-root")
            .says("dm-1", "dm/uuid", "LVM-abc");
        system.mount("253:1", "/", "ext4", "/dev/mapper/vg-root", "rw");
        let device = system.device((253, 1), "/home/file");
        assert_eq!(device.medium, expected);
        assert_eq!(
            way(&device),
            "dm-1 (LVM volume vg-root) > dm-0 (encrypted volume luks) > md0 (md raid1) > sda (disk)"
        );
        let policy = device.policy();
        assert_eq!(policy.alone, expected == Medium::Rotational);
        assert_eq!(policy.order == ReadOrder::Disk, policy.alone);
    }
}

#[test]
fn a_loop_device_lies_on_its_files_device() {
    let mut system = System::new("loop");
    system.disk("sda", "8:0", "1").disk("loop0", "7:0", "0");
    system.says("loop0", "loop/backing_file", "/home/file");
    system.mount("8:0", "/", "ext4", "/dev/sda", "rw").mount("7:0", "/mnt", "squashfs", "/dev/loop0", "ro");
    let device = system.device((7, 0), "/mnt");
    assert_eq!(device.medium, Medium::Rotational);
    assert_eq!(way(&device), "loop0 (loop device of /home/file) > sda (disk)");
    // A file in memory puts the loop device in memory, although no device is below it.
    system.mount("0:30", "/home", "tmpfs", "tmpfs", "rw");
    assert_eq!(system.device((7, 0), "/mnt").medium, Medium::Memory);
    // A file that is gone, or outside the container, has an unknown medium.
    system.says("loop0", "loop/backing_file", "/gone (deleted)");
    assert_eq!(system.device((7, 0), "/mnt").medium, Medium::Unknown);
}

#[test]
fn stacks_in_circles_end() {
    let mut system = System::new("circle");
    system.disk("dm-1", "253:1", "0");
    system.stack("dm-0", "253:0", &["dm-1"]);
    system.says("dm-1", "slaves/.keep", "");
    symlink("../../dm-0", system.folder.join("sys/devices/pci0/dm-1/slaves/dm-0")).unwrap();
    system.mount("253:0", "/", "ext4", "/dev/dm-0", "rw");
    let device = system.device((253, 0), "/home/file");
    assert!(matches!(device.medium, Medium::Solid | Medium::Unknown));
}

#[test]
fn overlays_lie_on_their_directories() {
    let overlay = "rw,lowerdir=/low/one:/low/two,upperdir=/up,workdir=/work";
    for (upper, low, expected) in
        [("0", "0", Medium::Solid), ("0", "1", Medium::Rotational), ("1", "0", Medium::Rotational)]
    {
        let mut system = System::new("overlay");
        system.disk("sda", "8:0", upper).disk("sdb", "8:16", low);
        ["low/one/x", "low/two/x", "up/x"].iter().for_each(|name| drop(system.folder.file(name, "")));
        system.mount("8:0", "/", "ext4", "/dev/sda", "rw").mount("8:16", "/low", "ext4", "/dev/sdb", "rw");
        system.mount("0:40", "/merged", "overlay", "overlay", overlay);
        let device = system.device((0, 40), "/merged");
        assert_eq!((device.medium, device.blocks.len()), (expected, 2));
    }
}

#[test]
fn an_overlay_whose_directories_are_elsewhere_is_a_union() {
    // A container: the root is the overlay, and its directories are the host's.
    let mut system = System::new("container");
    system.folder.file("up/x", "a directory of that name is in the overlay itself");
    system.disk("sda", "8:0", "1");
    system.mount("0:40", "/", "overlay", "overlay", "rw,lowerdir=/low:relative/l,upperdir=/up");
    let device = system.device((0, 40), "/home/file");
    assert_eq!((device.medium, device.blocks.len()), (Medium::Union, 0));
    assert_eq!((device.policy().least, device.policy().most), (4, 8));
    system.mount("0:41", "/mnt", "fuse.mergerfs", "a:b", "rw");
    assert_eq!(system.device((0, 41), "/mnt").medium, Medium::Union);
}

#[test]
fn file_systems_without_disks_are_known_by_their_type() {
    for (kind, expected) in [
        ("nfs4", Medium::Network),
        ("cifs", Medium::Network),
        ("9p", Medium::Network),
        ("virtiofs", Medium::Network),
        ("fuse.sshfs", Medium::Network),
        ("ceph", Medium::Network),
        ("tmpfs", Medium::Memory),
        ("proc", Medium::Memory),
        ("fuse.gocryptfs", Medium::Unknown),
        ("zfs", Medium::Unknown),
        ("somefs", Medium::Unknown),
    ] {
        let mut system = System::new("type");
        system.disk("sda", "8:0", "1");
        system.mount("8:0", "/", "ext4", "/dev/sda", "rw").mount("0:50", "/mnt", kind, "server:/x", "rw");
        let device = system.device((0, 50), "/mnt");
        assert_eq!(device.medium, expected, "{kind}");
        assert_eq!(device.source.as_deref(), Some("server:/x"));
        assert!(!device.why().is_empty());
    }
}

#[test]
fn btrfs_is_found_by_path_and_has_all_its_disks() {
    let mut system = System::new("btrfs");
    system.disk("sda", "8:0", "0").disk("sdb", "8:16", "1").disk("sdc", "8:32", "0");
    system.mount("0:60", "/", "btrfs", "/dev/sda", "rw").mount("8:32", "/mnt", "ext4", "/dev/sdc", "rw");
    // The number of a subvolume is in no table.
    assert_eq!(system.medium((0, 61)), Medium::Solid);
    ["sda", "sdb"]
        .iter()
        .for_each(|name| drop(system.folder.file(format!("sys/fs/btrfs/id/devices/{name}/x"), "")));
    let device = system.device((0, 61), "/home/file");
    assert_eq!((device.medium, device.blocks.len()), (Medium::Rotational, 2));
    assert_eq!(device.mount_point.as_deref(), Some(Path::new("/")));
}

#[test]
fn a_disk_behind_fuse_or_a_mapper_is_found_by_its_name() {
    let mut system = System::new("names");
    system.disk("sdb", "8:16", "1").disk("dm-3", "253:3", "0");
    system.folder.file("dev/mapper/x", "");
    fs::remove_file(system.folder.join("dev/mapper/x")).unwrap();
    symlink("../dm-3", system.folder.join("dev/mapper/vg-home")).unwrap();
    system.mount("0:70", "/mnt", "fuseblk", "/dev/sdb", "rw");
    system.mount("0:71", "/vol", "btrfs", "/dev/mapper/vg-home", "rw");
    assert_eq!(system.device((0, 70), "/mnt").medium, Medium::Rotational);
    assert_eq!(system.device((0, 71), "/vol").medium, Medium::Solid);
}

#[test]
fn without_tables_everything_is_unknown() {
    let system = System::new("nothing");
    let device = system.device((8, 1), "/home/file");
    assert_eq!((device.medium, device.blocks.len()), (Medium::Unknown, 0));
    // Without mounts the number is enough, if there is a /sys.
    system.disk("sda", "8:0", "1");
    assert_eq!(system.device((8, 0), "/nowhere").medium, Medium::Rotational);
    let mut system = System::new("no-sys");
    system.mount("8:1", "/", "ext4", "/dev/sda1", "rw");
    let device = system.device((8, 1), "/home/file");
    assert_eq!((device.medium, device.file_system.as_str()), (Medium::Unknown, "ext4"));
    let nothing = Devices::under(Path::new("/nosuch")).device(0, b"-");
    assert_eq!(*nothing, Device::unknown(0));
}

#[test]
fn each_number_is_looked_up_once() {
    let mut system = System::new("once");
    system.disk("sda", "8:0", "1");
    system.mount("8:0", "/", "ext4", "/dev/sda", "rw");
    let devices = Devices::under(system.folder.path());
    let number = libc::makedev(8, 0);
    let first = devices.device(number, b"/home/file");
    fs::remove_dir_all(system.folder.join("proc")).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert!(Arc::ptr_eq(&first, &devices.device(number, b"/elsewhere"))));
        }
    });
    assert_eq!(devices.device(libc::makedev(9, 0), b"/").medium, Medium::Unknown);
}

#[test]
fn this_system_can_be_asked() {
    let here = Device::from_path(env!("CARGO_MANIFEST_DIR").as_bytes()).unwrap();
    assert_eq!(here.number, fs::metadata(env!("CARGO_MANIFEST_DIR")).unwrap().dev());
    assert!(!here.file_system.is_empty(), "{here:?}");
    // The working directory of tests is the crate.
    assert_eq!(Device::from_path(b"src").unwrap(), here);
    assert_eq!(Device::from_path(b"/proc/self/status").unwrap().medium, Medium::Memory);
    assert!(Device::from_path(b"/nosuch").is_err());
    let devices = Devices::new();
    for path in ["src/lib.rs", "/proc/self/status"] {
        let found = devices.device(fs::metadata(path).unwrap().dev(), path.as_bytes());
        assert_eq!(*found, Device::from_path(path.as_bytes()).unwrap());
    }
    assert_eq!(devices.of_entry(&Entry::new(b"-".as_slice().into(), Origin::Stdin)).medium, Medium::Unknown);
}
