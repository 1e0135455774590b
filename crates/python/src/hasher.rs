//! Hash objects like those of hashlib, for every algorithm.

use crate::algorithm::{AlgorithmName, block_size};
use crate::error::wrong;
use crate::extendable::ExtendableHash;
use crate::parameters;
use crate::view::with_bytes;
use hashmill_digest::{Algorithm, Bank, Digest, Slot, StreamPart, hash};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyInt};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// The most bytes of a message that are held before it gets a stream. Many messages are no longer, and a larger buffer
/// would cost more to move.
const SHORT: usize = 64;

/// From this many bytes on the GIL is released, as in hashlib.
const ALONE: usize = 2048;

/// A message that is being hashed. `update` adds bytes, `digest` and `hexdigest` return the digest so far.
#[pyclass(frozen, subclass, module = "hashmill", weakref)]
pub(crate) struct Hash {
    algorithm: &'static Algorithm,
    message: Mutex<Message>,
}

/// An argument, if it was given. `None` is an argument, too: it has no bytes, and must not be treated like empty input.
pub(crate) struct Given<'py>(pub(crate) Option<Bound<'py, PyAny>>);

impl<'py> FromPyObject<'_, 'py> for Given<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Given<'py>> {
        Ok(Given(Some(object.to_owned())))
    }
}

/// An open stream of a bank.
struct Stream {
    bank: Box<dyn Bank>,
    slot: Slot,
}

impl Stream {
    fn from_bank(mut bank: Box<dyn Bank>) -> Stream {
        let slot = bank.open();
        Stream { bank, slot }
    }

    fn new(algorithm: &Algorithm) -> Stream {
        Stream::from_bank((algorithm.alone)())
    }

    fn update(&mut self, bytes: &[u8]) {
        self.bank.update(&[StreamPart { slot: self.slot, bytes, last: false }]);
    }

    fn copy(&self) -> Stream {
        Stream { bank: self.bank.fork(self.slot), slot: Slot(0) }
    }

    fn digest(&self) -> Digest {
        self.bank.peek(self.slot)
    }
}

/// The bytes so far, or the state of their hash.
enum Message {
    /// Few bytes: they are hashed whenever their digest is requested.
    Short {
        bytes: [u8; SHORT],
        length: usize,
    },
    Long(Stream),
}

impl Message {
    fn new(algorithm: &Algorithm) -> Message {
        match algorithm.whole {
            Some(_) => Message::Short { bytes: [0; SHORT], length: 0 },
            None => Message::Long(Stream::new(algorithm)),
        }
    }

    fn update(&mut self, algorithm: &Algorithm, more: &[u8]) {
        match self {
            Message::Long(stream) => stream.update(more),
            Message::Short { bytes, length } if more.len() <= SHORT - *length => {
                bytes[*length..][..more.len()].copy_from_slice(more);
                *length += more.len();
            }
            Message::Short { bytes, length } => {
                let mut stream = Stream::new(algorithm);
                stream.update(&bytes[..*length]);
                stream.update(more);
                *self = Message::Long(stream);
            }
        }
    }

    fn digest(&self, algorithm: &Algorithm) -> Digest {
        match (self, algorithm.whole) {
            (Message::Long(stream), _) => stream.digest(),
            (Message::Short { bytes, length }, Some(whole)) => whole(&bytes[..*length]),
            (Message::Short { bytes, length }, None) => hash(algorithm, &bytes[..*length]),
        }
    }

    /// Writes the output for the bytes so far, beginning at its byte `from`.
    fn extend(&self, algorithm: &Algorithm, from: u64, output: &mut [u8]) {
        match self {
            Message::Long(stream) => stream.bank.extend(stream.slot, from, output),
            Message::Short { bytes, length } => {
                let mut stream = Stream::new(algorithm);
                stream.update(&bytes[..*length]);
                stream.bank.extend(stream.slot, from, output)
            }
        };
    }

    fn copy(&self) -> Message {
        match self {
            Message::Short { bytes, length } => Message::Short { bytes: *bytes, length: *length },
            Message::Long(stream) => Message::Long(stream.copy()),
        }
    }
}

impl Hash {
    /// Makes a hash object of an algorithm that has taken these bytes, with options such as a key, if there are any.
    pub(crate) fn make<'py>(
        py: Python<'py>,
        algorithm: &'static Algorithm,
        data: Given<'_>,
        string: Given<'_>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, Hash>> {
        let (algorithm, bank) = match options {
            Some(options) => {
                let (algorithm, bank) = parameters::begin(algorithm, options)?;
                (algorithm, Some(bank))
            }
            None => (algorithm, None),
        };
        let hash = Hash::begin(algorithm, bank, data, string)?;
        if algorithm.extendable {
            return Ok(ExtendableHash::make(py, hash)?.into_super());
        }
        Bound::new(py, hash)
    }

    fn begin(
        algorithm: &'static Algorithm,
        bank: Option<Box<dyn Bank>>,
        data: Given<'_>,
        string: Given<'_>,
    ) -> PyResult<Hash> {
        parameters::check_key(algorithm)?;
        if algorithm.of_entry.is_some() {
            let name = algorithm.name;
            return Err(wrong(format!(
                "{name} depends on the name of a file: use hashmill.file_digest or hashmill.hash"
            )));
        }
        let data = match (data.0, string.0) {
            (Some(_), Some(_)) => return Err(PyTypeError::new_err("data and string can't both be given")),
            (data, string) => data.or(string),
        };
        let mut message =
            bank.map_or_else(|| Message::new(algorithm), |bank| Message::Long(Stream::from_bank(bank)));
        if let Some(data) = data {
            with_bytes(&data, |bytes| {
                if bytes.len() < ALONE {
                    message.update(algorithm, bytes);
                } else {
                    data.py().detach(|| message.update(algorithm, bytes));
                }
            })?;
        }
        Ok(Hash { algorithm, message: Mutex::new(message) })
    }

    /// Locks the message. A thread that hashes in it needs no GIL to finish, so waiting with the GIL would only stop
    /// all other threads.
    fn message(&self, py: Python<'_>) -> MutexGuard<'_, Message> {
        match self.message.try_lock() {
            Ok(message) => message,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                py.detach(|| drop(self.lock()));
                self.lock()
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Message> {
        self.message.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn finish(&self, py: Python<'_>) -> Digest {
        self.message(py).digest(self.algorithm)
    }

    /// Returns whether any position of the output costs the same.
    pub(crate) fn can_seek(&self) -> bool {
        self.algorithm.tree.is_some()
    }

    /// Writes the output for the bytes so far from its byte `from` on, for an algorithm whose output has any length.
    pub(crate) fn extend(&self, py: Python<'_>, from: u64, output: &mut [u8]) {
        if output.len() < ALONE {
            self.message(py).extend(self.algorithm, from, output);
        } else {
            py.detach(|| self.lock().extend(self.algorithm, from, output));
        }
    }
}

#[pymethods]
impl Hash {
    /// Adds bytes to the message: any contiguous bytes-like object.
    pub(crate) fn update(&self, data: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, algorithm) = (data.py(), self.algorithm);
        with_bytes(data, |bytes| {
            if bytes.len() < ALONE {
                self.message(py).update(algorithm, bytes);
            } else {
                py.detach(|| self.lock().update(algorithm, bytes));
            }
        })
    }

    /// Returns the digest of the bytes so far.
    fn digest<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.finish(py).as_bytes())
    }

    /// Returns the digest of the bytes so far, in hexadecimal digits.
    fn hexdigest(&self, py: Python<'_>) -> String {
        self.finish(py).to_string()
    }

    /// Returns the digest of the bytes so far as a number, whose first byte is the most significant one, as xxhash does.
    fn intdigest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.get_type::<PyInt>().call_method1("from_bytes", (self.digest(py), "big"))
    }

    /// Returns the digest of the bytes so far in the algorithm's usual text: hexadecimal for most; `HEX-PARTS` for
    /// `s3-etag`, base64 for `quickxor`.
    fn text(&self, py: Python<'_>) -> String {
        self.algorithm.format(&self.finish(py))
    }

    /// Returns an independent copy.
    pub(crate) fn copy(&self, py: Python<'_>) -> Hash {
        let message = self.message(py).copy();
        Hash { algorithm: self.algorithm, message: Mutex::new(message) }
    }

    fn __copy__(&self, py: Python<'_>) -> Hash {
        self.copy(py)
    }

    /// The algorithm's name, which `hashmill.new` takes.
    #[getter]
    fn name(&self) -> &'static str {
        self.algorithm.name
    }

    /// The size of the digest in bytes.
    #[getter]
    pub(crate) fn digest_size(&self) -> usize {
        self.algorithm.bits as usize / 8
    }

    /// The size of a block in bytes.
    #[getter]
    fn block_size(&self) -> usize {
        block_size(self.algorithm)
    }

    fn __repr__(&self) -> String {
        format!("<hashmill {} hash object>", self.algorithm.name)
    }

    fn __reduce_ex__(&self, _protocol: usize) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "cannot pickle 'Hash' object: a message that is being hashed can't be stored",
        ))
    }
}

/// Makes a hash object of the algorithm with this name, alias or tag, which has taken `data`.
#[pyfunction]
#[pyo3(signature = (name, data = Given(None), *, usedforsecurity = true, string = Given(None), **options))]
pub(crate) fn new<'py>(
    py: Python<'py>,
    name: AlgorithmName,
    data: Given<'_>,
    usedforsecurity: bool,
    string: Given<'_>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, Hash>> {
    let _ = usedforsecurity;
    Hash::make(py, name.row()?, data, string, options)
}
