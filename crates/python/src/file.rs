//! `file_digest` of a path: all algorithms in one read.

use crate::engine::signals::watched;
use crate::engine::{Operation, Outlet, Progress};
use crate::error::{job, number_of, os_error, wrong};
use crate::options::Resources;
use crate::record::Record;
use crate::sys::{EINTR, EISDIR};
use hashmill_content::{Selection, Stores};
use hashmill_digest::{About, Algorithm, StreamPart};
use hashmill_engine::flow::Flow;
use hashmill_job::hash::{HashEvent, HashJob, HashSummary};
use hashmill_job::{Algorithms, Error};
use hashmill_os::names;
use hashmill_source::{Entry, Origin, Reader, Reading};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::fs;
use std::ops::ControlFlow::Continue;
use std::path::Path;

/// The most bytes of a file that is read without checks for signals.
const SMALL: u64 = 4 << 20;

/// The most bytes of a file that is hashed faster than the engine starts.
const TINY: u64 = 64 << 10;

/// Returns the digests of a file: each algorithm's name, and the digest in the algorithm's usual text.
#[pyfunction]
pub(crate) fn file_digest<'py>(
    py: Python<'py>,
    path: Vec<u8>,
    algorithms: &str,
    resources: &Resources,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    if path.contains(&0) {
        return Err(wrong("the path has a NUL byte in it"));
    }
    let algorithms = Algorithms::named(algorithms).map_err(wrong)?;
    let place = &*names::path(&path)?;
    let stores = &resources.0.stores;
    let size = if stores.is_location(&path) { of_location(&path, stores)? } else { of_file(&path, place)? };
    if progress.is_none()
        && size.is_some_and(|size| size <= TINY)
        && is_plain(&algorithms, resources)
        && let Some(texts) = py.detach(|| read_tiny(&path, &algorithms.digests))
    {
        let digests = PyDict::new(py);
        let named = algorithms.digests.iter().zip(texts);
        named.into_iter().try_for_each(|(algorithm, text)| digests.set_item(algorithm.name, text))?;
        return Ok(digests);
    }
    // A path of `-` would mean standard input.
    let selection = Selection::from_paths([if place == Path::new("-") { Path::new("./-") } else { place }]);
    let cancel = resources.1.clone();
    let job_ = HashJob {
        resources: resources.0.clone(),
        cancel: cancel.clone(),
        ..HashJob::new(selection, algorithms)
    };
    let small = progress.is_none() && size.is_some_and(|size| size <= SMALL) && !resources.0.nice;
    let record = match (small, progress) {
        (true, _) => py.detach(|| digest(job_)).map_err(job)?,
        (false, None) => watched(py, &cancel, || digest(job_))?.map_err(job)?,
        (false, progress) => {
            let operation = Operation::start(cancel, |outlet: &mut Outlet<()>| {
                let run = job_.start()?;
                outlet.watch(run.live());
                records_of(|observer| run.run(observer))
            })?;
            operation.collect(py, &mut Progress::new(progress))?.1
        }
    };
    let record = record.ok_or_else(|| os_error(&path, "was not read", Some(EINTR)))?;
    if let Some((said, number)) = &record.error {
        return Err(os_error(&path, said, *number));
    }
    let digests = PyDict::new(py);
    record.texts().try_for_each(|(name, text)| digests.set_item(name, text))?;
    Ok(digests)
}

/// Returns the size of a regular file.
fn of_file(path: &[u8], place: &Path) -> PyResult<Option<u64>> {
    let meta = fs::metadata(place);
    let meta = meta.map_err(|source| os_error(path, &source.to_string(), number_of(&source)))?;
    if meta.is_dir() {
        return Err(os_error(path, "is a directory", Some(EISDIR)));
    }
    Ok(meta.is_file().then_some(meta.len()))
}

/// Refuses a location that is not an object. Its size isn't known yet.
fn of_location(path: &[u8], stores: &Stores) -> PyResult<Option<u64>> {
    let location = stores.operand(path).map_err(wrong)?;
    if location.is_folder() {
        return Err(os_error(path, "is a folder of a store", Some(EISDIR)));
    }
    Ok(None)
}

/// Returns whether no option needs the engine, or is refused by it.
fn is_plain(algorithms: &Algorithms, resources: &Resources) -> bool {
    let asked = &resources.0;
    let usual = hashmill_content::Resources::default();
    let has_limits = asked.timeout.is_some() || asked.rate.is_some() || asked.nice;
    let is_usual = asked.threads.is_none() && asked.memory == usual.memory && asked.io == usual.io;
    let lacks_key = algorithms.digests.iter().any(|algorithm| algorithm.lacks_key);
    is_usual && !has_limits && algorithms.likeness.is_empty() && !lacks_key
}

/// Reads a small file in one go, and hashes it. None if that fails for any reason: then the engine tries, and reports
/// the error.
fn read_tiny(path: &[u8], algorithms: &[&Algorithm]) -> Option<Vec<String>> {
    let mut reader = Reader::open(&Entry::new(path.into(), Origin::Listed), &Reading::default()).ok()?;
    let size = reader.meta().size;
    if !reader.meta().is_file() || size > TINY {
        return None;
    }
    // The extra byte shows whether the file is longer than its size says.
    let mut bytes = vec![0; size as usize + 1];
    let read = reader.read(&mut bytes).ok()?;
    if read as u64 != size {
        return None;
    }
    reader.finish(size).ok()?;
    let about = About::file(path, Some(size));
    Some(algorithms.iter().map(|algorithm| text_of(algorithm, &about, &bytes[..read])).collect())
}

fn text_of(algorithm: &Algorithm, about: &About<'_>, bytes: &[u8]) -> String {
    let mut bank = (algorithm.alone)();
    let slot = bank.open_about(about);
    bank.update(&[StreamPart { slot, bytes, last: true }]);
    algorithm.format(&bank.close(slot))
}

/// Returns the file's record; none if the job was cancelled.
fn digest(job: HashJob) -> Result<Option<Record>, Error> {
    records_of(|observer| job.run(observer))
}

/// Returns the only record of a run.
fn records_of(
    run: impl FnOnce(&mut dyn FnMut(HashEvent<'_>) -> Flow) -> Result<HashSummary, Error>,
) -> Result<Option<Record>, Error> {
    let mut found = None;
    run(&mut |event| {
        match event {
            HashEvent::Hashed(record) => found = Some(Record::from_inner(record)),
            HashEvent::Failed(error, record) => found = Some(Record::failed(error, record)),
            _ => {}
        }
        Continue(())
    })?;
    Ok(found)
}
