//! The type of a file to import, by its first bytes.

use super::{json, nsrl_text, table};
#[cfg(feature = "archives")]
use hashmill_archive::Compression;
use hashmill_manifest::format::{self, Hint, Unusable};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ImportFormat {
    Sqlite,
    Zip,
    Delta,
    NsrlText,
    Table,
    Json,
    /// A stream compressed by gzip or another program.
    Compressed,
    List,
}

/// Recognises a file by its first bytes. `column` is set if the user named one of its columns.
pub(super) fn recognise(first: &[u8], column: Option<&str>) -> ImportFormat {
    match first {
        _ if first.starts_with(b"SQLite format 3\0") => ImportFormat::Sqlite,
        _ if first.starts_with(b"PK\x03\x04") || first.starts_with(b"PK\x05\x06") => ImportFormat::Zip,
        _ if is_compressed(first) => ImportFormat::Compressed,
        _ if column.is_some() && json::is_json(first) => ImportFormat::Json,
        _ if column.is_some() => ImportFormat::Table,
        _ if nsrl_text::is_header(first) => ImportFormat::NsrlText,
        _ if is_sql(first) => ImportFormat::Delta,
        // It is refused by name.
        _ if is_document(first) => ImportFormat::List,
        _ if json::is_json(first) => ImportFormat::Json,
        _ if table::is_table(first) => ImportFormat::Table,
        _ => ImportFormat::List,
    }
}

#[cfg(feature = "archives")]
fn is_compressed(first: &[u8]) -> bool {
    Compression::of(first).is_some()
}

/// Returns false, as this build decodes nothing.
#[cfg(not(feature = "archives"))]
fn is_compressed(_: &[u8]) -> bool {
    false
}

/// Returns whether a file is a document of a known kind that is neither a list nor a set.
fn is_document(first: &[u8]) -> bool {
    let open = || format::open(Box::new(first), Hint::None);
    let is_one = || matches!(open(), Err(Unusable::Document(document)) if document.name != format::MEDIA_SET);
    format::sniff(first).is_none() && is_one()
}

/// Returns whether a text starts with a statement of SQL, after comments.
fn is_sql(first: &[u8]) -> bool {
    let lines = first.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let statement = lines.into_iter().find(|line| !line.is_empty() && !line.starts_with(b"--"));
    let word = statement.unwrap_or_default().split(|byte| !byte.is_ascii_alphabetic()).next();
    let words: [&[u8]; 6] = [b"BEGIN", b"INSERT", b"UPDATE", b"DELETE", b"PRAGMA", b"REPLACE"];
    words.iter().any(|known| word.is_some_and(|word| word.eq_ignore_ascii_case(known)))
}
