//! The kinds of files that are written beside manifests, and how each is recognised; but for those that have a reader, which
//! knows them itself.

use crate::output::Kind;
use hashloom_similar::SIMILAR;
use memchr::memmem;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The bytes at the beginning of a file in which marks are looked for.
const BEGINNING: u64 = 4096;

/// What ASN.1 begins with: a sequence with a length of two bytes, or of one.
const DER: [&[u8]; 3] = [b"\x30\x82", b"\x30\x81", b"\x30"];

/// Requests to a time-stamp authority, and its answers.
pub const STAMP: Kind =
    Kind::Other("time stamp", |path| DER.iter().any(|mark| beginning(path).starts_with(mark)));
/// Proofs of records.
pub const PROOF: Kind =
    Kind::Other("proof", |path| has(path, &[b"\"hashloom_proof\"", b"\"hashloom_consistency\""]));
/// Manifests with hidden records.
pub const REDACTED: Kind = Kind::Other("redacted manifest", |path| has(path, &[b"\"hashloom_redacted\""]));
/// The trees of BLAKE3 digests beside a file.
pub const OUTBOARD: Kind = Kind::Other("outboard", is_outboard);
/// Lists of digests of likeness.
pub const LIKENESSES: Kind = Kind::Other("list of digests", is_list_of_likenesses);
/// Indexes of known digests.
pub const KNOWN_INDEX: Kind = Kind::Other("index", |path| hashloom_known::Index::open(path).is_ok());
/// Pages to read.
pub const PAGE: Kind = Kind::Other("page", |path| has(path, &[b"<!DOCTYPE html>"]));
/// Lists of objects for a store's batch operations.
pub const BATCH: Kind = Kind::Other("list of objects", |path| beginning(path).contains(&b','));
/// Results of verifying images, one object a line.
pub const RESULTS: Kind = Kind::Other("list of results", |path| has(path, &[b"\"verification\""]));

/// Measurements of a benchmark.
pub const MEASUREMENTS: Kind = Kind::Other("result of a benchmark", |path| has(path, &[b"\"comparison\""]));
/// Tables with a head, whose columns have commas between them.
pub const TABLE: Kind = Kind::Other("table", |path| has(path, &[b"algorithm,", b"tool,", b"name,"]));
/// Tables in Markdown.
pub const MARKDOWN: Kind =
    Kind::Other("page of Markdown", |path| has(path, &[b"\n|", b"\n#"]) || beginning(path).starts_with(b"#"));
/// Pictures of measurements.
pub const PICTURE: Kind = Kind::Other("picture", |path| has(path, &[b"<svg", b"\x89PNG"]));

/// Reads the beginning of a file; nothing where that can't be done.
fn beginning(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Ok(file) = File::open(path) {
        let _ = file.take(BEGINNING).read_to_end(&mut bytes);
    }
    bytes
}

/// Returns whether one of these marks is at the beginning of a file.
pub(crate) fn has(path: &Path, marks: &[&[u8]]) -> bool {
    let bytes = beginning(path);
    marks.iter().any(|mark| memmem::find(&bytes, mark).is_some())
}

/// An outboard says how long its file is, which gives its own length: 64 bytes for each group but one.
fn is_outboard(path: &Path) -> bool {
    let bytes = beginning(path);
    let (Some(length), Ok(meta)) = (bytes.first_chunk::<8>(), path.metadata()) else { return false };
    let length = u64::from_le_bytes(*length);
    (10..=26).any(|bits| {
        let groups = length.div_ceil(1 << bits).max(1);
        groups.checked_mul(64).is_some_and(|bytes| bytes - 64 + 8 == meta.len())
    })
}

fn is_list_of_likenesses(path: &Path) -> bool {
    let bytes = beginning(path);
    let lines = || bytes.split(|byte| *byte == b'\n').take(2);
    let header =
        SIMILAR.iter().filter_map(|row| row.header).any(|header| bytes.starts_with(header.as_bytes()));
    let reads = |line: &[u8]| SIMILAR.iter().any(|row| matches!((row.parse)(line), Ok(Some(_))));
    header || lines().any(reads) || Kind::Manifest.has(path)
}
