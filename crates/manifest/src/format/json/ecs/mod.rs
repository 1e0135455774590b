//! `ecs`: documents of the Elastic Common Schema, one JSON object per line, whose fields `file.*` describe a file.
//!
//! The digests of a whole file are `file.hash.*`. A record that has more than these fields hold (facts, metadata, a piece,
//! another status than hashed) is also the value of `hashmill`, as the format `jsonl` writes it: the schema leaves names
//! of products to fields of their own. Source: Elastic Common Schema 8.17, field sets File, Hash, Event and Base.

mod read;
mod write;

use super::objects::has_key;
use crate::{Record, Status};
pub(in crate::format) use read::reader;
pub(in crate::format) use write::writer;

/// The version of the schema that documents name.
const VERSION: &str = "8.17.0";

/// The field that holds a whole record.
const OWN: &str = "hashmill";

/// The field sets of the schema with digests of files, and the beginning of the names of their fields.
const HASHES: &str = "file.hash.";

/// The likeness digests of the schema.
const LIKENESS: [&str; 2] = ["ssdeep", "tlsh"];

/// Returns whether a line is a document about a file. A record of `jsonl` begins with its path.
pub(in crate::format) fn sniff(line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    let is_of_schema = has_key(line, "ecs") || has_key(line, "ecs.version");
    let is_of_file = ["file", "file.path", "file.name"].iter().any(|key| has_key(line, key));
    line.starts_with(b"{") && !line.starts_with(b"{\"path\"") && is_of_schema && is_of_file
}

/// Returns the names and values of the fields of a record's digests: none if they are not of all bytes of a file.
fn hashes(record: &Record) -> Vec<(String, String)> {
    if record.status != Status::Hashed || record.piece.is_some() || !record.bad_blocks.is_empty() {
        return Vec::new();
    }
    let digests = record
        .digests
        .iter()
        .map(|named| (field(named.algorithm.name), named.algorithm.format(&named.digest)));
    let likeness = record.likeness.iter().filter(|likeness| LIKENESS.contains(&likeness.algorithm.name));
    let likeness =
        likeness.filter_map(|likeness| Some((field(likeness.algorithm.name), likeness.text(&record.path)?)));
    digests.chain(likeness).collect()
}

/// Returns the name of the field of an algorithm.
fn field(algorithm: &str) -> String {
    algorithm.replace('-', "_")
}

/// Returns the name of the algorithm of a field.
fn algorithm(field: &str) -> String {
    field.replace('_', "-")
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_digest::ALGORITHMS;

    #[test]
    fn names_of_algorithms_come_back_from_those_of_fields() {
        for row in ALGORITHMS {
            assert_eq!(algorithm(&field(row.name)), row.name);
        }
    }

    #[test]
    fn a_document_is_told_from_a_record() {
        let document = br#"{"ecs":{"version":"8.17.0"},"file":{"path":"a"}}"#;
        assert!(sniff(document) && sniff(br#" {"ecs.version":"1.0", "file.path":"a"}"#));
        assert!(!sniff(br#"{"path":"a","yara_matches":[{"meta":{"ecs":1,"file":2}}]}"#));
        assert!(!sniff(br#"{"ecs":{"version":"8.17.0"},"process":{"name":"a"}}"#));
    }
}
