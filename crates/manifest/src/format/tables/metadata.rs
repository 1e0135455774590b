//! The metadata of a file as columns of a table.

use crate::format::Layout;
use crate::format::values::draft::Key;
use crate::{Record, Time};

/// Returns the columns of a table.
pub(in crate::format) fn keys(layout: &Layout) -> impl Iterator<Item = Key> + use<> {
    let both: &[Key] = if layout.metadata || layout.inside { &[Key::Ctime, Key::Inode] } else { &[] };
    let run: &[Key] = if layout.metadata { &[Key::Device, Key::Read, Key::Reused] } else { &[] };
    let inside: &[Key] =
        if layout.inside { &[Key::Accessed, Key::Created, Key::Container, Key::Allocation] } else { &[] };
    let attributes: &[Key] = if layout.attributes { &[Key::Attributes] } else { &[] };
    both.iter().chain(run).chain(inside).chain(attributes).copied()
}

/// Returns a record's value in one of the columns, as text.
pub(in crate::format) fn text(key: Key, record: &Record) -> Option<String> {
    let metadata = record.metadata.as_ref()?;
    match key {
        Key::Ctime | Key::Read | Key::Accessed | Key::Created => time(key, record).and_then(Time::to_rfc3339),
        Key::Inode => metadata.inode.map(|number| number.to_string()),
        Key::Device => metadata.device.map(|number| number.to_string()),
        Key::Reused => metadata.reused.then(|| "true".to_string()),
        Key::Container => metadata.container.as_deref().map(str::to_string),
        Key::Allocation => metadata.allocation.map(|allocation| allocation.word().to_string()),
        Key::Attributes => {
            Some(metadata.attributes).filter(|attributes| !attributes.is_empty()).map(|some| some.to_string())
        }
        _ => None,
    }
}

/// Returns a record's value in a column of times.
pub(in crate::format) fn time(key: Key, record: &Record) -> Option<Time> {
    let metadata = record.metadata.as_ref()?;
    match key {
        Key::Ctime => metadata.ctime,
        Key::Read => metadata.read,
        Key::Accessed => metadata.accessed,
        Key::Created => metadata.created,
        _ => None,
    }
}
