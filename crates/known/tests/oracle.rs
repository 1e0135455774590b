//! Compares all answers of an index with a map in memory, for uniform and for the worst digests.

use crate::support::algorithm;
use hashmill_digest::Digest;
use hashmill_known::{Annotation, BuildOptions, Builder, Category, Detail, Index};
use hashmill_testing::{Folder, Random};
use std::collections::HashMap;

/// The expected answer for a digest.
#[derive(Clone, Debug, PartialEq)]
struct Truth {
    detail: Detail,
    size: Option<u64>,
}

type Oracle = HashMap<Digest, Truth>;
type Row = (Digest, Detail, Option<u64>);

fn options() -> BuildOptions {
    BuildOptions { memory: 64 << 20, ..BuildOptions::default() }
}

fn oracle(rows: &[Row]) -> Oracle {
    let mut oracle = Oracle::new();
    for (digest, detail, size) in rows {
        let row = Truth { detail: detail.clone(), size: *size };
        let truth = oracle.entry(*digest).or_insert(row);
        truth.detail = truth.detail.union(detail);
        truth.size = truth.size.or(*size);
    }
    oracle
}

fn build(folder: &Folder, rows: &[Row]) -> Index {
    let mut builder = Builder::new(&folder.at("set.hmk"), options());
    for (digest, detail, size) in rows {
        let annotation = Annotation { detail: builder.number(detail), size: *size };
        assert!(builder.add(algorithm(digest.as_bytes().len()), digest.as_bytes(), annotation).unwrap());
    }
    builder.finish().unwrap();
    let index = Index::open(&folder.at("set.hmk")).unwrap();
    index.verify().unwrap();
    index
}

fn truth(index: &Index, digest: &Digest) -> Option<Truth> {
    let hit = index.find(digest).unwrap()?;
    Some(Truth { detail: index.detail(hit).unwrap(), size: index.size(hit).unwrap() })
}

/// Returns digests near one in the set: each bit of it flipped, and its neighbours.
fn near(digest: &Digest) -> Vec<Digest> {
    let bytes = digest.as_bytes();
    let flipped = (0..bytes.len() * 8).map(|bit| {
        let mut other = bytes.to_vec();
        other[bit / 8] ^= 1 << (bit % 8);
        Digest::new(&other)
    });
    let ends = [0x00, 0xff].map(|end| {
        let mut other = bytes.to_vec();
        *other.last_mut().unwrap() = end;
        Digest::new(&other)
    });
    flipped.chain(ends).collect()
}

fn agree(rows: &[Row]) {
    let folder = Folder::new();
    let (index, oracle) = (build(&folder, rows), oracle(rows));
    let mut asked: Vec<Digest> = oracle.keys().copied().collect();
    asked.sort();
    let neighbours: Vec<_> = asked.iter().step_by(asked.len() / 200 + 1).flat_map(near).collect();
    let mut random = Random(7);
    let strangers = (0..2000).map(|n| random.digest([16, 20, 32, 8, 4, 64][n % 6]));
    asked.extend(neighbours.into_iter().chain(strangers));
    for digest in &asked {
        assert_eq!(truth(&index, digest), oracle.get(digest).cloned(), "{digest}");
    }
    let one_by_one: Vec<_> = asked.iter().map(|digest| index.find(digest).unwrap()).collect();
    assert_eq!(index.find_all(&asked).unwrap(), one_by_one);
    let counted: usize = index.about().tables.iter().map(|table| table.count as usize).sum();
    assert_eq!(counted, oracle.len());
}

fn plain() -> Detail {
    Detail::new(Category::Good, "list")
}

/// Returns a random detail: four sets, some products, some types.
fn some_detail(random: &mut Random) -> Detail {
    let word = ["good", "bad", "known", "odd"][random.below(4)];
    let mut detail = Detail::new(Category::of_word(word), word);
    if random.below(2) == 0 {
        detail.types = vec![["Game", "Hacker Tool"][random.below(2)].into()];
    }
    detail
}

#[test]
fn even_digests() {
    for count in [1, 2, 31, 32, 33, 500, 8191, 8192, 30_000] {
        let mut random = Random(count);
        let rows: Vec<Row> = (0..count).map(|_| (random.digest(20), plain(), None)).collect();
        agree(&rows);
    }
}

#[test]
fn mixed_lengths_duplicates_sizes_and_details() {
    let mut random = Random(99);
    let pool: Vec<Digest> = (0..4000).map(|n| random.digest([8, 16, 20, 28, 32, 64][n % 6])).collect();
    let rows: Vec<Row> = (0..30_000)
        .map(|_| {
            let at = random.below(pool.len());
            let size = (!at.is_multiple_of(3) && random.below(2) == 0).then_some(at as u64 * 1_000_003);
            (pool[at], some_detail(&mut random), size)
        })
        .collect();
    agree(&rows);
}

#[test]
fn digests_that_all_start_alike() {
    for bytes in [8, 16, 20, 32] {
        let rows: Vec<Row> = (0..20_000_u64)
            .map(|n| {
                let mut value = vec![0xab; bytes];
                value[bytes - 4..].copy_from_slice(&(n as u32).wrapping_mul(2_654_435_761).to_be_bytes());
                (Digest::new(&value), plain(), None)
            })
            .collect();
        agree(&rows);
    }
}

#[test]
fn digests_in_two_heaps_at_the_ends() {
    let row = |value: [u8; 20]| (Digest::new(&value), plain(), None);
    let mut rows: Vec<Row> = Vec::new();
    for n in 0..9000_u32 {
        let (mut low, mut high) = ([0; 20], [0xff; 20]);
        low[16..].copy_from_slice(&n.to_be_bytes());
        high[9..13].copy_from_slice(&n.to_be_bytes());
        rows.extend([row(low), row(high)]);
    }
    agree(&rows);
}

#[test]
fn many_details_need_wider_numbers() {
    let mut random = Random(5);
    let rows: Vec<Row> = (0..70_000_u64)
        .map(|n| (random.digest(16), Detail::new(Category::Known, &format!("set {}", n % 66_000)), Some(n)))
        .collect();
    agree(&rows);
}

#[test]
#[ignore = "campaign: takes long"]
fn several_runs_give_the_same_file_as_one() {
    let folder = Folder::new();
    let files = [64 << 20, 1 << 30].map(|memory| {
        let target = folder.at(format!("{memory}.hmk"));
        let mut builder =
            Builder::new(&target, BuildOptions { memory, built: None, ..BuildOptions::default() });
        let mut random = Random(3);
        let pool: Vec<Digest> = (0..300_000).map(|_| random.digest(16)).collect();
        for _ in 0..900_000 {
            let digest = pool[random.below(300_000)];
            let detail = builder.number(&some_detail(&mut random));
            let annotation = Annotation { detail, size: Some(random.below_u64(3)) };
            builder.add(algorithm(16), digest.as_bytes(), annotation).unwrap();
        }
        builder.finish().unwrap();
        std::fs::read(target).unwrap()
    });
    assert!(files[0] == files[1]);
    assert_eq!(folder.names().len(), 2);
}

#[test]
fn contradictions_are_counted_and_bad_wins() {
    let folder = Folder::new();
    let digest = Random(1).digest(32);
    let rows =
        ["good", "bad", "known"].map(|word| (digest, Detail::new(Category::of_word(word), word), None));
    let index = build(&folder, &rows);
    assert_eq!(index.about().contradictions, 1);
    let detail = index.detail(index.find(&digest).unwrap().unwrap()).unwrap();
    assert_eq!(detail.verdict().unwrap().category, Category::Bad);
    assert_eq!(index.about().tables[0].categories["bad"], 1);
    assert_eq!(index.about().tables[0].sets.len(), 3);
}

#[test]
fn short_digests_are_refused_and_an_empty_index_too() {
    let folder = Folder::new();
    let mut builder = Builder::new(&folder.at("set.hmk"), options());
    let annotation = Annotation { detail: builder.number(&plain()), size: None };
    let crc = hashmill_digest::find("crc32").unwrap();
    assert!(!builder.add(crc, &[1, 2, 3, 4], annotation).unwrap());
    let error = builder.finish().unwrap_err();
    assert!(error.to_string().contains("no input has a digest"), "{error}");
    assert!(folder.names().is_empty());
}

#[test]
fn more_lengths_than_there_is_room_for_are_refused() {
    let folder = Folder::new();
    let compile = |lengths: std::ops::RangeInclusive<usize>| {
        let mut builder = Builder::new(&folder.at("set.hmk"), options());
        let annotation = Annotation { detail: builder.number(&plain()), size: None };
        for bytes in lengths {
            builder.add(algorithm(64), Random(1).digest(bytes).as_bytes(), annotation).unwrap();
        }
        builder.finish()
    };
    assert_eq!(compile(8..=37).unwrap().tables.len(), 30);
    assert!(compile(8..=64).is_err());
    assert_eq!(Index::open(&folder.at("set.hmk")).unwrap().count(37), 1);
}

#[test]
fn an_index_is_little_larger_than_its_digests() {
    for (bytes, count) in [(16, 20_000), (20, 20_000), (32, 20_000), (16, 300_000)] {
        let folder = Folder::new();
        let mut random = Random(11);
        let set = |n: u64| Detail::new(Category::Known, &format!("set {}", n % 1000));
        let rows: Vec<Row> = (0..count).map(|n| (random.digest(bytes), set(n), None)).collect();
        let ratio = build(&folder, &rows).table_bytes(bytes) as f64 / (count as usize * bytes) as f64;
        assert!(ratio <= 1.15, "{bytes} bytes, {count} digests: {ratio}");
    }
}
