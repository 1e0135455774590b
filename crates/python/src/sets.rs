//! `known`: indexes of known digests.

use crate::engine::signals::watched;
use crate::error::{job, said, wrong};
use crate::options::{Size, TypedOutput, place};
use crate::reach::usual;
use crate::view::View;
use hashmill_digest::Digest;
use hashmill_engine::Cancel;
use hashmill_job::sets::{Build, BuildEvent};
use hashmill_known::{Category, Filter, Index, Input, Notice, Sets as Indexes, Strictness};
use pyo3::prelude::*;
use pyo3::types::PyString;
use serde_json::json;
use std::ops::ControlFlow::Continue;
use std::path::PathBuf;

/// Indexes that are consulted together.
#[pyclass(frozen, module = "hashmill._hashmill")]
pub(crate) struct Sets(Indexes);

#[pymethods]
impl Sets {
    #[new]
    fn new(paths: Vec<PathBuf>) -> PyResult<Sets> {
        Indexes::open(&paths, Filter::default()).map(Sets).map_err(job)
    }

    /// Looks up each digest in the sets: `None`, or JSON.
    fn ask(&self, py: Python<'_>, digests: Vec<Bound<'_, PyAny>>) -> PyResult<Vec<Option<String>>> {
        let digests = digests.iter().map(digest).collect::<PyResult<Vec<_>>>()?;
        let answers = py.detach(|| self.0.query_all(&digests)).map_err(job)?;
        let json = |answer| serde_json::to_string(&answer).map_err(wrong);
        answers.into_iter().map(|answer| answer.map(json).transpose()).collect()
    }

    /// Returns the description of each index, as JSON.
    fn about(&self) -> Vec<String> {
        let about = |index: &Index| {
            json!({
                "path": index.path().to_string_lossy(),
                "bytes": index.file_bytes(),
                "identity": index.identity(),
                "about": index.about(),
            })
            .to_string()
        };
        self.0.indexes().iter().map(about).collect()
    }
}

/// Reads a digest from hexadecimal text or bytes.
fn digest(given: &Bound<'_, PyAny>) -> PyResult<Digest> {
    if let Ok(text) = given.cast::<PyString>() {
        let text = text.to_cow()?;
        return Digest::from_hex(text.trim().as_bytes()).map_err(|bad| wrong(format!("'{text}': {bad}")));
    }
    let view = View::new(given.clone())?;
    if view.bytes().is_empty() || view.bytes().len() > hashmill_digest::MAX_BYTES {
        return Err(wrong(format!("a digest can't have {} bytes", view.bytes().len())));
    }
    Ok(Digest::new(view.bytes()))
}

/// Returns the text of a notice.
fn told(notice: &Notice) -> String {
    match notice {
        Notice::Malformed(malformed) => malformed.to_string(),
        Notice::Verified { stated_in, algorithm } => {
            format!("its {algorithm} is the one in {}", stated_in.display())
        }
        Notice::Unpacking(bytes) => format!("{bytes} bytes are unpacked beside the output"),
        Notice::LeftOut { member, why } => format!("{member} was left out: {why}"),
        Notice::Hidden => "has several members of one name; only the last can be read".to_owned(),
        Notice::Lost(records) => format!("{records} records of files have no digest that can be looked up"),
        Notice::Columns(columns) => format!("columns were left out: {}", columns.join(", ")),
        Notice::Taken(taken) => taken.to_string(),
        other => format!("{other:?}"),
    }
}

/// Builds an index of lists, each with its category and its name. Returns the notices, and whether everything in the lists
/// was understood and taken.
#[pyfunction]
pub(crate) fn build_known(
    py: Python<'_>,
    output: TypedOutput,
    inputs: Vec<(PathBuf, String, Option<String>)>,
    strict: bool,
    memory: Option<Size>,
) -> PyResult<(Vec<String>, bool)> {
    let inputs = inputs.into_iter().map(|(path, category, set)| Input {
        set: set.map(Into::into),
        ..Input::new(&path, Category::of_word(&category))
    });
    let cancel = Cancel::default();
    let mut build = Build { cancel: cancel.clone(), ..Build::new(place(output, &usual()), inputs.collect()) };
    if strict {
        build.strictness = Strictness::Strict;
    }
    if let Some(memory) = memory {
        build.memory = memory.bytes()?;
    }
    let mut lines = Vec::new();
    let built = watched(py, &cancel, || {
        build.run(&mut |event| {
            if let BuildEvent::Notice(path, notice) = event {
                lines.push(said(format!("{}: {}", path.display(), told(notice))));
            }
            Continue(())
        })
    })?;
    Ok((lines, built.map_err(job)?.is_complete()))
}

/// Reads a whole index, and checks every byte of it.
#[pyfunction]
pub(crate) fn verify_known(py: Python<'_>, path: PathBuf) -> PyResult<String> {
    let cancel = Cancel::default();
    let info = watched(py, &cancel, || hashmill_job::sets::verify(&path, &cancel))?.map_err(job)?;
    Ok(info.identity)
}
