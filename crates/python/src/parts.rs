//! Calls for workers of a cluster about files: many listed files in one run of the engine, ranges of files that are
//! hashed separately, and digests that are folded from them.

use crate::engine::inspection::Inspection;
use crate::engine::signals::watched;
use crate::error::{job, number_of, os_error, wrong};
use crate::options::Resources;
use hashmill_content::Selection;
use hashmill_digest::leaves::{PartHasher, RangePart, fold as fold_parts};
use hashmill_digest::{Algorithm, find};
use hashmill_engine::{Cancel, Order};
use hashmill_job::hash::{HashEvent, HashJob};
use hashmill_job::{Algorithms, Error};
use hashmill_manifest::{Record, Status};
use hashmill_os::error::{Meaning, make};
use hashmill_os::{Facts, facts, names, read_at};
use hashmill_source::Problem;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::ops::ControlFlow::Continue;
use std::path::PathBuf;

pyo3::create_exception!(
    hashmill,
    Changed,
    crate::error::Error,
    "A file is not what it was when it was listed, or changed while it was read."
);

/// The bytes that are read at a time.
const CHUNK: usize = 1 << 20;

/// The outcome for a file: status, reason in a word and as text, size, time (nanoseconds since 1970), and its digests as
/// text, in the order in which the algorithms were named; then the columns of what the inspection found. Content may have no
/// likeness digest.
pub(crate) type FileOutcome = (
    &'static str,
    Option<String>,
    Option<String>,
    Option<u64>,
    Option<i64>,
    Vec<Option<String>>,
    Vec<Option<String>>,
);

/// Returns the unit at multiples of which a part of a message may begin; `None` if the algorithm is serial.
#[pyfunction]
pub(crate) fn part_unit(algorithm: &str) -> PyResult<Option<u64>> {
    if hashmill_similar::find(algorithm).is_some() {
        return Ok(None);
    }
    Ok(find(algorithm).map_err(wrong)?.part_unit())
}

/// Hashes a range of a file, read once, and returns the state for each algorithm. If a size and a time (nanoseconds
/// since 1970) are given, the file must have them before and after.
#[pyfunction]
#[pyo3(signature = (path, algorithms, offset, length, *, size = None, modified = None))]
pub(crate) fn part<'py>(
    py: Python<'py>,
    path: Vec<u8>,
    algorithms: Vec<String>,
    offset: u64,
    length: u64,
    size: Option<u64>,
    modified: Option<i64>,
) -> PyResult<Bound<'py, PyDict>> {
    let mut hashers = Vec::new();
    for name in &algorithms {
        hashers.push(PartHasher::new(find(name).map_err(wrong)?, offset).map_err(wrong)?);
    }
    let expected = Expected { size, modified };
    let cancel = Cancel::default();
    let read = watched(py, &cancel, || read_range(&path, offset, length, &expected, &cancel, &mut hashers))?;
    match read {
        Err(error) => Err(os_error(&path, &error.to_string(), number_of(&error))),
        Ok(false) => Err(Changed::new_err(format!("{}: changed", String::from_utf8_lossy(&path)))),
        Ok(true) => {
            let parts = PyDict::new(py);
            for (name, hasher) in algorithms.iter().zip(hashers) {
                parts.set_item(name, PyBytes::new(py, &hasher.finish().to_bytes()))?;
            }
            Ok(parts)
        }
    }
}

/// The metadata of a file when it was listed.
struct Expected {
    size: Option<u64>,
    modified: Option<i64>,
}

impl Expected {
    fn fits(&self, facts: &Facts) -> bool {
        let time = self.modified.is_none_or(|modified| modified == nanoseconds(facts));
        time && self.size.is_none_or(|size| size == facts.size)
    }
}

/// Hashes a range. Returns whether the file had the expected metadata, before and after.
fn read_range(
    path: &[u8],
    offset: u64,
    length: u64,
    expected: &Expected,
    cancel: &Cancel,
    hashers: &mut [PartHasher],
) -> io::Result<bool> {
    let file = File::open(names::path(path)?)?;
    hashmill_source::settled(&file)?;
    let before = facts(&file)?;
    if !before.is_file() {
        return Err(if before.is_folder() {
            make(Meaning::Folder)
        } else {
            io::ErrorKind::InvalidInput.into()
        });
    }
    let mut buffer = vec![0; CHUNK.min(usize::try_from(length).unwrap_or(CHUNK))];
    let mut at = 0;
    while at < length && expected.fits(&before) && !cancel.is_set() {
        let most = usize::try_from(length - at).map_or(buffer.len(), |left| left.min(buffer.len()));
        let read = match read_at(&file, &mut buffer[..most], offset + at) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        if read == 0 {
            return Ok(false);
        }
        hashers.iter_mut().for_each(|hasher| hasher.update(&buffer[..read]));
        at += read as u64;
    }
    let after = facts(&file)?;
    let same = before.mtime == after.mtime && before.size == after.size;
    Ok(same && expected.fits(&after))
}

fn nanoseconds(facts: &Facts) -> i64 {
    let (seconds, nanoseconds) = facts.mtime;
    seconds.saturating_mul(1_000_000_000).saturating_add(nanoseconds.into())
}

/// Folds stored parts, in any order, into the digest of a message of `size` bytes, as text.
#[pyfunction]
pub(crate) fn fold(py: Python<'_>, algorithm: &str, parts: Vec<Vec<u8>>, size: u64) -> PyResult<String> {
    let algorithm: &'static Algorithm = find(algorithm).map_err(wrong)?;
    py.detach(|| {
        let parts: Result<Vec<RangePart>, _> = parts.iter().map(|part| RangePart::from_bytes(part)).collect();
        let digest = fold_parts(algorithm, &parts.map_err(wrong)?, size).map_err(wrong)?;
        Ok(algorithm.format(&digest))
    })
}

/// The results that are wanted of contents.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'a> {
    pub algorithms: &'a Algorithms,
    pub inspection: &'a Inspection,
}

/// Hashes these files, all in one run, and follows links; returns an outcome for each path, in their order.
#[pyfunction]
pub(crate) fn read_many(
    py: Python<'_>,
    paths: Vec<Vec<u8>>,
    algorithms: &str,
    inspection: &Inspection,
    resources: &Resources,
) -> PyResult<Vec<FileOutcome>> {
    let algorithms = Algorithms::named(algorithms).map_err(wrong)?;
    let wanted = Wanted { algorithms: &algorithms, inspection };
    let cancel = Cancel::default();
    let found = watched(py, &cancel, || many(&paths, wanted, resources, &cancel))?;
    found.map_err(job)
}

fn many(
    paths: &[Vec<u8>],
    wanted: Wanted<'_>,
    resources: &Resources,
    cancel: &Cancel,
) -> Result<Vec<FileOutcome>, Error> {
    let mut outcomes: Vec<FileOutcome> = Vec::new();
    let mut places = HashMap::new();
    let mut files = Vec::new();
    for path in paths {
        let (outcome, file) = look(path);
        if let Some(file) = file {
            let same: &mut Vec<usize> = places.entry(names::path_bytes(&file).into_owned()).or_default();
            if same.is_empty() {
                files.push(file);
            }
            same.push(outcomes.len());
        }
        outcomes.push(outcome);
    }
    if files.is_empty() {
        return Ok(outcomes);
    }
    let selection = Selection { follow: true, ..Selection::from_paths(files) };
    let resources = resources.0.clone();
    let job_ = HashJob {
        order: Order::Any,
        resources,
        cancel: cancel.clone(),
        ..wanted.inspection.of(HashJob::new(selection, wanted.algorithms.clone()))
    };
    job_.run(&mut |event| {
        if let Some((record, outcome)) = outcome(&event, wanted) {
            for place in places.get(&*record.path).into_iter().flatten() {
                outcomes[*place] = outcome.clone();
            }
        }
        Continue(())
    })?;
    Ok(outcomes)
}

/// Returns what is known of a path before it is read, and the path for the engine if it is a file.
fn look(path: &[u8]) -> (FileOutcome, Option<PathBuf>) {
    if path.contains(&0) {
        return (unread("EINVAL", "a path has no zero bytes"), None);
    }
    let place = names::path_to_try(path);
    match fs::metadata(&place) {
        Ok(meta) if meta.is_file() => {
            // A path of `-` would mean standard input.
            (
                unread("error", "was not reached"),
                Some(if path == b"-" { "./-".into() } else { place.into_owned() }),
            )
        }
        Ok(meta) if meta.is_dir() => (unread("EISDIR", "is a directory"), None),
        Ok(_) => (unread("replaced", "is no longer a regular file"), None),
        Err(error) => {
            let problem = Problem::Stat(error);
            (unread(&problem.word(), &problem.to_string()), None)
        }
    }
}

/// Returns the outcome for a file that was not read.
pub(crate) fn unread(reason: &str, error: &str) -> FileOutcome {
    (
        Status::Unreadable.word(),
        Some(reason.to_owned()),
        Some(error.to_owned()),
        None,
        None,
        Vec::new(),
        Vec::new(),
    )
}

/// Returns the record of an event of hashing, and its outcome.
pub(crate) fn outcome<'a>(event: &HashEvent<'a>, wanted: Wanted<'_>) -> Option<(&'a Record, FileOutcome)> {
    let (record, error) = match *event {
        HashEvent::Hashed(record) | HashEvent::Skipped(record, _) => (record, None),
        HashEvent::Failed(error, record) => (record, Some(error.problem.to_string())),
        _ => return None,
    };
    let word = record.reason.as_deref().map(str::to_owned);
    let mut outcome = (record.status.word(), word, error, None, None, Vec::new(), Vec::new());
    if matches!(event, HashEvent::Hashed(_)) {
        outcome.3 = record.size;
        outcome.4 = record.mtime.map(|time| time.seconds * 1_000_000_000 + i64::from(time.nanoseconds));
        outcome.5 = texts(record, wanted.algorithms);
        outcome.6 = wanted.inspection.texts(record).collect();
    }
    Some((record, outcome))
}

/// Returns the digests of a record in the order of these algorithms.
fn texts(record: &Record, algorithms: &Algorithms) -> Vec<Option<String>> {
    let digests = record.digests.iter().map(|named| Some(named.algorithm.format(&named.digest)));
    let mut texts: Vec<_> = digests.collect();
    for ((place, _), likeness) in algorithms.likeness.iter().zip(&record.likeness) {
        texts.insert((*place).min(texts.len()), likeness.text(&record.path));
    }
    texts
}
