//! The result of a comparison for one file.

use crate::error::wrong;
use hashmill_digest::{Digest, MAX_BYTES, find};
use hashmill_manifest::audit::{Content, Sides, Unjudged, Verdict};
use hashmill_manifest::{Label, Named, Piece, Time};
use hashmill_os::names;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::borrow::Cow;
use std::ffi::OsStr;
use std::io;

/// The result of an audit or a check for one file or piece.
#[pyclass(frozen, module = "hashmill", eq)]
#[derive(PartialEq)]
pub(crate) struct Entry {
    /// `matched`, `changed`, `moved`, `copied`, `new`, `missing`, `unreadable`. For files that could not be compared:
    /// `unproven`, `unsupported`, `unnamed`, `partly-verified`, `not_compared`.
    #[pyo3(get)]
    pub(crate) category: Cow<'static, str>,
    pub(crate) path: Box<[u8]>,
    pub(crate) known_path: Option<Box<[u8]>>,
    /// The status of the file that was read.
    #[pyo3(get)]
    pub(crate) status: Option<Cow<'static, str>>,
    /// The strength of the store's evidence: of a `matched` file, or if an `unproven` one matched.
    #[pyo3(get)]
    pub(crate) strength: Option<Cow<'static, str>>,
    pub(crate) piece: Option<Piece>,
    /// The category by sets of known digests, and the set that gave it.
    #[pyo3(get)]
    pub(crate) known: Option<(String, String)>,
    pub(crate) sides: Option<Sides>,
}

/// Size, time (seconds and nanoseconds), and digests (algorithm, bytes, whether it was guessed), in pickled form.
type Packed = (Option<u64>, Option<(i64, u32)>, Vec<(String, Vec<u8>, bool)>);

/// The content on both sides, and the reason.
type PackedSides = (Option<Packed>, Option<Packed>, Option<String>);

/// Category, status, strength.
type Words = (String, Option<String>, Option<String>);

impl Entry {
    /// Makes the entry of an audit's verdict.
    pub(crate) fn from_verdict(verdict: &Verdict, label: Option<&Label>) -> Entry {
        Entry {
            category: verdict.category.word().into(),
            path: verdict.path.clone(),
            known_path: verdict.known_path.clone(),
            status: verdict.status.map(|status| status.word().into()),
            strength: verdict.strength.map(|strength| strength.word().into()),
            piece: verdict.piece,
            known: label.map(|label| (label.category.to_string(), label.set.to_string())),
            sides: verdict.sides.as_deref().cloned(),
        }
    }

    /// Makes the entry of a file that could not be compared.
    pub(crate) fn of_unjudged(unjudged: &Unjudged) -> Entry {
        Entry {
            known_path: Some(unjudged.known_path.clone()),
            strength: unjudged.why.strength().map(|strength| strength.word().into()),
            sides: unjudged.sides.as_deref().cloned(),
            ..Entry::word(unjudged.why.word(), &unjudged.path)
        }
    }

    /// Makes an entry of one word about a path.
    pub(crate) fn word(category: &'static str, path: &[u8]) -> Entry {
        let (known_path, status, strength, piece, known, sides) = Default::default();
        Entry {
            category: category.into(),
            path: path.into(),
            known_path,
            status,
            strength,
            piece,
            known,
            sides,
        }
    }

    /// Adds the content on both sides to the entry.
    pub(crate) fn with_sides(self, sides: Option<&Sides>) -> Entry {
        Entry { sides: sides.cloned(), ..self }
    }
}

#[pymethods]
impl Entry {
    /// The actual path, as from `os.fsdecode`; of a missing file the path in the manifest.
    #[getter]
    fn path(&self) -> io::Result<Cow<'_, OsStr>> {
        names::name(&self.path)
    }

    /// The path in the manifest.
    #[getter]
    fn known_path(&self) -> io::Result<Option<Cow<'_, OsStr>>> {
        self.known_path.as_deref().map(names::name).transpose()
    }

    /// The expected content: `size`, `mtime` and `digests`, as far as they are known.
    #[getter]
    fn expected<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        self.sides
            .as_ref()
            .and_then(|sides| sides.expected.as_ref())
            .map(|content| dict(py, content))
            .transpose()
    }

    /// The actual content, likewise.
    #[getter]
    fn actual<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        self.sides
            .as_ref()
            .and_then(|sides| sides.actual.as_ref())
            .map(|content| dict(py, content))
            .transpose()
    }

    /// The reason why it could not be read: the name of a system error (`EACCES`), or `timeout`.
    #[getter]
    fn reason(&self) -> Option<&str> {
        self.sides.as_ref().and_then(|sides| sides.reason.as_deref())
    }

    /// The offset of a piece.
    #[getter]
    fn offset(&self) -> Option<u64> {
        self.piece.map(|piece| piece.offset)
    }

    /// The length of a piece in bytes.
    #[getter]
    fn length(&self) -> Option<u64> {
        self.piece.map(|piece| piece.length)
    }

    /// Makes an entry from its parts, for pickling.
    #[staticmethod]
    fn _of_parts(
        words: Words,
        path: Vec<u8>,
        known_path: Option<Vec<u8>>,
        piece: Option<(u64, u64)>,
        known: Option<(String, String)>,
        sides: Option<PackedSides>,
    ) -> PyResult<Entry> {
        let (category, status, strength) = words;
        Ok(Entry {
            category: category.into(),
            path: path.into(),
            known_path: known_path.map(Into::into),
            status: status.map(Into::into),
            strength: strength.map(Into::into),
            piece: piece.map(|(offset, length)| Piece { offset, length }),
            known,
            sides: sides.map(unpacked_sides).transpose()?,
        })
    }

    #[allow(clippy::type_complexity, reason = "what pickle takes")]
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(
        Bound<'py, PyAny>,
        (
            Words,
            Bound<'py, PyBytes>,
            Option<Bound<'py, PyBytes>>,
            Option<(u64, u64)>,
            Option<(String, String)>,
            Option<PackedSides>,
        ),
    )> {
        let (py, entry) = (slf.py(), slf.get());
        let text = |word: &Cow<'static, str>| word.to_string();
        let words =
            (text(&entry.category), entry.status.as_ref().map(text), entry.strength.as_ref().map(text));
        let parts = (
            words,
            PyBytes::new(py, &entry.path),
            entry.known_path.as_ref().map(|path| PyBytes::new(py, path)),
            entry.piece.map(|piece| (piece.offset, piece.length)),
            entry.known.clone(),
            entry.sides.as_ref().map(packed_sides),
        );
        Ok((slf.get_type().getattr("_of_parts")?, parts))
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

fn packed_sides(sides: &Sides) -> PackedSides {
    let packed = |content: &Content| {
        let digests = content.digests.iter();
        let digest = |named: &Named| {
            (named.algorithm.name.to_owned(), named.digest.as_bytes().to_vec(), named.guessed)
        };
        let time = content.mtime.map(|time| (time.seconds, time.nanoseconds));
        (content.size, time, digests.map(digest).collect())
    };
    let reason = sides.reason.as_deref().map(str::to_owned);
    (sides.expected.as_ref().map(packed), sides.actual.as_ref().map(packed), reason)
}

fn unpacked_sides((expected, actual, reason): PackedSides) -> PyResult<Sides> {
    let (expected, actual) = (expected.map(unpacked).transpose()?, actual.map(unpacked).transpose()?);
    Ok(Sides { expected, actual, reason: reason.map(Into::into) })
}

fn unpacked((size, time, digests): Packed) -> PyResult<Content> {
    let named = |(name, digest, guessed): (String, Vec<u8>, bool)| {
        let algorithm = find(&name).map_err(wrong)?;
        if digest.len() > MAX_BYTES {
            return Err(wrong(format!("a digest can't have {} bytes", digest.len())));
        }
        Ok(Named { algorithm, digest: Digest::new(&digest), guessed })
    };
    let digests = digests.into_iter().map(named).collect::<PyResult<_>>()?;
    let mtime = time.map(|(seconds, nanoseconds)| Time { seconds, nanoseconds });
    Ok(Content { size, mtime, digests })
}

/// Makes a dictionary of content, with the keys of the command's JSON.
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
