//! Compared with fls and icat of sleuthkit.

use super::populated::IMAGES;
use super::programs::{change, make, medium, run, step};
use super::trees::{Names, Random, fill};
use crate::seen::{Seen, everything};
use hashmill_disk::{Allocation, DeletedEntries, NodeKind, Time};
use hashmill_testing::all_installed;
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::path::Path;

/// Features that sleuthkit 4.12 reads wrongly or not at all.
const UNKNOWN: &[&str] = &["inline_data", "bigalloc"];

/// The facts that both tell: number, size, and the times of access, content, metadata and creation.
type Facts = (u64, u64, [i64; 4]);

/// Returns some images; all in a campaign.
fn images() -> impl Iterator<Item = (u64, &'static str)> {
    let known = |options: &&str| !UNKNOWN.iter().any(|unknown| options.contains(unknown));
    let images = IMAGES.iter().map(|(mebibytes, _, options)| (*mebibytes, *options));
    images.filter(move |(_, options)| known(options)).step_by(step(8))
}

#[test]
fn entries_in_use_are_those_that_it_lists() {
    if !all_installed(&["mke2fs", "debugfs", "fls", "icat"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("image");
    for (number, (mebibytes, options)) in images().enumerate() {
        let tree = tempfile::tempdir().unwrap();
        fill(tree.path(), 60, 1000 + number as u64, Names::Plain);
        make(&image, mebibytes, options, Some(tree.path()));
        let found = everything(&medium(&image), DeletedEntries::LeftOut);
        let ours = found.iter().map(|(path, seen)| (text(path), facts(seen, options)));
        assert_same(ours.collect(), listed(&image), options);
        for seen in found.values().step_by(5) {
            compare_bytes(&image, seen, options);
        }
    }
}

/// Names whose entry was used again are told by both, and those that stayed behind when a directory's block was split by
/// neither.
#[test]
fn deleted_entries_are_those_that_it_lists() {
    if !all_installed(&["mke2fs", "debugfs", "fls", "icat"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("image");
    for (number, (mebibytes, options)) in images().enumerate() {
        let tree = tempfile::tempdir().unwrap();
        fill(tree.path(), 80, 2000 + number as u64, Names::Plain);
        make(&image, mebibytes, options, Some(tree.path()));
        delete(&image, number as u64);
        compare_deleted(&image, options);
    }
}

/// Compares the deleted entries of an image, and bytes of some.
pub fn compare_deleted(image: &Path, options: &str) {
    let found = everything(&medium(image), DeletedEntries::Listed);
    let dead = |seen: &&Seen| seen.entry.node.as_ref().is_ok_and(|node| node.allocation != Allocation::Live);
    let ours = found.values().filter(dead).map(|seen| (text(&seen.entry.path), number_of(seen)));
    let (wrong, theirs): (Vec<_>, Vec<_>) = listed_as_deleted(image).into_iter().partition(is_index);
    // An inode that has a name is no orphan for it.
    let is_hidden = |(path, number): &(String, u64)| {
        path.starts_with("$OrphanFiles") && wrong.iter().any(|(_, hidden)| hidden == number)
    };
    assert_same(ours.filter(|entry| !is_hidden(entry)).collect(), theirs.into_iter().collect(), options);
    for seen in found.values().filter(dead).step_by(step(5)) {
        compare_bytes(image, seen, options);
    }
}

/// Returns whether sleuthkit takes a part of an index, which is hashes and small numbers, for a deleted entry. All names
/// of these tests have a dot or a dash in them.
fn is_index((path, _): &(String, u64)) -> bool {
    !path.rsplit('/').next().unwrap().contains(['.', '-'])
}

/// Checks that two sets are the same, and else shows what only one of them has.
fn assert_same<T: Ord + Debug>(ours: BTreeSet<T>, theirs: BTreeSet<T>, what: &str) {
    let (only, missing): (Vec<_>, Vec<_>) =
        (ours.difference(&theirs).collect(), theirs.difference(&ours).collect());
    assert!(only.is_empty() && missing.is_empty(), "{what}: only here: {only:?}, missing: {missing:?}");
}

/// Deletes every third file of an image, every tenth only by its name, and every tenth directory with all names in it.
fn delete(image: &Path, seed: u64) {
    let random = &mut Random(seed);
    let mut commands = String::new();
    for (path, seen) in everything(&medium(image), DeletedEntries::LeftOut) {
        let node = seen.entry.node.unwrap();
        match random.below(10) {
            0..3 if node.kind == NodeKind::File => commands += &format!("rm \"{}\"\n", text(&path)),
            3 if node.kind == NodeKind::File => commands += &format!("unlink \"{}\"\n", text(&path)),
            4 if node.kind == NodeKind::Directory && text(&path) != "lost+found" => {
                // Its files stay, without a name that is in use.
                commands += &format!("kill_file \"{0}\"\nunlink \"{0}\"\n", text(&path));
            }
            _ => {}
        }
    }
    change(image, &commands);
}

fn text(path: &[u8]) -> String {
    String::from_utf8(path.to_vec()).unwrap()
}

fn number_of(seen: &Seen) -> u64 {
    seen.entry.node.as_ref().unwrap().number
}

fn facts(seen: &Seen, what: &str) -> Facts {
    let path = text(&seen.entry.path);
    let node = seen.entry.node.as_ref().unwrap_or_else(|problem| panic!("{what}: {path}: {problem}"));
    let times = node.times;
    let seconds = |time: Option<Time>| time.map_or(0, |time| time.seconds);
    // It knows the creation in file systems with extents alone.
    let created = times.created.filter(|_| what.contains("ext4") && !what.contains("^extents"));
    let times = [times.accessed, times.modified, times.changed, created].map(seconds);
    (node.number, node.size, times)
}

/// Returns the entries that fls lists, with their facts.
fn listed(image: &Path) -> BTreeSet<(String, Facts)> {
    let lines = run("fls", ["-r".as_ref(), "-p".as_ref(), "-m".as_ref(), "".as_ref(), image.as_os_str()]);
    let lines = String::from_utf8(lines).unwrap();
    let entry = |line: &str| {
        let fields: Vec<&str> = line.split('|').collect();
        let [_, path, number, _, _, _, size, times @ ..] = &*fields else { panic!("{line}") };
        let path = path.trim_start_matches('/').split(" -> ").next().unwrap().to_owned();
        let times: Vec<i64> = times.iter().map(|time| time.parse().unwrap()).collect();
        (path, (number.parse().unwrap(), size.parse().unwrap(), times.try_into().unwrap()))
    };
    lines.lines().map(entry).filter(|(path, _)| !path.starts_with("$OrphanFiles")).collect()
}

/// Returns the deleted entries that fls lists.
fn listed_as_deleted(image: &Path) -> Vec<(String, u64)> {
    let lines = String::from_utf8(run("fls", ["-rdp".as_ref(), image.as_os_str()])).unwrap();
    let entry = |line: &str| {
        let (facts, path) = line.split_once(":\t").unwrap();
        let number = facts.split_once("* ").unwrap().1.trim_end_matches("(realloc)");
        (path.to_owned(), number.parse().unwrap())
    };
    lines.lines().map(entry).collect()
}

/// Compares the bytes of a file with those that icat reads.
fn compare_bytes(image: &Path, seen: &Seen, options: &str) {
    let Ok(node) = &seen.entry.node else { return };
    if node.kind != NodeKind::File || node.number == 0 {
        return;
    }
    let theirs = run("icat", [image.as_os_str(), node.number.to_string().as_ref()]);
    let what = format!("{options}: {}", text(&seen.entry.path));
    assert!(*seen.bytes.as_ref().unwrap() == theirs, "{what}: other bytes");
}
