//! Hash objects: what hashlib's are, for every algorithm.

use crate::algorithm::block_size;
use crate::error::wrong;
use crate::view::View;
use hashloom_digest::{Algorithm, Bank, Digest, Part, Slot, find};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// From so many bytes on others may run meanwhile, as in hashlib.
const ALONE: usize = 2048;

/// A message that is being hashed. `update` takes its bytes, `digest` and `hexdigest` tell its digest so far.
#[pyclass(frozen, module = "hashloom", weakref)]
pub(crate) struct Hash {
    algorithm: &'static Algorithm,
    stream: Mutex<Stream>,
}

/// An argument, if it was given. `None` is one, too: it has no bytes, and must not pass for no bytes.
pub(crate) struct Given<'py>(pub(crate) Option<Bound<'py, PyAny>>);

impl<'py> FromPyObject<'_, 'py> for Given<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Given<'py>> {
        Ok(Given(Some(object.to_owned())))
    }
}

/// One open stream of a bank.
struct Stream {
    bank: Box<dyn Bank>,
    slot: Slot,
}

impl Stream {
    fn new(algorithm: &Algorithm) -> Stream {
        let mut bank = (algorithm.alone)();
        let slot = bank.open();
        Stream { bank, slot }
    }

    fn update(&mut self, bytes: &[u8]) {
        self.bank.update(&[Part { slot: self.slot, bytes, last: false }]);
    }

    fn copy(&self) -> Stream {
        Stream { bank: self.bank.fork(self.slot), slot: Slot(0) }
    }

    fn digest(&self) -> Digest {
        self.bank.peek(self.slot)
    }
}

impl Hash {
    /// A new one that has taken these bytes.
    pub(crate) fn begin(algorithm: &'static Algorithm, data: Given<'_>, string: Given<'_>) -> PyResult<Hash> {
        if algorithm.of_entry.is_some() {
            let name = algorithm.name;
            return Err(wrong(format!(
                "{name} depends on the name of a file: use hashloom.file_digest or hashloom.hash"
            )));
        }
        let data = match (data.0, string.0) {
            (Some(_), Some(_)) => return Err(PyTypeError::new_err("data and string can't both be given")),
            (data, string) => data.or(string),
        };
        let hash = Hash { algorithm, stream: Mutex::new(Stream::new(algorithm)) };
        if let Some(data) = data {
            hash.update(&data)?;
        }
        Ok(hash)
    }

    /// The stream. Whoever hashes in it needs no GIL to go on, so to wait with the GIL would stop all others and no more.
    fn stream(&self, py: Python<'_>) -> MutexGuard<'_, Stream> {
        match self.stream.try_lock() {
            Ok(stream) => stream,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                py.detach(|| drop(self.lock()));
                self.lock()
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Stream> {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn finish(&self, py: Python<'_>) -> Digest {
        self.stream(py).digest()
    }
}

#[pymethods]
impl Hash {
    /// Takes the next bytes of the message: any contiguous bytes-like object.
    pub(crate) fn update(&self, data: &Bound<'_, PyAny>) -> PyResult<()> {
        let view = View::of(data.clone())?;
        let bytes = view.bytes();
        if bytes.len() < ALONE {
            self.stream(data.py()).update(bytes);
        } else {
            data.py().detach(|| self.lock().update(bytes));
        }
        Ok(())
    }

    /// The digest of the bytes so far.
    fn digest<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.finish(py).as_bytes())
    }

    /// The digest of the bytes so far, in hexadecimal digits.
    fn hexdigest(&self, py: Python<'_>) -> String {
        self.finish(py).to_string()
    }

    /// The digest of the bytes so far in the algorithm's usual text: hexadecimal for most; `HEX-PARTS` for `s3-etag`,
    /// base64 for `quickxor`.
    fn text(&self, py: Python<'_>) -> String {
        self.algorithm.format(&self.finish(py))
    }

    /// A copy, which goes on by itself.
    fn copy(&self, py: Python<'_>) -> Hash {
        let stream = self.stream(py).copy();
        Hash { algorithm: self.algorithm, stream: Mutex::new(stream) }
    }

    fn __copy__(&self, py: Python<'_>) -> Hash {
        self.copy(py)
    }

    /// The algorithm's name, which `hashloom.new` takes.
    #[getter]
    fn name(&self) -> &'static str {
        self.algorithm.name
    }

    /// Bytes of the digest.
    #[getter]
    fn digest_size(&self) -> usize {
        self.algorithm.bits as usize / 8
    }

    /// Bytes of a block.
    #[getter]
    fn block_size(&self) -> usize {
        block_size(self.algorithm)
    }

    fn __repr__(&self) -> String {
        format!("<hashloom {} hash object>", self.algorithm.name)
    }

    fn __reduce_ex__(&self, _protocol: usize) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "cannot pickle 'Hash' object: a message that is being hashed can't be stored",
        ))
    }
}

/// A hash object of the algorithm of this name, alias or tag, which has taken `data`.
#[pyfunction]
#[pyo3(signature = (name, data = Given(None), *, usedforsecurity = true, string = Given(None)))]
pub(crate) fn new(name: &str, data: Given<'_>, usedforsecurity: bool, string: Given<'_>) -> PyResult<Hash> {
    let _ = usedforsecurity;
    Hash::begin(find(name).map_err(wrong)?, data, string)
}
