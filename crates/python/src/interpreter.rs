//! The check for a single interpreter. Other interpreters in the same process are refused, as classes and caches would
//! be shared between them. From Python 3.12 on the interpreter refuses them itself.

#![allow(unsafe_code, reason = "the number of an interpreter")]

use pyo3::exceptions::PyImportError;
use pyo3::ffi;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicI64, Ordering};

/// The first interpreter that loaded the module, or [`NONE`].
static FIRST: AtomicI64 = AtomicI64::new(NONE);
const NONE: i64 = -1;

/// Refuses all interpreters but the first.
pub(crate) fn check(_py: Python<'_>) -> PyResult<()> {
    // SAFETY: this thread is attached to an interpreter, which is asked for its number.
    let own = unsafe { ffi::PyInterpreterState_GetID(ffi::PyInterpreterState_Get()) };
    match FIRST.compare_exchange(NONE, own, Ordering::SeqCst, Ordering::SeqCst) {
        Err(first) if first != own => Err(PyImportError::new_err(
            "hashmill does not support subinterpreters: use it in one interpreter of a process",
        )),
        _ => Ok(()),
    }
}
