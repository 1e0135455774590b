//! The bytes of bytes-like objects, without a copy.

#![allow(unsafe_code, reason = "the memory of Python's objects")]

use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use std::slice;

/// Rows to be hashed; none has no bytes and no digest.
pub(crate) type Rows<'a> = Vec<Option<&'a [u8]>>;

/// The bytes of an object, which stay where they are as long as this lives. To be dropped with the GIL.
///
/// They may be changed by whoever else has the object, if it is mutable: then the digest is that of some mixture.
pub(crate) struct View {
    start: *const u8,
    length: usize,
    /// What holds the memory.
    _kept: Kept,
}

#[allow(dead_code, reason = "held, not read")]
enum Kept {
    Bytes(Py<PyBytes>),
    Buffer(PyUntypedBuffer),
}

// SAFETY: the memory is that of an object which is kept, and is only read.
unsafe impl Send for View {}
// SAFETY: as above.
unsafe impl Sync for View {}

impl View {
    /// The bytes of an object.
    pub(crate) fn of(object: Bound<'_, PyAny>) -> PyResult<View> {
        match object.cast_into_exact::<PyBytes>() {
            Ok(bytes) => {
                let (start, length) = (bytes.as_bytes().as_ptr(), bytes.as_bytes().len());
                Ok(View { start, length, _kept: Kept::Bytes(bytes.unbind()) })
            }
            Err(other) => {
                let object = other.into_inner();
                let buffer = PyUntypedBuffer::get(&object).map_err(|error| no_buffer(&object, error))?;
                View::of_buffer(buffer)
            }
        }
    }

    /// The bytes of a buffer that is held.
    pub(crate) fn of_buffer(buffer: PyUntypedBuffer) -> PyResult<View> {
        if !buffer.is_c_contiguous() {
            return Err(PyBufferError::new_err(
                "the buffer is not contiguous; make a copy of it, such as bytes(view)",
            ));
        }
        let (start, length) = (buffer.buf_ptr().cast_const().cast(), buffer.len_bytes());
        Ok(View { start, length, _kept: Kept::Buffer(buffer) })
    }

    /// The bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        if self.length == 0 {
            return &[];
        }
        // SAFETY: a contiguous buffer has so many bytes there, and is not freed or moved while it is held.
        unsafe { slice::from_raw_parts(self.start, self.length) }
    }
}

fn no_buffer(object: &Bound<'_, PyAny>, error: PyErr) -> PyErr {
    if object.is_instance_of::<PyString>() {
        return PyTypeError::new_err("Strings must be encoded before hashing");
    }
    if error.is_instance_of::<PyTypeError>(object.py()) {
        return PyTypeError::new_err("object supporting the buffer API required");
    }
    error
}
