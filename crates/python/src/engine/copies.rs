//! `copy`: files are copied, hashed in the same read, and read back.

use crate::engine::signals::watched;
use crate::error::{job, wrong};
use crate::options::{Resources, Selection};
use hashmill_job::Algorithms;
use hashmill_job::copy::{Answer, CopyEvent, CopyJob, Verify};
use hashmill_manifest::Record;
use pyo3::prelude::*;
use serde_json::json;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// Copies what a selection finds to these places. Returns the result as JSON, and what there is to say for people.
#[pyfunction]
pub(crate) fn copy(
    py: Python<'_>,
    selection: &Selection,
    to: Vec<PathBuf>,
    algorithms: &str,
    verifying: (String, bool),
    force: bool,
    resources: &Resources,
) -> PyResult<(String, Vec<String>)> {
    let (verify, verify_source) = verifying;
    let verify = match verify.as_str() {
        "end" => Verify::AtOnce,
        "later" => Verify::Later,
        "no" => Verify::No,
        other => return Err(wrong(format!("verify is 'end', 'later' or 'no', not '{other}'"))),
    };
    let cancel = resources.1.clone();
    let work = CopyJob {
        state: None,
        selection: selection.0.clone(),
        to,
        algorithms: Algorithms::named(algorithms).map_err(wrong)?,
        manifests: Vec::new(),
        bag: None,
        verify,
        verify_source,
        force,
        resources: resources.0.clone(),
        cancel: cancel.clone(),
    };
    let mut lines = Vec::new();
    let summary = watched(py, &cancel, || {
        work.run(&mut |event| {
            tell(&event, &mut lines);
            ControlFlow::Continue(())
        })
    })?
    .map_err(job)?;
    let places: Vec<_> = summary.places.iter().map(|place| place.to_json()).collect();
    let account = summary.account();
    let document = json!({
        "destinations": places,
        "unstable": summary.unstable,
        "unread": summary.unread,
        "ok": account.is_fine(),
    });
    Ok((document.to_string(), lines))
}

/// Adds what is not as it should be.
fn tell(event: &CopyEvent<'_>, lines: &mut Vec<String>) {
    let mut about =
        |path: &[u8], what: &str| lines.push(format!("{}: {what}", String::from_utf8_lossy(path)));
    match event {
        CopyEvent::Copied(Record { path, .. }, answers) => {
            answers.iter().filter_map(Answer::problem).for_each(|why| about(path, &why));
        }
        CopyEvent::Linked(path, answers) => {
            answers.iter().filter_map(Answer::problem).for_each(|why| about(path, &why));
        }
        CopyEvent::FoundLater(path, answer) => answer.problem().iter().for_each(|why| about(path, why)),
        CopyEvent::SourceDiffers(path, why) => about(path, why),
        CopyEvent::Failed(error) => lines.push(error.to_string()),
        CopyEvent::Unsettled(path, error) => lines.push(format!("{}: {error}", path.display())),
        CopyEvent::Remark(remark) => lines.push((*remark).to_string()),
        _ => {}
    }
}
