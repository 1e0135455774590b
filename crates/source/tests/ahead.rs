//! Walks with listing ahead return the same as walks without.

use crate::common::{Folder, as_nobody, lines, walked};
use hashmill_source::{Filter, LookAhead, Skip, WalkItem, WalkOptions, walk};
use proptest::prelude::*;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

/// Returns the lines of both walks, after checking that they are the same.
fn both(folder: &Folder, operands: &[&[u8]], options: &WalkOptions) -> Vec<String> {
    let found = |ahead| lines(folder, walked(operands, WalkOptions { ahead, ..options.clone() }));
    let plain = found(LookAhead::Never);
    // The order of the threads varies: several tries.
    for _ in 0..3 {
        assert_eq!(found(LookAhead::Always), plain);
    }
    plain
}

fn wide_and_deep(folder: &Folder) {
    for one in 0..18 {
        for two in 0..12 {
            folder.file(format!("{one}/{two}/file"), "x");
            folder.file(format!("{one}/{two}-"), "x");
        }
        folder.file(format!("{one}-/a/b/c/d/e/f/g/h"), "x");
    }
    folder.deep(b"deep", 60);
}

#[test]
fn threads_change_nothing() {
    let folder = Folder::new("ahead");
    wide_and_deep(&folder);
    let found = both(&folder, &[folder.bytes()], &WalkOptions::default());
    assert_eq!(found.len(), 18 * 25 + 1);
    let operands: Vec<_> = ["3", "3/7", "3", "nosuch", "4", "3/1/file"]
        .iter()
        .map(|name| folder.join(name).into_os_string().into_encoded_bytes())
        .collect();
    let operands: Vec<&[u8]> = operands.iter().map(Vec::as_slice).collect();
    both(&folder, &operands, &WalkOptions::default());
}

#[test]
fn filters_links_and_file_systems_are_as_without() {
    let folder = Folder::new("ahead-options");
    wide_and_deep(&folder);
    folder.link("1/up", "..");
    folder.link("2/way", "../3");
    folder.link("2-/loop", ".");
    fs::set_permissions(folder.join("5/5"), fs::Permissions::from_mode(0o000)).unwrap();
    let output = fs::metadata(folder.join("7/7/file")).unwrap();
    let filter = Filter::builder().exclude("1?/").exclude("2*-").min_size(1).build().unwrap();
    for follow in [false, true] {
        for one_file_system in [false, true] {
            for filter in [Filter::default(), filter.clone()] {
                let leave_out = vec![(output.dev(), output.ino())];
                let options =
                    WalkOptions { follow, one_file_system, filter, leave_out, ..WalkOptions::default() };
                both(&folder, &[folder.bytes(), b"/proc/sys/net"], &options);
            }
        }
    }
    let operand = folder.bytes().to_vec();
    let denied = as_nobody(move || walked(&[&operand], WalkOptions { ahead: LookAhead::Always, ..all() }));
    fs::set_permissions(folder.join("5/5"), fs::Permissions::from_mode(0o700)).unwrap();
    if let Some(found) = denied {
        let failed = |found: &&String| found.starts_with("failed 5/5: cannot list");
        assert_eq!(lines(&folder, found).iter().filter(failed).count(), 1);
    }
}

fn all() -> WalkOptions {
    WalkOptions::default()
}

#[test]
fn other_file_systems_are_skipped_once() {
    let filter = Filter::builder().exclude("/[!p]*").exclude("/pr[!o]*").build().unwrap();
    let options = WalkOptions { one_file_system: true, filter, ahead: LookAhead::Always, ..all() };
    let proc = |found: &&WalkItem| matches!(found, WalkItem::Skipped { path, why: Skip::OtherFileSystem } if **path == *b"/proc");
    if fs::metadata("/proc").unwrap().dev() != fs::metadata("/").unwrap().dev() {
        assert_eq!(walked(&[b"/"], options).iter().filter(proc).count(), 1);
    }
}

#[test]
fn a_directory_with_many_directories_is_walked_in_full() {
    let folder = Folder::new("ahead-many");
    (0..700).for_each(|number| fs::create_dir(folder.join(format!("{number}"))).unwrap());
    (0..700).step_by(7).for_each(|number| drop(folder.file(format!("{number}/file"), "")));
    assert_eq!(both(&folder, &[folder.bytes()], &all()).len(), 100);
}

#[test]
fn a_walk_can_be_dropped_at_any_time() {
    let folder = Folder::new("ahead-drop");
    wide_and_deep(&folder);
    for taken in [0, 1, 2, 100] {
        let options = WalkOptions { ahead: LookAhead::Always, ..all() };
        let mut walk = walk([Box::from(folder.bytes())].into_iter(), options);
        assert_eq!(walk.by_ref().take(taken).count(), taken);
    }
}

#[test]
fn entries_tell_their_device_and_inode() {
    let folder = Folder::new("ahead-device");
    let paths = ["a", "b/c"].map(|name| folder.file(name, "x"));
    for ahead in [LookAhead::Never, LookAhead::Always] {
        for filter in [Filter::default(), Filter::builder().min_size(1).build().unwrap()] {
            let found = walked(&[folder.bytes(), b"-", b"/dev/null"], WalkOptions { ahead, filter, ..all() });
            let entries: Vec<_> = found
                .iter()
                .map(|found| match found {
                    WalkItem::File(entry) => (entry.device, entry.ino),
                    other => panic!("{other:?}"),
                })
                .collect();
            let meta = |path: &Path| fs::metadata(path).map(|meta| (meta.dev(), meta.ino())).unwrap();
            assert_eq!(entries[2..], [(0, 0), meta("/dev/null".as_ref())]);
            for (entry, path) in entries.iter().zip(&paths) {
                // Listings of unions have their own inode numbers.
                assert!(entry.0 == meta(path).0 && entry.1 > 0, "{entry:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: hashmill_testing::cases(16) as u32, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_tree_comes_out_the_same(paths in prop::collection::btree_set("[-./0ab]{1,10}", 1..60)) {
        let folder = Folder::new("ahead-property");
        for path in &paths {
            let parts: Vec<&str> = path.split('/').filter(|part| !matches!(*part, "" | "." | "..")).collect();
            let path = folder.path().join(parts.join("/"));
            // A name may be taken by a directory, or be needed as a directory.
            if path.parent().is_some_and(|parent| fs::create_dir_all(parent).is_ok()) && !path.is_dir() {
                let _ = fs::write(&path, "");
            }
        }
        both(&folder, &[folder.bytes()], &WalkOptions::default());
        both(&folder, &[folder.bytes()], &WalkOptions { follow: true, ..WalkOptions::default() });
    }
}

#[test]
fn a_directory_too_long_to_be_listed_ahead_is_walked_in_full() {
    let folder = Folder::new("ahead-long");
    for directory in ["a", "b", "c"] {
        fs::create_dir(folder.join(directory)).unwrap();
    }
    let first = folder.file("b/first", "");
    // Links are created faster than files.
    for number in 0..50_100 {
        let name = folder.join(format!("b/{number}"));
        // Some file systems allow only about 65,000 links to a file, or fewer; then files are created.
        if fs::hard_link(&first, &name).is_err() {
            fs::write(&name, "").unwrap();
        }
    }
    folder.file("c/last", "");
    let found = walked(&[folder.bytes()], WalkOptions { ahead: LookAhead::Always, ..all() });
    assert_eq!(found.len(), 50_102);
    assert!(matches!(&found[50_101], WalkItem::File(entry) if entry.path.ends_with(b"c/last")));
}
