//! Scans of whole contents in whole runs: every path through the engine passes the same bytes, within its memory.

use crate::util::{all, bytes_of};
use hashmill_engine::{Plan, Prefetch, Scanning};
use hashmill_facts::{ContentScanner, Fact, FactSet, Rule, RuleFacts, RuleMatch, ScanStatus, StringMatches};
use hashmill_manifest::Record;
use hashmill_testing::Random;
use std::borrow::Cow;
use std::fs;
use std::num::NonZeroU64;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

/// A scanner whose results are the length and a checksum of what it is given.
#[derive(Debug)]
struct Checksum;

impl ContentScanner for Checksum {
    fn scan(&self, content: Cow<'_, [u8]>) -> RuleFacts {
        let rule =
            Rule { name: "r".into(), namespace: "n".into(), tags: Box::default(), meta: Box::default() };
        let places = [(content.len() as u64, u64::from(hashmill_digest::crc32c(&content)))].into();
        let string = StringMatches { name: "$".into(), places, count: 1 };
        let found = RuleMatch { rule: Arc::new(rule), strings: [string].into() };
        RuleFacts { status: ScanStatus::Scanned, matches: [found].into() }
    }

    fn fingerprint(&self) -> &str {
        "checksum"
    }
}

/// The longest content that is scanned here.
const LONGEST: usize = 4 << 20;

/// Makes files of all sizes for which the engine takes another path.
fn tree() -> TempDir {
    let dir = TempDir::new().unwrap();
    let sizes =
        [0, 1, 512, 40_000, 65_537, 131_073, 262_145, 600_000, 3_000_001, LONGEST, LONGEST + 1, 9 << 20];
    for (index, size) in sizes.into_iter().enumerate() {
        for copy in 0..3 {
            let name = format!("{index:02}-{copy}");
            fs::write(dir.path().join(name), Random((3 * index + copy) as u64).bytes(size)).unwrap();
        }
    }
    dir
}

/// Returns a plan whose scans have this memory for contents in parts.
fn plan(threads: usize, memory: usize) -> Plan {
    let scanning = Some(Arc::new(Scanning::new(Arc::new(Checksum), LONGEST, memory)));
    Plan { facts: FactSet::one(Fact::Yara), scanning, ..crate::util::plan("sha256,blake3", threads) }
}

fn check(records: &[Record]) {
    for record in records {
        let (bytes, rules) = (bytes_of(record), record.facts.as_ref().and_then(|facts| facts.rules.clone()));
        let wanted = match (record.piece.is_some(), bytes.len() <= LONGEST) {
            (true, _) => None,
            (false, true) => Some(Checksum.scan(bytes.as_slice().into())),
            (false, false) => Some(RuleFacts::unscanned(ScanStatus::TooLong)),
        };
        assert_eq!(rules.as_deref(), wanted.as_ref(), "{} {:?}", record.path.escape_ascii(), record.piece);
        for named in &record.digests {
            assert_eq!(named.digest, hashmill_digest::hash(named.algorithm, &bytes));
        }
    }
}

/// Returns the records of pieces and of files.
fn records(plan: &Plan, dir: &Path) -> Vec<Record> {
    let (mut records, outcomes, _) = all(plan, dir);
    records.extend(outcomes.into_iter().map(|outcome| outcome.record));
    records
}

#[test]
fn threads_memory_and_ways_of_reading_change_nothing() {
    let dir = tree();
    // Without memory, every content in parts goes through a temporary file.
    for (threads, for_scans) in [(1, 64 << 20), (3, 2 * LONGEST), (3, 0), (2, LONGEST + 100_000)] {
        for (memory, prefetch) in [
            (64 << 20, Prefetch::Auto),
            (Plan::least_memory(threads), Prefetch::Auto),
            (64 << 20, Prefetch::Fixed(2)),
            (64 << 20, Prefetch::Fixed(0)),
        ] {
            let records = records(&Plan { memory, prefetch, ..plan(threads, for_scans) }, dir.path());
            assert_eq!(records.len(), 36);
            check(&records);
        }
    }
}

#[test]
fn trees_alone_and_pieces_beside_a_scan() {
    let dir = tree();
    let blake3 = || hashmill_digest::parse_list("blake3").unwrap();
    check(&records(&Plan { algorithms: blake3(), ..plan(3, 16 << 20) }, dir.path()));
    for size in [65_536, 1 << 20, 5 << 20] {
        let plan = Plan { piece: NonZeroU64::new(size), algorithms: blake3(), ..plan(2, 16 << 20) };
        let records = records(&plan, dir.path());
        check(&records);
        assert!(records.iter().any(|record| record.piece.is_some()));
    }
}

#[test]
fn a_file_that_has_more_bytes_than_the_system_says_is_scanned() {
    // Files of /proc have no size.
    let Ok(wanted) = fs::read("/proc/version") else { return };
    let (_, outcomes, _) = all(&plan(2, 16 << 20), Path::new("/proc/version"));
    let rules = outcomes[0].record.facts.as_ref().and_then(|facts| facts.rules.clone());
    assert_eq!(rules.as_deref(), Some(&Checksum.scan(wanted.as_slice().into())));
}
