//! Whole runs over real files: every path through the engine gives the digests of hashing the bytes in one piece, in
//! the order of the walk.

use crate::util::{all, bytes_of, entries, plan};
use hashmill_digest::{Algorithm, Digest, hash};
use hashmill_engine::{EngineEvent, EntryResult, Live, Order, Plan, Prefetch, RunItem, run};
use hashmill_manifest::{Metadata, Record};
use hashmill_os::names;
use hashmill_source::{Cached, Entry, MapFiles, Origin, Reader, Reading, WalkItem};
use hashmill_testing::{not_possible, paint};
use std::fs;
use std::num::NonZeroU64;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

/// Makes files of all sizes for which the engine takes another path.
fn tree() -> TempDir {
    let dir = TempDir::new().unwrap();
    let sizes =
        [0, 1, 64, 4096, 100_000, 262_143, 262_144, 262_145, 524_288, 1_048_576, 3_000_001, 9_437_184];
    for (index, size) in sizes.iter().enumerate() {
        fs::write(dir.path().join(format!("{index:02}")), paint(*size)).unwrap();
    }
    for index in 0..300 {
        fs::write(dir.path().join(format!("small{index:03}")), paint(index * 17)).unwrap();
    }
    dir
}

fn check(record: &Record, algorithms: &[&'static Algorithm]) {
    let bytes = bytes_of(record);
    assert_eq!(record.size, Some(bytes.len() as u64));
    let expected: Vec<Digest> = algorithms.iter().map(|algorithm| hash(algorithm, &bytes)).collect();
    let found: Vec<Digest> = record.digests.iter().map(|named| named.digest).collect();
    assert_eq!(found, expected, "{:?} {:?}", String::from_utf8_lossy(&record.path), record.piece);
}

#[test]
fn every_size_any_threads_and_any_memory() {
    let dir = tree();
    for threads in [1, 2, 5] {
        for memory in [Plan::least_memory(threads), 4 << 20, 64 << 20] {
            let plan = Plan { memory, ..plan("sha256,blake3,md5", threads) };
            let (_, outcomes, stats) = all(&plan, dir.path());
            assert_eq!((stats.seen, stats.hashed, stats.skipped, stats.failed), (312, 312, 0, 0));
            outcomes.iter().for_each(|outcome| check(&outcome.record, &plan.algorithms));
            assert!(outcomes.is_sorted_by_key(|outcome| outcome.record.path.clone()));
        }
    }
}

/// Makes a result of a file that is not read.
fn known(entry: Entry) -> RunItem {
    let metadata = Metadata { reused: true, ..Metadata::default() };
    let record = Record::hashed(entry.path, Some(7), Vec::new());
    let record = Record { metadata: Some(Box::new(metadata)), ..record };
    RunItem::Known(Box::new(EntryResult { record, meta: None, opened: None, is_fresh: false, trouble: None }))
}

#[test]
fn known_results_come_in_their_places() {
    let dir = tree();
    let walked: Vec<_> = all(&plan("md5", 1), dir.path()).1;
    let paths = |outcomes: &[EntryResult]| -> Vec<Box<[u8]>> {
        outcomes.iter().map(|outcome| outcome.record.path.clone()).collect()
    };
    // All, half, most and all but one of the files are known.
    for step in [1, 2, 7, 1000] {
        for (threads, prefetch) in [(1, Prefetch::Auto), (4, Prefetch::Fixed(1)), (2, Prefetch::Fixed(3))] {
            for order in [Order::Walk, Order::Any] {
                let plan = Plan { prefetch, order, ..plan("md5", threads) };
                let items = entries(dir.path()).enumerate().map(move |(number, found)| match found {
                    WalkItem::File(entry) if step == 1 || number % step != 0 => known(entry),
                    found => found.into(),
                });
                let (mut outcomes, live) = (Vec::new(), Arc::new(Live::default()));
                let stats = run(&plan, items, &live, &mut |event| {
                    if let EngineEvent::Done(outcome) = event {
                        outcomes.push(outcome);
                    }
                    ControlFlow::Continue(())
                });
                let read = if step == 1 { 0 } else { 312_u64.div_ceil(step as u64) };
                assert_eq!((stats.seen, stats.hashed, stats.failed), (312, 312, 0));
                assert_eq!((stats.reused, stats.bytes_reused), (312 - read, 7 * (312 - read)));
                if order == Order::Any {
                    outcomes.sort_by_key(|outcome| outcome.record.path.clone());
                }
                assert_eq!(paths(&outcomes), paths(&walked));
                for outcome in outcomes.iter().filter(|outcome| !outcome.record.is_reused()) {
                    check(&outcome.record, &plan.algorithms);
                    let metadata = outcome.metadata().unwrap();
                    let meta = outcome.meta.unwrap();
                    assert_eq!((metadata.inode, metadata.device), (Some(meta.ino), Some(meta.dev)));
                    assert!(metadata.read > metadata.ctime && !metadata.reused);
                }
            }
        }
    }
}

/// Digests are the same for copied files, mapped files, and both in turn.
#[test]
#[ignore = "campaign: takes long"]
fn mapped_files_have_the_same_digests() {
    let dir = tree();
    for index in 0..40 {
        fs::write(dir.path().join(format!("middle{index}")), paint(128 * 1024 + index * 30_001)).unwrap();
    }
    for mapping in [MapFiles::Always, MapFiles::Try, MapFiles::Never] {
        for threads in [1, 2, 16] {
            for (algorithms, piece) in [
                ("sha256,md5", None),
                ("blake3", None),
                ("sha512,blake3,crc32", Some(100_000)),
                ("md5", Some(1000)),
            ] {
                let reading = Reading { mapping, ..Reading::default() };
                let plan =
                    Plan { reading, piece: piece.and_then(NonZeroU64::new), ..plan(algorithms, threads) };
                let (pieces, outcomes, stats) = all(&plan, dir.path());
                assert_eq!((stats.seen, stats.hashed), (352, 352));
                outcomes.iter().for_each(|outcome| check(&outcome.record, &plan.algorithms));
                pieces.iter().step_by(97).for_each(|record| check(record, &plan.algorithms));
                let mapped: u64 = stats.ways.iter().map(|way| way.mapped).sum();
                let maps_here =
                    Reader::open(&large_entry(dir.path()), &Reading::default()).unwrap().map().is_some();
                if maps_here {
                    assert_eq!(mapped > 0, mapping != MapFiles::Never, "{mapping:?} {algorithms}");
                }
            }
        }
    }
}

/// Returns an entry for a file that is large enough to be mapped.
fn large_entry(dir: &Path) -> Entry {
    Entry::new(names::path_bytes(&dir.join("10")).into(), Origin::Path)
}

#[test]
fn readers_change_nothing() {
    let dir = tree();
    let (_, expected, _) =
        all(&Plan { prefetch: Prefetch::Fixed(0), ..plan("sha256,blake3", 2) }, dir.path());
    for readers in [0, 1, 2, 9] {
        for (threads, memory) in [(1, 64 << 20), (2, 64 << 20), (3, 4 << 20), (2, Plan::least_memory(2))] {
            let prefetch = Prefetch::Fixed(readers);
            let plan = Plan { prefetch, memory, ..plan("sha256,blake3", threads) };
            let (_, outcomes, stats) = all(&plan, dir.path());
            assert_eq!((stats.seen, stats.hashed), (312, 312), "{readers} {threads} {memory}");
            let records =
                |outcomes: &[EntryResult]| outcomes.iter().map(|o| o.record.clone()).collect::<Vec<_>>();
            assert_eq!(records(&outcomes), records(&expected), "{readers} {threads} {memory}");
        }
    }
}

/// The only reader of a device leaves cached files to the workers: read one after another, they would not fill the
/// lanes.
#[test]
fn with_one_reader_files_in_memory_fill_the_lanes() {
    let dir = TempDir::new().unwrap();
    for index in 0..100 {
        fs::write(dir.path().join(format!("{index:02}")), paint(700_000)).unwrap();
    }
    let cached = entries(dir.path()).all(|found| match found {
        WalkItem::File(entry) => Reader::open(&entry, &Reading::default()).unwrap().cached() == Cached::Yes,
        _ => false,
    });
    let occupancy = |prefetch| {
        let plan = Plan { prefetch, ..plan("md5", 2) };
        let (_, outcomes, stats) = all(&plan, dir.path());
        outcomes.iter().for_each(|outcome| check(&outcome.record, &plan.algorithms));
        stats.lanes_used as f64 / stats.lanes_offered.max(1) as f64
    };
    let (none, one) = (occupancy(Prefetch::Fixed(0)), occupancy(Prefetch::Fixed(1)));
    if !cached || none == 0.0 {
        return not_possible("lanes, or telling what is in memory");
    }
    assert!(one > 0.7 * none, "{one} of {none}");
}

/// Pieces are hashed side by side, even if the whole file is hashed as well.
#[test]
fn long_pieces_beside_the_whole_file_fill_the_lanes() {
    let dir = TempDir::new().unwrap();
    let bytes = 24 << 20;
    fs::write(dir.path().join("only"), paint(bytes)).unwrap();
    let piece = NonZeroU64::new(1 << 20);
    let lanes_used = |whole| {
        let plan = Plan { piece, whole, ..plan("md5", 2) };
        let (pieces, outcomes, stats) = all(&plan, dir.path());
        assert_eq!((pieces.len(), stats.bytes), (24, bytes as u64));
        pieces.iter().chain(outcomes.iter().filter(|_| whole).map(|outcome| &outcome.record)).for_each(
            |record| {
                check(record, &plan.algorithms);
            },
        );
        stats.lanes_used
    };
    let path = dir.path().join("only");
    let entry = Entry::new(names::path_bytes(&path).into(), Origin::Path);
    if Reader::open(&entry, &Reading::default()).unwrap().cached() != Cached::Yes {
        return not_possible("telling what is in memory");
    }
    assert_eq!(lanes_used(true), lanes_used(false));
}

#[test]
fn readers_leave_pieces_in_order() {
    let dir = tree();
    for readers in [1, 4] {
        for size in [400, 300_000] {
            let prefetch = Prefetch::Fixed(readers);
            let plan = Plan { piece: NonZeroU64::new(size), prefetch, ..plan("sha256,crc32", 2) };
            let (pieces, outcomes, _) = all(&plan, dir.path());
            let expected: u64 =
                outcomes.iter().map(|outcome| outcome.record.size.unwrap().div_ceil(size)).sum();
            assert_eq!(pieces.len() as u64, expected);
            assert!(pieces.is_sorted_by_key(|record| (record.path.clone(), record.piece.unwrap().offset)));
            pieces.iter().step_by(997).for_each(|record| check(record, &plan.algorithms));
        }
    }
}

#[test]
fn order_any_gives_the_same_records() {
    let dir = tree();
    let (_, mut outcomes, _) = all(&Plan { order: Order::Any, ..plan("blake3", 3) }, dir.path());
    outcomes.sort_by_key(|outcome| outcome.record.path.clone());
    let (_, sorted, _) = all(&plan("blake3", 1), dir.path());
    let records = |outcomes: Vec<EntryResult>| outcomes.into_iter().map(|o| o.record).collect::<Vec<_>>();
    assert_eq!(records(outcomes), records(sorted));
}

#[test]
#[ignore = "campaign: takes long"]
fn pieces_of_every_size_come_in_order() {
    let dir = tree();
    for (size, threads) in [(1000, 2), (65_536, 1), (1_000_000, 2), (1 << 40, 2)] {
        let plan = Plan { piece: NonZeroU64::new(size), ..plan("sha256,crc32", threads) };
        let (pieces, outcomes, _) = all(&plan, dir.path());
        pieces.iter().chain(outcomes.iter().map(|outcome| &outcome.record)).for_each(|record| {
            check(record, &plan.algorithms);
        });
        let expected: u64 = outcomes.iter().map(|outcome| outcome.record.size.unwrap().div_ceil(size)).sum();
        assert_eq!(pieces.len() as u64, expected);
        let place = |record: &Record| (record.path.clone(), record.piece.unwrap().offset);
        assert!(pieces.is_sorted_by_key(place));
    }
}

/// If nothing else is wanted, pieces are read strip by strip, several at once.
#[test]
fn pieces_alone_are_those_beside_whole_files() {
    let dir = tree();
    for (size, threads) in [(65_535, 2), (65_536, 2), (65_537, 1), (300_001, 3), (1 << 20, 2), (9_000_000, 2)]
    {
        let piece = NonZeroU64::new(size);
        let alone = Plan { piece, whole: false, ..plan("md5,sha256,crc32", threads) };
        let (pieces, outcomes, stats) = all(&alone, dir.path());
        let beside = Plan { piece, ..alone.clone() };
        assert_eq!(pieces, all(&beside, dir.path()).0, "pieces of {size}");
        assert!(outcomes.iter().all(|outcome| outcome.trouble.is_none()));
        assert_eq!(stats.bytes, outcomes.iter().map(|outcome| outcome.record.size.unwrap()).sum::<u64>());
        pieces.iter().step_by(7).for_each(|record| check(record, &alone.algorithms));
    }
}

#[test]
fn more_pieces_than_are_held_still_come_in_order() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("a"), paint(100)).unwrap();
    fs::write(dir.path().join("b"), paint(700_000)).unwrap();
    fs::write(dir.path().join("c"), paint(900_000)).unwrap();
    for threads in [1, 3] {
        let plan = Plan { piece: NonZeroU64::new(16), whole: false, ..plan("crc32", threads) };
        let (pieces, outcomes, _) = all(&plan, dir.path());
        assert_eq!(pieces.len(), 7 + 43_750 + 56_250);
        assert!(pieces.is_sorted_by_key(|record| (record.path.clone(), record.piece.unwrap().offset)));
        assert!(outcomes.iter().all(|outcome| outcome.record.digests.is_empty()));
        pieces.iter().step_by(997).for_each(|record| check(record, &plan.algorithms));
    }
}

#[test]
fn one_file_alone() {
    let dir = TempDir::new().unwrap();
    for size in [0, 1, 300_000, 5_000_000] {
        fs::write(dir.path().join("only"), paint(size)).unwrap();
        let plan = plan("sha1,blake3", 2);
        let (_, outcomes, stats) = all(&plan, dir.path());
        assert_eq!((stats.hashed, stats.bytes), (1, size as u64));
        check(&outcomes[0].record, &plan.algorithms);
    }
}

#[test]
fn nothing_at_all() {
    let dir = TempDir::new().unwrap();
    let (_, outcomes, stats) = all(&plan("blake3", 2), dir.path());
    assert_eq!((outcomes.len(), stats.seen), (0, 0));
}

#[test]
fn the_sink_can_stop_the_run() {
    let dir = tree();
    let mut taken = 0;
    run(&plan("md5", 2), entries(dir.path()), &Arc::new(Live::default()), &mut |_| {
        taken += 1;
        if taken == 5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(taken, 5);
}

#[test]
fn a_cancelled_run_ends() {
    let dir = tree();
    for prefetch in [Prefetch::Auto, Prefetch::Fixed(1), Prefetch::Fixed(3)] {
        let plan = Plan { prefetch, ..plan("md5", 2) };
        plan.cancel.set();
        let (_, outcomes, _) = all(&plan, dir.path());
        assert!(outcomes.len() < 312);
    }
}

#[test]
fn live_counters_end_at_the_totals() {
    use std::sync::atomic::Ordering::Relaxed;
    let dir = tree();
    for prefetch in [Prefetch::Auto, Prefetch::Fixed(1), Prefetch::Fixed(3)] {
        let live = Arc::new(Live::default());
        let plan = Plan { prefetch, ..plan("md5", 2) };
        let stats = run(&plan, entries(dir.path()), &live, &mut |_| ControlFlow::Continue(()));
        assert!(live.walked.load(Relaxed));
        assert_eq!(live.files_met.load(Relaxed), 312);
        assert_eq!(live.files_done.load(Relaxed), 312);
        assert_eq!(live.bytes_done.load(Relaxed), stats.bytes);
        assert_eq!(live.bytes_met.load(Relaxed), stats.bytes);
    }
}

#[test]
fn a_panic_in_the_walk_ends_the_run() {
    let dir = tree();
    for prefetch in [Prefetch::Auto, Prefetch::Fixed(1), Prefetch::Fixed(3)] {
        let plan = Plan { prefetch, ..plan("md5", 2) };
        let entries = entries(dir.path()).inspect({
            let mut left = 100;
            move |_| {
                left -= 1;
                assert!(left > 0, "as the test wants it");
            }
        });
        let live = Arc::new(Live::default());
        let mut sink = |_| ControlFlow::Continue(());
        let ran =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(&plan, entries, &live, &mut sink)));
        assert!(ran.is_err());
    }
}

/// Tests with symbolic links, and with the cache of Linux.
#[cfg(unix)]
mod of_unix {
    use super::*;
    use hashmill_digest::parse_list;
    use hashmill_engine::Trouble;
    use hashmill_manifest::Status;
    use hashmill_source::{Skip, WalkOptions, walk};
    use rustix::fs::{Advice, fadvise};
    use std::os::unix::fs::symlink;

    #[test]
    fn what_is_not_read_is_counted() {
        let dir = TempDir::new().unwrap();
        fs::write(dir.path().join("file"), b"abc").unwrap();
        symlink("file", dir.path().join("link")).unwrap();
        let missing = dir.path().join("missing");
        let operands = [dir.path(), &missing].map(|path| names::path_bytes(path).into());
        let entries = walk(operands.into_iter(), WalkOptions::default());
        let mut outcomes = Vec::new();
        let stats = run(&plan("md5", 2), entries, &Arc::new(Live::default()), &mut |event| {
            if let EngineEvent::Done(outcome) = event {
                outcomes.push((outcome.record.status, outcome.trouble));
            }
            ControlFlow::Continue(())
        });
        assert_eq!((stats.seen, stats.hashed, stats.skipped, stats.failed), (3, 1, 1, 1));
        assert!(matches!(outcomes[0], (Status::Hashed, None)));
        assert!(matches!(outcomes[1], (Status::Skipped, Some(Trouble::Skipped(Skip::Link)))));
        assert!(matches!(outcomes[2], (Status::Unreadable, Some(Trouble::Failed(_)))));
    }

    #[test]
    fn files_that_are_not_in_memory_are_read_ahead() {
        let dir = tree();
        let mut cold = 0;
        for found in entries(dir.path()) {
            let WalkItem::File(entry) = found else { continue };
            let file = fs::File::open(names::path(&entry.path).unwrap()).unwrap();
            file.sync_all().unwrap();
            fadvise(&file, 0, None, Advice::DontNeed).unwrap();
            cold += u64::from(Reader::open(&entry, &Reading::default()).unwrap().cached() == Cached::No);
        }
        let (_, outcomes, stats) = all(&plan("sha256", 2), dir.path());
        outcomes.iter().for_each(|outcome| check(&outcome.record, &parse_list("sha256").unwrap()));
        let drive = &stats.drives[0];
        // Memory file systems never drop cached pages.
        if cold > 300 {
            assert!(drive.cold > 0, "{drive:?}");
            let most = drive.policy.expect("somebody asked").most;
            assert!(drive.readers > 0 && drive.readers <= most, "{drive:?}");
        }
        // The system may take a page back meanwhile, and a file of which one is missing is read ahead as well.
        let (_, outcomes, stats) = all(&plan("sha256", 2), dir.path());
        assert!(stats.drives[0].cold < outcomes.len() as u64 / 2, "{:?}", stats.drives[0]);
    }
}
