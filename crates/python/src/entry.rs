//! What a comparison says of one file.

use hashloom_manifest::audit::{Unjudged, Verdict};
use hashloom_manifest::{Label, Piece};
use pyo3::prelude::*;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

/// What an audit or a check says of one file or piece.
#[pyclass(frozen, module = "hashloom", eq)]
#[derive(PartialEq)]
pub(crate) struct Entry {
    /// `matched`, `changed`, `moved`, `copied`, `new`, `missing`, `unreadable`; of a check `ok`, `failed`, `missing`,
    /// `unreadable`, `unsupported`, `new`. Of what could not be compared `unproven`, `unsupported`, `not_compared`.
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
        }
    }

    /// A file that could not be compared.
    pub(crate) fn of_unjudged(unjudged: &Unjudged) -> Entry {
        Entry {
            known_path: Some(unjudged.known_path.clone()),
            ..Entry::word(unjudged.why.word(), &unjudged.path)
        }
    }

    /// One word about a path.
    pub(crate) fn word(category: &'static str, path: &[u8]) -> Entry {
        Entry { category, path: path.into(), known_path: None, status: None, piece: None, known: None }
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
