//! The column names of inventories.

use crate::format::Fields;
use crate::format::read::text::without_cr;

/// The meaning of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    /// The key, unencoded.
    Key,
    /// The URL-encoded key.
    EscapedKey,
    Size,
    Etag,
    /// The kind of encryption, in S3's words.
    Encryption,
    Version,
    /// `false`: an older version.
    Latest,
    /// `true`: the object is deleted.
    Gone,
    /// Any value: an older version, or a snapshot.
    Past,
    /// `true`: a directory.
    Folder,
    /// A digest in base64 that the store computed, by Google's name.
    Google(&'static str),
    /// An MD5 that the uploader may have declared to Azure.
    AzureMd5,
    /// A CRC-64 in Azure's notation.
    AzureCrc64,
    /// The outcome of a task.
    Outcome,
    /// The result of a task, in JSON.
    Found,
    /// Ignored.
    Other,
}

use Column::{
    AzureCrc64, AzureMd5, Encryption, EscapedKey, Etag, Folder, Found, Gone, Google, Key, Latest, Outcome,
    Past, Size, Version,
};

/// The columns of S3 Inventory: the names in CSV, and in Parquet and ORC.
const S3: &[(&str, &str, Column)] = &[
    ("Key", "key", Key),
    ("VersionId", "version_id", Version),
    ("IsLatest", "is_latest", Latest),
    ("IsDeleteMarker", "is_delete_marker", Gone),
    ("Size", "size", Size),
    ("ETag", "e_tag", Etag),
    ("EncryptionStatus", "encryption_status", Encryption),
];

/// The columns of Google's inventory reports.
const GOOGLE: &[(&str, Column)] = &[
    ("name", Key),
    ("size", Size),
    ("timeDeleted", Past),
    ("md5Hash", Google("md5Hash")),
    ("crc32c", Google("crc32c")),
];

/// The columns of Azure's blob inventory.
const AZURE: &[(&str, Column)] = &[
    ("Name", Key),
    ("Content-Length", Size),
    ("Content-MD5", AzureMd5),
    ("Content-CRC64", AzureCrc64),
    ("VersionId", Version),
    ("Snapshot", Past),
    ("IsCurrentVersion", Latest),
    ("Deleted", Gone),
    ("hdi_isfolder", Folder),
];

/// The columns of a completion report of S3 Batch Operations, in order.
pub(super) const REPORT: &[Column] =
    &[Column::Other, EscapedKey, Column::Other, Outcome, Column::Other, Column::Other, Found];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    S3Csv,
    S3,
    Google,
    Azure,
}

impl Origin {
    /// Returns the meaning of the column with this name.
    pub fn column(self, name: &str) -> Column {
        let find = |table: &[(&str, Column)]| {
            table.iter().find(|(known, _)| *known == name).map_or(Column::Other, |(_, column)| *column)
        };
        match self {
            // Keys are URL-encoded in CSV only.
            Origin::S3Csv if name == "Key" => EscapedKey,
            Origin::S3Csv => S3.iter().find(|row| row.0 == name).map_or(Column::Other, |row| row.2),
            Origin::S3 => S3.iter().find(|row| row.1 == name).map_or(Column::Other, |row| row.2),
            Origin::Google => find(GOOGLE),
            Origin::Azure => find(AZURE),
        }
    }

    /// Returns the origin of a table with these columns, if it is an inventory.
    pub fn from_columns(names: &[&str]) -> Option<Origin> {
        let has = |name: &str| names.contains(&name);
        let google = has("bucket")
            && has("name")
            && ["md5Hash", "crc32c", "generation", "timeCreated"].iter().any(|name| has(name));
        let azure = has("Name")
            && ["Content-MD5", "Content-CRC64", "BlobType", "hdi_isfolder"].iter().any(|name| has(name));
        if has("bucket") && has("key") && (has("e_tag") || has("is_latest") || has("size")) {
            return Some(Origin::S3);
        }
        match (google, azure) {
            (true, _) => Some(Origin::Google),
            (_, true) => Some(Origin::Azure),
            _ => None,
        }
    }
}

/// Returns the origin of a table with this header.
pub(super) fn of_header(line: &[u8]) -> Option<Origin> {
    const LONGEST: usize = 16 << 10;
    if line.len() > LONGEST || !line.contains(&b',') {
        return None;
    }
    let mut fields = Fields::default();
    if !fields.split(without_cr(line)) {
        return None;
    }
    let names: Vec<&str> = fields.iter().filter_map(|name| str::from_utf8(name).ok()).collect();
    Origin::from_columns(&names).filter(|origin| matches!(origin, Origin::Google | Origin::Azure))
}

/// Returns the first line of a file.
fn first_line(first: &[u8]) -> &[u8] {
    let first = first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first);
    first.split(|byte| *byte == b'\n').next().unwrap_or_default()
}

/// Returns whether a file is an inventory report of Google Cloud Storage in CSV.
pub(in crate::format) fn is_google(first: &[u8]) -> bool {
    of_header(first_line(first)) == Some(Origin::Google)
}

/// Returns whether a file is a blob inventory of Azure in CSV.
pub(in crate::format) fn is_azure(first: &[u8]) -> bool {
    of_header(first_line(first)) == Some(Origin::Azure)
}

/// Returns whether a line is of a completion report of S3 Batch Operations.
pub(in crate::format) fn is_report(line: &[u8]) -> bool {
    let mut fields = Fields::default();
    let shaped = memchr::memchr_iter(b',', line).nth(5).is_some()
        && line.len() <= crate::format::read::lines::MAX_LINE;
    if !shaped || !fields.split(line) || fields.len() != REPORT.len() {
        return false;
    }
    let outcome = fields.iter().nth(3).is_some_and(|word| matches!(word, b"succeeded" | b"failed"));
    // Results of other tasks are ignored.
    let found = fields.iter().nth(6).is_some_and(|text| memchr::memmem::find(text, b"\"checksum").is_some());
    outcome && found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_tell_whose_inventory_it_is() {
        assert!(is_google(b"project,bucket,name,size,crc32c,md5Hash\nx"));
        assert!(is_azure(b"Name,Content-Length,Content-MD5,BlobType\r\n"));
        for other in ["path,size,md5\n", "Name,MD5\n", "name,crc32c\n", "", "Name", "bucket,name\n"] {
            assert!(!is_google(other.as_bytes()) && !is_azure(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn lines_of_reports_have_one_shape() {
        assert!(is_report(br#"b,a%20b,,succeeded,200,,"{""checksum_hex"":""6D2F5339""}""#));
        assert!(!is_report(b"b,k,,succeeded,200,,copied"));
        assert!(!is_report(b"b,k,,,,,"));
    }
}
