//! `similar`: scores, pairs, digests of buffers.

use crate::engine::signals::watched;
use crate::engine::{Operation, Progress};
use crate::error::{job, number, number_of, os_error, said, wrong};
use crate::options::{Resources, Selection};
use crate::view::View;
use hashmill_engine::Cancel;
use hashmill_job::similarity::{self, Input, PairOrder, SimilarityEvent, SimilarityJob};
use hashmill_os::names;
use hashmill_similar::{SIMILAR, Similar, find};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::ops::ControlFlow::Continue;
use std::path::PathBuf;

/// Returns the names of all algorithms of likeness.
#[pyfunction]
pub(crate) fn similar_names() -> Vec<&'static str> {
    SIMILAR.iter().map(|row| row.name).collect()
}

fn row(name: &str) -> PyResult<&'static Similar> {
    let names = || SIMILAR.iter().map(|row| row.name).collect::<Vec<_>>().join(", ");
    find(name).ok_or_else(|| wrong(format!("unknown algorithm '{name}'; there are {}", names())))
}

/// Returns the score of two digests, each as the reference program writes it.
#[pyfunction]
pub(crate) fn compare_digests(a: &str, b: &str, algorithm: &str) -> PyResult<i32> {
    let compared = similarity::compare_digests([a.as_bytes(), b.as_bytes()], row(algorithm)?);
    Ok(compared.map_err(wrong)?.score)
}

/// Returns the score of two files; none if one has no digest.
#[pyfunction]
pub(crate) fn compare_files(
    py: Python<'_>,
    a: PathBuf,
    b: PathBuf,
    algorithm: &str,
    resources: &Resources,
) -> PyResult<Option<i32>> {
    let row = row(algorithm)?;
    for path in [&a, &b].into_iter().filter(|path| !resources.0.stores.is_location(&names::path_bytes(path)))
    {
        std::fs::metadata(path)
            .map_err(|source| os_error(&names::path_bytes(path), &source.to_string(), number_of(&source)))?;
    }
    let cancel = Cancel::default();
    let mut unread = None;
    let mut observer = |event: SimilarityEvent<'_>| {
        if let SimilarityEvent::Failed(error) = event {
            unread = Some((error.path.clone(), error.problem.to_string(), number(&error.problem)));
        }
        Continue(())
    };
    let (means, ended) = (resources.0.clone(), cancel.clone());
    let compared = watched(py, &cancel, || similarity::compare([&a, &b], row, means, ended, &mut observer))?;
    let (compared, _) = compared.map_err(job)?;
    match unread {
        Some((path, why, number)) => Err(os_error(&path, &why, number)),
        None => Ok(compared.map(|compared| compared.score)),
    }
}

/// The names of both files and the score of each pair, lines for people, and whether everything was compared.
type Pairs<'py> = (Vec<(Bound<'py, PyBytes>, Bound<'py, PyBytes>, i32)>, Vec<String>, bool);

/// Finds similar pairs among the files of a selection, or the digests in lists.
#[pyfunction]
#[pyo3(signature = (selection, lists, algorithm, limit, no_sparse, resources, progress = None))]
#[allow(clippy::too_many_arguments, reason = "keywords of Python")]
pub(crate) fn similar_pairs<'py>(
    py: Python<'py>,
    selection: &Selection,
    lists: Vec<PathBuf>,
    algorithm: &str,
    limit: Option<i32>,
    no_sparse: bool,
    resources: &Resources,
    progress: Option<Py<PyAny>>,
) -> PyResult<Pairs<'py>> {
    let cancel = Cancel::default();
    let mut work = SimilarityJob {
        limit,
        no_sparse,
        resources: resources.0.clone(),
        cancel: cancel.clone(),
        ..SimilarityJob::new(selection.0.clone(), row(algorithm)?)
    };
    if !lists.is_empty() {
        work.input = Input::Lists(lists);
    }
    let operation = Operation::start(cancel, move |outlet| {
        let mut lines = Vec::new();
        let live = outlet.live();
        let summary = work.pairs(
            PairOrder::First,
            &mut |event| {
                match event {
                    SimilarityEvent::Reading(counters) => drop(live.set(counters.clone())),
                    SimilarityEvent::Failed(error) => lines.push(error.to_string()),
                    SimilarityEvent::Notice(notice) => lines.push(notice.to_string()),
                    SimilarityEvent::Malformed(list, why) => {
                        lines.push(format!("{}: {why}", String::from_utf8_lossy(list)));
                    }
                    SimilarityEvent::MoreMalformed(list, more) => {
                        let list = String::from_utf8_lossy(list);
                        lines.push(format!("{list}: {more} more parts have no digest"));
                    }
                    _ => {}
                }
                Continue(())
            },
            &mut |pair| outlet.give((pair.a.name.to_vec(), pair.b.name.to_vec(), pair.score)),
        )?;
        let problem = summary.list_problem.as_ref();
        lines.extend(problem.map(|error| format!("cannot read the rest of the list of paths: {error}")));
        Ok((lines, summary.account()))
    })?;
    let (pairs, (mut lines, account)) = operation.collect(py, &mut Progress::new(progress))?;
    let (unread, lacking) = selection.unread();
    lines.extend(unread);
    let is_whole = account.and(lacking).is_complete();
    let lines = lines.iter().map(said).collect();
    let name = |name: Vec<u8>| PyBytes::new(py, &name);
    Ok((pairs.into_iter().map(|(a, b, score)| (name(a), name(b), score)).collect(), lines, is_whole))
}

/// Returns the digest of a buffer as text, or in one word the reason why it has none.
#[pyfunction]
pub(crate) fn similar_digest(
    py: Python<'_>,
    data: &Bound<'_, PyAny>,
    algorithm: &str,
) -> PyResult<(Option<String>, Option<&'static str>)> {
    let row = row(algorithm)?;
    let view = View::new(data.clone())?;
    let digest = py.detach(|| {
        let mut likeness = (row.stream)();
        likeness.update(view.bytes());
        likeness.finish()
    });
    Ok(match digest {
        Ok(digest) => (Some(String::from_utf8_lossy(&digest.text(b"")).into_owned()), None),
        Err(refusal) => (None, Some(hashmill_manifest::Lack::from(refusal).word())),
    })
}
