//! `convert`: the records of a manifest in another format.

use crate::engine::signals::watched;
use crate::error::{failed, job, wrong};
use crate::options::{Resources, Size, TypedOutput, place};
use hashmill_content::output::To;
use hashmill_digest::find;
use hashmill_job::convert::{ConvertEvent, ConvertJob, Target};
use hashmill_manifest::format::find_format;
use pyo3::prelude::*;
use std::ops::ControlFlow::Continue;
use std::path::PathBuf;

/// Writes the records of a manifest in another format. Returns how many parts of it were not understood, how many
/// records the format can't carry, and lines for people.
#[pyfunction]
#[pyo3(signature = (manifest, output, resources, *, format = None, algorithm = None, lossy = false, memory = None))]
#[allow(clippy::too_many_arguments, reason = "keywords of Python")]
pub(crate) fn convert(
    py: Python<'_>,
    manifest: PathBuf,
    output: TypedOutput,
    resources: &Resources,
    format: Option<&str>,
    algorithm: Option<&str>,
    lossy: bool,
    memory: Option<Size>,
) -> PyResult<(u64, u64, Vec<String>)> {
    let mut target = Target::new(To::File(place(output, &resources.0.stores)));
    let named = |name| find_format(name).ok_or_else(|| wrong(format!("there is no format '{name}'")));
    target.format = format.map(named).transpose()?;
    target.algorithm = algorithm.map(find).transpose().map_err(wrong)?;
    target.lossy = lossy;
    if let Some(memory) = memory {
        target.memory = usize::try_from(memory.bytes()?).unwrap_or(usize::MAX);
    }
    let cancel = resources.1.clone();
    let mut lines = Vec::new();
    let done = watched(py, &cancel, || {
        // A job can't move to another thread, so it is made on the one that runs it.
        let guard = resources.guard();
        let convert = ConvertJob { guard, cancel: cancel.clone(), ..ConvertJob::new(&manifest, target) };
        convert.run(&mut |event| {
            lines.extend(line(&event));
            Continue(())
        })
    })?;
    let summary = done.map_err(job)?;
    if summary.interrupted {
        return Err(failed("interrupted; nothing was written"));
    }
    Ok((summary.malformed, summary.refused, lines))
}

fn line(event: &ConvertEvent<'_>) -> Option<String> {
    match event {
        ConvertEvent::LeftOut(losses) => {
            Some(format!("left out, as the format {} can't carry it: {losses}", losses.format))
        }
        ConvertEvent::Emptied(records, format) => Some(format!(
            "left out: {records} records, as the format {} holds none of the digests",
            format.name
        )),
        ConvertEvent::Notice(notice) => Some(notice.to_string()),
        _ => None,
    }
}
