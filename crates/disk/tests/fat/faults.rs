//! Faults that no program makes: each is told where it is, and the rest is read.

use super::made::{END, Made, checksum, long, short};
use crate::seen::{Seen, everything, opened};
use hashmill_disk::{Allocation, DeletedEntries, Limits, Recovery, Walk};
use std::collections::BTreeMap;

fn seen(made: &Made, deleted: DeletedEntries) -> BTreeMap<String, Seen> {
    let text = |(path, seen): (Vec<u8>, Seen)| (String::from_utf8_lossy(&path).into_owned(), seen);
    everything(&made.medium(), deleted).into_iter().map(text).collect()
}

fn paths(made: &Made, deleted: DeletedEntries) -> Vec<String> {
    seen(made, deleted).into_keys().collect()
}

/// Returns the bytes of a file, as the numbers of their clusters, or the problem.
fn read(made: &Made, path: &str) -> Result<Vec<u8>, String> {
    let mut bytes = seen(made, DeletedEntries::Listed)
        .remove(path)
        .unwrap_or_else(|| panic!("{path} is missing"))
        .bytes?;
    bytes.dedup();
    Ok(bytes)
}

fn recovery(made: &Made, path: &str) -> Recovery {
    match seen(made, DeletedEntries::Listed)[path].entry.node.as_ref().unwrap().allocation {
        Allocation::Deleted(recovery) => recovery,
        Allocation::Live => panic!("{path} is not deleted"),
    }
}

#[test]
fn chains_that_go_wrong_are_told_and_other_files_are_read() {
    let mut made = Made::new();
    made.chain(&[2, 3, 4]);
    made.chain(&[5, 7]);
    made.link(7, 5);
    made.chain(&[8, 9]);
    made.link(9, 5000);
    made.chain(&[10, 11]);
    made.link(11, 0);
    made.file(b"GOOD       ", 2, 3 * 512);
    made.file(b"SLACK      ", 2, 512);
    made.file(b"LONGER     ", 2, 4 * 512);
    made.file(b"LOOP       ", 5, 5 * 512);
    made.file(b"NOLOOP     ", 5, 2 * 512);
    made.file(b"BEYOND     ", 8, 3 * 512);
    made.file(b"FREE       ", 10, 3 * 512);
    made.file(b"NOWHERE    ", 0, 1);
    made.file(b"OUTSIDE    ", 60_000, 1);
    made.file(b"EMPTY      ", 0, 0);
    made.file(b"CROSSED    ", 3, 2 * 512);
    for (path, expected) in [
        ("GOOD", Ok(&[2, 3, 4][..])),
        ("SLACK", Ok(&[2])),
        ("LONGER", Err("ends before its size")),
        ("LOOP", Err("leads back")),
        ("NOLOOP", Ok(&[5, 7])),
        ("BEYOND", Err("beyond the end")),
        ("FREE", Err("ends before its size")),
        ("NOWHERE", Err("beyond the end")),
        ("OUTSIDE", Err("beyond the end")),
        ("EMPTY", Ok(&[])),
        ("CROSSED", Ok(&[3, 4])),
    ] {
        match (read(&made, path), expected) {
            (Ok(bytes), Ok(expected)) => assert_eq!(bytes, expected, "{path}"),
            (Err(problem), Err(expected)) => assert!(problem.contains(expected), "{path}: {problem}"),
            other => panic!("{path}: {other:?}"),
        }
    }
}

#[test]
fn names_are_those_of_the_slots_that_belong_together() {
    let mut made = Made::new();
    let mut with_long = |name: &str, raw: &[u8; 11], sum: u8| {
        long(name, sum).into_iter().for_each(|slot| made.slot(slot));
        made.file(raw, 0, 0);
    };
    with_long("emoji \u{1f600} and a long name", b"EMOJI~1    ", checksum(b"EMOJI~1    "));
    with_long("exactly 13 #c", b"EXACTL~1   ", checksum(b"EXACTL~1   "));
    with_long("wrong checksum", b"WRONGC~1   ", checksum(b"WRONGC~1   ") ^ 1);
    with_long("a/b", b"AB~1       ", checksum(b"AB~1       "));
    let parts = long("the last part of this is missing", checksum(b"MISSIN~1   "));
    parts[1..].iter().for_each(|slot| made.slot(*slot));
    made.file(b"MISSIN~1   ", 0, 0);
    // A part that belongs to no name.
    made.slot(long("stray", 7)[0]);
    let mut lower = short(b"LOWER   TXT", 0x20, 0, 0);
    lower[12] = 0x18;
    made.slot(lower);
    lower = short(b"BASE    TXT", 0x20, 0, 0);
    lower[12] = 0x08;
    made.slot(lower);
    made.file(b"\x05\x84\x81\xff    X  ", 0, 0);
    made.slot(short(b"LABEL \x9a    ", 0x08, 0, 0));
    made.file(b"IN SP CETXT", 0, 0);
    let expected = [
        "IN SP CE.TXT",
        "MISSIN~1",
        "WRONGC~1",
        "a\u{fffd}b",
        "base.TXT",
        "emoji \u{1f600} and a long name",
        "exactly 13 #c",
        "lower.txt",
        "\u{3c3}äü\u{a0}.X",
    ];
    assert_eq!(paths(&made, DeletedEntries::LeftOut), expected);
    assert!(seen(&made, DeletedEntries::LeftOut)["a\u{fffd}b"].bytes.is_err());
    assert_eq!(opened(&made.medium()).info().label.as_deref(), Some("LABEL Ü".as_bytes()));
}

#[test]
fn what_is_marked_as_a_label_or_as_the_directory_itself_is_not_hidden() {
    let mut made = Made::new();
    made.chain(&[2]);
    made.cluster(2)[..7].copy_from_slice(b"payload");
    made.slot(short(b"HIDDEN     ", 0x08, 2, 7));
    made.slot(short(b"A LABEL    ", 0x08, 0, 0));
    made.slot(short(b"..         ", 0x10, 2, 0));
    assert_eq!(read(&made, "HIDDEN"), Ok(b"payload".to_vec()));
    assert!(
        seen(&made, DeletedEntries::LeftOut).values().any(|seen| seen.bytes.is_err()),
        "the directory is told"
    );
}

#[test]
fn deleted_files_are_found_in_free_clusters() {
    let mut made = Made::new();
    made.chain(&[2, 3]);
    made.file(b"USED       ", 2, 1024);
    for cluster in [4, 5, 6, 8, 9] {
        made.cluster(cluster).fill(cluster as u8);
    }
    made.link(7, END);
    made.file(b"\xe5NTACT     ", 4, 3 * 512);
    made.file(b"\xe5KIPS      ", 4, 4 * 512);
    made.file(b"\xe5VER       ", 3, 2 * 512);
    made.file(b"\xe5MPTY      ", 0, 0);
    made.file(b"\xe5ARGE      ", 4, 4300 * 512);
    made.file(b"\xe5UTSIDE    ", 9999, 1);
    let name = b"LONGNA~1TXT";
    for mut slot in long("long name of a deleted file.txt", checksum(name)) {
        slot[0] = 0xe5;
        made.slot(slot);
    }
    made.file(b"\xe5ONGNA~1TXT", 5, 512);
    for mut slot in long("other name", checksum(name)) {
        slot[0] = 0xe5;
        made.slot(slot);
    }
    made.file(b"\xe5ONGNA~1TXT", 6, 512);
    assert_eq!(paths(&made, DeletedEntries::LeftOut), ["USED"]);
    for (path, expected, bytes) in [
        ("_NTACT", Recovery::Intact, Some(&[4, 5, 6][..])),
        ("_KIPS", Recovery::Overlapped, Some(&[4, 5, 6, 8])),
        ("_VER", Recovery::Overlapped, Some(&[3, 4])),
        ("_MPTY", Recovery::Intact, Some(&[])),
        ("_ARGE", Recovery::Partial, None),
        ("_UTSIDE", Recovery::Partial, None),
        ("long name of a deleted file.txt", Recovery::Intact, Some(&[5])),
        ("_ONGNA~1.TXT", Recovery::Intact, Some(&[6])),
    ] {
        assert_eq!(recovery(&made, path), expected, "{path}");
        assert_eq!(read(&made, path).ok().as_deref(), bytes, "{path}");
    }
    let free: Vec<_> = opened(&made.medium()).free().map(Result::unwrap).collect();
    assert_eq!(free.iter().map(|run| run.length / 512).collect::<Vec<_>>(), [3, 4194]);
}

#[test]
fn deleted_directories_are_listed_while_they_are_there() {
    let mut made = Made::new();
    let directory = |made: &mut Made, cluster: u16, own: u16| {
        let slots = [
            short(b".          ", 0x10, own, 0),
            short(b"..         ", 0x10, 0, 0),
            short(b"INSIDE     ", 0x20, 30, 512),
            short(b"\xe5ARLIER    ", 0x20, 31, 512),
        ];
        made.cluster(cluster)[..128].copy_from_slice(&slots.concat());
    };
    directory(&mut made, 20, 20);
    directory(&mut made, 21, 77);
    directory(&mut made, 22, 22);
    made.link(22, END);
    made.slot(short(b"\xe5ONE       ", 0x10, 20, 0));
    made.slot(short(b"\xe5VERWRIT   ", 0x10, 21, 0));
    made.slot(short(b"\xe5SED       ", 0x10, 22, 0));
    assert_eq!(
        paths(&made, DeletedEntries::Listed),
        ["_ONE", "_ONE/INSIDE", "_ONE/_ARLIER", "_SED", "_VERWRIT"]
    );
    assert_eq!(recovery(&made, "_ONE"), Recovery::Intact);
    assert_eq!(recovery(&made, "_ONE/INSIDE"), Recovery::Intact);
    assert_eq!(recovery(&made, "_SED"), Recovery::Overlapped);
    assert_eq!(recovery(&made, "_VERWRIT"), Recovery::Overlapped);
}

#[test]
fn directories_that_contain_themselves_or_have_no_cluster_are_told() {
    let mut made = Made::new();
    made.link(40, 41);
    made.link(41, 40);
    made.cluster(40).fill(0xe5);
    made.dots(40);
    let inside = [short(b"SELF       ", 0x10, 40, 0), short(b"FILE       ", 0x20, 0, 0)].concat();
    made.cluster(41).fill(0xe5);
    made.cluster(41)[..64].copy_from_slice(&inside);
    made.slot(short(b"DIR        ", 0x10, 40, 0));
    made.slot(short(b"NONE       ", 0x10, 0, 0));
    let expected = [
        "DIR",
        "DIR loop",
        "DIR/FILE",
        "DIR/SELF",
        "DIR/SELF loop",
        "DIR/SELF/FILE",
        "DIR/SELF/SELF",
        "DIR/SELF/SELF loop",
        "NONE",
        "NONE beyond-the-end",
    ];
    assert_eq!(told(&made, DeletedEntries::LeftOut), expected);
}

/// Returns the paths of a walk, with the word of the problem of those that failed.
fn told(made: &Made, deleted: DeletedEntries) -> Vec<String> {
    let medium = made.medium();
    let system = opened(&medium);
    let told = |entry: hashmill_disk::WalkEntry| {
        let path = String::from_utf8_lossy(&entry.path).into_owned();
        entry.node.map_or_else(|problem| format!("{path} {}", problem.word()), |_| path.clone())
    };
    Walk::new(&*system, deleted, Limits::default()).map(told).collect()
}

/// A volume with a file, a directory, and room for two slots behind the end of the root directory.
fn ended() -> Made {
    let mut made = Made::new();
    made.chain(&[2, 3]);
    made.chain(&[4]);
    made.cluster(4).fill(0);
    made.dots(4);
    made.file(b"NAMED      ", 2, 1024);
    made.slot(short(b"DIR        ", 0x10, 4, 0));
    made.slot([0; 32]);
    made
}

#[test]
fn files_behind_the_end_of_a_directory_are_told_and_read_if_they_are_in_use() {
    let mut made = ended();
    made.chain(&[5, 6]);
    made.chain(&[7]);
    made.cluster(7).fill(0);
    made.dots(7);
    made.chain(&[8]);
    let inside = short(b"INSIDE     ", 0x20, 8, 512);
    made.cluster(7)[64..96].copy_from_slice(&inside);
    long("hidden behind", checksum(b"HIDDEN     ")).into_iter().for_each(|slot| made.slot(slot));
    made.file(b"HIDDEN     ", 5, 1024);
    made.slot(short(b"HIDDIR     ", 0x10, 7, 0));
    // Behind the end of a directory, too.
    made.chain(&[9]);
    made.cluster(4)[96..128].copy_from_slice(&short(b"DEEPER     ", 0x20, 9, 512));
    let orphans = ["DEEPER", "HIDDIR", "HIDDIR/INSIDE", "hidden behind"];
    let mut found = told(&made, DeletedEntries::LeftOut);
    assert_eq!(found.drain(..3).collect::<Vec<_>>(), ["DIR", "NAMED", "$OrphanFiles incomplete"]);
    found.sort();
    assert_eq!(found, orphans.map(|name| format!("$OrphanFiles/{name}")));
    assert_eq!(read(&made, "$OrphanFiles/hidden behind"), Ok(vec![5, 6]));
    assert_eq!(read(&made, "$OrphanFiles/HIDDIR/INSIDE"), Ok(vec![8]));
    assert_eq!(told(&made, DeletedEntries::Listed).len(), 7);
}

#[test]
fn what_is_left_behind_the_end_of_a_directory_is_deleted() {
    let mut made = ended();
    made.cluster(20).fill(20);
    made.file(b"FREE       ", 20, 512);
    made.file(b"\xe5RASED     ", 20, 512);
    // Their clusters are those of others now.
    made.file(b"TAKEN      ", 2, 512);
    made.file(b"MIDDLE     ", 3, 512);
    made.slot(short(b"OLDDIR     ", 0x10, 4, 0));
    made.slot(short(b".          ", 0x10, 4, 0));
    made.slot(long("the rest of a name", 7)[0]);
    made.file(b"EMPTY      ", 0, 0);
    made.slot(*b"no slot, but some bytes of a use");
    assert_eq!(told(&made, DeletedEntries::LeftOut), ["DIR", "NAMED"]);
    let mut deleted = told(&made, DeletedEntries::Listed).split_off(2);
    deleted.sort();
    let names = ["FREE", "MIDDLE", "OLDDIR", "TAKEN", "_RASED"];
    assert_eq!(deleted, names.map(|name| format!("$OrphanFiles/{name}")));
    assert_eq!(read(&made, "$OrphanFiles/FREE"), Ok(vec![20]));
    assert_eq!(recovery(&made, "$OrphanFiles/FREE"), Recovery::Intact);
    assert_eq!(recovery(&made, "$OrphanFiles/TAKEN"), Recovery::Overlapped);
}

#[test]
fn slots_of_long_names_with_content_are_files() {
    let mut made = Made::new();
    made.chain(&[2, 3]);
    made.chain(&[4]);
    let mut slots = long("a name of two slots", checksum(b"ANAME~1    "));
    // The first slot of a name that is right, and one of no name.
    slots[0][26] = 4;
    slots.iter().for_each(|slot| made.slot(*slot));
    made.file(b"ANAME~1    ", 0, 0);
    made.slot(short(b"PRETENDS   ", 0x0f, 2, 1024));
    let found = told(&made, DeletedEntries::LeftOut);
    assert_eq!(found[..2], ["a name of two slots", "$OrphanFiles incomplete"]);
    assert_eq!(found.len(), 4, "{found:?}");
    assert_eq!(read(&made, "$OrphanFiles/PRETENDS"), Ok(vec![2, 3]));
    // Without a cluster that is in use, they are the rest of a name.
    (2..=4).for_each(|cluster| made.link(cluster, 0));
    assert_eq!(told(&made, DeletedEntries::LeftOut), ["a name of two slots"]);
}

#[test]
fn what_is_no_directory_is_told() {
    let mut made = Made::new();
    made.chain(&[2]);
    made.chain(&[3]);
    made.cluster(3).fill(0);
    made.cluster(3)[40..47].copy_from_slice(b"payload");
    made.slot(short(b"NUMBERS    ", 0x10, 2, 0));
    made.slot(short(b"ZEROS FIRST", 0x10, 3, 0));
    let found = told(&made, DeletedEntries::LeftOut);
    for path in ["NUMBERS damaged", "ZEROS FI.RST damaged"] {
        assert!(found.iter().any(|told| told == path), "{found:?}");
    }
}

#[test]
fn times_are_those_of_the_slot() {
    let mut made = Made::new();
    let mut slot = short(b"TIMES      ", 0x20, 0, 0);
    slot[13] = 123;
    for (at, value) in [(14, 0x645d_u16), (16, 0x2a5d), (18, 0x2a5e), (22, 0x645c), (24, 0x2a5d)] {
        slot[at..at + 2].copy_from_slice(&value.to_le_bytes());
    }
    made.slot(slot);
    let times = seen(&made, DeletedEntries::LeftOut)["TIMES"].entry.node.as_ref().unwrap().times;
    let both = |time: Option<hashmill_disk::Time>| time.map(|time| (time.seconds, time.nanoseconds));
    // 2001-02-29 does not exist; 2001-02-29 + 1 neither.
    assert_eq!((both(times.created), both(times.accessed), both(times.modified)), (None, None, None));
    slot[16..18].copy_from_slice(&0x2a5c_u16.to_le_bytes());
    slot[24..26].copy_from_slice(&0x2a5c_u16.to_le_bytes());
    let mut made = Made::new();
    made.slot(slot);
    let times = seen(&made, DeletedEntries::LeftOut)["TIMES"].entry.node.as_ref().unwrap().times;
    assert_eq!(both(times.created), Some((983_363_699, 230_000_000)));
    assert_eq!((both(times.accessed), both(times.modified)), (None, Some((983_363_696, 0))));
}
