//! A volume of 128 KiB that is made here, byte by byte, with one of everything.

use super::damage::read_all;
use crate::seen::{everything, opened};
use crate::tools::Random;
use hashmill_disk::{Allocation, DeletedEntries, Medium, NodeKind, Problem, Recovery, Time};
use std::sync::Arc;

const CLUSTER: usize = 512;
const CLUSTERS: usize = 255;
const RECORD: usize = 1024;
const TABLE: usize = 8;
const RECORDS: usize = 26;

/// Where nothing else is.
const DATA: usize = 80;

/// The flags of records.
const IN_USE: u16 = 1;
const DIRECTORY: u16 = 3;

/// Writes numbers whose least byte comes first.
fn put(bytes: &mut [u8], at: usize, value: u64, length: usize) {
    bytes[at..at + length].copy_from_slice(&value.to_le_bytes()[..length]);
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

fn padded(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    bytes
}

/// Returns the head of an attribute, whose last field is at `size`, and its name behind it.
fn head(kind: u32, id: u16, name: &str, size: usize) -> Vec<u8> {
    let mut bytes = vec![0; size];
    put(&mut bytes, 0, kind.into(), 4);
    put(&mut bytes, 9, name.encode_utf16().count() as u64, 1);
    put(&mut bytes, 10, size as u64, 2);
    put(&mut bytes, 14, id.into(), 2);
    bytes.extend(utf16(name));
    padded(bytes)
}

fn with_length(bytes: Vec<u8>) -> Vec<u8> {
    let mut bytes = padded(bytes);
    let length = bytes.len() as u64;
    put(&mut bytes, 4, length, 4);
    bytes
}

/// Returns an attribute in its record.
fn resident(kind: u32, id: u16, name: &str, value: &[u8]) -> Vec<u8> {
    let mut bytes = head(kind, id, name, 0x18);
    let at = bytes.len() as u64;
    put(&mut bytes, 16, value.len() as u64, 4);
    put(&mut bytes, 20, at, 2);
    bytes.extend(value);
    with_length(bytes)
}

/// The runs of an attribute: numbers of clusters, and where they are.
type Places<'a> = &'a [(usize, Option<usize>)];

/// Returns an attribute in clusters, or a part of one.
fn extent(kind: u32, id: u16, name: &str, first: usize, places: Places<'_>, size: [u64; 2]) -> Vec<u8> {
    let mut bytes = head(kind, id, name, 0x48);
    let count: usize = places.iter().map(|place| place.0).sum();
    let at = bytes.len() as u64;
    for (at, value, length) in [
        (8, 1, 1),
        (0x10, first as u64, 8),
        (0x18, (first + count) as u64 - 1, 8),
        (0x20, at, 2),
        (0x28, (count * CLUSTER) as u64, 8),
        (0x30, size[0], 8),
        (0x38, size[1], 8),
    ] {
        put(&mut bytes, at, value, length);
    }
    let mut before = 0;
    for (count, place) in places {
        bytes.push(if place.is_some() { 0x21 } else { 0x01 });
        bytes.push(*count as u8);
        if let Some(place) = place {
            bytes.extend((*place as i16 - before).to_le_bytes());
            before = *place as i16;
        }
    }
    bytes.push(0);
    with_length(bytes)
}

/// Marks an attribute as compressed in units of 16 clusters.
fn compressed(mut bytes: Vec<u8>) -> Vec<u8> {
    (bytes[12], bytes[0x22]) = (1, 4);
    bytes
}

/// Returns the value of a name: of a file in a directory that is in its first use.
fn name(parent: u64, name: &str, is_directory: bool) -> Vec<u8> {
    let mut bytes = vec![0; 0x42];
    put(&mut bytes, 0, parent | 1 << 48, 8);
    put(&mut bytes, 0x38, if is_directory { 0x1000_0000 } else { 0 }, 4);
    put(&mut bytes, 0x40, name.encode_utf16().count() as u64, 1);
    bytes.extend(utf16(name));
    bytes
}

/// Returns a node of a directory: its head, and entries for names. One with a child leads to block 0.
fn node(names: &[(u64, Vec<u8>)], has_child: bool, behind: usize) -> Vec<u8> {
    let mut bytes = vec![0; 16];
    put(&mut bytes, 0, behind as u64, 4);
    bytes.resize(behind, 0);
    for (number, name) in names {
        let mut entry = vec![0; 16];
        put(&mut entry, 0, number | 1 << 48, 8);
        put(&mut entry, 10, name.len() as u64, 2);
        entry.extend(name);
        let mut entry = padded(entry);
        let length = entry.len() as u64;
        put(&mut entry, 8, length, 2);
        bytes.extend(entry);
    }
    let (length, flags) = if has_child { (24, 3) } else { (16, 2) };
    let mut last = vec![0; length];
    put(&mut last, 8, length as u64, 2);
    put(&mut last, 12, flags, 2);
    bytes.extend(last);
    let used = bytes.len() as u64;
    put(&mut bytes, 4, used, 4);
    bytes
}

/// Returns the root of a directory with blocks of 1 KiB.
fn root(names: &[(u64, Vec<u8>)], has_child: bool) -> Vec<u8> {
    let mut bytes = vec![0; 16];
    put(&mut bytes, 0, 0x30, 4);
    put(&mut bytes, 8, 1024, 4);
    bytes.extend(node(names, has_child, 16));
    resident(0x90, 5, "$I30", &bytes)
}

/// Protects the sectors of a record or a block against torn writes.
fn protect(bytes: &mut [u8], at: usize) {
    let sectors = bytes.len() / 512;
    put(bytes, 4, at as u64, 2);
    put(bytes, 6, sectors as u64 + 1, 2);
    put(bytes, at, 0xabcd, 2);
    for sector in 0..sectors {
        let end = sector * 512 + 510;
        bytes.copy_within(end..end + 2, at + 2 + sector * 2);
        put(bytes, end, 0xabcd, 2);
    }
}

/// The volume.
struct Tiny(Vec<u8>);

impl Tiny {
    fn record(&mut self, number: usize, sequence: u16, flags: u16, base: u64, attributes: &[Vec<u8>]) {
        let mut bytes = vec![0; 56];
        bytes[..4].copy_from_slice(b"FILE");
        for (at, value, length) in
            [(16, sequence.into(), 2), (20, 56, 2), (22, flags.into(), 2), (28, 1024, 4), (32, base, 8)]
        {
            put(&mut bytes, at, value, length);
        }
        bytes.extend(attributes.concat());
        bytes.extend([0xff; 4]);
        let used = bytes.len() as u64 + 4;
        put(&mut bytes, 24, used, 4);
        bytes.resize(RECORD, 0);
        protect(&mut bytes, 48);
        let at = TABLE * CLUSTER + number * RECORD;
        self.0[at..at + RECORD].copy_from_slice(&bytes);
    }

    fn fill(&mut self, cluster: usize, bytes: &[u8]) {
        self.0[cluster * CLUSTER..][..bytes.len()].copy_from_slice(bytes);
    }

    fn boot(&mut self) {
        let mut bytes = vec![0; 512];
        bytes[3..11].copy_from_slice(b"NTFS    ");
        for (at, value, length) in [
            (11, 512, 2),
            (13, 1, 1),
            (0x28, CLUSTERS as u64, 8),
            (0x30, TABLE as u64, 8),
            (0x38, 70, 8),
            (0x40, 2, 1),
            (0x44, 2, 1),
            (0x48, 0x0123_4567_89ab_cdef, 8),
            (510, 0xaa55, 2),
        ] {
            put(&mut bytes, at, value, length);
        }
        self.fill(0, &bytes);
        self.fill(CLUSTERS, &bytes);
    }
}

/// Returns the times of a file: the first second of 1970, and later ones.
fn times() -> Vec<u8> {
    let mut bytes = vec![0; 48];
    for (at, seconds) in [(0, 1), (8, 2), (16, 3), (24, 4)] {
        put(&mut bytes, at, (11_644_473_600 + seconds) * 10_000_000, 8);
    }
    resident(0x10, 0, "", &bytes)
}

/// Returns an entry of a list of attributes.
fn listed(kind: u32, id: u16, first: usize, number: u64) -> Vec<u8> {
    let mut bytes = vec![0; 32];
    for (at, value, length) in [
        (0, kind.into(), 4),
        (4, 32, 2),
        (7, 26, 1),
        (8, first as u64, 8),
        (16, number | 1 << 48, 8),
        (24, id.into(), 2),
    ] {
        put(&mut bytes, at, value, length);
    }
    bytes
}

/// Makes the volume.
fn tiny() -> Vec<u8> {
    let mut tiny = Tiny(vec![0; (CLUSTERS + 1) * CLUSTER]);
    tiny.boot();
    let file = |directory: u64, text: &str| resident(0x30, 1, "", &name(directory, text, false));
    let length = (RECORDS * RECORD) as u64;
    let table = extent(0x80, 2, "", 0, &[(RECORDS * 2, Some(TABLE))], [length; 2]);
    tiny.record(0, 1, IN_USE, 0, &[times(), file(5, "$MFT"), table]);
    let label = resident(0x60, 2, "", &utf16("tiny"));
    tiny.record(3, 3, IN_USE, 0, &[file(5, "$Volume"), label, resident(0x70, 3, "", &[0; 12])]);
    let names = [(0, "$MFT"), (16, "plain"), (17, "runs"), (18, "packed"), (19, "listed"), (24, "link")];
    let mut names: Vec<_> = names.map(|(number, text)| (number, name(5, text, false))).to_vec();
    names.push((21, name(5, "folder", true)));
    tiny.record(5, 1, DIRECTORY, 0, &[resident(0x30, 1, "", &name(5, ".", true)), root(&names, false)]);
    // In use are the clusters before the data, and some of these.
    let mut used = vec![0xff; 10];
    used.extend([0xff, 0x0f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    tiny.record(6, 6, IN_USE, 0, &[file(5, "$Bitmap"), resident(0x80, 2, "", &used)]);
    let stream = resident(0x80, 3, "zone", b"stream");
    tiny.record(16, 1, IN_USE, 0, &[times(), file(5, "plain"), resident(0x80, 2, "", b"bytes"), stream]);
    let places = [(1, Some(DATA + 2)), (1, None), (2, Some(DATA))];
    tiny.record(17, 1, IN_USE, 0, &[file(5, "runs"), extent(0x80, 2, "", 0, &places, [2000, 1600])]);
    (0..3).for_each(|at| tiny.fill(DATA + at, &[at as u8 + 1; CLUSTER]));
    // A chunk of one byte and a repetition of it, one as it is, and a hole of a whole unit.
    let places = [(9, Some(DATA + 3)), (7, None), (16, None)];
    let packed = compressed(extent(0x80, 2, "", 0, &places, [16_000; 2]));
    tiny.record(18, 1, IN_USE, 0, &[file(5, "packed"), packed]);
    let chunks = [&[0x03, 0xb0, 0x02, b'a', 0xfc, 0x0f, 0xff, 0x3f][..], &[7; 4096]].concat();
    tiny.fill(DATA + 3, &chunks);
    let list = [listed(0x30, 1, 0, 19), listed(0x80, 2, 0, 19), listed(0x80, 0, 1, 20)].concat();
    let first = extent(0x80, 2, "", 0, &[(1, Some(DATA))], [1000; 2]);
    tiny.record(19, 1, IN_USE, 0, &[resident(0x20, 4, "", &list), file(5, "listed"), first]);
    tiny.record(20, 1, IN_USE, 19 | 1 << 48, &[extent(0x80, 0, "", 1, &[(1, Some(DATA + 1))], [0; 2])]);
    let blocks = extent(0xa0, 6, "$I30", 0, &[(2, Some(DATA + 12))], [1024; 2]);
    let is_used = resident(0xb0, 7, "$I30", &[1, 0, 0, 0, 0, 0, 0, 0]);
    let own = resident(0x30, 1, "", &name(5, "folder", true));
    tiny.record(21, 1, DIRECTORY, 0, &[own, root(&[], true), blocks, is_used]);
    let mut block = [&b"INDX"[..], &[0; 20], &node(&[(22, name(21, "inside", false))], false, 0x28)].concat();
    block.resize(1024, 0);
    protect(&mut block, 0x28);
    tiny.fill(DATA + 12, &block);
    tiny.record(22, 1, IN_USE, 0, &[file(21, "inside"), resident(0x80, 2, "", &[])]);
    let gone = extent(0x80, 2, "", 0, &[(1, Some(DATA + 100))], [3; 2]);
    tiny.record(23, 2, 0, 0, &[file(21, "deleted"), gone]);
    let target = resident(0xc0, 3, "", b"\x0c\0\0\xa0\x04\0\0\0link");
    tiny.record(24, 1, IN_USE, 0, &[file(5, "link"), resident(0x80, 2, "", &[]), target]);
    let gone = extent(0x80, 2, "", 0, &[(2, Some(DATA + 1))], [600; 2]);
    tiny.record(25, 3, 0, 0, &[file(200, "lost"), gone]);
    let first = tiny.0[TABLE * CLUSTER..][..RECORD].to_vec();
    tiny.fill(70, &first);
    tiny.0
}

/// Every byte that is not zero is changed, one after the other (of the data, some): nothing panics, and what was not hit is read as before.
#[test]
fn any_byte_may_be_wrong() {
    let bytes = tiny();
    let medium: Arc<dyn Medium> = Arc::new(bytes.clone());
    let before = everything(&medium, DeletedEntries::Listed);
    let mut random = Random(5);
    let is_data = |at: usize| (DATA..DATA + 12).contains(&(at / CLUSTER));
    let is_changed = |at: &usize| bytes[*at] != 0 && (!is_data(*at) || at.is_multiple_of(100));
    for at in (0..bytes.len()).filter(is_changed) {
        let byte = bytes[at];
        let value = [0, byte ^ 1, byte ^ 0x80, random.next() as u8][random.below(4) as usize];
        let mut bytes = bytes.clone();
        bytes[at] = value;
        read_all(bytes.clone());
        let record = at.checked_sub(TABLE * CLUSTER).map(|at| at / RECORD);
        // The boot sector, the table's own record, the root and the clusters in use are of concern to all.
        if !record.is_some_and(|record| (16..RECORDS).contains(&record)) {
            continue;
        }
        let medium: Arc<dyn Medium> = Arc::new(bytes);
        let after = everything(&medium, DeletedEntries::Listed);
        let hit = |number: u64| number as usize == record.unwrap() || (record == Some(20) && number == 19);
        for (path, seen) in &before {
            // The place of orphans alone is told with a problem.
            let Ok(node) = &seen.entry.node else { continue };
            let is_within = path.starts_with(b"folder/") && record == Some(21);
            if !hit(node.number) && !is_within && node.kind != NodeKind::Metadata {
                assert_eq!(after[path].bytes, seen.bytes, "byte {at}: {}", String::from_utf8_lossy(path));
            }
        }
    }
}

#[test]
fn one_of_everything_is_read() {
    let medium: Arc<dyn Medium> = Arc::new(tiny());
    let seen = everything(&medium, DeletedEntries::Listed);
    let bytes = |path: &str| seen[path.as_bytes()].bytes.as_ref().unwrap().clone();
    let node = |path: &str| seen[path.as_bytes()].entry.node.as_ref().unwrap();
    let runs = [[3; 512], [0; 512], [1; 512], [2; 512]].concat();
    let runs = [&runs[..1600], &[0; 400]].concat();
    let packed = [&[b'a'; 4096][..], &[7; 4096], &[0; 16_000 - 8192]].concat();
    let listed = [&[1; 512][..], &[2; 488]].concat();
    for (path, expected) in [
        ("plain", b"bytes".to_vec()),
        ("plain:zone", b"stream".to_vec()),
        ("runs", runs),
        ("packed", packed),
        ("listed", listed),
        ("folder/inside", Vec::new()),
        ("folder/deleted", vec![0; 3]),
        ("link", b"\x0c\0\0\xa0\x04\0\0\0link".to_vec()),
        ("$OrphanFiles/lost", [&[2; 512][..], &[3; 88]].concat()),
        ("$MFT", tiny()[TABLE * CLUSTER..][..RECORDS * RECORD].to_vec()),
    ] {
        assert!(bytes(path) == expected, "{path}");
    }
    assert_eq!((node("folder").kind, node("link").kind), (NodeKind::Directory, NodeKind::Link));
    assert_eq!(node("folder/deleted").allocation, Allocation::Deleted(Recovery::Intact));
    assert_eq!(node("$OrphanFiles/lost").allocation, Allocation::Deleted(Recovery::Overlapped));
    let at = |seconds| Some(Time { seconds, nanoseconds: 0 });
    let times = node("plain").times;
    assert_eq!((times.created, times.modified, times.changed, times.accessed), (at(1), at(2), at(3), at(4)));
    // Two records of metadata are in use, and no directory names them.
    assert!(matches!(seen[&b"$OrphanFiles"[..]].entry.node, Err(Problem::Incomplete(_))));
    assert_eq!(seen.len(), 14, "{:?}", seen.keys().collect::<Vec<_>>());
}

#[test]
fn bytes_behind_a_reparse_point_are_those_of_a_file() {
    let mut tiny = Tiny(tiny());
    let target = resident(0xc0, 3, "", b"\x0c\0\0\xa0\x04\0\0\0link");
    let own = resident(0x30, 1, "", &name(5, "plain", false));
    tiny.record(16, 1, IN_USE, 0, &[times(), own, resident(0x80, 2, "", b"bytes"), target]);
    let medium: Arc<dyn Medium> = Arc::new(tiny.0);
    let seen = &everything(&medium, DeletedEntries::LeftOut)[&b"plain"[..]];
    assert_eq!(seen.entry.node.as_ref().unwrap().kind, NodeKind::File);
    assert_eq!(seen.bytes.as_deref(), Ok(&b"bytes"[..]));
}

#[test]
fn a_part_of_the_table_that_cannot_be_found_is_told() {
    let mut tiny = Tiny(tiny());
    let first = 20;
    let length = (RECORDS * RECORD) as u64;
    // The rest of the table is in a record that is none.
    let list = [listed(0x80, 2, 0, 0), listed(0x80, 0, 2 * first, 15)].concat();
    let own = resident(0x30, 1, "", &name(5, "$MFT", false));
    let table = extent(0x80, 2, "", 0, &[(2 * first, Some(TABLE))], [length; 2]);
    tiny.record(0, 1, IN_USE, 0, &[times(), resident(0x20, 4, "", &list), own, table]);
    let medium: Arc<dyn Medium> = Arc::new(tiny.0);
    let doubts = opened(&medium).info().doubts.clone();
    let is_told = |doubt: &Problem| doubt.to_string().contains("a part of the MFT can't be found");
    assert!(doubts.iter().any(is_told), "{doubts:?}");
    assert_eq!(
        everything(&medium, DeletedEntries::LeftOut)[&b"plain"[..]].bytes.as_deref(),
        Ok(&b"bytes"[..])
    );
}
