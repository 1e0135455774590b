//! Compared with the kernel, which fills images, deletes and renames in them, and shows what is there. It needs root and
//! loop devices: `cargo test -p hashmill-disk -- --ignored mounted`.

use super::programs::{make, medium, run};
use super::sleuthkit::compare_deleted;
use super::trees::{Names, Random, fill, name, shown};
use crate::seen::everything;
use hashmill_disk::{DeletedEntries, NodeKind};
use hashmill_testing::{all_installed, cases};
use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// The options of images that Linux 6 mounts.
const IMAGES: &[&str] = &[
    "-t ext2 -b 1024",
    "-t ext2 -b 4096",
    "-t ext3 -b 1024",
    "-t ext3 -b 4096",
    "-t ext4 -b 1024",
    "-t ext4 -b 2048 -O meta_bg,^resize_inode",
    "-t ext4 -b 4096",
    "-t ext4 -b 4096 -I 128",
    "-t ext4 -b 1024 -O inline_data -I 512",
    "-t ext4 -b 4096 -O inline_data",
    "-t ext4 -b 4096 -O bigalloc -C 16384",
    "-t ext4 -b 1024 -O ^metadata_csum,uninit_bg,^flex_bg",
    "-t ext4 -b 4096 -O ^has_journal,large_dir,ea_inode",
    "-t ext4 -b 1024 -O ^dir_index,orphan_file",
];

/// A mounted image, until it is dropped.
struct Mount(PathBuf);

impl Mount {
    fn new(image: &Path, folder: &Path, options: &str) -> Mount {
        run(
            "mount",
            ["-o".as_ref(), format!("loop,{options}").as_ref(), image.as_os_str(), folder.as_os_str()],
        );
        Mount(folder.to_owned())
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        run("umount", [&self.0]);
    }
}

#[test]
#[ignore = "it needs root and loop devices"]
fn the_kernel_shows_the_same() {
    if !all_installed(&["mke2fs", "mount", "fls", "icat"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (image, place) = (folder.path().join("image"), folder.path().join("place"));
    fs::create_dir(&place).unwrap();
    for (seed, options) in (0..cases(1)).flat_map(|_| IMAGES).enumerate() {
        make(&image, 128, options, None);
        {
            let _mount = Mount::new(&image, &place, "rw");
            work(&place, seed as u64);
        }
        compare(&image, &place, options);
        if !options.contains("inline_data") && !options.contains("bigalloc") {
            compare_deleted(&image, options);
        }
    }
}

/// Fills a folder and changes things in it.
fn work(folder: &Path, seed: u64) {
    fill(folder, 700, seed, Names::Plain);
    let random = &mut Random(seed);
    let paths: Vec<PathBuf> =
        shown(folder).keys().map(|path| folder.join(std::str::from_utf8(path).unwrap())).collect();
    for (number, path) in paths.iter().enumerate() {
        let parent = path.parent().unwrap();
        let other = parent.join(name(random, 10_000 + number as u64, Names::Plain));
        let Ok(facts) = fs::symlink_metadata(path) else { continue };
        match random.below(12) {
            0 if facts.is_dir() && number % 4 == 0 => fs::remove_dir_all(path).unwrap(),
            1 | 2 if facts.is_file() => fs::remove_file(path).unwrap(),
            3 => fs::rename(path, other).unwrap(),
            4 if facts.is_file() => append(path, random),
            5 if facts.is_file() => resize(path, random.below(200_000)),
            6 if facts.is_file() => allocate(path, random),
            7 => fs::write(other, random.bytes(300)).unwrap(),
            _ => {}
        }
    }
    let many = folder.join("many");
    fs::create_dir(&many).unwrap();
    for number in 0..3000 {
        File::create(many.join(format!("{number}-{}", "n".repeat(number % 50)))).unwrap();
    }
    (0..3000).step_by(3).for_each(|number| {
        fs::remove_file(many.join(format!("{number}-{}", "n".repeat(number % 50)))).unwrap();
    });
    run("mkfifo", [folder.join("fifo")]);
    run("mknod", [folder.join("device").as_os_str(), "c".as_ref(), "300".as_ref(), "70000".as_ref()]);
    run("touch", ["-d".as_ref(), "1901-12-15 01:02:03.25".as_ref(), folder.join("large.bin").as_os_str()]);
    // Times beyond 2038 need inodes of more than 128 bytes.
    run("touch", ["-d".as_ref(), "2345-12-15 01:02:03.75".as_ref(), folder.join("many").as_os_str()]);
}

fn append(path: &Path, random: &mut Random) {
    let file = OpenOptions::new().write(true).open(path).unwrap();
    let (at, length) = (random.below(300_000), random.below(20_000));
    file.write_all_at(&random.bytes(length), at).unwrap();
}

fn resize(path: &Path, size: u64) {
    OpenOptions::new().write(true).open(path).unwrap().set_len(size).unwrap();
}

/// Allocates blocks that are not written, some of them behind the end; not all file systems can.
fn allocate(path: &Path, random: &mut Random) {
    let (start, length) = (random.below(100_000).to_string(), (1 + random.below(100_000)).to_string());
    let more: &[&str] = [&[][..], &["--keep-size"], &["--punch-hole"]][random.below(3) as usize];
    let arguments = ["--offset", &start, "--length", &length].into_iter().chain(more.iter().copied());
    let _ = std::process::Command::new("fallocate").args(arguments).arg(path).output().unwrap();
}

/// Compares everything in use with what the kernel shows.
fn compare(image: &Path, place: &Path, options: &str) {
    let mut found = everything(&medium(image), DeletedEntries::LeftOut);
    let _mount = Mount::new(image, place, "ro,noatime");
    for (path, expected) in shown(place) {
        let what = format!("{options}: {}", String::from_utf8_lossy(&path));
        let seen = found.remove(&path).unwrap_or_else(|| panic!("{what}: not found"));
        let node = seen.entry.node.unwrap_or_else(|problem| panic!("{what}: {problem}"));
        assert_eq!((node.kind, u64::from(node.links)), (expected.kind, expected.links), "{what}");
        let ours = [node.times.modified, node.times.accessed, node.times.changed];
        let ours = ours.map(|time| time.map(|time| (time.seconds, time.nanoseconds)).unwrap());
        assert_eq!(ours, [expected.modified, expected.accessed, expected.changed], "{what}");
        assert_eq!(node.size, expected.size, "{what}");
        if node.kind != NodeKind::Directory {
            let bytes = seen.bytes.unwrap_or_else(|problem| panic!("{what}: {problem}"));
            assert!(bytes == expected.bytes, "{what}: other bytes");
        }
    }
    assert!(found.is_empty(), "{options}: only here: {:?}", found.keys());
}
