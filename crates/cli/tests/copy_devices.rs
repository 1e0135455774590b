//! `hashmill copy` onto block devices: loop devices, which only root can make.

use crate::case;
use crate::copy::tree;
use crate::faults::faulty;
use crate::util::{Place, installed};
use hashmill_testing::{Random, not_possible};
use std::fs;
use std::process::Command;

/// The size of the devices in bytes.
const SIZE: usize = 4 << 20;

/// A loop device, removed on drop.
struct LoopDevice(String);

impl LoopDevice {
    /// Makes a device of a file with random content.
    fn new(t: &Place, name: &str) -> Option<LoopDevice> {
        let program = installed("losetup")?;
        t.file(name, Random(9).bytes(SIZE));
        let made = Command::new(program).args(["--find", "--show", "--partscan"]).arg(t.path(name)).output();
        let made = made.unwrap();
        if !made.status.success() {
            not_possible("a loop device");
            return None;
        }
        Some(LoopDevice(String::from_utf8(made.stdout).unwrap().trim_end().into()))
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        let _ = Command::new("losetup").args(["--detach", &self.0]).status();
    }
}

/// Checks that a file begins with these bytes and goes on as a new device does.
fn is_written(t: &Place, name: &str, start: &[u8]) -> bool {
    let there = fs::read(t.path(name)).unwrap();
    there[..start.len()] == *start && there[start.len()..] == Random(9).bytes(SIZE)[start.len()..]
}

case!(a_file_is_written_onto_a_device_and_read_back, |t| {
    let source = Random(5).bytes(3_000_077);
    t.file("disk.dd", &source).file("none", "");
    let Some(LoopDevice(device)) = &LoopDevice::new(t, "back") else { return };
    t.run(&format!("copy disk.dd {device}"))
        .code(1)
        .says("disk.dd: not copied: the device has other content; --force replaces it");
    assert!(is_written(t, "back", b""));
    t.run(&format!("copy --dry-run disk.dd {device}")).code(0).prints("is there, and is compared");
    assert!(is_written(t, "back", b""));
    t.run(&format!("copy --force disk.dd {device} --to copy.dd"))
        .code(0)
        .says(&format!("{device}: 1 file copied (3.00 MB), 1 read back from the medium"))
        .says("copy.dd: 1 file copied (3.00 MB), 1 read back from the medium");
    assert!(is_written(t, "back", &source));
    t.run(&format!("copy disk.dd {device}")).code(0).says("0 files copied (0 B), 1 there already");
    t.run(&format!("copy none {device}")).code(0).says("1 there already");
    // A run that was cut short goes on at the first byte that differs.
    for (options, at) in [("", 2_000_000), ("--verify later", 7), ("-m 8M -j1", 3_000_076)] {
        let mut cut = fs::read(t.path("back")).unwrap();
        cut[at..3_000_077].fill(0);
        fs::write(t.path("back"), cut).unwrap();
        t.run(&format!("copy {options} --force disk.dd {device}"))
            .code(0)
            .says("1 read back from the medium");
        assert!(is_written(t, "back", &source), "{options} {at}");
    }
    t.run(&format!("copy --verify no --force -c md5 disk.dd {device}")).code(0);
    t.shell(&format!("cat disk.dd | $hashmill copy - {device}")).code(0);
    t.run(&format!("copy {device} out.dd")).code(0).says("1 read back from the medium");
    assert!(is_written(t, "out.dd", &source));
});

case!(a_device_takes_one_file_that_does_not_lie_on_it, |t| {
    t.file("tree/a", "a").file("b", "b").file("big", vec![7; SIZE + 1]);
    let Some(LoopDevice(device)) = &LoopDevice::new(t, "back") else { return };
    for (what, says) in [
        ("tree", "name a file as the only source"),
        ("tree/", "name a file as the only source"),
        ("b tree/a", "name a file as the only source"),
        ("--manifest sums -c md5 b", "no place for a manifest"),
        ("big", "too small for a source of 4194305"),
        (device, "is a device that the source lies on, or a part of it"),
        (&format!("--to {device} b"), "is named twice as a destination"),
    ] {
        t.run(&format!("copy --force {what} {device}")).code(64).says(says);
    }
    t.run("copy --force b /dev/null").code(64).says("/dev/null: is neither a folder nor a file nor a disk");
    // How long it is is only known at its end.
    t.shell(&format!("cat big | $hashmill copy --force - {device}"))
        .code(2)
        .says("No space left on device; a part of it is on the device now");
    drop(fs::write(t.path("back"), Random(9).bytes(SIZE)));
    assert!(is_written(t, "back", b""));
});

case!(a_device_in_use_is_not_written, |t| {
    let Some(LoopDevice(device)) = &LoopDevice::new(t, "back") else { return };
    let made = t.shell(&format!("mke2fs -q -F {device} && mkdir m && mount {device} m || echo none"));
    if made.code(0).stdout() == b"none\n" {
        not_possible("a mounted loop device");
        return;
    }
    t.file("m/inside", "inside").file("b", "b");
    let onto_itself = t.run(&format!("copy --force m/inside {device}"));
    let busy = t.run(&format!("copy --force b {device}"));
    t.shell("umount m").code(0);
    onto_itself.code(64).says("is a device that the source lies on");
    busy.code(2).says("unmount what is on it");
});

case!(what_lies_on_a_device_is_not_written_over_it, |t| {
    t.file("tree/inside", Random(5).bytes(300_000));
    let Some(LoopDevice(device)) = &LoopDevice::new(t, "back") else { return };
    if installed("mke2fs").is_none() {
        return;
    }
    t.shell(&format!("mke2fs -q -F -d tree {device}")).code(0);
    let before = t.read("back");
    t.run(&format!("copy --force {device}!/inside {device}"))
        .code(64)
        .says("is a device that the source lies on");
    assert!(t.read("back") == before);
});

case!(a_source_that_fails_leaves_no_copy_in_silence, |t| {
    t.file("disk.dd", Random(5).bytes(3_000_000));
    let Some(LoopDevice(device)) = &LoopDevice::new(t, "back") else { return };
    let faults = [("FAULT_PATH", "disk.dd"), ("FAULT_AFTER", "2000000"), ("FAULT_ERRNO", "EIO")];
    let Some(ran) = faulty(t, &faults, &format!("copy --force disk.dd {device}")) else { return };
    ran.code(2).says("a part of it is on the device now");
    // One that answers with other bytes than it was given.
    let faults = [("FAULT_PATH", device.as_str()), ("FAULT_FLIP", "5000")];
    for options in ["", "--verify later"] {
        let ran = faulty(t, &faults, &format!("copy --force {options} disk.dd {device}"));
        ran.map(|ran| ran.code(1).says("is not what was read from the source"));
    }
});

case!(names_that_a_file_system_refuses_are_told_first, |t| {
    // No pair: exFAT changes letters one by one.
    t.file("tree/stra\u{df}e", "1").file("tree/STRASSE", "2");
    for name in ["tree/Case", "tree/case", "tree/a:b", "tree/Dir/x", "tree/dir/y", "tree/dir/z", "tree/good"]
    {
        t.file(name, name);
    }
    let Some(LoopDevice(device)) = &LoopDevice::new(t, "back") else { return };
    let (Some(_), Some(_)) = (installed("mkfs.exfat"), installed("mount.exfat-fuse")) else { return };
    let line = format!(
        "mkfs.exfat {device} > /dev/null && mkdir m && mount.exfat-fuse {device} m 2> /dev/null || echo none"
    );
    if t.shell(&line).code(0).stdout() == b"none\n" {
        not_possible("a mounted loop device");
        return;
    }
    let ran = t.run("copy tree/ m/to --to else");
    let names: Vec<_> = tree(&t.path("m/to")).into_keys().collect();
    // Not even --force lets one take the place of another.
    let forced = t.run("copy --force tree/ m/forced");
    let first = fs::read(t.path("m/forced/Case")).unwrap();
    t.shell("umount m").code(0);
    ran.code(2)
        .says("m/to: tree/a:b can't be copied: no name there can have :")
        .says("tree/a:b: not copied: no name there can have :")
        .says("tree/case: not copied: another file of this run has its name there (m/to)")
        .says("m/to: Case and case would be one name there")
        .says("m/to: Dir and dir would be one name there")
        .says("1 without their own folders");
    assert_eq!(names.len(), 8, "{names:?}");
    forced.code(2).says("tree/case: not copied: another file of this run has its name there");
    assert_eq!(first, b"tree/Case");
    assert!(tree(&t.path("else")) == tree(&t.path("tree")));
});
