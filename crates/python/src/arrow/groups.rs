//! Groups of equal files as columns: a row for each name of a file, with the number of its group.

use super::columns::{base64, numbers, texts};
use super::entries::Nulls;
use super::{entries::column, schema, stream};
use crate::error::failed;
use arrow_array::{ArrayRef, RecordBatch, RecordBatchIterator};
use arrow_schema::{ArrowError, Field, Schema};
use hashmill_os::names;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::borrow::Cow;
use std::ffi::OsString;
use std::sync::Arc;

/// The number of a group, the size of its files, its algorithm and digest, and a path; for a link the path of the file.
pub(crate) type GroupRow = (u64, Option<u64>, String, Option<String>, OsString, Option<OsString>);

fn batch(rows: &[GroupRow]) -> Result<RecordBatch, ArrowError> {
    let text = |path: &OsString| names::bytes(path).into_owned();
    let shown = |path: &OsString| Cow::Owned(String::from_utf8_lossy(&text(path)).into_owned());
    let columns = [
        column("group", Nulls::Never, numbers(rows, |row| Some(row.0))),
        column("path", Nulls::Never, texts(rows, |row| Some(shown(&row.4)))),
        column("path_b64", Nulls::Allowed, texts(rows, |row| base64(&text(&row.4)).map(Cow::Owned))),
        column("size", Nulls::Allowed, numbers(rows, |row| row.1)),
        column("algorithm", Nulls::Never, texts(rows, |row| Some(Cow::Borrowed(&*row.2)))),
        column("digest", Nulls::Allowed, texts(rows, |row| row.3.as_deref().map(Cow::Borrowed))),
        column("link_of", Nulls::Allowed, texts(rows, |row| row.5.as_ref().map(&shown))),
    ];
    let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = columns.into_iter().unzip();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)
}

/// Returns rows of groups as `__arrow_c_stream__` gives them.
#[pyfunction]
pub(crate) fn groups_stream(py: Python<'_>, rows: Vec<GroupRow>) -> PyResult<Bound<'_, PyCapsule>> {
    let batch = py.detach(|| batch(&rows)).map_err(failed)?;
    let schema = batch.schema();
    stream(py, Box::new(RecordBatchIterator::new([Ok(batch)], schema)))
}

/// Returns the schema of groups as `__arrow_c_schema__` gives it.
#[pyfunction]
pub(crate) fn groups_schema(py: Python<'_>) -> PyResult<Bound<'_, PyCapsule>> {
    schema(py, &batch(&[]).map_err(failed)?.schema())
}
