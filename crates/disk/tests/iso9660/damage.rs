//! Damage at each byte of the metadata, and at random ones.

use super::disc::{Disc, both, record};
use crate::seen::bytes_of;
use crate::tools::Random;
use hashmill_disk::{DeletedEntries, DiskContent, Limits, Medium, NodeKind, Walk, file_system};
use hashmill_testing::cases;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A disc with two directories, links, names in parts and a file in two extents.
fn disc() -> Disc {
    const ROCK: &[u8] = b"SP\x07\x01\xbe\xef\0RR\x05\x01\0";
    let elsewhere = [&b"NM\x08\x01\x01lon"[..], b"CE\x1c\x01", &both(20), &both(0), &both(8)].concat();
    let link = [&b"PX\x24\x01"[..], &both(0o120_777), &both(1), &both(0), &both(0), b"SL\x0a\x01\0\0\x03abc"]
        .concat();
    let records = [
        record(19, 2048, 2, b"D", b"NM\x06\x01\0d"),
        record(21, 10, 0, b"L.;1", &elsewhere),
        record(21, 0, 0, b"S.;1", &link),
        record(21, 2048, 0x80, b"T.;1", b"NM\x06\x01\0t"),
        record(22, 9, 0, b"T.;1", b"NM\x06\x01\0t"),
    ];
    let mut disc = Disc::new(24, ROCK, &records);
    disc.directory(19, b"", &[record(23, 5, 0, b"F.;1", b"NM\x06\x01\0f")]);
    disc.put(20, b"NM\x08\x01\0ger");
    disc.put(21, &[b'x'; 2048]);
    disc.put(22, b"the extent");
    disc.put(23, b"inner");
    disc
}

/// Reads everything that is there: the bytes of entries by path.
fn read(bytes: Vec<u8>) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let medium: Arc<dyn Medium> = Arc::new(bytes);
    let Ok(DiskContent::FileSystem(system)) = file_system(&medium) else { return BTreeMap::new() };
    let limits = Limits { entries: 10_000, ..Limits::default() };
    let mut read = BTreeMap::new();
    for entry in Walk::new(&*system, DeletedEntries::Listed, limits) {
        let Ok(node) = entry.node else { continue };
        let content = node.content.ok().filter(|_| node.kind != NodeKind::Directory);
        if let Some(Ok(bytes)) = content.map(|content| bytes_of(&*medium, &content)) {
            read.insert(entry.path, bytes);
        }
    }
    read
}

#[test]
fn a_wrong_byte_of_one_record_leaves_the_others_as_they_are() {
    let disc = disc();
    let whole = read(disc.bytes.clone());
    let paths: Vec<&[u8]> = whole.keys().map(|path| &**path).collect();
    assert_eq!(paths, [&b"S"[..], b"d/f", b"longer", b"t"]);
    let start = 19 * 2048;
    let inner = start + disc.bytes[start..].windows(4).position(|bytes| bytes == b"F.;1").unwrap() - 33;
    for at in inner + 1..inner + usize::from(disc.bytes[inner]) {
        for value in [0, 1, 0x7f, 0x80, 0xff] {
            let mut damaged = disc.bytes.clone();
            damaged[at] = value;
            let found = read(damaged);
            for path in [&b"longer"[..], b"S", b"t"] {
                assert_eq!(found.get(path), whole.get(path), "byte {at} is {value}");
            }
        }
    }
}

#[test]
fn no_damage_does_harm() {
    let disc = disc();
    for sector in [16, 17, 18, 19, 20] {
        for at in 0..400 {
            for value in [0, 0x7f, 0xff] {
                let mut damaged = disc.bytes.clone();
                damaged[sector * 2048 + at] = value;
                read(damaged);
            }
        }
    }
    let mut random = Random(5);
    for _ in 0..cases(2000) {
        let mut damaged = disc.bytes.clone();
        for _ in 0..1 + random.below(30) {
            damaged[(16 + random.below(5) as usize) * 2048 + random.below(400) as usize] =
                random.next() as u8;
        }
        let length = damaged.len() - random.below(2) as usize * random.below(10_000) as usize;
        damaged.truncate(length);
        read(damaged);
    }
}
