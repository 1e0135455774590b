//! Arrow arrays and streams by the PyCapsule interface (Arrow, "The Arrow PyCapsule Interface"), without any Arrow
//! library.

#![allow(unsafe_code, reason = "structures of the C data interface that capsules hold")]

mod columns;
mod entries;
mod groups;
mod rows;

pub(crate) use columns::{Columns, WantedColumns};
pub(crate) use groups::{groups_schema, groups_stream};
pub(crate) use rows::rows;

use crate::entry::Entry;
use crate::error::{failed, wrong};
use arrow_array::array::Array;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi, to_ffi};
use arrow_array::ffi_stream::{ArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::{ArrayRef, RecordBatchIterator, RecordBatchReader, make_array};
use arrow_schema::Schema;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use std::ffi::CStr;

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

/// Returns the chunks of an object's only column, or of the column that it is; none if the object has no Arrow
/// interface.
pub(crate) fn arrays_of(
    object: &Bound<'_, PyAny>,
) -> PyResult<Option<Box<dyn Iterator<Item = PyResult<ArrayRef>>>>> {
    if let Some(method) = object.getattr_opt("__arrow_c_array__")? {
        let pair = method.call0()?.cast_into::<PyTuple>()?;
        let schema = pair.get_item(0)?.cast_into::<PyCapsule>()?;
        let array = pair.get_item(1)?.cast_into::<PyCapsule>()?;
        return Ok(Some(Box::new(std::iter::once(import(&schema, &array)))));
    }
    let Some(method) = object.getattr_opt("__arrow_c_stream__")? else { return Ok(None) };
    let stream = method.call0()?.cast_into::<PyCapsule>()?;
    let pointer = stream.pointer_checked(Some(STREAM))?;
    // SAFETY: a capsule of this name holds a stream, which is moved out of it: it is left as released.
    let reader = unsafe { ArrayStreamReader::from_raw(pointer.cast().as_ptr()) }.map_err(wrong)?;
    Ok(Some(Box::new(reader.map(|array| array.map_err(wrong)))))
}

fn import(schema: &Bound<'_, PyCapsule>, array: &Bound<'_, PyCapsule>) -> PyResult<ArrayRef> {
    let schema = schema.pointer_checked(Some(SCHEMA))?;
    let array = array.pointer_checked(Some(ARRAY))?;
    // SAFETY: capsules of these names hold a schema, which stays theirs, and an array, which is moved out.
    let data = unsafe {
        let array = FFI_ArrowArray::from_raw(array.cast().as_ptr());
        from_ffi(array, schema.cast::<FFI_ArrowSchema>().as_ref())
    };
    Ok(make_array(data.map_err(wrong)?))
}

/// Returns an array as the pair of capsules that `__arrow_c_array__` gives.
pub(crate) fn array<'py>(py: Python<'py>, array: &dyn Array) -> PyResult<Bound<'py, PyTuple>> {
    let (array, schema) = to_ffi(&array.to_data()).map_err(wrong)?;
    let schema = PyCapsule::new_with_value(py, schema, SCHEMA)?;
    let array = PyCapsule::new_with_value(py, array, ARRAY)?;
    PyTuple::new(py, [schema, array])
}

/// Returns a schema as `__arrow_c_schema__` gives it.
pub(crate) fn schema<'py>(py: Python<'py>, schema: &Schema) -> PyResult<Bound<'py, PyCapsule>> {
    let schema =
        FFI_ArrowSchema::try_from(schema).map_err(|error| PyValueError::new_err(error.to_string()))?;
    PyCapsule::new_with_value(py, schema, SCHEMA)
}

/// Returns entries of a comparison as `__arrow_c_stream__` gives them.
#[pyfunction]
pub(crate) fn entries_stream(py: Python<'_>, entries: Vec<Py<Entry>>) -> PyResult<Bound<'_, PyCapsule>> {
    let batch = py.detach(|| entries::batch(&entries)).map_err(failed)?;
    let schema = batch.schema();
    stream(py, Box::new(RecordBatchIterator::new([Ok(batch)], schema)))
}

/// Returns the schema of entries as `__arrow_c_schema__` gives it.
#[pyfunction]
pub(crate) fn entries_schema(py: Python<'_>, entries: Vec<Py<Entry>>) -> PyResult<Bound<'_, PyCapsule>> {
    schema(py, &py.detach(|| entries::batch(&entries)).map_err(failed)?.schema())
}

/// Returns a stream as `__arrow_c_stream__` gives it.
pub(crate) fn stream(
    py: Python<'_>,
    reader: Box<dyn RecordBatchReader + Send>,
) -> PyResult<Bound<'_, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), STREAM)
}
