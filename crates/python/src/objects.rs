//! Calls for workers of a cluster about objects of stores: listings in pieces, metadata of many objects at once, whole
//! objects in one run of the engine, ranges.
//!
//! An object is a row: its location and known metadata. Errors of an object are in its row, as in records.

use crate::engine::inspection::Inspection;
use crate::engine::signals::watched;
use crate::error::{store_error, wrong};
use crate::options::{Resources, Size};
use crate::parts::{FileOutcome, Wanted, outcome, unread};
use crate::reach::{ReachLimits, StoreAccess, of_worker, reach_by, usual};
use hashmill_content::Selection;
use hashmill_content::stores::StoreObject;
use hashmill_digest::find;
use hashmill_digest::leaves::PartHasher;
use hashmill_engine::{Cancel, Order, Plan};
use hashmill_job::hash::{HashJob, Input};
use hashmill_job::{Algorithms, Error};
use hashmill_manifest::Status;
use hashmill_source::Problem;
use hashmill_store::{BadLocation, Below, Cause, Delivery, Listing, Location, Object, RequestKind, Scheme};
use hashmill_terminal::Shown;
use pyo3::exceptions::PyFileNotFoundError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ops::ControlFlow::Continue;

/// The bytes of a range that are hashed at a time.
const CHUNK: usize = 1 << 20;

/// The number of rows of a listing that are returned at a time.
const ROWS: usize = 1000;

/// Location, version, entity tag, size, time (nanoseconds since 1970).
#[derive(FromPyObject, Clone)]
pub(crate) struct ObjectRow(Vec<u8>, Option<String>, Option<String>, Option<u64>, Option<i64>);

/// The reason of a failure: in a word, and as text.
type Reason = (String, String);

/// Status and reason (in a word and as text) if there is nothing to read; size, time, entity tag, version.
type Facts = (
    Option<&'static str>,
    Option<String>,
    Option<String>,
    Option<u64>,
    Option<i64>,
    Option<String>,
    Option<String>,
);

/// Location, path, status and reason (in a word and as text) if there is nothing to read, size, time, entity tag, version.
type Entry = (
    Vec<u8>,
    Vec<u8>,
    Option<&'static str>,
    Option<String>,
    Option<String>,
    Option<u64>,
    Option<i64>,
    Option<String>,
    Option<String>,
);

/// Status, reason (in a word and as text), and the state of a range for each algorithm.
type Parted = (&'static str, Option<String>, Option<String>, Vec<Vec<u8>>);

/// Rows of one level, and the locations of its folders.
type OneLevel = (Vec<Entry>, Vec<Vec<u8>>);

/// Returns whether these bytes name an object of a store, and not a file of this machine.
#[pyfunction]
pub(crate) fn is_stored(location: &[u8]) -> bool {
    usual().is_location(location) && local_path(location).is_none()
}

/// Returns whether a location of a store is walked like a directory.
#[pyfunction]
pub(crate) fn is_folder(location: &[u8]) -> bool {
    matches!(Location::parse(location), Some(Ok(place)) if place.is_folder())
}

/// Returns the path of a file of this machine; `None` if the location is in a store.
#[pyfunction]
pub(crate) fn local_path(location: &[u8]) -> Option<Vec<u8>> {
    match Location::parse(location) {
        // The name of a remote.
        None if usual().is_location(location) => None,
        // Other schemes are refused, by whatever reads them as a path.
        None | Some(Err(BadLocation::Scheme(_))) => Some(location.to_vec()),
        Some(Ok(place)) if place.scheme() == Scheme::File => Some(place.key().to_vec()),
        Some(_) => None,
    }
}

/// Sets how stores are reached from now on. Nothing happens if that and the environment are the same as before. Half of
/// the memory is for answers that wait.
#[pyfunction]
#[pyo3(signature = (*, endpoint, region, anonymous, requests, memory))]
pub(crate) fn reach(
    endpoint: Option<String>,
    region: Option<String>,
    anonymous: bool,
    requests: Option<usize>,
    memory: Size,
) -> PyResult<()> {
    let memory = usize::try_from(memory.bytes()?).unwrap_or(usize::MAX);
    reach_by(
        StoreAccess { endpoint, region, anonymous, credentials: None },
        ReachLimits { requests, memory: memory / 2, rate: None },
    )
}

/// Returns the counters of this process's requests to stores: requests by kind, retries, bytes.
#[pyfunction]
pub(crate) fn counts(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let counts = of_worker().counts();
    let told = PyDict::new(py);
    RequestKind::ALL.iter().try_for_each(|kind| told.set_item(kind.name(), counts.count(*kind)))?;
    told.set_item("repeated", counts.retries)?;
    told.set_item("received", counts.received)?;
    Ok(told)
}

/// Looks up objects in their stores: many requests at a time, the answers in the order of the rows.
#[pyfunction]
pub(crate) fn look_up(py: Python<'_>, rows: Vec<ObjectRow>) -> PyResult<Vec<Facts>> {
    let cancel = Cancel::default();
    watched(py, &cancel, || looked(&rows, &cancel))
}

fn looked(rows: &[ObjectRow], cancel: &Cancel) -> Vec<Facts> {
    let mut found: Vec<Facts> = rows.iter().map(|_| refused(not_asked())).collect();
    let mut places: Vec<(Location, Vec<usize>)> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        match place(&row.0) {
            Err(reason) => found[at] = refused(reason),
            Ok(location) => {
                let bucket = |other: &Location| {
                    (other.scheme(), other.bucket()) == (location.scheme(), location.bucket())
                };
                match places.iter_mut().find(|(other, _)| bucket(other)) {
                    Some((_, at_all)) => at_all.push(at),
                    None => places.push((location, vec![at])),
                }
            }
        }
    }
    for (location, at_all) in &places {
        look_in(location, at_all, rows, &mut found, cancel);
    }
    found
}

/// Looks up the rows of one bucket.
fn look_in(location: &Location, at_all: &[usize], rows: &[ObjectRow], found: &mut [Facts], cancel: &Cancel) {
    let store = match of_worker().store(location) {
        Ok(store) => store,
        Err(error) => {
            let reason = reason_of(error);
            at_all.iter().for_each(|at| found[*at] = refused(reason.clone()));
            return;
        }
    };
    let wanted = |at: &usize| {
        let key = place(&rows[*at].0).map(|location| location.key().into()).unwrap_or_default();
        (key, rows[*at].1.as_deref().map(Box::from))
    };
    let answers = store.look_all(at_all.iter().map(wanted).collect());
    for (at, answer) in at_all.iter().zip(answers) {
        if cancel.is_set() {
            return;
        }
        found[*at] = match answer {
            Ok(object) => facts(&object, location.scheme(), rows[*at].1.as_deref()),
            Err(error) => refused(reason_of(error)),
        };
    }
}

/// Returns the location of a row, else the reason why it can't be read.
fn place(location: &[u8]) -> Result<Location, Reason> {
    match Location::parse(location) {
        Some(Ok(place)) if place.scheme().has_buckets() && place.key().is_empty() => {
            Err(("EISDIR".into(), "is a bucket".into()))
        }
        Some(Ok(place)) => Ok(place),
        Some(Err(bad)) => Err(("error".into(), bad.to_string())),
        None => Err(("error".into(), "is no location of a store".into())),
    }
}

fn refused((reason, error): Reason) -> Facts {
    (Some(Status::Unreadable.word()), Some(reason), Some(error), None, None, None, None)
}

fn not_asked() -> Reason {
    ("error".into(), "was not asked for".into())
}

/// Returns the word that records use for an error, and its cause as text.
fn reason_of(error: hashmill_store::Error) -> Reason {
    let text = format!("{}: {}", error.doing, error.cause);
    (Problem::Stat(error.into()).word().into_owned(), text)
}

/// Returns the metadata of an object. The version is included if it serves as a condition (Google) or was requested;
/// the time if there is no entity tag.
fn facts(object: &Object, scheme: Scheme, version: Option<&str>) -> Facts {
    let etag = object.etag.as_deref().map(|etag| match etag.starts_with('"') {
        true => etag.trim_matches('"').to_owned(),
        false => etag.to_owned(),
    });
    let (seconds, nanoseconds) = object.modified;
    let time = seconds.saturating_mul(1_000_000_000).saturating_add(i64::from(nanoseconds));
    let told = version.or(object.version.as_deref().filter(|_| scheme == Scheme::Gs));
    (None, None, None, Some(object.size), etag.is_none().then_some(time), etag, told.map(str::to_owned))
}

impl ObjectRow {
    /// Returns the object as the store described it, as far as the row has it.
    fn told(&self) -> Result<StoreObject, Reason> {
        let ObjectRow(location, version, etag, size, modified) = self;
        let location = place(location)?;
        let quoted = |etag: &String| match etag.starts_with('"') || etag.starts_with("W/") {
            true => etag.as_str().into(),
            false => format!("\"{etag}\"").into(),
        };
        let time = modified.unwrap_or_default();
        let nanoseconds = u32::try_from(time.rem_euclid(1_000_000_000)).unwrap_or_default();
        let object = Object {
            key: location.key().into(),
            size: size.ok_or_else(|| ("error".to_owned(), "its size is not known".to_owned()))?,
            modified: (time.div_euclid(1_000_000_000), nanoseconds),
            etag: etag.as_ref().map(quoted),
            version: version.as_deref().map(Box::from),
            exact: version.is_some(),
            stored: Vec::new(),
            delivery: Delivery::default(),
        };
        Ok(StoreObject { location, object })
    }
}

/// Hashes objects of known sizes, all in one run; returns an outcome for each row, in their order.
#[pyfunction]
pub(crate) fn read_objects(
    py: Python<'_>,
    rows: Vec<ObjectRow>,
    algorithms: &str,
    inspection: &Inspection,
    resources: &Resources,
) -> PyResult<Vec<FileOutcome>> {
    let algorithms = Algorithms::named(algorithms).map_err(wrong)?;
    let wanted = Wanted { algorithms: &algorithms, inspection };
    let cancel = Cancel::default();
    let found = watched(py, &cancel, || read_all(&rows, wanted, resources, &cancel))?;
    found.map_err(crate::error::job)
}

fn read_all(
    rows: &[ObjectRow],
    wanted: Wanted<'_>,
    resources: &Resources,
    cancel: &Cancel,
) -> Result<Vec<FileOutcome>, Error> {
    let mut outcomes: Vec<FileOutcome> = rows.iter().map(|_| unread("error", "was not asked for")).collect();
    let (mut places, mut objects) = (Vec::new(), Vec::new());
    for (at, row) in rows.iter().enumerate() {
        match row.told() {
            Err((reason, error)) => outcomes[at] = unread(&reason, &error),
            Ok(told) => {
                places.push(at);
                objects.push(told);
            }
        }
    }
    let job = HashJob {
        input: Input::Entries(of_worker().told(objects)),
        // Outcomes are matched to rows by their order.
        order: Order::Walk,
        resources: beside_stores(resources),
        cancel: cancel.clone(),
        ..wanted.inspection.of(HashJob::new(Selection::default(), wanted.algorithms.clone()))
    };
    let mut places = places.into_iter();
    job.run(&mut |event| {
        if let Some((_, outcome)) = outcome(&event, wanted)
            && let Some(at) = places.next()
        {
            outcomes[at] = outcome;
        }
        Continue(())
    })?;
    Ok(outcomes)
}

/// Returns the resources without the memory of answers that wait, but with as much memory as the engine needs.
fn beside_stores(resources: &Resources) -> hashmill_content::Resources {
    let given = resources.0.clone();
    let least = Plan::least_memory(given.threads().get());
    hashmill_content::Resources { memory: (given.memory / 2).max(least.min(given.memory)), ..given }
}

/// Hashes a range of an object, read once, and returns status, reason, and the state for each algorithm. Every request
/// has the entity tag or the version as its condition.
#[pyfunction]
pub(crate) fn object_part(
    py: Python<'_>,
    row: ObjectRow,
    algorithms: Vec<String>,
    offset: u64,
    length: u64,
) -> PyResult<Parted> {
    let mut hashers = Vec::new();
    for name in &algorithms {
        hashers.push(PartHasher::new(find(name).map_err(wrong)?, offset).map_err(wrong)?);
    }
    let cancel = Cancel::default();
    let read = watched(py, &cancel, || read_range(&row, offset, length, &cancel, &mut hashers))?;
    Ok(match read {
        Ok(()) => {
            let parts = hashers.into_iter().map(|hasher| hasher.finish().to_bytes()).collect();
            (Status::Hashed.word(), None, None, parts)
        }
        Err((status, (reason, error))) => (status.word(), Some(reason), Some(error), Vec::new()),
    })
}

fn read_range(
    row: &ObjectRow,
    offset: u64,
    length: u64,
    cancel: &Cancel,
    hashers: &mut [PartHasher],
) -> Result<(), (Status, Reason)> {
    let unreadable = |reason| (Status::Unreadable, reason);
    let changed = || (Status::Changed, ("changed".to_owned(), "was replaced or removed".to_owned()));
    let told = row.told().map_err(unreadable)?;
    let store = of_worker().store(&told.location).map_err(|error| unreadable(reason_of(error)))?;
    let end = offset.saturating_add(length);
    if end > told.object.size {
        return Err(changed());
    }
    let opened = store.open_range(told.object, offset..end);
    let mut buffer = vec![0; CHUNK.min(usize::try_from(length).unwrap_or(CHUNK))];
    let mut at = offset;
    while at < end && !cancel.is_set() {
        let read = match opened.read_at(at, &mut buffer) {
            Err(error) if matches!(error.cause, Cause::Changed | Cause::IgnoresConditions) => {
                return Err(changed());
            }
            Err(error) => return Err(unreadable(reason_of(error))),
            Ok(0) => return Err(changed()),
            Ok(read) => read,
        };
        hashers.iter_mut().for_each(|hasher| hasher.update(&buffer[..read]));
        at += read as u64;
    }
    Ok(())
}

/// Lists one level below a location: rows, and the locations of folders. `None` if there are more than `most` entries.
/// Paths are relative to `top`.
#[pyfunction]
pub(crate) fn list_level(
    py: Python<'_>,
    location: &[u8],
    top: &[u8],
    most: usize,
) -> PyResult<Option<OneLevel>> {
    let (location, top) = (folder(location)?, folder(top)?);
    let cancel = Cancel::default();
    let listed = watched(py, &cancel, || {
        let store = of_worker().store(&location)?;
        let (mut rows, mut folders) = (Vec::new(), Vec::new());
        for below in store.level(location.key()) {
            match below? {
                Below::Object(object) => rows.push(entry(&top, &object)),
                Below::Folder(key) => folders.push(bytes_of(&location, &key)),
            }
            if rows.len() + folders.len() > most || cancel.is_set() {
                return Ok(None);
            }
        }
        Ok(Some((rows, folders)))
    })?;
    listed.map_err(|error: hashmill_store::Error| store_error(&bytes_of(&top, top.key()), &error))
}

/// Looks up the object at a location.
#[pyfunction]
pub(crate) fn list_one(py: Python<'_>, location: &[u8]) -> PyResult<Entry> {
    let place = Location::parse(location).ok_or_else(|| wrong("it is no location"))?.map_err(wrong)?;
    let cancel = Cancel::default();
    let looked = watched(py, &cancel, || of_worker().store(&place)?.look(place.key()))?;
    match looked {
        Ok(object) => {
            let (.., size, modified, etag, version) = facts(&object, place.scheme(), None);
            Ok((location.to_vec(), place.name().to_vec(), None, None, None, size, modified, etag, version))
        }
        Err(error) if error.cause == Cause::NotFound && place.scheme().has_buckets() => {
            let advice = format!("{place}: there is no object of this key; what is below it has {place}/");
            Err(PyFileNotFoundError::new_err(advice))
        }
        Err(error) => Err(store_error(location, &error)),
    }
}

/// An iterator of all objects below a location, a batch of rows at a time. If the listing fails, the last row says so.
#[pyclass(module = "hashmill._hashmill")]
pub(crate) struct Listed {
    listing: Listing,
    location: Location,
    top: Location,
}

#[pymethods]
impl Listed {
    #[new]
    fn new(py: Python<'_>, location: &[u8], top: &[u8]) -> PyResult<Listed> {
        let (location, top) = (folder(location)?, folder(top)?);
        let listing = py.detach(|| Ok(of_worker().store(&location)?.list(location.key())));
        let listing = listing
            .map_err(|error: hashmill_store::Error| store_error(&bytes_of(&top, top.key()), &error))?;
        Ok(Listed { listing, location, top })
    }

    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<Vec<Entry>>> {
        let Listed { listing, location, top } = self;
        let cancel = Cancel::default();
        let rows = watched(py, &cancel, || {
            let mut rows = Vec::new();
            while rows.len() < ROWS
                && !cancel.is_set()
                && let Some(object) = listing.next()
            {
                rows.push(match object {
                    Ok(object) => entry(top, &object),
                    Err(error) => {
                        let (at, path) = (bytes_of(location, location.key()), below(top, location.key()));
                        let status = Some(Status::Unreadable.word());
                        let (reason, error) = reason_of(error);
                        (at, path, status, Some(reason), Some(error), None, None, None, None)
                    }
                });
            }
            rows
        })?;
        Ok(Some(rows).filter(|rows| !rows.is_empty()))
    }
}

fn folder(location: &[u8]) -> PyResult<Location> {
    match Location::parse(location) {
        Some(Ok(place)) if place.is_folder() => Ok(place),
        Some(Err(bad)) => Err(wrong(format!("{}: {bad}", Shown(location)))),
        _ => Err(wrong(format!("{}: names no folder of a store", Shown(location)))),
    }
}

fn entry(top: &Location, object: &Object) -> Entry {
    let (location, path) = (bytes_of(top, &object.key), below(top, &object.key));
    // Consoles write such an object to show an empty folder.
    if object.size == 0 && object.key.ends_with(b"/") {
        let path = if path.is_empty() { b"./".to_vec() } else { path };
        let why = hashmill_source::Skip::EmptyFolder.word().to_owned();
        return (location, path, Some(Status::Skipped.word()), Some(why), None, None, None, None, None);
    }
    let (.., size, modified, etag, version) = facts(object, top.scheme(), None);
    (location, path, None, None, None, size, modified, etag, version)
}

fn below(top: &Location, key: &[u8]) -> Vec<u8> {
    key.strip_prefix(top.key()).unwrap_or(key).to_vec()
}

/// Returns the location of a key as it is written, byte for byte.
fn bytes_of(location: &Location, key: &[u8]) -> Vec<u8> {
    let start = format!("{}://{}/", location.scheme().name(), location.bucket());
    [start.as_bytes(), key].concat()
}
