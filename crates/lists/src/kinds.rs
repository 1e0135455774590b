//! The kinds of files that are written beside manifests, and how each is recognised. Kinds that have a reader are not
//! here: the reader recognises them itself.

use crate::history;
use hashmill_content::output::{ListKind, OutputKind};
use hashmill_manifest::format::{self, Hint};
use hashmill_manifest::{Record, Status};
use hashmill_os::names;
use hashmill_os::roots::{plain, root};
use hashmill_similar::SIMILAR;
use memchr::memmem;
use std::collections::HashSet;
use std::env;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The number of bytes at the beginning of a file in which marks are searched.
const BEGINNING: u64 = 4096;

/// The maximum size of a bundle of sigstore in bytes.
const MAX_BUNDLE: u64 = 1 << 20;

/// Number of lines that are read to recognise a manifest.
const LOOKED_AT: usize = 64;

/// Lists of files with digests, in any format that hashmill reads.
pub const MANIFEST: OutputKind = OutputKind::List(&ListKind {
    name: "manifest",
    has: is_manifest,
    files_in,
    file_below,
    refusal: |path| {
        history::is_part(path).then_some(
            "it is or would be a part of a history; 'hashmill hash -f ascmhl -o DIR/ascmhl/ DIR' writes the next generation",
        )
    },
});
/// Requests to a time-stamp authority, and its answers.
pub const STAMP: OutputKind = OutputKind::Other("time stamp", is_sequence);
/// Proofs of records.
pub const PROOF: OutputKind =
    OutputKind::Other("proof", |path| has(path, &[b"\"hashmill_proof\"", b"\"hashmill_consistency\""]));
/// Manifests with hidden records.
pub const REDACTED: OutputKind =
    OutputKind::Other("redacted manifest", |path| has(path, &[b"\"hashmill_redacted\""]));
/// Outboards: trees of BLAKE3 digests beside a file.
pub const OUTBOARD: OutputKind = OutputKind::Other("outboard", is_outboard);
/// Lists of similarity digests.
pub const LIKENESSES: OutputKind = OutputKind::Other("list of digests", is_list_of_likenesses);
/// Indexes of known digests.
pub const KNOWN_INDEX: OutputKind =
    OutputKind::Other("index", |path| hashmill_known::Index::open(path).is_ok());
/// The first line of the seal of a state of scrub.
pub const STATE_SEAL_TITLE: &str = "The seal of a state of hashmill scrub";
/// Seals of states of scrub.
pub const STATE_SEAL: OutputKind =
    OutputKind::Other("seal of a state", |path| beginning(path).starts_with(STATE_SEAL_TITLE.as_bytes()));
/// Events of PREMIS.
pub const EVENTS: OutputKind =
    OutputKind::Other("document of events", |path| has(path, &[b"<object xsi:type=\"representation\">"]));
/// HTML pages.
pub const PAGE: OutputKind = OutputKind::Other("page", |path| has(path, &[b"<!DOCTYPE html>"]));
/// Metrics of a run, in the text format of Prometheus.
pub const METRICS: OutputKind =
    OutputKind::Other("file of metrics", |path| has(path, &[b"# TYPE hashmill_"]));
/// Lists of objects for a store's batch operations.
pub const BATCH: OutputKind = OutputKind::Other("list of objects", |path| beginning(path).contains(&b','));
/// Lists of pairs of similar files, one JSON object per line.
pub const PAIRS: OutputKind =
    OutputKind::Other("list of similar files", |path| beginning(path).starts_with(b"{\"a\":"));
/// Results of image verification, one JSON object per line.
pub const RESULTS: OutputKind = OutputKind::Other("list of results", |path| has(path, &[b"\"verdict\":"]));

/// Measurements of a benchmark.
pub const MEASUREMENTS: OutputKind =
    OutputKind::Other("result of a benchmark", |path| has(path, &[b"\"comparison\""]));
/// Tables of measurements in CSV, with a header of many column names.
pub const TABLE: OutputKind = OutputKind::Other("table of measurements", |path| is_head(&beginning(path)));
/// Markdown pages with tables or headings.
pub const MARKDOWN: OutputKind = OutputKind::Other("page of Markdown", |path| {
    has(path, &[b"\n|", b"\n#"]) || beginning(path).starts_with(b"#")
});
/// Charts of measurements.
pub const PICTURE: OutputKind = OutputKind::Other("picture", |path| has(path, &[b"<svg", b"\x89PNG"]));

/// Reads the beginning of a file; empty if the file can't be read.
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

/// Returns whether a text begins with the names of columns, as tables of measurements have them.
fn is_head(text: &[u8]) -> bool {
    let head = text.split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii_end();
    let plain = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_.,".contains(byte);
    head.iter().all(plain) && head.iter().filter(|byte| **byte == b',').count() >= 6
}

/// Returns whether a file is one sequence of ASN.1 in DER, and nothing behind it.
fn is_sequence(path: &Path) -> bool {
    let (bytes, Ok(meta)) = (beginning(path), path.metadata()) else { return false };
    let length = match bytes[..] {
        [0x30, 0x82, high, low, ..] => Some(4 + u64::from(u16::from_be_bytes([high, low]))),
        [0x30, 0x81, length, ..] => Some(3 + u64::from(length)),
        [0x30, length @ ..=0x7f, ..] => Some(2 + u64::from(length)),
        _ => None,
    };
    length == Some(meta.len())
}

/// Returns whether a file is a bundle of sigstore: an object of JSON that says so.
pub(crate) fn is_bundle(path: &Path) -> bool {
    let text = File::open(path).ok().and_then(|file| {
        let mut text = Vec::new();
        file.take(MAX_BUNDLE).read_to_end(&mut text).ok()?;
        serde_json::from_slice::<serde_json::Value>(&text).ok()
    });
    let kind = text.as_ref().and_then(|bundle| bundle.get("mediaType")?.as_str());
    kind.is_some_and(|kind| kind.starts_with("application/vnd.dev.sigstore.bundle"))
}

/// Returns whether a file is an outboard. An outboard states the length of its file, which gives its own length: 64
/// bytes for each chunk group but one, after a header of 8 bytes.
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
    header || lines().any(reads) || is_manifest(path)
}

/// Returns whether a file is a manifest: at least half of its first lines can be parsed.
fn is_manifest(path: &Path) -> bool {
    let Ok(opened) = format::open_path(path, Hint::None) else { return false };
    // Lists in formats that hashmill only reads were made by other programs.
    if opened.format.writer.is_none() {
        return false;
    }
    let (mut good, mut bad) = (0, 0);
    for line in opened.reader.take(LOOKED_AT) {
        *if line.is_ok() { &mut good } else { &mut bad } += 1;
    }
    good >= bad
}

/// Counts the files of a manifest, up to a limit. Consecutive lines of one file, each with another digest, count as
/// one.
fn files_in(path: &Path, most: u64) -> u64 {
    let Ok(opened) = format::open_path(path, Hint::None) else { return 0 };
    let (mut files, mut last) = (0, Box::default());
    for record in opened.reader.filter_map(Result::ok).filter(is_of_file) {
        if files == most {
            break;
        }
        if record.path != last {
            files += 1;
            last = record.path;
        }
    }
    files
}

/// Returns the first file of a manifest that lies at or below one of these paths. Relative paths start in the working
/// folder on both sides.
fn file_below(path: &Path, unread: &HashSet<Box<[u8]>>) -> Option<Box<[u8]>> {
    let working = env::current_dir().ok().map(|folder| names::path_bytes(&folder).into_owned());
    let whole = |path: &[u8]| match &working {
        Some(working) if root(path).is_empty() => plain(&[working, &b"/"[..], path].concat()),
        _ => plain(path),
    };
    let unread: HashSet<Vec<u8>> = unread.iter().map(|path| whole(path)).collect();
    let opened = format::open_path(path, Hint::None).ok()?;
    let is_lost = |path: &[u8]| {
        let path = whole(path);
        let ends = memchr::memchr_iter(b'/', &path).chain([path.len()]);
        ends.into_iter().any(|end| unread.contains(&path[..end]))
    };
    let files = opened.reader.filter_map(Result::ok).filter(Record::is_sound);
    files.map(|record| record.path).find(|path| is_lost(path))
}

/// Returns whether a record is of a whole file, not of a piece, and has its digests.
pub fn is_of_file(record: &Record) -> bool {
    record.piece.is_none() && matches!(record.status, Status::Hashed | Status::Stored(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_measurements_are_told_from_other_tables() {
        assert!(is_head(
            b"algo,threads,input_bytes,duration_s,total_hashes,hashes_per_sec,ns_per_hash\r\nsha256,1"
        ));
        assert!(is_head(b"algorithm,size_bytes,tool,command,status,seconds.ci95,seconds.count\n"));
        for other in [
            "",
            "name,age\n",
            "Name,First name,Street,Town,Country,Phone,Mail\n",
            "path,path_b64,size,status\n",
        ] {
            assert!(!is_head(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn outboards_are_known_by_their_length() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let is = |length: u64, rest: usize| {
            std::fs::write(&path, [&length.to_le_bytes()[..], &vec![7; rest]].concat()).unwrap();
            is_outboard(&path)
        };
        // One group, three groups of 16 KiB, and 49 groups of 1 KiB.
        assert!(is(0, 0) && is(1000, 0) && is(40_000, 128) && is(50_000, 48 * 64));
        assert!(!is(40_000, 129) && !is(u64::MAX, 64) && !is(40_000, 65_536));
    }
}
