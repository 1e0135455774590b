//! The digests of many buffers, as one block of memory.

#![allow(unsafe_code, reason = "the buffer protocol")]

use crate::arrow;
use arrow_array::FixedSizeBinaryArray;
use arrow_buffer::{Buffer, NullBuffer};
use hashmill_digest::{Algorithm, Digest};
use pyo3::exceptions::{PyBufferError, PyIndexError, PyOverflowError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::slice::PySliceIndices;
use pyo3::types::{PyBytes, PyIterator, PyList, PySlice, PyTuple};
use std::ffi::c_int;

/// Digests in the order of the buffers: a sequence of `bytes`, with `None` where a buffer was null. It is also an Arrow
/// array (`fixed_size_binary`), and exports its bytes as one buffer.
#[pyclass(name = "Digests", frozen, sequence, module = "hashmill", weakref)]
pub(crate) struct DigestSequence {
    algorithm: &'static Algorithm,
    size: usize,
    bytes: Vec<u8>,
    /// The number of digests; the memory may have room for more.
    count: usize,
    /// Which digests exist, if some are null.
    valid: Option<Vec<bool>>,
}

impl DigestSequence {
    /// Makes an empty block with room for this many digests. Pages of zeros cost nothing until a thread writes there.
    pub(crate) fn new(algorithm: &'static Algorithm, room: usize) -> DigestSequence {
        let size = algorithm.bits as usize / 8;
        DigestSequence { algorithm, size, bytes: vec![0; room.saturating_mul(size)], count: 0, valid: None }
    }

    /// Returns the algorithm of the digests.
    pub(crate) fn algorithm(&self) -> &'static Algorithm {
        self.algorithm
    }

    /// Returns the size of a digest in bytes.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// Adds digests for these rows and returns their bytes to be written: one after another, with zeros for null rows.
    pub(crate) fn next(&mut self, rows: &[Option<&[u8]>]) -> &mut [u8] {
        let before = self.count;
        let is_none_missing = rows.iter().all(Option::is_some);
        if !is_none_missing || self.valid.is_some() {
            let valid = self.valid.get_or_insert_with(|| vec![true; before]);
            valid.extend(rows.iter().map(Option::is_some));
        }
        self.count += rows.len();
        let end = self.count * self.size;
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        &mut self.bytes[before * self.size..end]
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.count * self.size]
    }

    fn get(&self, row: usize) -> Option<&[u8]> {
        let there = self.valid.as_ref().is_none_or(|valid| valid[row]);
        there.then(|| &self.bytes[row * self.size..][..self.size])
    }

    /// Returns the digests of a slice.
    fn slice(&self, PySliceIndices { start, step, slicelength, .. }: PySliceIndices) -> DigestSequence {
        let rows = (0..slicelength as isize).map(|number| (start + number * step) as usize);
        let valid = self.valid.as_ref().map(|valid| rows.clone().map(|row| valid[row]).collect());
        let bytes = rows.flat_map(|row| &self.bytes[row * self.size..][..self.size]).copied().collect();
        DigestSequence { bytes, count: slicelength, valid, ..*self }
    }

    fn rows(&self) -> impl ExactSizeIterator<Item = Option<&[u8]>> {
        (0..self.count).map(|row| self.get(row))
    }
}

#[pymethods]
impl DigestSequence {
    fn __len__(&self) -> usize {
        self.count
    }

    fn __getitem__<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, count) = (key.py(), self.count as isize);
        if let Ok(slice) = key.cast::<PySlice>() {
            return Ok(Bound::new(py, self.slice(slice.indices(count)?))?.into_any());
        }
        let out = || PyIndexError::new_err("digest index out of range");
        let row: isize =
            key.extract().map_err(
                |error: PyErr| if error.is_instance_of::<PyOverflowError>(py) { out() } else { error },
            )?;
        let row = if row < 0 { row + count } else { row };
        if !(0..count).contains(&row) {
            return Err(out());
        }
        Ok(self.get(row as usize).map(|digest| PyBytes::new(py, digest)).into_pyobject(py)?.into_any())
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        PyList::new(py, self.rows().map(|digest| digest.map(|digest| PyBytes::new(py, digest))))?.try_iter()
    }

    /// Returns all digests in hexadecimal digits.
    fn hex(&self) -> Vec<Option<String>> {
        self.rows().map(|digest| digest.map(|digest| Digest::new(digest).to_string())).collect()
    }

    /// Returns all digests in the algorithm's usual text.
    fn text(&self) -> Vec<Option<String>> {
        self.rows().map(|digest| digest.map(|digest| self.algorithm.format(&Digest::new(digest)))).collect()
    }

    /// The algorithm's name.
    #[getter]
    fn name(&self) -> &'static str {
        self.algorithm.name
    }

    /// The size of each digest in bytes.
    #[getter]
    fn digest_size(&self) -> usize {
        self.size
    }

    fn __repr__(&self) -> String {
        format!("<{} {} digests>", self.count, self.algorithm.name)
    }

    /// Returns the Arrow array, by the Arrow PyCapsule interface.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let _ = requested_schema;
        let nulls = self.valid.as_ref().map(|valid| NullBuffer::from(valid.clone()));
        let bytes = Buffer::from(self.bytes());
        arrow::array(py, &FixedSizeBinaryArray::new(self.size as i32, bytes, nulls))
    }

    #[allow(clippy::missing_safety_doc, reason = "called by the interpreter alone")]
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        if view.is_null() {
            return Err(PyBufferError::new_err("there is no view"));
        }
        let bytes = slf.get().bytes();
        let (start, length) = (bytes.as_ptr().cast_mut().cast(), bytes.len() as isize);
        // SAFETY: the view is the interpreter's, and the object, which it holds, never changes its bytes.
        let done = unsafe { ffi::PyBuffer_FillInfo(view, slf.as_ptr(), start, length, 1, flags) };
        if done == 0 { Ok(()) } else { Err(PyErr::fetch(slf.py())) }
    }
}
