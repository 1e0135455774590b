//! Builds that are killed, that fill the disk, or that have little memory.

use crate::support::algorithm;
use hashmill_known::{Annotation, BuildOptions, Builder, Category, Detail, Index, Why};
use hashmill_testing::{Folder, Random};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// The variable that tells a child of this test the index to build.
const CHILD: &str = "HASHMILL_KNOWN_CHILD";

/// The memory limit of the children.
const MEMORY: u64 = 128 << 20;

fn fill(target: &Path, count: u64) -> Result<(), hashmill_known::Error> {
    let mut builder =
        Builder::new(target, BuildOptions { memory: MEMORY, built: None, ..BuildOptions::default() });
    let detail = builder.number(&Detail::new(Category::Good, "random"));
    let mut random = Random(1);
    for _ in 0..count {
        let digest = random.digest(20);
        builder.add(algorithm(20), digest.as_bytes(), Annotation { detail, size: None })?;
    }
    builder.finish().map(drop)
}

/// The work of the children, not a test: builds an index and prints its peak memory.
#[test]
fn child() {
    let Ok(words) = std::env::var(CHILD) else { return };
    let (count, target) = words.split_once(' ').unwrap();
    fill(Path::new(target), count.parse().unwrap()).unwrap();
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or("VmHWM: 0 kB");
    std::fs::write(format!("{target}.memory"), peak).unwrap();
}

fn spawn(target: &Path, count: u64) -> Child {
    let mut command = hashmill_testing::this_program();
    command.args(["--exact", "robust::child"]).env(CHILD, format!("{count} {}", target.display()));
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

#[test]
fn a_killed_build_leaves_the_old_index_and_the_next_one_clears_up() {
    let folder = Folder::new();
    let target = folder.at("set.hmk");
    fill(&target, 1000).unwrap();
    let old = std::fs::read(&target).unwrap();
    for wait in [1, 30, 200, 500, 900, 1400] {
        let mut child = spawn(&target, 2_000_000);
        std::thread::sleep(Duration::from_millis(wait));
        child.kill().unwrap();
        child.wait().unwrap();
        let index = Index::open(&target).unwrap();
        index.verify().unwrap();
        assert!(matches!(index.count(20), 1000 | 2_000_000));
    }
    // As if killed in the middle of writing.
    folder.file(".set.hmk.hashmill-partial-abcdefghijkl", "half");
    folder.file(".set.hmk.hashmill-partial-ABCDEFGHIJK0", "half");
    fill(&target, 1000).unwrap();
    assert_eq!(std::fs::read(&target).unwrap(), old);
    let left: Vec<_> = folder.names().into_iter().filter(|name| name.contains("partial")).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
#[ignore = "campaign: takes long"]
fn memory_stays_within_its_bound() {
    let folder = Folder::new();
    let target = folder.at("set.hmk");
    assert!(spawn(&target, 5_000_000).wait().unwrap().success());
    assert_eq!(Index::open(&target).unwrap().count(20), 5_000_000);
    let peak = std::fs::read_to_string(folder.at("set.hmk.memory")).unwrap();
    let peak: u64 = peak.split_whitespace().nth(1).unwrap().parse().unwrap();
    // The records alone are 120 MB, and their keys 80.
    assert!(peak << 10 <= MEMORY, "{} MiB", peak >> 10);
}

#[test]
fn a_full_disk_is_told_of_and_nothing_is_left() {
    let folder = Folder::new();
    let disk = folder.at("disk");
    std::fs::create_dir(&disk).unwrap();
    let mount = Command::new("mount").args(["-t", "tmpfs", "-o", "size=1m", "none"]).arg(&disk).status();
    if !mount.is_ok_and(|status| status.success()) {
        return hashmill_testing::not_possible("mounting a small file system");
    }
    let target = disk.join("set.hmk");
    let built = (fill(&target, 1000), fill(&target, 30_000), fill(&target, 200_000));
    let names: Vec<_> = std::fs::read_dir(&disk).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    let whole = Index::open(&target).map(|index| index.count(20));
    Command::new("umount").arg(&disk).status().unwrap();
    built.0.unwrap();
    for error in [built.1.unwrap_err(), built.2.unwrap_err()] {
        assert!(matches!(error.why, Why::Io("write", _)), "{error}");
        assert!(error.to_string().contains("No space left on device"), "{error}");
    }
    assert_eq!(names, ["set.hmk"]);
    assert_eq!(whole.unwrap(), 1000);
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("nowhere");
    let error = fill(&folder.join("set.hmk"), 10).unwrap_err();
    assert!(error.to_string().contains(&*folder.to_string_lossy()), "{error}");
}
