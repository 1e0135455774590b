//! A record as Python sees it.

use crate::error::{failed, number, os_error, said};
use hashmill_digest::find;
use hashmill_facts::{ContentType, Pronom, RuleFacts};
use hashmill_manifest::format::{Hint, Layout, find_format, open};
use hashmill_manifest::{Allocation, Record as Inner, Status, Time};
use hashmill_os::names;
use pyo3::exceptions::{PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyIterator};
use std::borrow::Cow;
use std::ffi::OsStr;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;

/// The result for a file: its digests, or the reason why it has none.
///
/// It is a mapping: `record["sha256"]` is a digest in its algorithm's usual text, `record["size"]` and the like are the
/// values of `as_dict()`, whose keys are those of the format jsonl. `pandas.DataFrame(records)` makes a table of them.
#[pyclass(frozen, module = "hashmill")]
pub(crate) struct Record {
    pub(crate) inner: Inner,
    /// The text of the error, and the number of the system's error.
    pub(crate) error: Option<(String, Option<i32>)>,
}

impl Record {
    /// Makes a record without an error.
    pub(crate) fn from_inner(inner: &Inner) -> Record {
        Record { inner: inner.clone(), error: None }
    }

    /// Makes a record of a file that could not be read.
    pub(crate) fn failed(error: &hashmill_source::Error, inner: &Inner) -> Record {
        let said = (said(&error.problem), number(&error.problem));
        Record { inner: inner.clone(), error: Some(said) }
    }

    /// Returns the exception for the error, if there is one.
    pub(crate) fn exception(&self) -> Option<PyErr> {
        let (said, number) = self.error.as_ref()?;
        Some(os_error(&self.inner.path, said, *number))
    }

    /// Returns each algorithm's name and its digest as text.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&'static str, Option<String>)> {
        let digests = self.inner.digests.iter();
        let digests =
            digests.map(|named| (named.algorithm.name, Some(named.algorithm.format(&named.digest))));
        let likeness = self.inner.likeness.iter();
        digests.chain(likeness.map(|likeness| (likeness.algorithm.name, likeness.text(&self.inner.path))))
    }

    /// Returns the type of the content, if it is known.
    pub(crate) fn content_type(&self) -> Option<&ContentType> {
        self.inner.facts.as_ref()?.content_type.as_deref()
    }

    /// Returns the rules that match, if they were looked for.
    pub(crate) fn rules(&self) -> Option<&RuleFacts> {
        self.inner.facts.as_ref()?.rules.as_deref()
    }

    /// Returns the formats of PRONOM, if they were looked for.
    pub(crate) fn pronom(&self) -> Option<&Pronom> {
        self.inner.facts.as_ref()?.pronom.as_deref()
    }

    fn line(&self) -> PyResult<Vec<u8>> {
        let format = find_format("jsonl").and_then(|format| format.writer);
        let layout = Layout {
            algorithms: self.inner.digests.iter().map(|named| named.algorithm).collect(),
            likeness: self.inner.likeness.iter().map(|likeness| likeness.algorithm).enumerate().collect(),
            facts: self.inner.facts.as_ref().map(|facts| facts.known()).unwrap_or_default(),
            style: Default::default(),
            leaves: !self.inner.leaves.is_empty(),
            pieces: self.inner.piece.is_some(),
            times: self.inner.mtime.is_some(),
            metadata: self.inner.metadata.is_some() && !self.inner.is_inside(),
            inside: self.inner.is_inside(),
            attributes: self.inner.has_attributes(),
            bad_blocks: !self.inner.bad_blocks.is_empty(),
            labels: self.inner.label.is_some(),
            stored: self.inner.status.strength().is_some(),
            versions: self.inner.version.is_some(),
            case: None,
        };
        let mut line = Vec::new();
        let writer = format.ok_or_else(|| failed("this build has no jsonl"))?;
        writer(layout).record(&self.inner, &mut line)?;
        Ok(line)
    }
}

#[pymethods]
impl Record {
    /// The path, as from `os.fsdecode`: bytes that are not text are surrogates.
    #[getter]
    fn path(&self) -> io::Result<Cow<'_, OsStr>> {
        names::name(&self.inner.path)
    }

    /// The path as bytes.
    #[getter]
    fn path_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.inner.path)
    }

    fn __fspath__(&self) -> io::Result<Cow<'_, OsStr>> {
        self.path()
    }

    /// The size of the file in bytes (of the piece, in a piece's record), if known.
    #[getter]
    fn size(&self) -> Option<u64> {
        self.inner.size
    }

    /// `hashed`, `unreadable`, `changed-while-reading` or `skipped`.
    #[getter]
    fn status(&self) -> &'static str {
        self.inner.status.word()
    }

    /// Whether all bytes were read and hashed.
    #[getter]
    fn ok(&self) -> bool {
        self.inner.is_sound()
    }

    /// The reason why it is not hashed, in one word: `symlink`, `EACCES`, `timeout` and the like.
    #[getter]
    fn reason(&self) -> Option<&str> {
        self.inner.reason.as_deref()
    }

    /// The version of an object, if its store keeps versions.
    #[getter]
    fn version(&self) -> Option<&str> {
        self.inner.version.as_deref()
    }

    /// The text of the error.
    #[getter]
    pub(crate) fn error(&self) -> Option<&str> {
        self.error.as_ref().map(|(said, _)| said.as_str())
    }

    /// Each algorithm's name and its digest in the algorithm's usual text.
    #[getter]
    fn digests<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let digests = PyDict::new(py);
        self.texts().try_for_each(|(name, text)| digests.set_item(name, text))?;
        Ok(digests)
    }

    /// The offset of a piece in its file.
    #[getter]
    fn offset(&self) -> Option<u64> {
        self.inner.piece.map(|piece| piece.offset)
    }

    /// The length of a piece in bytes.
    #[getter]
    fn length(&self) -> Option<u64> {
        self.inner.piece.map(|piece| piece.length)
    }

    /// The modification time of the file: nanoseconds since 1970, like `st_mtime_ns`.
    #[getter]
    fn mtime_ns(&self) -> Option<i128> {
        nanoseconds(self.inner.mtime?)
    }

    /// The time of the last change of the inode: nanoseconds since 1970, like `st_ctime_ns`; with `metadata` or `reuse`.
    #[getter]
    fn ctime_ns(&self) -> Option<i128> {
        nanoseconds(self.inner.metadata.as_ref()?.ctime?)
    }

    /// The inode number; with `metadata` or `reuse`.
    #[getter]
    fn inode(&self) -> Option<u64> {
        self.inner.metadata.as_ref()?.inode
    }

    /// The number of the device; with `metadata` or `reuse`.
    #[getter]
    fn device(&self) -> Option<u64> {
        self.inner.metadata.as_ref()?.device
    }

    /// The time at which a run read the file: nanoseconds since 1970; with `metadata` or `reuse`.
    #[getter]
    fn read_ns(&self) -> Option<i128> {
        nanoseconds(self.inner.metadata.as_ref()?.read?)
    }

    /// Whether the digests were taken from an earlier manifest, so that the file was not read.
    #[getter]
    fn reused(&self) -> bool {
        self.inner.is_reused()
    }

    /// The time of the last access of an entry inside of an image: nanoseconds since 1970.
    #[getter]
    fn atime_ns(&self) -> Option<i128> {
        nanoseconds(self.inner.metadata.as_ref()?.accessed?)
    }

    /// The time of the creation of an entry inside of an image: nanoseconds since 1970.
    #[getter]
    fn crtime_ns(&self) -> Option<i128> {
        nanoseconds(self.inner.metadata.as_ref()?.created?)
    }

    /// The kind of file system or archive that an entry lies in, such as `ntfs`.
    #[getter]
    pub(crate) fn container(&self) -> Option<&str> {
        self.inner.metadata.as_ref()?.container.as_deref()
    }

    /// The remains of an entry that was deleted: `intact`, `overlapped` or `partial`.
    #[getter]
    pub(crate) fn allocation(&self) -> Option<&'static str> {
        self.inner.metadata.as_ref()?.allocation.map(Allocation::word)
    }

    /// The attributes that Windows, NTFS or FAT has of it, such as `readonly hidden`.
    #[getter]
    pub(crate) fn attributes(&self) -> Option<String> {
        let attributes = self.inner.metadata.as_ref()?.attributes;
        (!attributes.is_empty()).then(|| attributes.to_string())
    }

    /// The type of the content: `mime`, `name` and `extensions`; with `facts`, if it is known.
    #[getter]
    fn r#type<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(content) = self.content_type() else { return Ok(None) };
        let parts = PyDict::new(py);
        parts.set_item("mime", &*content.mime)?;
        parts.set_item("name", &*content.name)?;
        parts.set_item("extensions", content.extensions.iter().map(|one| &**one).collect::<Vec<_>>())?;
        Ok(Some(parts))
    }

    /// Whether the name's extension is that of another type; with `facts`, if something can be said.
    #[getter]
    pub(crate) fn mismatch(&self) -> Option<bool> {
        self.inner.facts.as_ref()?.mismatch
    }

    /// The entropy in bits a byte; with `facts`.
    #[getter]
    pub(crate) fn entropy(&self) -> Option<f64> {
        Some(self.inner.facts.as_ref()?.entropy?.bits.to_f64())
    }

    /// The chi-square of evenly spread bytes; with `facts`.
    #[getter]
    pub(crate) fn chi2(&self) -> Option<f64> {
        Some(self.inner.facts.as_ref()?.entropy?.chi_square?.to_f64())
    }

    /// The class on which type and entropy agree: `text`, `compressed` or `random`; with both `facts`.
    #[getter(class_)]
    pub(crate) fn class(&self) -> Option<&'static str> {
        Some(self.inner.facts.as_ref()?.class?.word())
    }

    /// The names of the rules that match, each once; with `yara`.
    #[getter]
    pub(crate) fn yara(&self) -> Option<Vec<&str>> {
        Some(self.rules()?.names())
    }

    /// Whether the rules were judged on all of the content: `scanned`, or why not; with `yara`.
    #[getter]
    pub(crate) fn yara_status(&self) -> Option<&'static str> {
        Some(self.rules()?.status.word())
    }

    /// The rules that match: `rule`, `namespace`, `tags`, `meta` and `strings`; with `yara`, if there are some.
    #[getter]
    fn yara_matches<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self.rules() {
            Some(rules) if !rules.matches.is_empty() => self.as_dict(py)?.get_item("yara_matches"),
            _ => Ok(None),
        }
    }

    /// The identifiers of the formats by the signatures of PRONOM, sorted; with `pronom`.
    #[getter]
    pub(crate) fn puid(&self) -> Option<Vec<&str>> {
        Some(self.pronom()?.puids())
    }

    /// These formats: `puid`, `name`, `version`, `mime` and `basis`; with `pronom`, if there are some.
    #[getter]
    fn puid_formats<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self.pronom() {
            Some(pronom) if !pronom.formats.is_empty() => self.as_dict(py)?.get_item("puid_formats"),
            _ => Ok(None),
        }
    }

    /// The versions of the signature files, and a checksum of them; with `pronom`.
    #[getter]
    pub(crate) fn puid_signatures(&self) -> Option<&str> {
        Some(&self.pronom()?.signatures)
    }

    /// The category by sets of known digests, if they were consulted.
    #[getter]
    pub(crate) fn category(&self) -> Option<&str> {
        self.inner.label.as_ref().map(|label| &*label.category)
    }

    /// The set that gave the category.
    #[getter]
    pub(crate) fn set(&self) -> Option<&str> {
        self.inner.label.as_ref().map(|label| &*label.set).filter(|set| !set.is_empty())
    }

    /// Parts that could not be read and were hashed as zeros: offset and length of each.
    #[getter]
    fn bad_blocks(&self) -> Vec<(u64, u64)> {
        self.inner.bad_blocks.iter().map(|piece| (piece.offset, piece.length)).collect()
    }

    /// Returns all values, with the keys of the format jsonl; also `error` if something went wrong.
    fn as_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let line = self.line()?;
        let json = py.import("json")?;
        let dict = json.call_method1("loads", (PyBytes::new(py, &line),))?.cast_into::<PyDict>()?;
        if let Some((said, _)) = &self.error {
            dict.set_item("error", said)?;
        }
        Ok(dict)
    }

    fn __getitem__<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Bound<'py, PyAny>> {
        let name = find(key).map_or(key, |algorithm| algorithm.name);
        if let Some((_, text)) = self.texts().find(|(known, _)| *known == name) {
            return Ok(text.into_pyobject(py)?.into_any());
        }
        self.as_dict(py)?.get_item(key)?.ok_or_else(|| PyKeyError::new_err(key.to_owned()))
    }

    /// The keys of `as_dict()`: a record is a mapping.
    fn keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.as_dict(py)?.call_method0("keys")
    }

    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.as_dict(py)?.call_method0("values")
    }

    fn items<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.as_dict(py)?.call_method0("items")
    }

    /// The value of a key or an algorithm, or else the default.
    #[pyo3(signature = (key, default = None))]
    fn get<'py>(
        &self,
        py: Python<'py>,
        key: &str,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self.__getitem__(py, key) {
            Err(error) if error.is_instance_of::<PyKeyError>(py) => Ok(default),
            value => value.map(Some),
        }
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.as_dict(py)?.as_any().try_iter()
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.as_dict(py)?.len())
    }

    fn __contains__(&self, py: Python<'_>, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(key) = key.extract::<&str>() else { return Ok(false) };
        Ok(self.get(py, key, None)?.is_some() || self.as_dict(py)?.contains(key)?)
    }

    fn __repr__(&self) -> String {
        let path = String::from_utf8_lossy(&self.inner.path);
        let mut text = format!("Record(path={path:?}, status='{}'", self.inner.status.word());
        if let Some(size) = self.inner.size {
            text += &format!(", size={size}");
        }
        for (name, digest) in self.texts() {
            text += &format!(", {name}={:?}", digest.unwrap_or_default());
        }
        if let Some((said, _)) = &self.error {
            text += &format!(", error={said:?}");
        }
        text + ")"
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Record>().is_ok_and(|other| other.get().inner == self.inner)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (&self.inner.path, self.inner.size, self.inner.status == Status::Hashed).hash(&mut hasher);
        self.inner.digests.iter().for_each(|named| named.digest.hash(&mut hasher));
        hasher.finish()
    }

    /// Makes a record from a line of jsonl, for pickling.
    #[staticmethod]
    fn _of_line(line: Vec<u8>, error: Option<(String, Option<i32>)>) -> PyResult<Record> {
        let opened = open(Box::new(std::io::Cursor::new(line)), Hint::None);
        let first = opened.map_err(failed)?.reader.next();
        let inner = first.ok_or_else(|| PyTypeError::new_err("there is no record"))?.map_err(failed)?;
        Ok(Record { inner, error })
    }

    #[allow(clippy::type_complexity, reason = "what pickle takes")]
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>, Option<(String, Option<i32>)>))> {
        let make = slf.get_type().getattr("_of_line")?;
        Ok((make, (PyBytes::new(slf.py(), &slf.get().line()?), slf.get().error.clone())))
    }
}

/// Returns the nanoseconds since 1970.
fn nanoseconds(time: Time) -> Option<i128> {
    Some(i128::from(time.seconds) * 1_000_000_000 + i128::from(time.nanoseconds))
}
