//! Likeness digests in whole runs: every path through the engine gives the same, and the digests beside them don't
//! change.

use crate::util::{all, bytes_of};
use hashmill_engine::{Plan, Prefetch};
use hashmill_manifest::{Lack, Likeness, Record};
use hashmill_similar::find;
use hashmill_testing::Random;
use std::fs;
use std::num::NonZeroU64;
use std::path::Path;
use tempfile::TempDir;

fn plan(threads: usize) -> Plan {
    let likeness = ["ssdeep", "tlsh", "sdhash", "mrsh-v2"].map(|name| find(name).unwrap()).to_vec();
    Plan { likeness, ..crate::util::plan("sha256,blake3", threads) }
}

fn noise(seed: u64, length: usize) -> Vec<u8> {
    Random(seed).bytes(length)
}

/// Makes files of all sizes for which the engine takes another path, and one for which sdhash does.
fn tree() -> TempDir {
    let dir = TempDir::new().unwrap();
    for (index, size) in [0, 1, 511, 512, 4096, 40_000, 262_145, 600_000, 3_000_001].iter().enumerate() {
        fs::write(dir.path().join(format!("{index:02}")), noise(index as u64, *size)).unwrap();
    }
    fs::write(dir.path().join("constant"), vec![7; 10_000]).unwrap();
    fs::write(dir.path().join("large"), noise(99, (16 << 20) + 700)).unwrap();
    dir
}

/// Returns the records of files, each after those of its pieces.
fn records(plan: &Plan, dir: &Path) -> Vec<Record> {
    let (pieces, outcomes, _) = all(plan, dir);
    let mut pieces = pieces.into_iter().peekable();
    let mut records = Vec::new();
    for outcome in outcomes {
        while let Some(piece) = pieces.next_if(|piece| piece.path == outcome.record.path) {
            records.push(piece);
        }
        records.push(outcome.record);
    }
    assert!(pieces.next().is_none());
    records
}

fn check(record: &Record, plan: &Plan) {
    let bytes = bytes_of(record);
    let expected = plan.likeness.iter().map(|algorithm| {
        let mut stream = (algorithm.stream)();
        stream.update(&bytes);
        Likeness { algorithm, digest: stream.finish().map_err(Lack::from) }
    });
    assert!(record.likeness == expected.collect::<Vec<_>>(), "{}", record.path.escape_ascii());
    let digests: Vec<_> = plan.algorithms.iter().map(|row| hashmill_digest::hash(row, &bytes)).collect();
    assert_eq!(record.digests.iter().map(|named| named.digest).collect::<Vec<_>>(), digests);
}

#[test]
#[ignore = "campaign: takes long"]
fn every_size_any_threads_and_any_memory() {
    let dir = tree();
    let mut first = Vec::new();
    let auto = Prefetch::Auto;
    let runs = [(1, 64 << 20, auto), (2, Plan::least_memory(2), auto), (3, 8 << 20, auto)];
    // With readers, and with workers that read for themselves.
    let readers = [(2, 64 << 20, Prefetch::Fixed(2)), (2, 64 << 20, Prefetch::Fixed(0))];
    for (threads, memory, prefetch) in runs.into_iter().chain(readers) {
        let plan = Plan { memory, prefetch, ..plan(threads) };
        let records = records(&plan, dir.path());
        assert_eq!(records.len(), 11);
        if first.is_empty() {
            records.iter().for_each(|record| check(record, &plan));
            first = records;
        } else {
            assert!(records == first, "threads or memory show");
        }
    }
}

#[test]
#[ignore = "campaign: takes long"]
fn pieces_of_every_size_come_in_order() {
    let dir = tree();
    fs::remove_file(dir.path().join("large")).unwrap();
    for (size, threads) in [(10_000, 2), (300_000, 1), (2_000_000, 2), (1 << 40, 2)] {
        let plan = Plan { piece: NonZeroU64::new(size), ..plan(threads) };
        let records = records(&plan, dir.path());
        records.iter().for_each(|record| check(record, &plan));
        let pieces = records.iter().filter(|record| record.piece.is_some()).count() as u64;
        let wholes = records.iter().filter(|record| record.piece.is_none());
        assert_eq!(pieces, wholes.map(|record| record.size.unwrap().div_ceil(size)).sum::<u64>());
    }
}

#[test]
fn pieces_alone_will_do() {
    let dir = tree();
    fs::remove_file(dir.path().join("large")).unwrap();
    // The file is long enough for pieces of digests alone to be read in strips.
    fs::write(dir.path().join("long"), noise(98, 5_000_000)).unwrap();
    for (size, threads) in [(65_536, 2), (200_000, 1)] {
        let plan = Plan { piece: NonZeroU64::new(size), whole: false, ..plan(threads) };
        let records = records(&plan, dir.path());
        let pieces = records.iter().filter(|record| record.piece.is_some());
        let sizes = records.iter().filter(|record| record.piece.is_none()).map(|record| record.size.unwrap());
        assert_eq!(pieces.clone().count() as u64, sizes.map(|bytes| bytes.div_ceil(size)).sum::<u64>());
        pieces.for_each(|record| check(record, &plan));
    }
}

#[test]
fn likeness_alone_will_do() {
    let dir = tree();
    let plan = Plan { algorithms: Vec::new(), ..plan(2) };
    let records = records(&plan, dir.path());
    assert_eq!(records.len(), 11);
    records.iter().for_each(|record| check(record, &plan));
}
