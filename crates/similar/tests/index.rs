//! Saved indexes: they find the same pairs as the lists, and any damage is detected.

use crate::common::{Random, digest_by, go_on};
use hashmill_similar::index::{Block, Error, Index, Writer};
use hashmill_similar::{LikenessDigest, Measure, Named, Pair, SIMILAR, Search, Similar};

/// Returns digests of files, most of them derived from the previous file.
fn list(row: &Similar, count: usize) -> Vec<Named> {
    let mut numbers = Random(5);
    let mut file = numbers.bytes(6000);
    let mut list = Vec::new();
    while list.len() < count {
        match numbers.below(6) {
            0 => {
                file = {
                    let length = 600 + numbers.below(9000);
                    numbers.bytes(length)
                }
            }
            1 => drop(file.drain(..100)),
            _ => {
                let at = numbers.below(file.len());
                file[at] ^= 1
            }
        }
        if file.len() < 600 {
            file = numbers.bytes(5000);
        }
        let name = format!("na,me\"{}\n", list.len()).into_bytes();
        list.extend(digest_by((row.stream)(), &file).ok().map(|digest| Named { name, digest }));
    }
    list
}

fn saved(row: &'static Similar, list: &[Named]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = Writer::begin(&mut bytes, row).unwrap();
    list.iter().for_each(|named| writer.push(named.clone()).unwrap());
    let totals = writer.end().unwrap();
    assert_eq!(totals.digests, list.len() as u64);
    bytes
}

fn search(row: &Similar) -> Search {
    let limit = if row.measure == Measure::Score { 1 } else { 100 };
    Search { limit, threads: 2, stop: None }
}

#[test]
fn an_index_answers_as_the_list_does() {
    for row in SIMILAR {
        let (list, others) = (list(row, 60), list(row, 90));
        let (mut expected, mut found) = (Vec::new(), Vec::new());
        (row.against)(&list, &others, &search(row), &mut go_on(|pair| expected.push(pair))).unwrap();
        let bytes = saved(row, &others);
        let mut index = Index::open(&*bytes).unwrap().map(Result::unwrap);
        let mut block = index.next().unwrap();
        assert_eq!(block.members(), others, "{}", row.name);
        block.against(row, &list, &search(row), &mut go_on(|pair| found.push(pair))).unwrap();
        assert!(index.next().is_none());
        assert!(!found.is_empty());
        assert_eq!(found, expected, "{}", row.name);
    }
}

#[test]
fn many_digests_take_many_blocks() {
    let row = hashmill_similar::find("tlsh").unwrap();
    let few = list(row, 50);
    let many: Vec<Named> = few.iter().cycle().take(70_000).cloned().collect();
    let bytes = saved(row, &many);
    let (mut index, mut found) = (Index::open(&*bytes).unwrap(), Vec::new());
    let mut blocks = 0;
    for block in index.by_ref() {
        let (mut block, same) = (block.unwrap(), Search { limit: 0, threads: 1, stop: None });
        let first = block.first() as usize;
        block
            .against(row, &few[..1], &same, &mut go_on(|pair| found.push(Pair { b: pair.b + first, ..pair })))
            .unwrap();
        blocks += 1;
    }
    assert_eq!((blocks, index.totals().blocks, index.totals().digests), (2, 2, 70_000));
    let mut expected = Vec::new();
    (row.against)(
        &few[..1],
        &many,
        &Search { limit: 0, threads: 1, stop: None },
        &mut go_on(|pair| expected.push(pair)),
    )
    .unwrap();
    assert_eq!(found, expected);
}

fn read(bytes: &[u8]) -> Result<usize, Error> {
    Index::open(bytes)?.try_fold(0, |sum, block| Ok(sum + block?.members().len()))
}

#[test]
fn every_altered_byte_and_every_cut_is_found() {
    for name in ["ssdeep", "tlsh", "mrsh-v2"] {
        let row = hashmill_similar::find(name).unwrap();
        let bytes = saved(row, &list(row, 3));
        assert_eq!(read(&bytes).unwrap(), 3);
        for at in 0..bytes.len() {
            for bit in [1, 0x80] {
                let mut altered = bytes.clone();
                altered[at] ^= bit;
                assert!(read(&altered).is_err(), "{name}: byte {at}");
            }
            assert!(read(&bytes[..at]).is_err(), "{name}: cut at {at}");
        }
        assert!(matches!(read(&[&bytes[..], b"x"].concat()), Err(Error::Damaged { .. })));
    }
}

#[test]
fn what_is_no_index_says_so() {
    assert!(matches!(read(b""), Err(Error::NotAnIndex)));
    assert!(matches!(read(b"ssdeep,1.1--blocksize"), Err(Error::NotAnIndex)));
    assert!(matches!(read(b"HMSIMI\x02\0rest"), Err(Error::Version(2))));
    let [ssdeep, tlsh] = ["ssdeep", "tlsh"].map(|name| hashmill_similar::find(name).unwrap());
    let mut writer = Writer::begin(Vec::new(), ssdeep).unwrap();
    let foreign = list(tlsh, 1).remove(0);
    assert!(matches!(foreign.digest, LikenessDigest::Tlsh(_)));
    assert!(matches!(writer.push(foreign), Err(Error::Foreign(_))));
}

/// The bodies of blocks are protected by checksums, so they are mutated directly.
#[test]
fn no_block_makes_the_reader_or_a_search_panic() {
    let mut numbers = Random(6);
    for row in SIMILAR {
        let list = list(row, 4);
        let bytes = saved(row, &list);
        // Skips magic and version, the head's frame, then tag and length of the block.
        let start = 8 + 12 + row.name.len() + 16 + 12;
        let body = &bytes[start..bytes.len() - 16 - (12 + 24 + 16)];
        assert!(Block::decode(row, 0, body).is_ok(), "{}", row.name);
        for _ in 0..hashmill_testing::cases(1500) {
            let mut body = body.to_vec();
            for _ in 0..=numbers.below(3) {
                // The first bytes hold the lengths.
                let at = if numbers.below(2) == 0 { numbers.below(60) } else { numbers.below(body.len()) };
                match numbers.below(3) {
                    0 => body[at] = numbers.next() as u8,
                    1 => body[at] ^= 1 << numbers.below(8),
                    _ => body.truncate(at.max(61)),
                }
            }
            if let Ok(mut block) = Block::decode(row, 0, &body) {
                block.against(row, &list, &search(row), &mut go_on(|_| {})).unwrap();
            }
        }
    }
}
