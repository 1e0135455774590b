//! Algorithms as constructors: `hashmill.sha256`.

use crate::error::wrong;
use crate::hasher::{Given, Hash};
use crate::parameters::{blake2, signature};
use hashmill_digest::{ALGORITHMS, Algorithm as Row, Class, find};
use pyo3::exceptions::{PyAttributeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::ffi::CString;

/// An algorithm. Calling it makes a hash object, like a constructor of hashlib.
#[pyclass(frozen, subclass, module = "hashmill", eq, hash)]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Algorithm(pub(crate) &'static Row);

/// An algorithm whose output has any length. Its hash objects take `length` and `seek`.
#[pyclass(frozen, extends = Algorithm, module = "hashmill")]
pub(crate) struct ExtendableAlgorithm;

#[pymethods]
impl ExtendableAlgorithm {
    #[new]
    fn new(name: AlgorithmName) -> PyResult<PyClassInitializer<ExtendableAlgorithm>> {
        let row = name.row()?;
        if !row.extendable {
            return Err(wrong(format!("the output of {} has one length", row.name)));
        }
        Ok(ExtendableAlgorithm::initializer(row))
    }
}

impl ExtendableAlgorithm {
    fn initializer(row: &'static Row) -> PyClassInitializer<ExtendableAlgorithm> {
        PyClassInitializer::from(Algorithm(row)).add_subclass(ExtendableAlgorithm)
    }
}

impl Algorithm {
    /// Returns the Python object of a row.
    fn object<'py>(py: Python<'py>, row: &'static Row) -> PyResult<Bound<'py, Algorithm>> {
        if row.extendable {
            return Ok(Bound::new(py, ExtendableAlgorithm::initializer(row))?.into_super());
        }
        Bound::new(py, Algorithm(row))
    }
}

#[pymethods]
impl Algorithm {
    #[new]
    fn new(name: AlgorithmName) -> PyResult<Algorithm> {
        name.row().map(Algorithm)
    }

    /// Makes a hash object that has taken `data`. BLAKE2 and BLAKE3 take options such as `key`.
    #[pyo3(signature = (data = Given(None), *, usedforsecurity = true, string = Given(None), **options))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        data: Given<'_>,
        usedforsecurity: bool,
        string: Given<'_>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, Hash>> {
        let _ = usedforsecurity;
        Hash::make(py, self.0, data, string, options)
    }

    /// Returns the limits of BLAKE2 by hashlib's names.
    fn __getattr__(&self, name: &str) -> PyResult<usize> {
        let limit = blake2(self.0).and_then(|function| match name {
            "MAX_DIGEST_SIZE" => Some(function.digest),
            "MAX_KEY_SIZE" => Some(function.key),
            "SALT_SIZE" => Some(function.salt),
            "PERSON_SIZE" => Some(function.person),
            _ => None,
        });
        limit.ok_or_else(|| {
            PyAttributeError::new_err(format!("hashmill algorithm {} has no attribute '{name}'", self.0.name))
        })
    }

    /// Its name in options, manifests and results.
    #[getter]
    fn name(&self) -> &'static str {
        self.0.name
    }

    #[getter]
    fn __name__(&self) -> String {
        identifier(self.0.name)
    }

    /// Other names that are accepted.
    #[getter]
    fn aliases<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.aliases)
    }

    /// The size of the digest in bytes.
    #[getter]
    fn digest_size(&self) -> usize {
        self.0.bits as usize / 8
    }

    /// The size of a block in bytes, as HMAC needs it.
    #[getter]
    fn block_size(&self) -> usize {
        block_size(self.0)
    }

    /// The class: `cryptographic`, `broken` (collisions can be made), `checksum`,
    /// `truncated` (below 128 bits).
    #[getter]
    fn kind(&self) -> &'static str {
        self.0.class.word()
    }

    /// The standard or paper that defines it.
    #[getter]
    fn source(&self) -> &'static str {
        self.0.source
    }

    /// The kernel that this machine uses to hash many messages at once.
    #[getter]
    fn kernel(&self) -> &'static str {
        self.0.kernel()
    }

    /// The text that `help` shows.
    fn _text(&self) -> String {
        let Row { tag, bits, source, .. } = self.0;
        let bytes = bits / 8;
        let (name, parameters, kind) = (identifier(self.0.name), signature(self.0), about(self.0.class));
        format!(
            "{name}{parameters}\n\nReturns a hash object that has taken `data`, as a constructor of hashlib.\n\n{tag} is {kind}; its \
             digests have {bits} bits ({bytes} bytes). It is defined in: {source}."
        )
    }

    /// The parameters of a call, for `inspect.signature`.
    #[getter]
    fn __signature__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let code = format!("lambda {}: None", signature(self.0).trim_matches(['(', ')']));
        let function = py.eval(&CString::new(code)?, None, None)?;
        py.import("inspect")?.call_method1("signature", (function,))
    }

    fn __repr__(&self) -> String {
        format!("<hashmill algorithm {}>", self.0.name)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (&'static str,))> {
        Ok((slf.get_type().into_any(), (slf.get().0.name,)))
    }
}

/// Returns the words for a class of algorithms.
fn about(class: Class) -> &'static str {
    match class {
        Class::Cryptographic => "a cryptographic hash function",
        Class::Broken => "a broken hash function: anybody can make two messages with the same digest",
        Class::Truncated => "a hash function with short digests: two messages with the same one can be found",
        Class::Checksum => "a checksum: it finds accidents, and anybody can make a message for it",
    }
}

/// Returns the name as a Python identifier.
fn identifier(name: &str) -> String {
    name.replace(['-', ':', '/'], "_")
}

/// The name of an algorithm, or its Python identifier: `shake_128`.
pub(crate) struct AlgorithmName(String);

impl AlgorithmName {
    /// Finds the algorithm. The error of an argument's own conversion would say which argument it was, in a second line.
    pub(crate) fn row(&self) -> PyResult<&'static Row> {
        named(&self.0)
    }
}

impl FromPyObject<'_, '_> for AlgorithmName {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<AlgorithmName> {
        let Ok(name) = object.extract::<&str>() else {
            let kind = object.get_type().name()?;
            return Err(PyTypeError::new_err(format!("the name of an algorithm is text, not {kind}")));
        };
        Ok(AlgorithmName(name.into()))
    }
}

/// Finds an algorithm by its name, also by its Python identifier: `shake_128`.
pub(crate) fn named(name: &str) -> PyResult<&'static Row> {
    find(name).or_else(|unknown| find(&name.replace('_', "-")).map_err(|_| wrong(unknown)))
}

/// Returns every algorithm of the registry.
#[pyfunction]
pub(crate) fn algorithms(py: Python<'_>) -> PyResult<Vec<Bound<'_, Algorithm>>> {
    ALGORITHMS.iter().map(|row| Algorithm::object(py, row)).collect()
}

/// Returns the algorithm of a name or an alias, in upper or lower case; also one with a size: `s3-etag:8M`.
#[pyfunction]
pub(crate) fn algorithm(py: Python<'_>, name: AlgorithmName) -> PyResult<Bound<'_, Algorithm>> {
    Algorithm::object(py, name.row()?)
}

/// Refuses a comma-separated list of names if one of them is not the name of an algorithm.
#[pyfunction]
pub(crate) fn check_names(names: &str) -> PyResult<()> {
    hashmill_job::Algorithms::named(names).map(drop).map_err(wrong)
}

/// Returns the size of a block in bytes; 64 for algorithms without blocks, which is the size that HMAC would take.
pub(crate) fn block_size(row: &Row) -> usize {
    match row.name {
        _ if row.lanes.is_some() => row.lanes.map_or(64, |lanes| lanes.block),
        "edonr512" => 128,
        "gost94" | "gost94-cryptopro" | "snefru256" => 32,
        "snefru128" => 48,
        "kangarootwelve" => 168,
        name if name.starts_with("blake2b") => 128,
        _ => 64,
    }
}
