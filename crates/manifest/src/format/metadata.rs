//! The metadata of a file as columns of a table.

use super::draft::Key;
use crate::{Record, Time};

/// The columns.
pub(super) const KEYS: [Key; 5] = [Key::Ctime, Key::Inode, Key::Device, Key::Read, Key::Reused];

/// Returns a record's value in one of the columns. Inode and device are text, since some file systems use all 64 bits,
/// which integers of tables lack.
pub(super) fn text(key: Key, record: &Record) -> Option<String> {
    let metadata = record.metadata.as_ref()?;
    match key {
        Key::Ctime | Key::Read => time(key, record).and_then(Time::to_rfc3339),
        Key::Inode => metadata.inode.map(|number| number.to_string()),
        Key::Device => metadata.device.map(|number| number.to_string()),
        Key::Reused => metadata.reused.then(|| "true".to_string()),
        _ => None,
    }
}

/// Returns a record's value in a column of times.
pub(super) fn time(key: Key, record: &Record) -> Option<Time> {
    let metadata = record.metadata.as_ref()?;
    match key {
        Key::Ctime => metadata.ctime,
        Key::Read => metadata.read,
        _ => None,
    }
}
