//! `bag`: folders as bags (BagIt, RFC 8493).

use crate::engine::signals::watched;
use crate::error::{failed, job, wrong};
use crate::options::Resources;
use hashmill_job::Algorithms;
use hashmill_job::bagit::{BagEvent, BagVerification, Create, Created, Level};
use pyo3::prelude::*;
use std::path::PathBuf;

/// The bytes and files of a payload, if they are known, and lines for people.
type Made = (Option<(u64, u64)>, Vec<String>);

/// Makes a folder a bag, in place or as a copy. Returns the bytes and files of the payload, or none if this finished
/// the bag of an interrupted run, and lines for people.
#[pyfunction]
pub(crate) fn make_bag(
    py: Python<'_>,
    folder: PathBuf,
    to: Option<PathBuf>,
    algorithms: &str,
    info: Vec<(String, String)>,
    resources: &Resources,
) -> PyResult<Made> {
    let cancel = resources.1.clone();
    let algorithms = Algorithms::named(algorithms).map_err(wrong)?;
    let create =
        Create { folder, to, algorithms, info, resources: resources.0.clone(), cancel: cancel.clone() };
    let mut lines = Vec::new();
    let created = watched(py, &cancel, || create.run(&mut |event| lines.extend(line(&event))))?;
    match created.map_err(job)? {
        Created::Bag(oxum) => Ok((Some((oxum.octets, oxum.streams)), lines)),
        Created::Finished => Ok((None, lines)),
        Created::Refused(number) => {
            let lines = lines.join("; ");
            Err(failed(format!(
                "no bag was made because of {number} entries, and nothing was changed: {lines}"
            )))
        }
        Created::Interrupted => Err(failed("interrupted; nothing was changed")),
    }
}

/// Verifies a bag. Returns the findings as JSON, and lines for people.
#[pyfunction]
pub(crate) fn verify_bag(
    py: Python<'_>,
    bag: PathBuf,
    level: &str,
    allow_weak: bool,
    resources: &Resources,
) -> PyResult<(String, Vec<String>)> {
    let known = Level::ALL.into_iter().find(|known| known.word() == level);
    let level =
        known.ok_or_else(|| wrong(format!("level is 'valid', 'complete' or 'oxum', not '{level}'")))?;
    let cancel = resources.1.clone();
    let resources = resources.0.clone();
    let verify = BagVerification {
        bag,
        level,
        allows_weak: allow_weak,
        profile: None,
        resources,
        cancel: cancel.clone(),
    };
    let mut lines = Vec::new();
    let verified = watched(py, &cancel, || verify.run(&mut |event| lines.extend(line(&event))))?;
    let verified = verified.map_err(job)?.ok_or_else(|| failed("interrupted"))?;
    Ok((verified.to_json().to_string(), lines))
}

/// Returns the line about an event for people, if it has one.
fn line(event: &BagEvent<'_>) -> Option<String> {
    let about = |path: &[u8], what: String| Some(format!("{}: {what}", String::from_utf8_lossy(path)));
    match event {
        BagEvent::Refused(path, why) => about(path, why.to_string()),
        BagEvent::Twin(path) => about(path.as_bytes(), "on other systems another file has this name".into()),
        BagEvent::Percent(first, _) => about(
            first.as_bytes(),
            "manifests have % in a name as %25, which bagit.py does not decode".into(),
        ),
        BagEvent::Failed(error) => Some(error.to_string()),
        BagEvent::UnreadableTags(path, error) => Some(format!("{}: cannot read: {error}", path.display())),
        BagEvent::Undone(folder) => {
            Some(format!("{}: undid what an interrupted run had begun", folder.display()))
        }
        BagEvent::Notice(notice) => Some(notice.to_string()),
        BagEvent::Reading(_) | BagEvent::AllRead | BagEvent::Copying(_) => None,
    }
}
