//! Hash objects of extendable-output functions (SHAKE, BLAKE3): digests of any length, like those of hashlib's
//! `shake_128` and the package blake3.

use crate::error::wrong;
use crate::hasher::Hash;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// A message that is being hashed by an algorithm whose output has any length.
#[pyclass(frozen, extends = Hash, module = "hashmill")]
pub(crate) struct ExtendableHash;

impl ExtendableHash {
    /// Makes the Python object of a message.
    pub(crate) fn make(py: Python<'_>, hash: Hash) -> PyResult<Bound<'_, ExtendableHash>> {
        Bound::new(py, PyClassInitializer::from(hash).add_subclass(ExtendableHash))
    }
}

#[pymethods]
impl ExtendableHash {
    /// Returns the digest of the bytes so far: `length` bytes (by default `digest_size`) of the output, from its byte
    /// `seek` on.
    #[pyo3(signature = (length = None, *, seek = 0))]
    fn digest<'py>(
        slf: &Bound<'py, Self>,
        length: Option<isize>,
        seek: u64,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let hash = slf.as_super().get();
        let length = length.map_or(Ok(hash.digest_size()), |length| {
            usize::try_from(length).map_err(|_| wrong(format!("length can't be negative: {length}")))
        })?;
        if seek > 0 && !hash.can_seek() {
            return Err(wrong("only in the output of BLAKE3, which is a tree, can be sought"));
        }
        if seek.checked_add(length as u64).is_none() {
            return Err(wrong(format!("seek is too large: {seek}")));
        }
        PyBytes::new_with(slf.py(), length, |output| {
            hash.extend(slf.py(), seek, output);
            Ok(())
        })
    }

    /// Returns the same digest in hexadecimal digits.
    #[pyo3(signature = (length = None, *, seek = 0))]
    fn hexdigest<'py>(
        slf: &Bound<'py, Self>,
        length: Option<isize>,
        seek: u64,
    ) -> PyResult<Bound<'py, PyAny>> {
        ExtendableHash::digest(slf, length, seek)?.call_method0("hex")
    }

    /// Returns an independent copy.
    fn copy<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, Self>> {
        ExtendableHash::make(slf.py(), slf.as_super().get().copy(slf.py()))
    }

    fn __copy__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, Self>> {
        ExtendableHash::copy(slf)
    }
}
