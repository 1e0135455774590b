//! What a comparison says of one file.

use hashloom_manifest::audit::{Content, Sides, Unjudged, Verdict};
use hashloom_manifest::{Label, Piece};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

/// What an audit or a check says of one file or piece.
#[pyclass(frozen, module = "hashloom", eq)]
#[derive(PartialEq)]
pub(crate) struct Entry {
    /// `matched`, `changed`, `moved`, `copied`, `new`, `missing`, `unreadable`. Of what could not be compared `unproven`,
    /// `unsupported`, `unnamed`, `partly-verified`, `not_compared`.
    #[pyo3(get)]
    pub(crate) category: &'static str,
    pub(crate) path: Box<[u8]>,
    pub(crate) known_path: Option<Box<[u8]>>,
    /// The status of what is there.
    #[pyo3(get)]
    pub(crate) status: Option<&'static str>,
    pub(crate) piece: Option<Piece>,
    /// What sets of known digests say of it, and the set that says so.
    #[pyo3(get)]
    pub(crate) known: Option<(String, String)>,
    sides: Option<Sides>,
}

impl Entry {
    /// A verdict of an audit.
    pub(crate) fn of(verdict: &Verdict, label: Option<&Label>) -> Entry {
        Entry {
            category: verdict.category.word(),
            path: verdict.path.clone(),
            known_path: verdict.known_path.clone(),
            status: verdict.status.map(|status| status.word()),
            piece: verdict.piece,
            known: label.map(|label| (label.category.to_string(), label.set.to_string())),
            sides: verdict.sides.as_deref().cloned(),
        }
    }

    /// A file that could not be compared.
    pub(crate) fn of_unjudged(unjudged: &Unjudged) -> Entry {
        Entry {
            known_path: Some(unjudged.known_path.clone()),
            sides: unjudged.sides.as_deref().cloned(),
            ..Entry::word(unjudged.why.word(), &unjudged.path)
        }
    }

    /// One word about a path.
    pub(crate) fn word(category: &'static str, path: &[u8]) -> Entry {
        let (known_path, status, piece, known, sides) = Default::default();
        Entry { category, path: path.into(), known_path, status, piece, known, sides }
    }

    /// The same entry, with the content on both sides.
    pub(crate) fn with_sides(self, sides: Option<&Sides>) -> Entry {
        Entry { sides: sides.cloned(), ..self }
    }
}

#[pymethods]
impl Entry {
    /// The path here; of a missing file the path in the manifest. As `os.fsdecode` has it.
    #[getter]
    fn path(&self) -> &OsStr {
        OsStr::from_bytes(&self.path)
    }

    /// The path in the manifest.
    #[getter]
    fn known_path(&self) -> Option<&OsStr> {
        self.known_path.as_deref().map(OsStr::from_bytes)
    }

    /// The content that there should be: `size`, `mtime` and `digests`, as far as they are known.
    #[getter]
    fn expected<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        self.sides
            .as_ref()
            .and_then(|sides| sides.expected.as_ref())
            .map(|content| dict(py, content))
            .transpose()
    }

    /// The content that is there, likewise.
    #[getter]
    fn actual<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        self.sides
            .as_ref()
            .and_then(|sides| sides.actual.as_ref())
            .map(|content| dict(py, content))
            .transpose()
    }

    /// Why it could not be read: the name of an error of the system (`EACCES`), or `timeout`.
    #[getter]
    fn reason(&self) -> Option<&str> {
        self.sides.as_ref().and_then(|sides| sides.reason.as_deref())
    }

    /// Of a piece: where it begins.
    #[getter]
    fn offset(&self) -> Option<u64> {
        self.piece.map(|piece| piece.offset)
    }

    /// Of a piece: bytes.
    #[getter]
    fn length(&self) -> Option<u64> {
        self.piece.map(|piece| piece.length)
    }

    fn __repr__(&self) -> String {
        let path = String::from_utf8_lossy(&self.path);
        match self.known_path.as_deref().filter(|known| **known != *self.path) {
            Some(known) => {
                let known = String::from_utf8_lossy(known);
                format!("Entry({:?}, {path:?}, known_path={known:?})", self.category)
            }
            None => format!("Entry({:?}, {path:?})", self.category),
        }
    }
}

/// The keys are those of the command's JSON.
fn dict<'py>(py: Python<'py>, content: &Content) -> PyResult<Bound<'py, PyDict>> {
    let (whole, digests) = (PyDict::new(py), PyDict::new(py));
    if let Some(size) = content.size {
        whole.set_item("size", size)?;
    }
    if let Some(time) = content.mtime.and_then(|time| time.to_rfc3339()) {
        whole.set_item("mtime", time)?;
    }
    for named in &content.digests {
        digests.set_item(named.algorithm.name, named.algorithm.format(&named.digest))?;
    }
    whole.set_item("digests", digests)?;
    Ok(whole)
}
