//! Walks of real trees: order, odd names, depth, kinds of entries, filters, failures.
#![allow(unsafe_code)]

use crate::common::{Folder, as_nobody, files, lines, os, records, under_faults, walked};
use hashmill_source::{Filter, Origin, Problem, Reader, Reading, Skip, WalkItem, WalkOptions, walk};
use hashmill_testing::{all_installed, not_possible};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::process::Command;
use std::time::{Duration, UNIX_EPOCH};

fn all() -> WalkOptions {
    WalkOptions::default()
}

fn filtered(filter: hashmill_source::FilterBuilder) -> WalkOptions {
    WalkOptions { filter: filter.build().unwrap(), ..all() }
}

/// Returns names that break programs, and siblings whose order depends on the slash.
fn odd_names() -> Vec<Vec<u8>> {
    let mut names: Vec<Vec<u8>> = [
        &b"a/z"[..],
        b"a-b",
        b"a.txt",
        b"a0",
        b"ab/g",
        b"ab/c-d/e",
        b"ab/c/f",
        b"ab!",
        b"-",
        b"--help",
        b" lead",
        b"trail ",
        b"new\nline",
        b"tab\there",
        b"back\\slash",
        b"quote\"'",
        b"\xff\xfe",
        b"\x01",
        b"caf\xc3\xa9",
        b"cafe\xcc\x81",
        b".hidden",
        b"..more",
        b"*",
        b"%s",
        b"a/b/c/d/e/f",
        b"Z",
        b"z",
    ]
    .iter()
    .map(|name| name.to_vec())
    .collect();
    names.push(vec![b'n'; 255]);
    names.push([vec![0xf0; 255], b"/x".to_vec()].concat());
    names
}

#[test]
fn order_is_that_of_find_and_sort() {
    let folder = Folder::new("order");
    odd_names().iter().for_each(|name| drop(folder.file(name, name)));
    let walked = files(walked(&[folder.bytes()], all()));
    assert_eq!(walked.len(), odd_names().len());
    if all_installed(&["find", "sort"]) {
        let sorted = Command::new("sh")
            .args(["-c", "find \"$0\" -type f -print0 | LC_ALL=C sort -z"])
            .arg(folder.path())
            .output()
            .unwrap();
        let sorted = records(sorted.stdout);
        assert!(sorted.iter().map(Vec::as_slice).eq(walked.iter().map(|path| &**path)));
    }
}

#[test]
fn every_odd_name_can_be_read() {
    let folder = Folder::new("odd");
    odd_names().iter().for_each(|name| drop(folder.file(name, name)));
    for found in walked(&[folder.bytes()], all()) {
        let WalkItem::File(entry) = found else { panic!("{found:?}") };
        let mut reader = Reader::open(&entry, &Reading::default()).unwrap();
        let mut buffer = [0; 1000];
        let read = reader.read(&mut buffer).unwrap();
        assert_eq!(&buffer[..read], folder.strip(&entry.path));
        reader.finish(read as u64).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: hashmill_testing::cases(48) as u32, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn order_is_that_of_whole_paths(paths in prop::collection::btree_set("[-./0ab]{1,8}", 1..40)) {
        let folder = Folder::new("property");
        let mut made = BTreeSet::new();
        for path in &paths {
            let parts: Vec<&str> = path.split('/').filter(|part| !matches!(*part, "" | "." | "..")).collect();
            let path = folder.path().join(parts.join("/"));
            // A name may be taken by a directory, or be needed as a directory.
            let made_room = path.parent().is_some_and(|parent| fs::create_dir_all(parent).is_ok());
            if !parts.is_empty() && made_room && !path.is_dir() && fs::write(&path, "").is_ok() {
                made.insert(path.as_os_str().as_bytes().to_vec());
            }
        }
        let walked = files(walked(&[folder.bytes()], all()));
        prop_assert!(walked.iter().map(|path| path.to_vec()).eq(made));
    }
}

#[test]
fn operands_come_in_the_order_given_and_as_typed() {
    let folder = Folder::new("operands");
    folder.file("d/x", "");
    folder.file("d/y/z", "");
    folder.link("link", "d");
    let folder_path = folder.path().to_str().unwrap();
    for (typed, shown) in [
        ("d", vec!["d/x", "d/y/z"]),
        ("d/", vec!["d/x", "d/y/z"]),
        ("d///", vec!["d/x", "d/y/z"]),
        ("./d", vec!["./d/x", "./d/y/z"]),
        ("d/../d/y", vec!["d/../d/y/z"]),
        (".//d/x", vec![".//d/x"]),
        ("link", vec!["link/x", "link/y/z"]),
        ("link/", vec!["link/x", "link/y/z"]),
    ] {
        let operand = format!("{folder_path}/{typed}");
        let shown = shown.iter().map(|path| format!("{folder_path}/{path}").into_bytes().into_boxed_slice());
        assert!(files(walked(&[operand.as_bytes()], all())).into_iter().eq(shown), "{typed}");
    }
    let [x, y] = ["d/y", "d/x"].map(|name| folder.join(name).into_os_string());
    let found = files(walked(&[x.as_bytes(), b"-", y.as_bytes(), y.as_bytes()], all()));
    let names: Vec<&[u8]> = found.iter().map(|path| folder.strip(path)).collect();
    assert_eq!(names, [&b"d/y/z"[..], b"-", b"d/x", b"d/x"]);
}

#[test]
fn the_working_directory_is_shown_with_its_dot() {
    // The working directory of tests is the crate.
    let found = files(
        walked(&[b"."], filtered(Filter::builder().include("/Car*.toml")))
            .into_iter()
            .filter(|found| matches!(found, WalkItem::File(_)))
            .collect(),
    );
    assert_eq!(found, [Box::from(b"./Cargo.toml".as_slice())]);
}

#[test]
fn operands_that_are_no_files_are_streams_or_failures() {
    let folder = Folder::new("kinds");
    folder.file("file", "four");
    folder.fifo("fifo");
    folder.link("dangling", "nowhere");
    let operand = |name: &str| folder.join(name).as_os_str().as_bytes().to_vec();
    let names = ["file", "fifo", "dangling", "file/", "nosuch"].map(operand);
    let mut operands: Vec<&[u8]> = names.iter().map(Vec::as_slice).collect();
    operands.extend([&b"-"[..], b"", b"a\0b", b"/dev/null"]);
    let found = walked(&operands, all());
    assert!(
        matches!(&found[0], WalkItem::File(entry) if entry.origin == Origin::Operand && entry.size == Some(4))
    );
    assert!(
        matches!(&found[1], WalkItem::File(entry) if entry.origin == Origin::Operand && entry.size.is_none())
    );
    assert!(matches!(&found[5], WalkItem::File(entry) if entry.origin == Origin::Stdin));
    assert!(matches!(&found[8], WalkItem::File(entry) if entry.origin == Origin::Operand));
    for failed in [2, 3, 4, 6, 7] {
        assert!(
            matches!(&found[failed], WalkItem::Failed(error) if matches!(error.problem, Problem::Stat(_)) && *error.path == *operands[failed])
        );
    }
    assert_eq!(found.len(), 9);
}

#[test]
fn links_and_special_files_are_skipped_by_name() {
    let folder = Folder::new("special");
    folder.file("d/file", "");
    folder.fifo("d/fifo");
    let _socket = std::os::unix::net::UnixListener::bind(folder.join("d/socket")).unwrap();
    folder.link("d/to-file", "file");
    folder.link("d/to-nowhere", "nowhere");
    folder.link("d/up", "..");
    let expected = [
        "skipped d/fifo: fifo",
        "file d/file",
        "skipped d/socket: socket",
        "skipped d/to-file: link",
        "skipped d/to-nowhere: link",
        "skipped d/up: link",
    ];
    assert_eq!(lines(&folder, walked(&[folder.bytes()], all())), expected);
    let dev = walked(&[b"/dev"], all());
    assert!(dev.iter().any(
        |found| matches!(found, WalkItem::Skipped { path, why: Skip::Device } if **path == *b"/dev/null")
    ));
}

#[test]
fn links_are_followed_on_demand_but_not_in_circles() {
    let folder = Folder::new("follow");
    folder.file("a/file", "");
    folder.file("b/c/file", "");
    folder.fifo("fifo");
    folder.link("a/self", "self");
    folder.link("a/up", "../a");
    folder.link("a/way", "../b");
    folder.link("b/c/back", "../../a");
    folder.link("to-fifo", "fifo");
    folder.link("to-file", "a/file");
    // A link to a directory sorts like a directory: `way/` comes after `way-` and before `way0`.
    folder.file("a/way-", "");
    folder.file("a/way0", "");
    let found = lines(&folder, walked(&[folder.bytes()], WalkOptions { follow: true, ..all() }));
    let circle = std::io::Error::from_raw_os_error(libc::ELOOP);
    let expected = [
        "file a/file".to_owned(),
        format!("failed a/self: cannot look it up: {circle}"),
        "skipped a/up: loop".to_owned(),
        "file a/way-".to_owned(),
        "skipped a/way/c/back: loop".to_owned(),
        "file a/way/c/file".to_owned(),
        "file a/way0".to_owned(),
        "file b/c/back/file".to_owned(),
        format!("failed b/c/back/self: cannot look it up: {circle}"),
        "skipped b/c/back/up: loop".to_owned(),
        "file b/c/back/way-".to_owned(),
        "skipped b/c/back/way: loop".to_owned(),
        "file b/c/back/way0".to_owned(),
        "file b/c/file".to_owned(),
        "skipped fifo: fifo".to_owned(),
        "skipped to-fifo: fifo".to_owned(),
        "file to-file".to_owned(),
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_loop_from_below_its_start_is_found() {
    let folder = Folder::new("below");
    folder.file("top/in/file", "");
    folder.link("top/in/out", "..");
    let operand = folder.join("top/in");
    let found = walked(&[operand.as_os_str().as_bytes()], WalkOptions { follow: true, ..all() });
    assert_eq!(lines(&folder, found), ["file top/in/file", "skipped top/in/out/in: loop"]);
}

#[test]
fn depth_has_no_limit() {
    for (test, name, depth) in [("deep-names", &[b'd'; 250][..], 40), ("deep-levels", b"ddd", 1500)] {
        let folder = Folder::new(test);
        folder.deep(name, depth);
        let options = filtered(Filter::builder().min_size(4));
        let found = walked(&[folder.bytes()], options);
        let [WalkItem::File(entry)] = &found[..] else { panic!("{found:?}") };
        assert!(entry.path.len() > 5000 && entry.size == Some(4));
        let mut reader = Reader::open(entry, &Reading::default()).unwrap();
        let mut buffer = [0; 10];
        assert_eq!(reader.read(&mut buffer).unwrap(), 4);
        assert_eq!(&buffer[..4], b"deep");
        reader.finish(4).unwrap();
        assert!(files(walked(&[&entry.path], all())).iter().eq([&entry.path]));
    }
}

#[test]
fn an_unreadable_directory_is_a_failure_and_the_walk_goes_on() {
    let folder = Folder::new("denied");
    folder.file("d/closed/file", "");
    folder.file("d/closed-", "");
    folder.file("d/z", "");
    fs::set_permissions(folder.join("d/closed"), fs::Permissions::from_mode(0o000)).unwrap();
    let operand = folder.join("d").into_os_string();
    let found = as_nobody(move || walked(&[operand.as_bytes()], all()));
    fs::set_permissions(folder.join("d/closed"), fs::Permissions::from_mode(0o700)).unwrap();
    let Some(found) = found else { return };
    let denied = std::io::Error::from_raw_os_error(libc::EACCES);
    let expected = [
        "file d/closed-".to_owned(),
        format!("failed d/closed: cannot list the directory: {denied}"),
        "file d/z".to_owned(),
    ];
    assert_eq!(lines(&folder, found), expected);
}

#[test]
fn what_vanishes_after_it_was_listed_is_a_failure() {
    let folder = Folder::new("vanish");
    for name in ["a", "b", "c/d", "e"] {
        folder.file(name, "x");
    }
    let operands = [Box::from(folder.bytes())].into_iter();
    let mut walk = walk(operands, filtered(Filter::builder().min_size(1)));
    let mut found = vec![walk.next().unwrap()];
    fs::remove_file(folder.join("b")).unwrap();
    fs::remove_dir_all(folder.join("c")).unwrap();
    fs::remove_file(folder.join("e")).unwrap();
    folder.fifo("e");
    found.extend(walk);
    let gone = std::io::Error::from_raw_os_error(libc::ENOENT);
    let expected = [
        "file a".to_owned(),
        format!("failed b: cannot look it up: {gone}"),
        format!("failed c: cannot list the directory: {gone}"),
        "failed e: is no longer a regular file".to_owned(),
    ];
    assert_eq!(lines(&folder, found), expected);
}

#[test]
fn filters_skip_and_prune() {
    let folder = Folder::new("filters");
    for (name, size) in [("a.rs", 10), ("b.txt", 10), ("sub/c.rs", 100), ("target/x/y.rs", 10)] {
        folder.file(name, vec![0; size]);
    }
    folder.file("sub/target", "");
    let paths = |filter| lines(&folder, walked(&[folder.bytes()], filtered(filter)));
    assert_eq!(
        paths(Filter::builder().exclude("target/").exclude("b*")),
        [
            "file a.rs",
            "skipped b.txt: filtered",
            "file sub/c.rs",
            "file sub/target",
            "skipped target: filtered"
        ]
    );
    assert_eq!(
        paths(Filter::builder().include("*.rs").exclude("/target").min_size(11)),
        [
            "skipped a.rs: filtered",
            "skipped b.txt: filtered",
            "file sub/c.rs",
            "skipped sub/target: filtered",
            "skipped target: filtered"
        ]
    );
    let old = fs::File::options().write(true).open(folder.join("a.rs")).unwrap();
    old.set_modified(UNIX_EPOCH + Duration::from_secs(1000)).unwrap();
    let newer = paths(Filter::builder().include("*.rs").newer(UNIX_EPOCH + Duration::from_secs(1000)));
    assert_eq!(newer[0], "skipped a.rs: filtered");
    assert_eq!(newer[2], "file sub/c.rs");
}

#[test]
fn filters_hold_for_operands_that_are_files() {
    let folder = Folder::new("operand-filter");
    folder.file("a.o", "");
    folder.file("d.o/b", "");
    let operands = ["a.o", "d.o"].map(|name| folder.join(name).into_os_string());
    let operands: Vec<&[u8]> = operands.iter().map(|operand| operand.as_bytes()).collect();
    let found = lines(&folder, walked(&operands, filtered(Filter::builder().exclude("*.o"))));
    assert_eq!(found, ["skipped a.o: filtered", "file d.o/b"]);
}

#[test]
fn the_output_is_left_out_under_all_its_names() {
    let folder = Folder::new("output");
    folder.file("a", "");
    let output = folder.file("b/output", "");
    fs::hard_link(&output, folder.join("c")).unwrap();
    folder.link("d", "c");
    let meta = fs::metadata(&output).unwrap();
    let options = WalkOptions { leave_out: vec![(meta.dev(), meta.ino())], follow: true, ..all() };
    let found = walked(&[folder.bytes(), output.as_os_str().as_bytes()], options);
    assert_eq!(
        lines(&folder, found),
        [
            "file a",
            "skipped b/output: output",
            "skipped c: output",
            "skipped d: output",
            "skipped b/output: output"
        ]
    );
}

#[test]
fn a_walk_can_stay_on_one_file_system() {
    let options = WalkOptions { one_file_system: true, ..all() };
    let root_dev = fs::metadata("/").unwrap().dev();
    if fs::metadata("/proc").map(|meta| meta.dev()).ok().is_none_or(|dev| dev == root_dev) {
        return not_possible("/proc");
    }
    // Only the directories of the root count here; all others are pruned.
    let filter = Filter::builder().exclude("/[!p]*").exclude("/pr[!o]*").build().unwrap();
    let found = walked(&[b"/"], WalkOptions { filter, ..options });
    assert!(found.iter().any(
        |found| matches!(found, WalkItem::Skipped { path, why: Skip::OtherFileSystem } if **path == *b"/proc")
    ));
    assert!(
        !found
            .iter()
            .any(|found| matches!(found, WalkItem::File(entry) if entry.path.starts_with(b"/proc/")))
    );
}

#[test]
fn a_listing_that_breaks_off_is_a_failure_and_what_it_had_is_walked() {
    let folder = Folder::new("list-fault");
    for name in ["d/1", "d/2", "d/3", "d/4"] {
        folder.file(name, "");
    }
    let faults = [("FAULT_PATH", "list-fault"), ("FAULT_LIST", "4"), ("FAULT_ERRNO", "EIO")];
    let operand = os(folder.join("d").as_os_str().as_bytes());
    let found = records(under_faults("walk", &faults, &[&operand]).stdout);
    assert!(found[0].starts_with(b"failed ") && String::from_utf8_lossy(&found[0]).contains("cannot list"));
    assert!(found.len() < 5 && found[1..].iter().all(|record| record.starts_with(b"file ")), "{found:?}");
}

#[test]
fn listings_without_types_give_the_same() {
    let folder = Folder::new("unknown");
    odd_names().iter().for_each(|name| drop(folder.file(name, name)));
    folder.fifo("fifo");
    folder.link("link", "a");
    let arguments = [folder.path().as_os_str()];
    let plain = under_faults("walk", &[], &arguments).stdout;
    assert_eq!(records(plain.clone()).len(), odd_names().len() + 2);
    assert!(plain == under_faults("walk", &[("FAULT_UNKNOWN", "1")], &arguments).stdout);
    let followed = |faults| under_faults("walk", faults, &["--follow".as_ref(), arguments[0]]).stdout;
    assert!(followed(&[]) == followed(&[("FAULT_UNKNOWN", "1")]));
    assert!(records(followed(&[])).len() > odd_names().len() + 2);
}
