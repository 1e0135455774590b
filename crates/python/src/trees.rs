//! `tree`: one digest of a whole directory, as other systems define it.

use crate::engine::signals::watched;
use crate::error::{failed, job, os_error, wrong};
use crate::options::Resources;
use crate::sys::{ENOENT, ENOTDIR};
use hashmill_engine::Cancel;
use hashmill_job::tree::{TreeEvent, TreeJob};
use hashmill_os::names;
use hashmill_source::Filter;
use hashmill_tree::{Options, SYSTEMS, find_system};
use pyo3::prelude::*;

/// Computes the digest of a directory as each of these systems defines it, in their order.
#[pyfunction]
pub(crate) fn tree(
    py: Python<'_>,
    folder: Vec<u8>,
    systems: Vec<String>,
    prefix: String,
    globs: (Vec<String>, Vec<String>),
    follow: bool,
    resources: &Resources,
) -> PyResult<Vec<(&'static str, String)>> {
    let found = systems.iter().map(|name| {
        find_system(name).ok_or_else(|| {
            let names: Vec<_> = SYSTEMS.iter().map(|system| system.name).collect();
            wrong(format!("no system '{name}'; there are {}", names.join(", ")))
        })
    });
    let (include, exclude) = globs;
    let mut filter = Filter::builder();
    filter = include.iter().fold(filter, |filter, glob| filter.include(glob));
    filter = exclude.iter().fold(filter, |filter, glob| filter.exclude(glob));
    let cancel = Cancel::default();
    let folder_ = names::path(&folder)?;
    if !resources.0.stores.is_location(&folder) && !folder_.is_dir() {
        let number = folder_.symlink_metadata().map_or(ENOENT, |_| ENOTDIR);
        return Err(os_error(&folder, "is not a directory", Some(number)));
    }
    let work = TreeJob {
        folder: folder.into(),
        systems: found.collect::<PyResult<_>>()?,
        options: Options { prefix },
        filter: filter.build().map_err(wrong)?,
        follow,
        resources: resources.0.clone(),
        cancel: cancel.clone(),
    };
    let mut first = None;
    let summary = watched(py, &cancel, || {
        let run = work.start()?;
        Ok::<_, hashmill_job::Error>(run.run(&mut |event| {
            if let TreeEvent::Failed(error) = event
                && first.is_none()
            {
                first = Some((
                    error.path.clone(),
                    error.problem.to_string(),
                    crate::error::number(&error.problem),
                ));
            }
        }))
    })?
    .map_err(job)?;
    if let Some((path, said, number)) = first {
        return Err(os_error(&path, &said, number));
    }
    let digests =
        summary.found.into_iter().map(|found| Ok((found.system.name, found.digest.map_err(failed)?)));
    digests.collect()
}
