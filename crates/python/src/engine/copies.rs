//! `copy`: files are copied, hashed in the same read, and read back.

use crate::engine::signals::watched;
use crate::error::{job, wrong};
use crate::options::{Resources, Selection, place};
use hashmill_content::output::To;
use hashmill_job::copy::{Answer, BagFields, CopyEvent, CopyJob, Verify, manifest_path};
use hashmill_job::hash::Manifest;
use hashmill_job::{Algorithms, Misfit};
use hashmill_manifest::Record;
use hashmill_manifest::format::find_format;
use pyo3::prelude::*;
use serde_json::json;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// The default algorithms of bags, those of `bag create`.
const BAG_ALGORITHMS: &str = "sha256,sha512";

/// The name of bags among formats.
const BAG: &str = "bag";

/// Copies what a selection finds to these places. A destination gets a manifest of a format, or becomes a bag with these fields. Returns the result
/// as JSON, and what there is to say for people.
#[pyfunction]
#[pyo3(signature = (selection, to, algorithms, verifying, force, resources, manifest, info))]
#[allow(clippy::too_many_arguments, reason = "keywords of Python")]
pub(crate) fn copy(
    py: Python<'_>,
    selection: &Selection,
    to: Vec<PathBuf>,
    algorithms: Option<&str>,
    verifying: (String, bool),
    force: bool,
    resources: &Resources,
    manifest: Option<&str>,
    info: BagFields,
) -> PyResult<(String, Vec<String>)> {
    let (verify, verify_source) = verifying;
    let verify = match verify.as_str() {
        "end" => Verify::AtOnce,
        "later" => Verify::Later,
        "no" => Verify::No,
        other => return Err(wrong(format!("verify is 'end', 'later' or 'no', not '{other}'"))),
    };
    let named = |name| find_format(name).filter(|format| format.writer.is_some());
    let format = manifest.filter(|name| *name != BAG);
    let format = format
        .map(|name| named(name).ok_or_else(|| wrong(format!("there is no format '{name}' to write"))))
        .transpose()?;
    let is_bag = manifest == Some(BAG);
    if !is_bag && !info.is_empty() {
        return Err(wrong("info has fields of a bag: manifest='bag'"));
    }
    let default = || match (format, to.first()) {
        _ if is_bag => Algorithms::named(BAG_ALGORITHMS),
        (None, _) | (_, None) => Algorithms::named("blake3"),
        (Some(format), Some(to)) => Algorithms::of_history(format, &to.join("ascmhl/"))
            .map_or_else(|| Algorithms::of_format(format), Ok),
    };
    let algorithms = algorithms.map_or_else(default, Algorithms::named).map_err(wrong)?;
    let stores = &resources.0.stores;
    let manifests = to.iter().zip(format.into_iter().cycle()).map(|(to, format)| {
        let path = manifest_path(format, to, &selection.0.paths, &algorithms, stores)?;
        let output = place((path, force), stores);
        Ok(Manifest { is_relative: true, ..Manifest::new(format, To::File(output)) })
    });
    let manifests = manifests.collect::<Result<Vec<_>, Misfit>>().map_err(wrong)?;
    let cancel = resources.1.clone();
    let work = CopyJob {
        state: None,
        selection: selection.0.clone(),
        to,
        algorithms,
        manifests,
        bag: is_bag.then_some(info),
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
        CopyEvent::Unfit(path, why) => about(path, why),
        CopyEvent::Remark(remark) => lines.push((*remark).to_string()),
        _ => {}
    }
}
