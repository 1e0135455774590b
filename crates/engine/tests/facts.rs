//! Facts about content in whole runs: every path through the engine gives the same, and the digests beside them don't
//! change.

use crate::util::{all, bytes_of};
use hashmill_engine::{Plan, Prefetch};
use hashmill_facts::{ContentFacts, Ends, Fact, FactSet, Histogram, Signatures};
use hashmill_manifest::Record;
use hashmill_testing::Random;
use std::fs;
use std::num::NonZeroU64;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

/// Makes files of all sizes for which the engine takes another path, of which a part has a type.
fn tree() -> TempDir {
    let dir = TempDir::new().unwrap();
    let sizes = [0, 1, 512, 40_000, 65_536, 65_537, 131_073, 262_145, 600_000, 3_000_001, (16 << 20) + 700];
    for (index, size) in sizes.into_iter().enumerate() {
        let mut noise = Random(index as u64).bytes(size);
        fs::write(dir.path().join(format!("{index:02}")), &noise).unwrap();
        noise.splice(0..size.min(10), b"%PDF-1.7\n%".iter().copied());
        fs::write(dir.path().join(format!("{index:02}.jpg")), noise).unwrap();
        // Only the last bytes show that it is no text.
        let mut text = vec![b'a'; size];
        fs::write(dir.path().join(format!("{index:02}.txt")), &text).unwrap();
        text.iter_mut().last().into_iter().for_each(|last| *last = 0);
        fs::write(dir.path().join(format!("{index:02}.not.txt")), text).unwrap();
    }
    dir
}

/// Returns signatures of bytes at the start and at the end, and of an extension.
fn signatures() -> Signatures {
    let sequence = |id, reference, text| {
        format!(
            "<InternalSignature ID='{id}'><ByteSequence Reference='{reference}'><SubSequence Position='1' \
             SubSeqMinOffset='0' SubSeqMaxOffset='0'><Sequence>{text}</Sequence></SubSequence></ByteSequence></InternalSignature>"
        )
    };
    let xml = format!(
        "<FFSignatureFile Version='1'><InternalSignatureCollection>{}{}</InternalSignatureCollection>\
         <FileFormatCollection><FileFormat ID='1' PUID='fmt/1'><InternalSignatureID>1</InternalSignatureID></FileFormat>\
         <FileFormat ID='2' PUID='fmt/2'><InternalSignatureID>2</InternalSignatureID></FileFormat>\
         <FileFormat ID='3' PUID='fmt/3'><Extension>txt</Extension></FileFormat></FileFormatCollection></FFSignatureFile>",
        sequence(1, "BOFoffset", "'%PDF'"),
        sequence(2, "EOFoffset", "'a'00"),
    );
    let mut signatures = Signatures::default();
    signatures.add(xml.as_bytes()).unwrap();
    signatures
}

/// Returns a plan with these facts and formats of PRONOM.
fn plan(facts: &str, threads: usize) -> Plan {
    let facts = FactSet::parse(facts).unwrap().with(FactSet::one(Fact::Puid));
    Plan { facts, pronom: Some(Arc::new(signatures())), ..crate::util::plan("sha256,blake3", threads) }
}

/// Returns the records of pieces and of files, sorted.
fn records(plan: &Plan, dir: &Path) -> Vec<Record> {
    let (mut records, outcomes, _) = all(plan, dir);
    records.extend(outcomes.into_iter().map(|outcome| outcome.record));
    let key = |record: &Record| (record.path.clone(), record.piece.map(|piece| piece.offset));
    records.sort_by_key(key);
    records
}

/// Returns the facts that a record must have.
fn expected(record: &Record, plan: &Plan) -> ContentFacts {
    let bytes = bytes_of(record);
    let mut facts = ContentFacts::default();
    if plan.facts.has(Fact::Type) && record.piece.is_none() {
        let mut ends = Ends::new(None);
        ends.push(&bytes);
        facts.content_type = ends.content_type();
    }
    if plan.facts.has(Fact::Entropy) {
        let mut histogram = Histogram::default();
        histogram.update(&bytes);
        facts.entropy = Some(histogram.entropy());
    }
    if let Some(signatures) = plan.pronom.as_ref().filter(|_| record.piece.is_none()) {
        let mut ends = Ends::new(None);
        ends.push(&bytes);
        facts.pronom = Some(Arc::new(ends.pronom(signatures, &record.path)));
    }
    let asked = if record.piece.is_some() { FactSet::default() } else { plan.facts };
    facts.judge(asked, &record.path, bytes.len() as u64);
    facts
}

fn check(records: &[Record], plan: &Plan) {
    for record in records {
        let facts = record.facts.as_deref().cloned().unwrap_or_default();
        assert_eq!(facts, expected(record, plan), "{} {:?}", record.path.escape_ascii(), record.piece);
        for named in &record.digests {
            assert_eq!(named.digest, hashmill_digest::hash(named.algorithm, &bytes_of(record)));
        }
    }
}

#[test]
fn threads_memory_and_ways_of_reading_change_nothing() {
    let dir = tree();
    let auto = Prefetch::Auto;
    let runs = [(1, 64 << 20, auto), (2, Plan::least_memory(2), auto), (3, 8 << 20, auto)];
    let readers = [(2, 64 << 20, Prefetch::Fixed(2)), (2, 64 << 20, Prefetch::Fixed(0))];
    let mut first = Vec::new();
    for (threads, memory, prefetch) in runs.into_iter().chain(readers) {
        let plan = Plan { memory, prefetch, ..plan("type,entropy", threads) };
        let records = records(&plan, dir.path());
        assert_eq!(records.len(), 44);
        if first.is_empty() {
            check(&records, &plan);
            first = records;
        } else {
            assert!(records == first, "threads or memory show");
        }
    }
    let mismatches =
        first.iter().filter(|record| record.facts.as_ref().is_some_and(|of| of.mismatch == Some(true)));
    assert_eq!(mismatches.count(), 11);
    let has =
        |record: &&Record, puid| record.facts.as_ref().unwrap().pronom.as_ref().unwrap().puids() == [puid];
    for (puid, count) in [("fmt/1", 11), ("fmt/2", 9), ("fmt/3", 13)] {
        assert_eq!(first.iter().filter(|record| has(record, puid)).count(), count, "{puid}");
    }
}

#[test]
fn one_fact_alone_and_beside_trees_only() {
    let dir = tree();
    for (facts, algorithms) in [("type", "sha256"), ("entropy", "blake3"), ("type,entropy", "blake3")] {
        let plan = Plan { algorithms: hashmill_digest::parse_list(algorithms).unwrap(), ..plan(facts, 3) };
        check(&records(&plan, dir.path()), &plan);
    }
}

#[test]
fn pieces_have_entropy_alone() {
    let dir = tree();
    ["10", "10.jpg", "10.not.txt"].iter().for_each(|name| fs::remove_file(dir.path().join(name)).unwrap());
    fs::write(dir.path().join("10.txt"), Random(99).bytes(5_000_000)).unwrap();
    for (size, threads, whole) in
        [(50_000, 2, true), (300_000, 1, true), (65_536, 2, false), (1 << 40, 2, true)]
    {
        let plan = Plan { piece: NonZeroU64::new(size), whole, ..plan("type,entropy", threads) };
        let mut records = records(&plan, dir.path());
        if !whole {
            records.retain(|record| record.piece.is_some());
        }
        check(&records, &plan);
        assert!(records.iter().any(|record| record.piece.is_some()));
    }
}
