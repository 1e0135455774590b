//! `file_digest` of a path: all algorithms in one read.

use crate::engine::signals::watched;
use crate::error::{job, os_error, wrong};
use crate::options::Resources;
use crate::record::Record;
use hashloom_job::hash::{Event, Job};
use hashloom_job::{Algorithms, Error, Selection, is_location, stores};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ffi::OsStr;
use std::fs;
use std::ops::ControlFlow::Continue;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// A file of at most so many bytes is read before anybody could interrupt it.
const SMALL: u64 = 4 << 20;

/// The digests of a file: each algorithm's name, and the digest in the algorithm's usual text.
#[pyfunction]
pub(crate) fn file_digest<'py>(
    py: Python<'py>,
    path: Vec<u8>,
    algorithms: &str,
    resources: &Resources,
) -> PyResult<Bound<'py, PyDict>> {
    if path.contains(&0) {
        return Err(wrong("the path has a NUL byte in it"));
    }
    let _held = resources.hold(py)?;
    let algorithms = Algorithms::named(algorithms).map_err(wrong)?;
    let place = Path::new(OsStr::from_bytes(&path));
    let is_small = if is_location(&path) { of_location(&path)? } else { of_file(&path, place)? };
    // A path of `-` would be standard input.
    let selection = Selection::of([if place == Path::new("-") { Path::new("./-") } else { place }]);
    let cancel = resources.1.clone();
    let job_ =
        Job { resources: resources.0.clone(), cancel: cancel.clone(), ..Job::new(selection, algorithms) };
    let small = is_small && !resources.0.nice;
    let record = match small {
        true => py.detach(|| digest(job_)),
        false => watched(py, &cancel, || digest(job_))?,
    };
    let record = record.map_err(job)?.ok_or_else(|| os_error(&path, "was not read", Some(libc::EINTR)))?;
    if let Some((said, number)) = &record.error {
        return Err(os_error(&path, said, *number));
    }
    let digests = PyDict::new(py);
    record.texts().try_for_each(|(name, text)| digests.set_item(name, text))?;
    Ok(digests)
}

/// Returns whether it is a small file.
fn of_file(path: &[u8], place: &Path) -> PyResult<bool> {
    let meta = fs::metadata(place);
    let meta = meta.map_err(|source| os_error(path, &source.to_string(), source.raw_os_error()))?;
    if meta.is_dir() {
        return Err(os_error(path, "is a directory", Some(libc::EISDIR)));
    }
    Ok(meta.is_file() && meta.len() <= SMALL)
}

/// Refuses what is no object; nobody knows yet whether it is small.
fn of_location(path: &[u8]) -> PyResult<bool> {
    let location = stores::operand(path).map_err(wrong)?;
    if location.is_folder() {
        return Err(os_error(path, "is a folder of a store", Some(libc::EISDIR)));
    }
    Ok(false)
}

/// The file's record; none if the job was cancelled.
fn digest(job: Job) -> Result<Option<Record>, Error> {
    let mut found = None;
    job.run(&mut |event| {
        match event {
            Event::Hashed(record) => found = Some(Record::of(record)),
            Event::Failed(error, record) => found = Some(Record::failed(error, record)),
            _ => {}
        }
        Continue(())
    })?;
    Ok(found)
}
