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

/// Makes a disc with a good and a bad file.
fn disc(t: &Place, options: &str) {
    t.file("disc/good.txt", "good").file("disc/evil.exe", "evil");
    t.shell(&format!("genisoimage -quiet {options} -o disc.iso disc 2> /dev/null")).code(0);
}

/// Returns where bytes lie in others.
fn find(bytes: &[u8], wanted: &[u8]) -> usize {
    bytes.windows(wanted.len()).position(|window| window == wanted).unwrap()
}

case!(bytes_of_a_fifo_a_device_and_a_link_of_rock_ridge_are_hashed, |t| {
    if !all_installed(&["genisoimage"]) {
        return;
    }
    disc(t, "-R");
    let bytes = t.read("disc.iso");
    let name = find(&bytes, b"EVIL.EXE;1");
    let mode = name + find(&bytes[name..], b"PX") + 4;
    for kind in [0o010_644_u32, 0o060_644, 0o120_644] {
        let mut bytes = bytes.clone();
        bytes[mode..mode + 4].copy_from_slice(&kind.to_le_bytes());
        bytes[mode + 4..mode + 8].copy_from_slice(&kind.to_be_bytes());
        t.file("odd.iso", bytes);
        // MD5 of "evil".
        t.run("hash --inside images -c md5 odd.iso").code(0).prints("4034a346ccee15292d823416f7510a2f");
    }
});

case!(a_tree_of_a_disc_that_is_not_read_and_has_other_files_is_told, |t| {
    if !all_installed(&["genisoimage"]) {
        return;
    }
    disc(t, "-R -J -hide evil.exe");
    told(t, "disc.iso", &["disc.iso!: other programs may find other files: the tree for Joliet"]);
    disc(t, "-R -J");
    t.run("hash --inside images -c md5 disc.iso").code(0).quiet();
});

case!(a_chain_of_partitions_that_breaks_off_is_told, |t| {
    if !all_installed(&["sfdisk"]) {
        return;
    }
    t.file("table", "label: dos\n4: start=100,size=900,type=5\n5: start=110,size=20\n6: start=150,size=30\n");
    t.shell("truncate -s 512K chain.img && sfdisk -q chain.img < table").code(0);
    let mut bytes = t.read("chain.img");
    // The record of the second logical partition lies behind the end.
    let next = 100 * 512 + 446 + 16 + 8;
    bytes[next..next + 4].copy_from_slice(&0x00ff_ffff_u32.to_le_bytes());
    t.file("chain.img", bytes);
    told(t, "chain.img", &["chain.img!: ", "the chain of logical partitions breaks off at sector"]);
});

case!(a_damaged_log_of_a_virtual_disk_is_told, |t| {
    if !all_installed(&MAKERS) || !all_installed(&["qemu-img"]) {
        return;
    }
    tree(t);
    system(t, "fs", "fat");
    t.shell("qemu-img convert -f raw -O vhdx fs disk.vhdx").code(0);
    t.run("hash --inside images -c md5 disk.vhdx").code(0).quiet();
    let mut bytes = t.read("disk.vhdx");
    for header in [64 << 10, 128 << 10] {
        // The log is in use, and has no entry that is valid.
        let header = &mut bytes[header..header + 4096];
        header[48..64].fill(7);
        header[4..8].fill(0);
        let sum = hashmill_digest::hash(hashmill_digest::find("crc32c").unwrap(), &*header);
        sum.as_bytes().iter().rev().zip(&mut header[4..8]).for_each(|(from, to)| *to = *from);
    }
    t.file("disk.vhdx", bytes);
    told_inside(t, "disk.vhdx", &["disk.vhdx"]);
    t.run("hash --images -c md5 disk.vhdx").code(2).says("disk.vhdx");
});

case!(the_content_of_a_deleted_file_that_is_lost_is_not_exported, |t| {
    if !all_installed(&MAKERS) {
        return;
    }
    t.file("tree/lost.txt", "lost");
    system(t, "fs", "fat");
    t.shell("mdel -i fs ::lost.txt").code(0);
    let mut bytes = t.read("fs");
    // It claims more than the medium has.
    let entry = find(&bytes, b"\xe5OST    TXT");
    bytes[entry + 28..entry + 32].copy_from_slice(&0x00ff_ffff_u32.to_le_bytes());
    t.file("fs", bytes);
    t.run("image list --deleted fs").code(0).prints("(deleted, partial)");
    t.run("image export fs!/_ost.txt -o out").code(2).says("its content is lost");
    assert!(!t.has("out"));
});

case!(members_of_a_deleted_archive_are_deleted, |t| {
    if !all_installed(&MAKERS) || !all_installed(&["zip", "debugfs"]) {
        return;
    }
    tree(t);
    t.shell("cd tree && zip -q in.zip a.txt docs/b.txt && rm -r docs long.bin").code(0);
    system(t, "fs", "ext4");
    t.shell("debugfs -w -R 'rm in.zip' fs 2> /dev/null").code(0);
    let ran = t.run("hash --inside all --deleted -c md5 -f jsonl fs").code(0);
    let text = String::from_utf8(ran.stdout().to_vec()).unwrap();
    let left = |path: &str| {
        let line = text.lines().find(|line| line.contains(&format!("\"{path}\""))).unwrap();
        line.contains("\"allocation\":\"intact\"")
    };
    assert!(left("fs!/in.zip") && left("fs!/in.zip!/a.txt") && left("fs!/in.zip!/docs/b.txt"), "{text}");
    // The journal is in use, and no orphan.
    assert!(!left("fs!/a.txt") && !left("fs!/$Journal"), "{text}");
    t.file("m.jsonl", text).run("report m.jsonl -o page.html").code(0);
    assert!(String::from_utf8_lossy(&t.read("page.html")).contains("intact"));
});

case!(a_long_member_that_only_its_end_makes_an_image_is_told, |t| {
    let footer = [&b"conectix\0\0\0\x02\0\x01\0\0\xff\xff\xff\xff"[..], &[0; 492]].concat();
    t.file("d/payload.bin", [&vec![0; 2 << 20], &footer[..]].concat());
    t.shell("tar czf a.tgz -C d payload.bin && gzip -c d/payload.bin > one.gz").code(0);
    for name in ["a.tgz", "one.gz"] {
        let told = "is an image of media, and was not looked into (extract it, or give it as an operand)";
        for command in ["hash -f jsonl", "known match -k none.set -c sha256 --show bad", "dupes"] {
            t.file("none", format!("{:064x}\n", 1)).run("known build --force -o none.set --bad none").code(0);
            t.run(&format!("{command} --inside all {name}")).code(2).says(told);
        }
        t.run(&format!("hash --inside archives {name}")).code(0);
        t.run(&format!("diff --inside all {name} {name}")).code(if name == "a.tgz" { 2 } else { 64 });
    }
    // One that is named like an archive is copied to be looked into, so that its end is seen.
    t.shell("mv d/payload.bin d/payload.zip && tar czf b.tgz -C d payload.zip").code(0);
    t.run("hash --inside all b.tgz").code(2).says("b.tgz!/payload.zip!: ");
});
