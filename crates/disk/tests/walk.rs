//! The entries that a walk meets, and their order.

use crate::made::Made;
use hashmill_disk::{DeletedEntries, Limits, Walk};

/// Returns the paths of a walk, with the word of a problem, and `again` for a further name.
fn walked(system: &Made, deleted: DeletedEntries, limits: Limits) -> Vec<String> {
    let told = |entry: hashmill_disk::WalkEntry| {
        let path = String::from_utf8(entry.path).unwrap();
        match entry.node {
            Err(problem) => format!("{path} {}", problem.word()),
            Ok(_) if entry.is_repeated => format!("{path} again"),
            Ok(_) => path,
        }
    };
    Walk::new(system, deleted, limits).map(told).collect()
}

#[test]
fn paths_come_in_the_order_of_their_bytes() {
    let system = Made::new(&[
        (0, &[("b", 5), ("a.txt", 1), ("a/", 2), ("a0", 3)]),
        (2, &[("z", 7), ("deleted", 8), ("c/", 6)]),
        (6, &[("d", 9)]),
    ]);
    let paths = walked(&system, DeletedEntries::LeftOut, Limits::default());
    assert_eq!(paths, ["a.txt", "a", "a/c", "a/c/d", "a/z", "a0", "b"]);
    let with_deleted = walked(&system, DeletedEntries::Listed, Limits::default());
    assert_eq!(with_deleted, ["a.txt", "a", "a/c", "a/c/d", "a/deleted", "a/z", "a0", "b"]);
}

#[test]
fn a_directory_that_contains_itself_is_told_once() {
    let system =
        Made::new(&[(0, &[("a/", 2)]), (2, &[("b/", 3), ("file", 9)]), (3, &[("a/", 2), ("root/", 0)])]);
    let expected = ["a", "a/b", "a/b/a", "a/b/a loop", "a/b/root", "a/b/root loop", "a/file"];
    assert_eq!(walked(&system, DeletedEntries::LeftOut, Limits::default()), expected);
}

#[test]
fn names_that_lead_elsewhere_fail_and_the_rest_is_read() {
    let system =
        Made::new(&[(0, &[("..", 1), ("a/b", 2), ("c", 3), ("streams", 4), ("bad", 5), ("d/", 13)])]);
    let expected = [
        "\u{fffd}\u{fffd} bad-name",
        "a\u{fffd}b bad-name",
        "bad checksum-mismatch",
        "c",
        "d",
        "d beyond-the-end",
        "streams",
        "streams:x\u{fffd}y bad-name",
    ];
    assert_eq!(walked(&system, DeletedEntries::LeftOut, Limits::default()), expected);
}

#[test]
fn a_file_with_several_names_is_new_once() {
    let system = Made::new(&[(0, &[("a", 1), ("b", 1), ("c/", 2)]), (2, &[("d", 1)])]);
    assert_eq!(
        walked(&system, DeletedEntries::LeftOut, Limits::default()),
        ["a", "b again", "c", "c/d again"]
    );
}

#[test]
fn orphans_come_last_unless_they_were_met() {
    let system = Made::new(&[(0, &[("a", 1)])]).with_orphans(&[("deleted-1", 1), ("deleted-2", 2)]);
    assert_eq!(walked(&system, DeletedEntries::Listed, Limits::default()), ["a", "$OrphanFiles/deleted-2"]);
    assert_eq!(walked(&system, DeletedEntries::LeftOut, Limits::default()), ["a"]);
}

#[test]
fn a_deleted_name_does_not_hide_the_directory_that_has_its_number() {
    let system = Made::new(&[(0, &[("deleted/", 2), ("later/", 2)]), (2, &[("file", 3)])]);
    let paths = walked(&system, DeletedEntries::Listed, Limits::default());
    assert!(paths.ends_with(&["later".to_owned(), "later/file".to_owned()]), "{paths:?}");
}

#[test]
fn depth_and_number_are_bounded() {
    let system =
        Made::new(&[(0, &[("a/", 1)]), (1, &[("b/", 2)]), (2, &[("c/", 3), ("d", 4)]), (3, &[("e", 5)])]);
    let few = Limits { depth: 2, ..Limits::default() };
    assert_eq!(
        walked(&system, DeletedEntries::LeftOut, few),
        ["a", "a/b", "a/b/c", "a/b/c too-deep", "a/b/d"]
    );
    let few = Limits { entries: 2, ..Limits::default() };
    assert_eq!(walked(&system, DeletedEntries::LeftOut, few), ["a", "a/b", "a/b/c too-many"]);
}

#[test]
fn names_that_wait_are_bounded() {
    let many = [("a/", 1), ("b", 2), ("c", 3), ("d", 4)];
    let system = Made::new(&[(0, &many), (1, &[("e", 5), ("f", 6), ("g", 7)])]);
    let few = Limits { names: 5, ..Limits::default() };
    assert_eq!(walked(&system, DeletedEntries::LeftOut, few), ["a", "a too-many", "b", "c", "d"]);
    let enough = Limits { names: 6, ..Limits::default() };
    assert_eq!(walked(&system, DeletedEntries::LeftOut, enough), ["a", "a/e", "a/f", "a/g", "b", "c", "d"]);
}
