//! The bytes of bytes-like objects without a copy: of one ([`View`], [`with_bytes`]), or of many ([`ByteRows`]).

#![allow(unsafe_code, reason = "the memory of Python's objects")]

use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};
use std::{mem, slice};

/// Rows to hash; a row that is none has no bytes and no digest.
pub(crate) type Rows<'a> = Vec<Option<&'a [u8]>>;

/// The bytes of an object, which stay at their address as long as this lives. Must be dropped with the GIL.
///
/// If the object is mutable, other code may change the bytes meanwhile: then the digest is that of some mixture.
pub(crate) struct View {
    start: *const u8,
    length: usize,
    /// The object that holds the memory.
    _kept: Kept,
}

#[allow(dead_code, reason = "held, not read")]
enum Kept {
    Bytes(Py<PyBytes>),
    Buffer(PyUntypedBuffer),
    Plain(Plain),
}

/// A buffer of which only the bytes are known. It stays at its place in memory, as its exporter may point into it.
struct Plain(Box<ffi::Py_buffer>);

impl Plain {
    fn get(object: &Bound<'_, PyAny>) -> PyResult<Plain> {
        // SAFETY: a view of zeros is an empty one.
        let mut view: Box<ffi::Py_buffer> = Box::new(unsafe { mem::zeroed() });
        // SAFETY: the object is alive, and the view is ours.
        match unsafe { ffi::PyObject_GetBuffer(object.as_ptr(), &raw mut *view, ffi::PyBUF_SIMPLE) } {
            0 => Ok(Plain(view)),
            _ => Err(PyErr::fetch(object.py())),
        }
    }
}

impl Drop for Plain {
    fn drop(&mut self) {
        // SAFETY: the view was filled, and is given back once.
        Python::attach(|_| unsafe { ffi::PyBuffer_Release(&raw mut *self.0) });
    }
}

// SAFETY: the memory is that of an object which is kept, and is only read.
unsafe impl Send for View {}
// SAFETY: as above.
unsafe impl Sync for View {}

impl View {
    /// Returns a view of an object.
    pub(crate) fn new(object: Bound<'_, PyAny>) -> PyResult<View> {
        match object.cast_into_exact::<PyBytes>() {
            Ok(bytes) => {
                let seen = bytes.as_bytes();
                let (start, length) = (seen.as_ptr(), seen.len());
                Ok(View { start, length, _kept: Kept::Bytes(bytes.unbind()) })
            }
            Err(other) => {
                let object = other.into_inner();
                match PyUntypedBuffer::get(&object) {
                    Ok(buffer) => View::of_buffer(buffer),
                    Err(error) if error.is_instance_of::<PyTypeError>(object.py()) => Err(no_buffer(&object)),
                    // Arrays of times have no format, those of ctypes no strides: but all have bytes.
                    Err(_) => View::of_plain(Plain::get(&object)?),
                }
            }
        }
    }

    fn of_plain(plain: Plain) -> PyResult<View> {
        let (start, length) = (plain.0.buf.cast_const().cast(), plain.0.len.unsigned_abs());
        Ok(View { start, length, _kept: Kept::Plain(plain) })
    }

    /// Returns a view of a buffer.
    pub(crate) fn of_buffer(buffer: PyUntypedBuffer) -> PyResult<View> {
        if is_of_objects(&buffer) {
            return Err(PyTypeError::new_err(
                "the buffer holds Python objects, whose addresses mean nothing; hash the bytes of each",
            ));
        }
        if !buffer.is_c_contiguous() {
            return Err(PyBufferError::new_err(
                "the buffer is not contiguous; make a copy of it, such as bytes(view)",
            ));
        }
        let (start, length) = (buffer.buf_ptr().cast_const().cast(), buffer.len_bytes());
        Ok(View { start, length, _kept: Kept::Buffer(buffer) })
    }

    /// Returns the bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        if self.length == 0 {
            return &[];
        }
        // SAFETY: a contiguous buffer has so many bytes there, and is not freed or moved while it is held.
        unsafe { slice::from_raw_parts(self.start, self.length) }
    }
}

/// Returns whether a buffer holds addresses of Python objects.
pub(crate) fn is_of_objects(buffer: &PyUntypedBuffer) -> bool {
    buffer.format().to_bytes().contains(&b'O')
}

/// Passes the bytes of an object to `work`. For `bytes`, the most common type, this takes no reference.
pub(crate) fn with_bytes<T>(object: &Bound<'_, PyAny>, work: impl FnOnce(&[u8]) -> T) -> PyResult<T> {
    match object.cast_exact::<PyBytes>() {
        Ok(bytes) => Ok(work(bytes.as_bytes())),
        Err(_) => Ok(work(View::new(object.clone())?.bytes())),
    }
}

/// Many objects, and their bytes as rows. Must be dropped with the GIL.
///
/// `bytes` objects cost as little as a tuple of them. A list would not do instead of a tuple, as other code could
/// change it.
#[derive(Default)]
pub(crate) struct ByteRows<'py> {
    /// Slices of memory that the other fields keep alive.
    rows: Rows<'static>,
    objects: Vec<Bound<'py, PyTuple>>,
    views: Vec<View>,
}

impl<'py> ByteRows<'py> {
    /// Returns the bytes of each object; none for `None`.
    pub(crate) fn rows(&self) -> &[Option<&[u8]>] {
        &self.rows
    }

    /// Adds objects.
    pub(crate) fn add(&mut self, objects: Bound<'py, PyTuple>) -> PyResult<()> {
        self.objects.push(objects.clone());
        self.rows.reserve(objects.len());
        for object in objects.iter_borrowed() {
            let row = match object.cast_exact::<PyBytes>() {
                // SAFETY: the tuple is kept, and with it the object, whose bytes never move.
                Ok(bytes) => Some(unsafe { forever(bytes.as_bytes()) }),
                Err(_) if object.is_none() => None,
                Err(_) => {
                    self.views.push(View::new(object.to_owned())?);
                    // SAFETY: the view is kept, and its bytes don't move with it.
                    self.views.last().map(|view| unsafe { forever(view.bytes()) })
                }
            };
            self.rows.push(row);
        }
        Ok(())
    }
}

/// Returns bytes without their lifetime.
///
/// # Safety
/// The caller must not use them after their memory is freed.
unsafe fn forever(bytes: &[u8]) -> &'static [u8] {
    // SAFETY: the caller promises that.
    unsafe { slice::from_raw_parts(bytes.as_ptr(), bytes.len()) }
}

fn no_buffer(object: &Bound<'_, PyAny>) -> PyErr {
    PyTypeError::new_err(match object.is_instance_of::<PyString>() {
        true => "Strings must be encoded before hashing",
        false => "object supporting the buffer API required",
    })
}
