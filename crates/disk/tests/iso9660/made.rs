//! Discs with what programs do not make.

use super::disc::{Disc, both, record};
use crate::seen::{Seen, everything, opened};
use hashmill_disk::{DeletedEntries, NodeKind, Time};
use std::collections::BTreeMap;

const FILE: u8 = 0;
const DIRECTORY: u8 = 2;
const ASSOCIATED: u8 = 4;
const MORE: u8 = 0x80;

/// Returns the paths with the text in the files, or the reason why it can't be read.
fn read(disc: &Disc) -> Vec<(String, String)> {
    let told = |(path, seen): (Vec<u8>, Seen)| {
        let text = match seen.bytes {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(problem) => format!("! {problem}"),
        };
        (String::from_utf8(path).unwrap(), text)
    };
    let seen: BTreeMap<Vec<u8>, Seen> = everything(&disc.medium(), DeletedEntries::Listed);
    seen.into_iter().map(told).collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

#[test]
fn versions_are_left_out_if_they_are_1() {
    let names: [&[u8]; 5] = [b"A.TXT;1", b"B.TXT;2", b"C.;1", b"D.", b"E;10"];
    let disc = Disc::new(20, b"", &names.map(|name| record(19, 0, FILE, name, b"")));
    let paths: Vec<String> = read(&disc).into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths, ["A.TXT", "B.TXT;2", "C", "D.", "E;10"]);
}

#[test]
fn facts_are_those_of_the_descriptor_and_the_record() {
    let disc = Disc::new(20, b"", &[record(19, 5, FILE, b"A.TXT;1", b"")]);
    let system = opened(&disc.medium());
    let info = system.info();
    assert_eq!((info.label.as_deref(), info.block, info.size), (Some(&b"MADE"[..]), 2048, 20 * 2048));
    assert_eq!((&info.identifier, &*info.remarks()), (&None, &[][..]));
    let seen = everything(&disc.medium(), DeletedEntries::LeftOut);
    let node = seen[&b"A.TXT"[..]].entry.node.as_ref().unwrap();
    assert_eq!(node.times.modified, Some(Time { seconds: 951_827_696, nanoseconds: 0 }));
    assert_eq!((node.kind, node.size, node.links), (NodeKind::File, 5, 1));
}

#[test]
fn a_file_of_several_extents_is_one() {
    let records = [
        record(19, 2048, MORE, b"A.;1", b""),
        record(21, 3, MORE, b"A.;1", b""),
        record(20, 2, FILE, b"A.;1", b""),
        record(20, 1, FILE, b"B.;1", b""),
        record(20, 1, MORE, b"C.;1", b""),
        record(20, 1, FILE, b"D.;1", b""),
    ];
    let mut disc = Disc::new(22, b"", &records);
    disc.put(19, &[b'a'; 2048]);
    disc.put(20, b"xy");
    disc.put(21, b"123");
    let text = format!("{}123xy", "a".repeat(2048));
    let missing = "! its metadata are damaged: its further extents are missing";
    assert_eq!(read(&disc), pairs(&[("A", &text), ("B", "x"), ("C", missing), ("D", "x")]));
}

#[test]
fn extended_attributes_lie_before_the_content() {
    let mut with_attributes = record(19, 2, FILE, b"A.;1", b"");
    with_attributes[1] = 1;
    let mut disc = Disc::new(21, b"", &[with_attributes]);
    disc.put(19, b"no");
    disc.put(20, b"ok");
    assert_eq!(read(&disc), pairs(&[("A", "ok")]));
}

#[test]
fn an_associated_file_is_a_stream() {
    let records = [record(19, 1, ASSOCIATED, b"A.;1", b""), record(20, 1, FILE, b"A.;1", b"")];
    let mut disc = Disc::new(21, b"", &records);
    disc.put(19, b"r");
    disc.put(20, b"d");
    assert_eq!(read(&disc), pairs(&[("A", "d"), ("A:associated", "r")]));
}

#[test]
fn interleaved_and_sparse_files_are_refused_by_name() {
    const ROCK: &[u8] = b"SP\x07\x01\xbe\xef\0RR\x05\x01\0";
    let mut interleaved = record(19, 1, FILE, b"A.;1", b"");
    (interleaved[26], interleaved[27]) = (1, 1);
    let sparse = [&b"SF\x15\x01"[..], &both(0), &both(4096), &[1]].concat();
    let packed = [&b"ZF\x10\x01pz\x04\x0f"[..], &both(100)].concat();
    let records = [interleaved, record(19, 1, FILE, b"B.;1", &sparse), record(19, 1, FILE, b"C.;1", &packed)];
    let disc = Disc::new(20, ROCK, &records);
    let expected = [
        ("A", "! an interleaved file can't be read"),
        ("B", "! a sparse file (SF of Rock Ridge) can't be read"),
        ("C", "! a file compressed by zisofs can't be read"),
    ];
    // Names stay plain where Rock Ridge gives none.
    assert_eq!(read(&disc), pairs(&expected));
}

#[test]
fn numbers_that_differ_are_told_and_the_first_one_counts() {
    let mut differs = record(19, 2, FILE, b"A.;1", b"");
    differs[17] = 9;
    let mut disc = Disc::new(20, b"", &[differs]);
    disc.put(19, b"ok");
    let told = "! its metadata are damaged: 1 records state an extent or size in two ways that differ";
    assert_eq!(read(&disc), pairs(&[("", told), ("A", "ok")]));
}

#[test]
fn names_in_parts_and_in_other_areas_are_whole() {
    const ROCK: &[u8] = b"SP\x07\x01\xbe\xef\0RR\x05\x01\0";
    let elsewhere = [&b"NM\x08\x01\x01lon"[..], b"CE\x1c\x01", &both(19), &both(8), &both(8)].concat();
    // An area that leads to itself.
    let circle = [&b"CE\x1c\x01"[..], &both(19), &both(100), &both(28)].concat();
    let records = [
        record(20, 1, FILE, b"A.;1", &elsewhere),
        record(20, 1, FILE, b"B.;1", &[b"NM\x06\x01\0b", &*circle].concat()),
        record(20, 1, FILE, b"C.;1", b"NM\x05\x01\x04"),
        record(20, 1, FILE, b"D.;1", b"NM\x08\x01\0a/b"),
    ];
    let mut disc = Disc::new(21, ROCK, &records);
    disc.put(19, &[&[0; 8][..], b"NM\x08\x01\0ger", &[0; 84], &circle].concat());
    disc.put(20, b"x");
    let name = "! its name can't be a part of a path";
    let expected = [
        ("", "! there are too many continuation areas"),
        ("a\u{fffd}b", name),
        ("b", "x"),
        ("longer", "x"),
        ("\u{fffd}\u{fffd}", name),
    ];
    let mut read = read(&disc);
    read.sort();
    let mut expected = pairs(&expected);
    expected.sort();
    assert_eq!(read, expected);
}

#[test]
fn directories_that_lead_back_are_told() {
    let records = [
        record(18, 2048, DIRECTORY, b"ROOT", b""),
        record(19, 2048, DIRECTORY, b"A", b""),
        record(19, 2048, DIRECTORY, b"SAME", b""),
    ];
    let mut disc = Disc::new(22, b"", &records);
    disc.directory(19, b"", &[record(19, 2048, DIRECTORY, b"SELF", b""), record(21, 1, FILE, b"F.;1", b"")]);
    disc.put(21, b"f");
    let again = "! it leads back to itself";
    assert_eq!(
        read(&disc),
        pairs(&[("A", ""), ("A/F", "f"), ("A/SELF", again), ("ROOT", again), ("SAME", again)])
    );
}

#[test]
fn places_beyond_the_end_are_told_and_the_rest_is_read() {
    let records = [
        record(500, 2048, DIRECTORY, b"A", b""),
        record(19, 0xffff_ffff, DIRECTORY, b"B", b""),
        record(0xffff_ffff, 9, FILE, b"C.;1", b""),
        record(20, 4096, FILE, b"D.;1", b""),
        record(20, 1, FILE, b"E.;1", b""),
        record(0, 0, DIRECTORY, b"F", b""),
    ];
    let mut disc = Disc::new(21, b"", &records);
    disc.directory(19, b"", &[record(20, 1, FILE, b"X.;1", b"")]);
    disc.put(20, b"x");
    let beyond = "! it lies beyond the end of the file system";
    let mut seen = read(&disc);
    // The second sector of the directory is a file.
    seen.retain(|(path, _)| path != "B");
    let none = "! its metadata are damaged: a directory without records";
    assert_eq!(
        seen,
        pairs(&[("A", beyond), ("B/X", "x"), ("C", beyond), ("D", beyond), ("E", "x"), ("F", none)])
    );
}

#[test]
fn names_that_mean_the_directory_itself_are_shown_where_they_do_not() {
    let disc = Disc::new(20, b"", &[record(19, 1, FILE, b"\0", b""), record(19, 1, DIRECTORY, b"\x01", b"")]);
    let paths: Vec<String> = read(&disc).into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths, ["\u{1}", "\u{fffd}"]);
}

/// Puts another volume descriptor into a sector, with the end of the list behind it: its kind, the escape sequence, and the
/// block of its root.
fn another(disc: &mut Disc, sector: u32, (kind, escape): (u8, &[u8]), root: u32) {
    let first = disc.bytes[16 * 2048..17 * 2048].to_vec();
    disc.put(sector, &first);
    disc.put(sector, &[kind]);
    let at = sector as usize * 2048;
    disc.bytes[at + 88..][..escape.len()].copy_from_slice(escape);
    disc.bytes[at + 156..at + 190].copy_from_slice(&record(root, 2048, DIRECTORY, b"\0", b""));
    disc.put(sector + 1, b"\xffCD001\x01");
}

/// Returns a disc with room for descriptors, whose tree has one file, and a tree in sector 41 with these records.
fn two_trees(records: &[Vec<u8>]) -> Disc {
    let mut disc = Disc::new(50, b"", &[]);
    disc.directory(40, b"", &[record(45, 3, FILE, b"A.;1", b"")]);
    disc.bytes[16 * 2048 + 156..16 * 2048 + 190].copy_from_slice(&record(40, 2048, DIRECTORY, b"\0", b""));
    disc.directory(41, b"", records);
    disc
}

#[test]
fn files_of_each_tree_that_is_not_read_are_told() {
    let joliet: (u8, &[u8]) = (2, b"%/@");
    let own = record(45, 3, FILE, b"B.;1", b"");
    let other = record(46, 4, FILE, b"C.;1", b"");
    let longer = [record(45, 3, MORE, b"D.;1", b""), record(47, 2, FILE, b"D.;1", b"")];
    let lost = record(60, 3, FILE, b"E.;1", b"");
    let plain = "the tree of the volume descriptor in sector";
    for (descriptor, records, told) in [
        ((1, &b""[..]), vec![own.clone()], ""),
        ((2, b""), vec![own.clone()], ""),
        ((1, b""), vec![own.clone(), other.clone()], plain),
        ((2, b""), vec![other.clone()], plain),
        ((2, b""), longer.to_vec(), plain),
        ((1, b""), vec![lost], "can't be read as a whole"),
        (joliet, vec![own], ""),
    ] {
        for sector in [17, 19, 38] {
            let mut disc = two_trees(&records);
            if sector == 17 {
                another(&mut disc, 17, descriptor, 41);
            } else {
                // A sector without a descriptor lies before it, and one that leads to the first tree.
                disc.put(17, &[0; 7]);
                another(&mut disc, 18, (2, b""), 40);
                disc.put(19, &[0; 7]);
                another(&mut disc, sector, descriptor, 41);
            }
            let doubts = opened(&disc.medium()).info().doubts.clone();
            let doubts: Vec<String> = doubts.iter().map(ToString::to_string).collect();
            assert_eq!(doubts.is_empty(), told.is_empty(), "{doubts:?}");
            assert!(doubts.iter().all(|doubt| doubt.contains(told)), "{doubts:?}");
        }
    }
}

#[test]
fn the_tree_for_joliet_is_read_and_each_other_is_told() {
    let mut disc = two_trees(&[record(46, 4, FILE, b"\0C", b"")]);
    another(&mut disc, 17, (2, b"%/E"), 41);
    disc.directory(42, b"", &[record(47, 5, FILE, b"\0D", b"")]);
    another(&mut disc, 18, (2, b"%/E"), 42);
    assert_eq!(read(&disc).len(), 1);
    let doubts = opened(&disc.medium()).info().doubts.clone();
    let doubts: Vec<String> = doubts.iter().map(ToString::to_string).collect();
    assert_eq!(doubts.len(), 2, "{doubts:?}");
    assert!(
        doubts[0].contains("the tree with plain names") && doubts[1].contains("for Joliet"),
        "{doubts:?}"
    );
}

#[test]
fn a_descriptor_that_makes_no_sense_is_told() {
    let mut disc = two_trees(&[]);
    another(&mut disc, 17, (2, b""), 41);
    disc.put(17, &[2, b'C', b'D', b'0', b'0', b'1', 1]);
    disc.bytes[17 * 2048 + 128] = 1;
    let doubts = opened(&disc.medium()).info().doubts.clone();
    assert!(doubts.iter().any(|doubt| doubt.to_string().contains("sector 17 makes no sense")), "{doubts:?}");
}

/// Puts a table of paths into a sector, in one order of bytes: the blocks of directories, with their names.
fn table(disc: &mut Disc, sector: u32, is_big: bool, directories: &[(u32, &[u8])]) {
    let number = |number: u32| if is_big { number.to_be_bytes() } else { number.to_le_bytes() };
    let entry = |(block, name): &(u32, &[u8])| {
        let mut entry = [&[name.len() as u8, 0][..], &number(*block), &[0, 1], name].concat();
        entry.resize(entry.len().next_multiple_of(2), 0);
        entry
    };
    let entries: Vec<u8> = directories.iter().flat_map(entry).collect();
    disc.put(sector, &entries);
    let at = 16 * 2048 + if is_big { 148 } else { 140 };
    disc.bytes[at..at + 4].copy_from_slice(&number(sector));
    disc.bytes[16 * 2048 + 132..][..8].copy_from_slice(&both(entries.len() as u32));
}

#[test]
fn directories_that_only_a_table_of_paths_names_are_told_and_read() {
    let told = "! no directory in use leads to files that are in use";
    for is_big in [false, true] {
        let mut disc = Disc::new(26, b"", &[record(19, 2048, DIRECTORY, b"SEEN", b"")]);
        for (block, records) in [
            (19, vec![record(20, 1, FILE, b"A.;1", b"")]),
            (21, vec![record(20, 1, FILE, b"B.;1", b""), record(22, 2048, DIRECTORY, b"BELOW", b"")]),
            (22, vec![record(20, 1, FILE, b"C.;1", b"")]),
            (23, vec![]),
        ] {
            disc.directory(block, b"", &records);
        }
        disc.put(20, b"x");
        let known: [(u32, &[u8]); 2] = [(18, b"\0"), (19, b"SEEN")];
        table(&mut disc, 24, is_big, &known);
        let seen = [("SEEN", ""), ("SEEN/A", "x")];
        assert_eq!(read(&disc), pairs(&seen));
        // An empty one has nothing that could be missed, and what is no directory is none.
        let others: [(u32, &[u8]); 4] = [(23, b"EMPTY"), (20, b"NONE"), (21, b"LOST"), (22, b"BELOW")];
        table(&mut disc, 24, is_big, &[&known[..], &others].concat());
        let lost = [
            ("$OrphanFiles", told),
            ("$OrphanFiles/LOST", ""),
            ("$OrphanFiles/LOST/B", "x"),
            ("$OrphanFiles/LOST/BELOW", ""),
            ("$OrphanFiles/LOST/BELOW/C", "x"),
        ];
        assert_eq!(read(&disc), pairs(&[&lost[..], &seen].concat()), "{is_big}");
        // A size that claims more than there is does no harm.
        disc.bytes[16 * 2048 + 132..][..8].copy_from_slice(&both(u32::MAX));
        assert!(read(&disc).iter().any(|(path, _)| path == "$OrphanFiles/LOST/B"));
    }
}

#[test]
fn a_disc_with_apple_partitions_beside_it_is_told() {
    let entry = |kind: &[u8]| {
        let mut entry = [&b"PM\0\0\0\0\0\x02"[..], &[0; 40], kind].concat();
        entry.resize(512, 0);
        entry
    };
    for (kind, is_told) in [(&b"Apple_HFS"[..], true), (b"Apple_Free", false), (b"", false)] {
        let mut disc = Disc::new(20, b"", &[record(19, 1, FILE, b"A.;1", b"")]);
        disc.bytes[512..1536].copy_from_slice(&[entry(b"Apple_partition_map"), entry(kind)].concat());
        let doubts: Vec<String> =
            opened(&disc.medium()).info().doubts.iter().map(ToString::to_string).collect();
        let found = doubts.iter().any(|doubt| doubt.contains("another file system, Apple partition map"));
        assert_eq!(found, is_told, "{doubts:?}");
    }
}
