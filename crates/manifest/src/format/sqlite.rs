//! `sqlite`: a database with a table `records` (one row a file), a table `pieces` where there are some, and a
//! table `header` (what there is to say of the manifest).
//!
//! The columns are named as the keys of `jsonl`, digests are text in hexadecimal. A path is text, or a blob of
//! its bytes where it is not UTF-8. `id` counts through both tables: it is the order of the manifest.

mod kdb;
mod read;
mod write;

pub(super) use kdb::{open as open_kdb, reader as kdb_reader, sniff as is_kdb};
pub(super) use read::{open, reader};
pub(super) use write::writer;

use super::draft::Key;

/// What a database begins with.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// The tables, and what they hold.
const RECORDS: &str = "records";
const PIECES: &str = "pieces";
const HEADER: &str = "header";

/// The keys of the case data there.
const START: &str = "case_start";
const END: &str = "case_end";

pub(super) fn sniff(first: &[u8]) -> bool {
    first.starts_with(MAGIC)
}

/// The name of a column as SQL takes it.
fn quoted(key: Key) -> String {
    format!("\"{}\"", super::cells::title(key))
}
