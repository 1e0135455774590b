//! A record as a row of a table, for formats with typed columns. The columns are named like the keys of `jsonl`.

use super::{facts, metadata};
use crate::format::values::base64;
use crate::format::values::draft::Key;
use crate::format::values::naming::write_digest;
use crate::format::values::{leaves, ranges};
use crate::format::writer::{cannot_carry, check_columns, check_hashed, check_sound};
use crate::format::{Column, Layout};
use crate::{Likeness, Record, Time};
use std::borrow::Cow;
use std::io;

/// Returns the columns that records of this layout need, in order.
pub(in crate::format) fn keys(layout: &Layout) -> Vec<Key> {
    let mut keys = vec![Key::Path, Key::PathB64, Key::Size, Key::Status, Key::Reason];
    keys.extend(layout.versions.then_some(Key::Version));
    keys.extend(layout.stored.then_some(Key::Strength));
    if layout.pieces {
        keys.extend([Key::Offset, Key::Length]);
    }
    for column in layout.columns() {
        match column {
            Column::Digest(row) => {
                keys.push(Key::Digest(row));
                let kept = row.leaves.and_then(|shape| shape.kept_bytes());
                keys.extend(kept.filter(|_| layout.leaves).map(|_| Key::Leaves(row)));
            }
            Column::Likeness(row) => keys.extend([Key::Likeness(row), Key::LikenessStatus(row)]),
        }
    }
    keys.extend(facts::keys(layout.facts));
    keys.extend(layout.times.then_some(Key::Mtime));
    keys.extend(metadata::keys(layout));
    keys.extend(layout.bad_blocks.then_some(Key::BadBlocks));
    if layout.labels {
        keys.extend([Key::Category, Key::Set]);
    }
    keys
}

/// Returns the name of a column.
pub(in crate::format) fn title(key: Key) -> Cow<'static, str> {
    match key {
        Key::LikenessStatus(row) => Cow::Owned(format!("{}_status", row.name)),
        Key::Leaves(row) => Cow::Owned([row.name, leaves::SUFFIX].concat()),
        _ => Cow::Borrowed(key.name()),
    }
}

/// Returns whether a column holds whole numbers.
pub(in crate::format) fn is_number(key: Key) -> bool {
    matches!(key, Key::Size | Key::Offset | Key::Length)
}

/// Returns whether a column holds numbers of which some file systems use all 64 bits: text where a table has no unsigned
/// integers.
pub(in crate::format) fn is_identity(key: Key) -> bool {
    matches!(key, Key::Inode | Key::Device)
}

/// Returns whether a column holds true and false.
pub(in crate::format) fn is_truth(key: Key) -> bool {
    matches!(key, Key::Reused | Key::Mismatch)
}

/// Returns whether something is so of a record, in a column of true and false.
pub(in crate::format) fn truth(key: Key, record: &Record) -> Option<bool> {
    match key {
        Key::Mismatch => record.facts.as_ref()?.mismatch,
        _ => record.metadata.as_ref().map(|metadata| metadata.reused),
    }
}

/// Returns a record's value in a numeric column.
pub(in crate::format) fn number(key: Key, record: &Record) -> Option<u64> {
    match key {
        Key::Size => record.size,
        Key::Offset => record.piece.map(|piece| piece.offset),
        Key::Length => record.piece.map(|piece| piece.length),
        Key::Inode => record.metadata.as_ref()?.inode,
        Key::Device => record.metadata.as_ref()?.device,
        _ => None,
    }
}

/// Returns whether a column holds times.
pub(in crate::format) fn is_time(key: Key) -> bool {
    matches!(key, Key::Mtime | Key::Ctime | Key::Read | Key::Accessed | Key::Created)
}

/// Returns a record's value in a column of times.
pub(in crate::format) fn time(key: Key, record: &Record) -> Option<Time> {
    if key == Key::Mtime { record.mtime } else { metadata::time(key, record) }
}

/// Returns a record's value in any other column.
pub(in crate::format) fn text(key: Key, record: &Record) -> Option<Cow<'_, [u8]>> {
    let owned = |text: String| Cow::Owned(text.into_bytes());
    match key {
        Key::Path => Some(match String::from_utf8_lossy(&record.path) {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        }),
        Key::PathB64 => base64::for_name(&record.path).map(owned),
        Key::Status => Some(Cow::Borrowed(record.status.word().as_bytes())),
        Key::Strength => record.status.strength().map(|strength| Cow::Borrowed(strength.word().as_bytes())),
        Key::Reason => record.reason.as_ref().map(|reason| Cow::Borrowed(reason.as_bytes())),
        Key::Version => record.version.as_ref().map(|version| Cow::Borrowed(version.as_bytes())),
        Key::Mtime => record.mtime.and_then(Time::to_rfc3339).map(owned),
        _ if key.is_metadata() => metadata::text(key, record).map(owned),
        _ if key.is_fact() => facts::text(key, record).map(owned),
        Key::Digest(row) => {
            let named = record.digests.iter().find(|named| named.algorithm == row)?;
            let mut text = Vec::with_capacity(2 * named.digest.as_bytes().len());
            write_digest(named, &mut text);
            Some(Cow::Owned(text))
        }
        Key::Leaves(row) => {
            let kept = record.leaves.iter().find(|kept| kept.algorithm == row)?;
            let mut text = Vec::new();
            leaves::write(kept, &mut text);
            Some(Cow::Owned(text))
        }
        Key::Likeness(row) => likeness(record, row)?.text(&record.path).map(owned),
        Key::LikenessStatus(row) => {
            likeness(record, row)?.status().map(|word| Cow::Borrowed(word.as_bytes()))
        }
        Key::BadBlocks => (!record.bad_blocks.is_empty()).then(|| {
            let mut text = Vec::new();
            ranges::write(&record.bad_blocks, &mut text);
            Cow::Owned(text)
        }),
        Key::Category => record.label.as_ref().map(|label| Cow::Borrowed(label.category.as_bytes())),
        Key::Set => {
            let set = record.label.as_ref().map(|label| label.set.as_bytes());
            set.filter(|set| !set.is_empty()).map(Cow::Borrowed)
        }
        _ => None,
    }
}

fn likeness<'a>(record: &'a Record, row: &hashmill_similar::Similar) -> Option<&'a Likeness> {
    record.likeness.iter().find(|likeness| likeness.algorithm == row)
}

/// Checks that the table has columns for everything in a record.
pub(in crate::format) fn check(record: &Record, layout: &Layout) -> io::Result<()> {
    if record.piece.is_some() && !layout.pieces {
        return Err(cannot_carry("the table has no columns for pieces"));
    }
    if !layout.bad_blocks {
        check_sound(record)?;
    }
    if !layout.stored {
        check_hashed(record)?;
    }
    let has = |likeness: &Likeness| layout.likeness.iter().any(|(_, row)| *row == likeness.algorithm);
    if !record.likeness.iter().all(has) {
        return Err(cannot_carry("the table has no column for a digest of the record"));
    }
    if !facts::are_held(record, layout.facts) {
        return Err(cannot_carry("the table has no column for a fact about content"));
    }
    let large = [Key::Size, Key::Offset, Key::Length]
        .into_iter()
        .filter_map(|key| number(key, record))
        .any(|number| i64::try_from(number).is_err());
    if large {
        return Err(cannot_carry("the table has no numbers of 2^63 and more"));
    }
    check_columns(record, &layout.algorithms)
}
