//! Files that may be missing on a medium, or that other programs find there: every command that looks inside tells it.

use crate::case;
use crate::inside::{disk, system, tree};
use crate::util::Place;
use hashmill_testing::all_installed;
use std::fs;

/// The programs that the media here are made with.
const MAKERS: [&str; 4] = ["sfdisk", "mke2fs", "mkfs.vfat", "mcopy"];

/// Looks into a file with each command, and looks at it; all of them tell these words, and fail.
fn told(t: &Place, name: &str, words: &[&str]) {
    told_inside(t, name, words);
    let ran = t.run(&format!("image info {name}")).code(2);
    words.iter().filter(|word| !word.starts_with(name)).fold(ran, |ran, word| ran.prints(word));
}

fn told_inside(t: &Place, name: &str, words: &[&str]) {
    let options = "--inside images";
    t.file("none", format!("{:064x}\n", 1)).run("known build --force -o none.set --bad none").code(0);
    t.run(&format!("hash --force -o m.jsonl -c sha256 {options} {name}")).code(2);
    for command in [
        format!("hash -f jsonl -c sha256 {options} {name}"),
        format!("known match -k none.set -c sha256 {options} {name}"),
        format!("audit -k m.jsonl {options} {name}"),
        format!("dupes {options} {name}"),
        format!("image list {name}"),
    ] {
        let ran = t.run(&command).code(2);
        words.iter().fold(ran, |ran, word| ran.says(word));
    }
}

/// Makes a split raw image of three partitions, each in a part of its own, and leaves out one part.
fn split(t: &Place, without: &str) {
    tree(t);
    system(t, "fs", "fat");
    disk(t, "whole", &["fs", "fs", "fs"]);
    t.shell("split -b 8388608 -d -a 3 --numeric-suffixes=1 whole part.").code(0);
    t.remove(without);
}

case!(a_place_that_cannot_be_read_does_not_take_its_partition_with_it, |t| {
    if !all_installed(&MAKERS) {
        return;
    }
    split(t, "part.002");
    told(t, "part.001", &["part.002: no file holds segment 2: put what is missing"]);
    let ran = t.run("hash --inside images -f jsonl -c md5 part.001").code(2);
    // The second partition begins in the part that is missing, the third does not.
    let ran = ran.says("part.001!/p2: the medium can't be read there: part.002: no file holds segment 2");
    ran.prints("\"part.001!/p3/a.txt\"").quiet_about("chunk");
    t.run("image export part.001!/p2/a.txt -o out").code(2).says("no file holds segment 2");
});

case!(media_without_their_end_are_told, |t| {
    if !all_installed(&MAKERS) {
        return;
    }
    split(t, "part.004");
    let words = "its end is missing: it has 25165824 of the 34603008 bytes";
    fs::remove_file(t.path("part.005")).unwrap();
    told(t, "part.001", &["part.001!: ", words]);
    t.run("image hash -c md5 part.001").code(2).says(words).prints("25165824,");
    t.run("image export part.001 -o out").code(2).says(words);
});

case!(a_medium_with_two_layouts_is_ambiguous, |t| {
    if !all_installed(&MAKERS) {
        return;
    }
    tree(t);
    system(t, "fs", "fat");
    disk(t, "one", &["fs"]);
    // The superblock of ext beside a partition table, and the descriptor of a disc in a file system.
    let (mut both, mut disc) = (t.read("one"), t.read("fs"));
    t.shell("mke2fs -q -F -t ext4 -b 1024 small 1M").code(0);
    both[32_768..32_774].copy_from_slice(b"\x01CD001");
    disc[32_768..32_774].copy_from_slice(b"\x01CD001");
    t.file("both", both).file("disc", disc);
    told(t, "both", &["both!: other programs may find other files: the medium as a whole is iso9660, too"]);
    told(t, "disc", &["disc!: other programs may find other files", "another file system, iso9660"]);
    t.run("hash --inside images -f jsonl -c md5 both").code(2).prints("both!/p1/a.txt");
});

case!(tables_of_partitions_that_differ_are_ambiguous, |t| {
    if !all_installed(&MAKERS) {
        return;
    }
    tree(t);
    system(t, "fs", "fat");
    disk(t, "one", &["fs", "fs"]);
    disk(t, "other", &["fs", "fs"]);
    t.shell("sfdisk -q --delete other 2").code(0);
    let (mut bytes, other) = (t.read("one"), t.read("other"));
    let start = bytes.len() - 33 * 512;
    bytes[start..].copy_from_slice(&other[start..]);
    t.file("differ", bytes);
    told(t, "differ", &["differ!: other programs may find other files: the second GPT differs"]);
});

case!(tables_of_clusters_that_differ_are_ambiguous, |t| {
    if !all_installed(&MAKERS) {
        return;
    }
    tree(t);
    system(t, "fs", "fat");
    let mut bytes = t.read("fs");
    let word = |at: usize| usize::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
    let (table, length) = (word(14) * word(11), word(22) * word(11));
    bytes[table + length + 20] ^= 1;
    t.file("differ", &bytes);
    told(t, "differ", &["differ!: other programs may find other files: the tables of clusters differ"]);
});

case!(files_in_use_that_no_directory_names_are_read_and_told, |t| {
    if !all_installed(&MAKERS) || !all_installed(&["debugfs"]) {
        return;
    }
    tree(t);
    system(t, "fs", "ext2");
    t.run("hash --inside images -f jsonl -c md5 fs").code(0);
    t.shell("debugfs -w -R 'unlink a.txt' fs 2> /dev/null").code(0);
    told_inside(t, "fs", &["fs!/$OrphanFiles: no directory in use leads to files"]);
    // MD5 of "alpha".
    t.run("hash --inside images -f jsonl -c md5 fs").code(2).prints("2c1743a391305fbf367df8e4f069f9f9");
});

case!(a_block_device_is_looked_into, |t| {
    if !all_installed(&MAKERS) || !all_installed(&["losetup"]) {
        return;
    }
    tree(t);
    system(t, "fs", "fat");
    let made = t.shell("losetup -r -f --show fs || true").code(0);
    let device = String::from_utf8(made.stdout().to_vec()).unwrap();
    // Only root may make one.
    let Some(device) = device.strip_suffix('\n').filter(|device| device.starts_with("/dev/")) else { return };
    let ran = t.run(&format!("hash --inside images -f jsonl -c md5 {device}"));
    t.shell(&format!("losetup -d {device}")).code(0);
    ran.code(0).prints(format!("{device}!/a.txt"));
});

case!(bytes_of_a_fifo_and_of_a_long_link_are_hashed, |t| {
    if !all_installed(&MAKERS) || !all_installed(&["debugfs"]) {
        return;
    }
    tree(t);
    system(t, "fs", "ext2");
    t.shell(
        "debugfs -w -R 'sif a.txt mode 010644' fs 2> /dev/null && \
         debugfs -w -R 'sif long.bin mode 0120777' fs 2> /dev/null",
    )
    .code(0);
    let ran = t.run("hash --inside images -f jsonl -c md5 fs").code(0);
    // MD5 of "alpha".
    ran.prints("2c1743a391305fbf367df8e4f069f9f9")
        .prints("\"fs!/long.bin\",\"size\":300000,\"status\":\"hashed\"");
});

case!(media_that_are_mostly_a_claim_are_not_read, |t| {
    let zeros = "RW 4294967295 ZERO\n".repeat(1000);
    let head = "# Disk DescriptorFile\nversion=1\nCID=fffffffe\nparentCID=ffffffff\ncreateType=\"custom\"\n";
    t.file("zero.vmdk", format!("{head}{zeros}"));
    t.run("hash --inside images -c md5 zero.vmdk")
        .code(2)
        .says("zero.vmdk: ")
        .says("--max-expanded reads more");
});
