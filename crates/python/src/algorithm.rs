//! Algorithms as constructors: `hashloom.sha256`.

use crate::error::wrong;
use crate::hasher::{Given, Hash};
use hashloom_digest::{ALGORITHMS, Algorithm as Row, find};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// An algorithm. Called, it makes a hash object, as a constructor of hashlib does.
#[pyclass(frozen, module = "hashloom", eq, hash)]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Algorithm(pub(crate) &'static Row);

#[pymethods]
impl Algorithm {
    #[new]
    fn new(name: &str) -> PyResult<Algorithm> {
        algorithm(name)
    }

    /// A hash object of it, which has taken `data`.
    #[pyo3(signature = (data = Given(None), /, *, usedforsecurity = true, string = Given(None)))]
    fn __call__(&self, data: Given<'_>, usedforsecurity: bool, string: Given<'_>) -> PyResult<Hash> {
        let _ = usedforsecurity;
        Hash::begin(self.0, data, string)
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

    /// Other names that are understood.
    #[getter]
    fn aliases<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.aliases)
    }

    /// Bytes of the digest.
    #[getter]
    fn digest_size(&self) -> usize {
        self.0.bits as usize / 8
    }

    /// Bytes of a block, as HMAC needs it.
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

    /// The kernel that this machine runs for many messages at once.
    #[getter]
    fn kernel(&self) -> &'static str {
        self.0.kernel()
    }

    #[getter]
    fn __doc__(&self) -> String {
        let Row { name, bits, source, .. } = self.0;
        format!(
            "{name}(data=b'', /, *, usedforsecurity=True)\n--\n\nA hash object of {name} ({bits} bits; {source})."
        )
    }

    fn __repr__(&self) -> String {
        format!("<hashloom algorithm {}>", self.0.name)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (&'static str,))> {
        Ok((slf.get_type().into_any(), (slf.get().0.name,)))
    }
}

/// The name as Python can spell it.
fn identifier(name: &str) -> String {
    name.replace(['-', ':', '/'], "_")
}

/// Every algorithm of the registry.
#[pyfunction]
pub(crate) fn algorithms() -> Vec<Algorithm> {
    ALGORITHMS.iter().map(Algorithm).collect()
}

/// The algorithm of a name or an alias, in any case; one with a size, too: `s3-etag:8M`.
#[pyfunction]
pub(crate) fn algorithm(name: &str) -> PyResult<Algorithm> {
    find(name).map(Algorithm).map_err(wrong)
}

/// Refuses a comma-separated list of names that has one which no algorithm has.
#[pyfunction]
pub(crate) fn check_names(names: &str) -> PyResult<()> {
    hashloom_job::Algorithms::named(names).map(drop).map_err(wrong)
}

/// Bytes of a block; of what has none, 64, which HMAC would take.
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
