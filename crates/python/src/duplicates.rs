//! `dupes`: files with the same content.

use crate::engine::signals::watched;
use crate::engine::{Operation, Progress};
use crate::error::{job, said, wrong};
use crate::options::{Resources, Selection, Size};
use hashmill_digest::{Class, find};
use hashmill_engine::Cancel;
use hashmill_job::Notice;
use hashmill_job::dupes::{DupesEvent, DupesJob, Group as Found, Listed, ListedJob, MIN_SIZE};
use hashmill_os::names;
use pyo3::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;

/// A path, and the other names of its file.
type File = (OsString, Vec<OsString>);

/// Size, the name of the algorithm, the digest as text, files.
type Group = (Option<u64>, &'static str, Option<String>, Vec<File>);

/// Groups, lines for people, and whether everything was compared.
type Answer = (Vec<Group>, Vec<String>, bool);

/// Finds files with the same content below paths.
#[pyfunction]
#[pyo3(signature = (selection, resources, algorithm, *, min_size = None, progress = None))]
pub(crate) fn dupes(
    py: Python<'_>,
    selection: &Selection,
    resources: &Resources,
    algorithm: &str,
    min_size: Option<Size>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Answer> {
    let cancel = resources.1.clone();
    let search = DupesJob {
        selection: selection.0.clone(),
        algorithm: find(algorithm).map_err(wrong)?,
        digests: true,
        min_size: least(min_size)?,
        resources: resources.0.clone(),
        cancel: cancel.clone(),
    };
    let search = search.start().map_err(job)?;
    let operation = Operation::start(cancel, move |outlet| {
        outlet.watch(search.live());
        Ok(search.run(&mut |event| {
            let line = match event {
                DupesEvent::Failed(error) => error.to_string(),
                DupesEvent::NoSize(Some(path)) => {
                    let path = String::from_utf8_lossy(path);
                    format!("{path}: is not a regular file, so it has no size to compare")
                }
                DupesEvent::NoSize(None) => "standard input can't be compared: it is not a file".to_owned(),
                DupesEvent::Notice(notice) => notice.to_string(),
                DupesEvent::AllRead => return,
            };
            let _ = outlet.give(line);
        }))
    })?;
    let (mut lines, found) = operation.collect(py, &mut Progress::new(progress))?;
    let problem = found.list_problem.as_ref();
    lines.extend(problem.map(|error| format!("cannot read the rest of the list of paths: {error}")));
    let (unread, lacking) = selection.unread();
    let is_whole = found.account().and(lacking).is_complete();
    lines.extend(unread);
    let lines = lines.iter().map(said).collect();
    Ok((found.groups.into_iter().map(group).collect(), lines, is_whole))
}

/// Finds files with the same content in manifests, by the given algorithm, else by the strongest one that the most
/// records have.
#[pyfunction]
#[pyo3(signature = (manifests, *, algorithm = None, min_size = None))]
pub(crate) fn listed_dupes(
    py: Python<'_>,
    manifests: Vec<PathBuf>,
    algorithm: Option<&str>,
    min_size: Option<Size>,
) -> PyResult<Answer> {
    let wanted = algorithm.map(find).transpose().map_err(wrong)?;
    let (min_size, mut lines) = (least(min_size)?, Vec::new());
    let cancel = Cancel::default();
    watched(py, &cancel, || {
        let told = &mut |notice: Notice<'_>| lines.push(notice.to_string());
        let job =
            ListedJob { algorithm: wanted, cancel: cancel.clone(), ..ListedJob::new(manifests, min_size) };
        let found = job.run(told)?;
        // A cancelled search raises the exception that cancelled it.
        let Some(Listed { groups, algorithm, without, unread, malformed }) = found else {
            return Ok((Vec::new(), lines, false));
        };
        if algorithm.class != Class::Cryptographic {
            lines.push(format!("{} can't tell files apart that somebody made for it", algorithm.name));
        }
        if without > 0 {
            lines.push(format!("records without a digest by {}: {without}", algorithm.name));
        }
        lines.extend(unread.iter().map(|path| {
            format!("{}: was not read when the manifest was made", String::from_utf8_lossy(path))
        }));
        let is_whole = without == 0 && unread.is_empty() && malformed == 0;
        Ok::<_, hashmill_job::Error>((groups.into_iter().map(group).collect(), lines, is_whole))
    })?
    .map_err(job)
}

fn least(min_size: Option<Size>) -> PyResult<u64> {
    min_size.map_or(Ok(MIN_SIZE), |size| size.bytes())
}

fn group(Found { size, algorithm, digest, files }: Found) -> Group {
    let path = |path: Box<[u8]>| names::path_to_try(&path).into_owned().into_os_string();
    let files = files.into_iter().map(|file| (path(file.path), file.links.into_iter().map(path).collect()));
    (size, algorithm.name, digest.map(|digest| algorithm.format(&digest)), files.collect())
}
