//! `sqlite`: a database with a table `records` (one row per file), a table `pieces` if there are any, and a table
//! `header` (metadata of the manifest).
//!
//! The columns are named like the keys of `jsonl`, digests are text in hexadecimal. A path is text, or a blob of its
//! bytes if it is not UTF-8. `id` counts through both tables, in the order of the manifest.

mod kdb;
mod read;
mod write;

pub(in crate::format) use kdb::{open as open_kdb, reader as kdb_reader, sniff as is_kdb};
pub(in crate::format) use read::{open, reader};
pub(in crate::format) use write::writer;

use crate::format::values::draft::Key;

/// The magic bytes at the start of a database.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// The names of the tables.
const RECORDS: &str = "records";
const PIECES: &str = "pieces";
const HEADER: &str = "header";

/// The keys of the case data in the header.
const START: &str = "case_start";
const END: &str = "case_end";

pub(in crate::format) fn sniff(first: &[u8]) -> bool {
    first.starts_with(MAGIC)
}

/// Quotes the name of a column for SQL.
fn quoted(key: Key) -> String {
    format!("\"{}\"", super::cells::title(key))
}
