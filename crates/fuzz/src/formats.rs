//! Every format of manifests: records must survive a round trip if there is a writer.

use hashmill_digest::{ALGORITHMS, Style, Text, of_bits};
use hashmill_facts::{ContentFacts, FactSet};
use hashmill_manifest::audit::{Audit, Known, Learner, Places, Root, find_roots};
use hashmill_manifest::format::{Body, FORMATS, Format, Hint, Layout, open, sniff};
use hashmill_manifest::{FileAttributes, Metadata, Named, Record, Status, Time};
use std::collections::HashMap;
use std::sync::Arc;

/// Significant bytes of formats.
pub const TOKENS: &[&[u8]] = &[
    b"\n",
    b"\r\n",
    b"\\",
    b"\"",
    b",",
    b"  ",
    b" *",
    b"(",
    b") = ",
    b"%%%%",
    b"#",
    b"0",
    b"-1",
    b"\xff",
    b"\0",
    b" offset 0-0",
    b"18446744073709551615",
    b"99999999999999999999",
    b"path",
    b"<",
    b"&#0;",
    b"&",
    b"null",
    b"{",
    b"XXH3_",
    b"_LE",
];

/// Reads with one format's reader; writes and reads again if it has a writer.
pub fn format(format: &'static Format, data: &[u8]) {
    for hint in [Hint::None, Hint::Forced(&ALGORITHMS[0])] {
        let (records, layout) = read(format, data, hint);
        for record in &records {
            let digests = record.digests.len() + record.likeness.len();
            let known =
                record.status.strength().is_some() || (record.status == Status::Hashed) == (digests > 0);
            assert!(known, "{record:?}");
        }
        if format.writer.is_some() {
            round_trip(format, &records, layout);
        }
    }
}

fn read(format: &Format, data: &[u8], hint: Hint) -> (Vec<Record>, Layout) {
    let mut reader = (format.reader)(Box::new(data), hint);
    let mut records = Vec::new();
    for result in &mut reader {
        match result {
            Ok(record) => records.push(record),
            // Line 0 is that of the whole list.
            Err(bad) => assert_eq!(bad.to_string().starts_with("line "), bad.line > 0),
        }
    }
    let (algorithms, likeness) = (reader.columns().to_vec(), reader.likeness().to_vec());
    (
        records,
        Layout {
            algorithms,
            likeness,
            facts: FactSet::all(),
            style: Style::Usual,
            leaves: true,
            pieces: true,
            times: true,
            metadata: true,
            attributes: true,
            inside: true,
            bad_blocks: true,
            labels: true,
            stored: true,
            versions: true,
            case: reader.case().start.clone().map(Arc::new),
        },
    )
}

/// Writes records and reads them again; all that the format can carry must be preserved. Returns the written bytes.
pub fn round_trip(format: &'static Format, records: &[Record], layout: Layout) -> Vec<u8> {
    let start = layout.case.clone().filter(|_| format.carries.case);
    let (bytes, expected) = write(format, records, layout);
    let mut again = Vec::new();
    let mut reader = (format.reader)(Box::new(&bytes[..]), Hint::None);
    for result in &mut reader {
        again.push(result.unwrap_or_else(|bad| panic!("{}: {bad}: {}", format.name, bytes.escape_ascii())));
    }
    let (again, expected) = match format.name {
        "rclone" | "in-toto" | "croissant" | "ascmhl" | "stix" => (unordered(again), unordered(expected)),
        _ => (again, expected),
    };
    assert_eq!(again, expected, "{}: {}", format.name, bytes.escape_ascii());
    assert_eq!(reader.case().start, start.as_deref().cloned(), "{}", bytes.escape_ascii());
    drop(reader);
    bytes
}

/// Sorts digests by their names, for formats that store them in an order of their own: members of an object of JSON have
/// none, and ASC-MHL sorts its elements by the names that it has for the algorithms.
fn unordered(mut records: Vec<Record>) -> Vec<Record> {
    records.iter_mut().for_each(|record| record.digests.sort_by_key(|named| named.algorithm.name));
    records
}

/// Writes records; returns the bytes, and the records that should be read from them.
pub fn write(format: &'static Format, records: &[Record], layout: Layout) -> (Vec<u8>, Vec<Record>) {
    let mut writer = format.writer.expect("a format with a writer")(layout);
    let (mut bytes, mut expected) = (Vec::new(), Vec::new());
    let place = tempfile::NamedTempFile::new().expect("room for a database");
    writer.place(place.path());
    writer.begin(&mut bytes).expect("a header");
    for record in records {
        match writer.record(record, &mut bytes) {
            Ok(()) => expected.extend(carried(format, record)),
            Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput, "{error}"),
        }
    }
    writer.end(&mut bytes).expect("a footer");
    if matches!(format.body, Body::Database(_)) {
        bytes = std::fs::read(place.path()).expect("the database");
    }
    (bytes, expected)
}

/// Returns what DFXML preserves of the facts about a file: those about an entry inside of another file.
fn inside(metadata: Metadata) -> Option<Metadata> {
    let is_word = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    metadata.container.as_deref().filter(|text| is_word(text))?;
    Some(Metadata {
        device: None,
        read: None,
        reused: false,
        attributes: FileAttributes::default(),
        ..metadata
    })
}

/// Returns a record as a format preserves it.
fn carried(format: &Format, record: &Record) -> Vec<Record> {
    if record.status != Status::Hashed && !format.carries.status {
        return Vec::new();
    }
    let mut record = record.clone();
    record.digests.iter_mut().for_each(|named| named.guessed = false);
    if format.name == "body" {
        record = in_body(record);
    }
    record.mtime = record.mtime.filter(|time| has_time(format, record.piece.is_some(), *time));
    if let Some(metadata) = &mut record.metadata {
        let has = |time: &Time| has_time(format, record.piece.is_some(), *time);
        metadata.ctime = metadata.ctime.filter(has);
        metadata.read = metadata.read.filter(has);
        metadata.accessed = metadata.accessed.filter(has);
        metadata.created = metadata.created.filter(has);
    }
    if format.name == "dfxml" {
        record.metadata = record
            .metadata
            .filter(|_| record.piece.is_none())
            .and_then(|metadata| inside(*metadata))
            .map(Box::new);
        if record.piece.is_some() {
            let of_piece =
                |facts: ContentFacts| ContentFacts { entropy: facts.entropy, ..ContentFacts::default() };
            record.facts =
                record.facts.map(|facts| Box::new(of_piece(*facts))).filter(|facts| !facts.is_empty());
        }
    }
    let carries = format.carries.metadata || format.name == "dfxml";
    let is_told = |metadata: &Metadata| carries && *metadata != Metadata::default();
    record.metadata = record.metadata.filter(|metadata| is_told(metadata));
    record.label = record.label.filter(|_| format.carries.labels);
    record.reason = record.reason.filter(|_| format.carries.reason);
    record.version = record.version.filter(|_| format.carries.version);
    if BELOW.contains(&format.name) {
        record.path = below(&record.path).into();
    }
    if !format.carries.leaves {
        record.leaves = Box::default();
    }
    if let (Some(piece), "hashdeep" | "dfxml") = (record.piece, format.name) {
        record.size = Some(piece.length);
    }
    match format.name {
        "sums" => record.digests.iter().map(|named| one(&record, untagged(named))).collect(),
        "bsd" => record.digests.iter().map(|named| Record { size: None, ..one(&record, *named) }).collect(),
        _ => vec![Record { size: record.size.filter(|_| format.carries.size), ..record }],
    }
}

/// Returns what a bodyfile preserves of a record.
fn in_body(mut record: Record) -> Record {
    let is_deleted = record.metadata.take().is_some_and(|metadata| metadata.allocation.is_some());
    if is_deleted {
        record.path = [&*record.path, b" (deleted)"].concat().into();
    }
    record.mtime = record.mtime.filter(|time| time.seconds != 0);
    record.mtime.iter_mut().for_each(|time| time.nanoseconds = 0);
    record
}

/// Formats with paths relative to the folder of the document.
const BELOW: [&str; 5] = ["mhl", "ascmhl", "croissant", "dvc", "dvc-dir"];

/// Strips the folder `.` from a path, unless nothing would be left.
fn below(mut path: &[u8]) -> &[u8] {
    while let Some(rest) = path.strip_prefix(b"./") {
        let slashes = rest.iter().take_while(|byte| **byte == b'/').count();
        if rest.len() == slashes {
            break;
        }
        path = &rest[slashes..];
    }
    path
}

/// Returns whether a format can carry this time.
fn has_time(format: &Format, piece: bool, time: Time) -> bool {
    let Some(text) = time.to_rfc3339() else { return false };
    match format.name {
        "dfxml" | "mhl" | "ascmhl" => !piece && !text.starts_with('-') && !text.starts_with("0000"),
        // The range of 64-bit nanoseconds.
        "parquet" => (-9_223_372_036..9_223_372_036).contains(&time.seconds),
        _ => format.carries.mtime,
    }
}

/// Returns a record with one of its digests; only decimal lines preserve the size.
fn one(record: &Record, named: Named) -> Record {
    let size = record.size.filter(|_| named.algorithm.text == Text::Decimal);
    Record { size, digests: vec![named], ..record.clone() }
}

/// Returns a digest as read from an untagged line, by the likeliest algorithm of its length.
fn untagged(named: &Named) -> Named {
    match named.algorithm.text {
        // XXH3 is written with its name, as by xxhsum.
        _ if named.algorithm.name == "xxh3" => *named,
        // So are digests of blocks and those that are not hexadecimal.
        _ if !named.algorithm.stands_alone() => *named,
        Text::Decimal => *named,
        _ => {
            let algorithm = of_bits(named.algorithm.bits).next().unwrap_or(named.algorithm);
            Named { algorithm, digest: named.digest, guessed: true }
        }
    }
}

/// Recognises the format, both from the start and from the whole file, and reads it.
pub fn sniffed(data: &[u8]) {
    let _ = sniff(data);
    let name: &[u8] = data.split(|byte| *byte == b'\n').next().unwrap_or_default();
    if let Ok(opened) = open(Box::new(data), Hint::from_name(name)) {
        assert!(FORMATS.iter().any(|row| row.name == opened.format.name));
        opened.reader.for_each(drop);
    }
}

/// Audits one half of a manifest against the other, and the whole against itself, where everything must match.
pub fn audit(data: &[u8]) {
    let Ok(opened) = open(Box::new(data), Hint::None) else { return };
    let records: Vec<Record> = opened.reader.flatten().collect();
    let (first, second) = records.split_at(records.len() / 2);
    judge(first, second);
    let unique = records.iter().map(|record| (record.path.clone(), record.piece)).collect::<Vec<_>>();
    let verdicts = judge(&records, &records);
    if verdicts.values().sum::<usize>() == unique.len() && records.iter().all(|r| r.status == Status::Hashed)
    {
        assert_eq!(verdicts.get("missing"), None, "{records:?}");
    }
    let mut learner = Learner::default();
    for record in &records {
        learner.learn(record, record);
        learner.compare(record, record);
    }
}

fn judge(manifest: &[Record], observed: &[Record]) -> HashMap<&'static str, usize> {
    let mut known = Known::new();
    for (index, record) in manifest.iter().enumerate() {
        if index == manifest.len() / 2 {
            known.next_manifest();
        }
        known.add(record).expect("room");
    }
    let sample = known.sample(10);
    let roots = find_roots(&sample, &[b"t", b"/t"], Some(b"/w"), &mut |path| path.len() % 2 == 0);
    let roots =
        roots.into_iter().chain([Root { known: b"k".as_slice().into(), local: b"t".as_slice().into() }]);
    let places =
        Places { working: Some(b"/w".as_slice().into()), roots: roots.collect(), ..Places::default() };
    let algorithms = known.algorithms();
    let paths = known.local_paths().count();
    assert!(paths <= known.len());
    let mut audit = Audit::new(known, places, &algorithms);
    let mut verdicts = HashMap::new();
    for record in observed {
        if let Ok(Some(verdict)) = audit.observe(record) {
            *verdicts.entry(verdict.category.word()).or_default() += 1;
        }
    }
    for verdict in audit.finish() {
        *verdicts.entry(verdict.category.word()).or_default() += 1;
    }
    verdicts
}
