//! Entries of comparisons as columns: the keys of the command's JSON, with a column for each value of both sides.

use super::columns::{base64, numbers, texts, times};
use crate::entry::Entry;
use arrow_array::array::Array;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, Field, Schema};
use hashmill_digest::Algorithm;
use hashmill_manifest::audit::{Content, Sides};
use pyo3::prelude::*;
use std::borrow::Cow;
use std::sync::Arc;

/// Makes a batch of entries, with its schema.
pub(crate) fn batch(entries: &[Py<Entry>]) -> Result<RecordBatch, ArrowError> {
    let entries: Vec<&Entry> = entries.iter().map(Py::get).collect();
    let mut columns = vec![
        column("category", Nulls::Never, texts(&entries, |entry| Some(Cow::Borrowed(&*entry.category)))),
        column("path", Nulls::Never, texts(&entries, |entry| Some(String::from_utf8_lossy(&entry.path)))),
        column("path_b64", Nulls::Allowed, texts(&entries, |entry| base64(&entry.path).map(Cow::Owned))),
        column(
            "known_path",
            Nulls::Allowed,
            texts(&entries, |entry| known_path(entry).map(String::from_utf8_lossy)),
        ),
        column(
            "known_path_b64",
            Nulls::Allowed,
            texts(&entries, |entry| base64(known_path(entry)?).map(Cow::Owned)),
        ),
        column("status", Nulls::Allowed, texts(&entries, |entry| entry.status.as_deref().map(Cow::Borrowed))),
        column(
            "strength",
            Nulls::Allowed,
            texts(&entries, |entry| entry.strength.as_deref().map(Cow::Borrowed)),
        ),
        column(
            "reason",
            Nulls::Allowed,
            texts(&entries, |entry| sides(entry)?.reason.as_deref().map(Cow::Borrowed)),
        ),
        column("offset", Nulls::Allowed, numbers(&entries, |entry| Some(entry.piece?.offset))),
        column("length", Nulls::Allowed, numbers(&entries, |entry| Some(entry.piece?.length))),
        column(
            "known_category",
            Nulls::Allowed,
            texts(&entries, |entry| Some(Cow::Borrowed(&*entry.known.as_ref()?.0))),
        ),
        column(
            "known_set",
            Nulls::Allowed,
            texts(&entries, |entry| Some(Cow::Borrowed(&*entry.known.as_ref()?.1))),
        ),
    ];
    columns.extend(of_side(&entries, "expected", |sides| sides.expected.as_ref()));
    columns.extend(of_side(&entries, "actual", |sides| sides.actual.as_ref()));
    let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = columns.into_iter().unzip();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)
}

type Column = (Field, ArrayRef);

/// Whether cells of a column may be without a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nulls {
    Allowed,
    Never,
}

/// Makes a column, whose type is that of its cells.
pub(super) fn column(name: &str, nulls: Nulls, array: ArrayRef) -> Column {
    (Field::new(name, array.data_type().clone(), nulls == Nulls::Allowed), array)
}

/// Makes the columns of one side: size, time, and a digest of each algorithm that any entry has.
fn of_side(entries: &[&Entry], side: &str, of: fn(&Sides) -> Option<&Content>) -> Vec<Column> {
    let mut columns = vec![
        column(
            &format!("{side}_size"),
            Nulls::Allowed,
            numbers(entries, |entry| of(entry.sides.as_ref()?)?.size),
        ),
        column(
            &format!("{side}_mtime"),
            Nulls::Allowed,
            times(entries, |entry| of(entry.sides.as_ref()?)?.mtime),
        ),
    ];
    for algorithm in algorithms(entries.iter().filter_map(|entry| of(entry.sides.as_ref()?))) {
        let formatted = texts(entries, |entry| {
            let digests = &of(entry.sides.as_ref()?)?.digests;
            let named = digests.iter().find(|named| named.algorithm == algorithm)?;
            Some(Cow::Owned(algorithm.format(&named.digest)))
        });
        columns.push(column(&format!("{side}_{}", algorithm.name), Nulls::Allowed, formatted));
    }
    columns
}

fn algorithms<'a>(contents: impl Iterator<Item = &'a Content>) -> Vec<&'static Algorithm> {
    let mut found = Vec::new();
    for named in contents.flat_map(|content| &content.digests) {
        if !found.contains(&named.algorithm) {
            found.push(named.algorithm);
        }
    }
    found
}

fn sides(entry: &Entry) -> Option<&Sides> {
    entry.sides.as_ref()
}

fn known_path(entry: &Entry) -> Option<&[u8]> {
    entry.known_path.as_deref()
}
