//! `image`: forensic images.

use crate::engine::signals::watched;
use crate::error::{failed_at, number_of, os_error, wrong};
use crate::options::Resources;
use crate::reach::usual;
use hashmill_content::imaging::{ImageEvent, ImageVerification, OpenOptions};
use hashmill_content::{BackingFiles, Stores, imaging};
use hashmill_engine::Cancel;
use hashmill_image::Problem;
use hashmill_os::names;
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::ops::ControlFlow::Continue;
use std::path::{Path, PathBuf};

fn refused(path: &Path, error: &hashmill_image::Error) -> PyErr {
    match &error.problem {
        Problem::Io(source) => os_error(&names::path_bytes(path), &error.to_string(), number_of(source)),
        _ => failed_at(&names::path_bytes(path), error),
    }
}

fn opening(raw: bool, backing: Vec<PathBuf>, stores: &Stores) -> PyResult<OpenOptions> {
    let backing = BackingFiles::new(backing).map_err(wrong)?;
    Ok(OpenOptions { raw, backing: backing.with_stores(stores) })
}

/// Returns everything that the headers of an image contain, as JSON.
#[pyfunction]
pub(crate) fn image_info(
    py: Python<'_>,
    path: PathBuf,
    raw: bool,
    backing: Vec<PathBuf>,
) -> PyResult<String> {
    let open = opening(raw, backing, &usual())?;
    let info = py.detach(|| imaging::info(&path, &open)).map_err(|error| refused(&path, &error))?;
    serde_json::to_string(&info).map_err(wrong)
}

/// Verifies images, and returns the result of each as JSON.
#[pyfunction]
pub(crate) fn image_verify(
    py: Python<'_>,
    images: Vec<PathBuf>,
    raw: bool,
    backing: Vec<PathBuf>,
    algorithms: Vec<String>,
    resources: &Resources,
) -> PyResult<String> {
    let cancel = Cancel::default();
    let rows = algorithms.iter().map(|name| hashmill_digest::find(name).map_err(wrong));
    let verify = ImageVerification {
        images,
        open: opening(raw, backing, &resources.0.stores)?,
        algorithms: rows.collect::<PyResult<_>>()?,
        resources: hashmill_image::Resources {
            threads: resources.0.threads().get(),
            memory: resources.0.memory as u64,
        },
        cancel: cancel.clone(),
    };
    let mut all: Vec<Value> = Vec::new();
    watched(py, &cancel, || {
        verify.run(&mut |event| {
            match event {
                ImageEvent::Refused(path, refusal) => {
                    let why = match refusal {
                        imaging::Refusal::Open(error) => error.to_string(),
                        _ => "no digests are stored, and none was asked for".to_owned(),
                    };
                    all.push(
                        json!({ "path": path.to_string_lossy(), "verdict": refusal.word(), "error": why }),
                    );
                }
                ImageEvent::Checked(path, checked) => {
                    let mut value = serde_json::to_value(checked).unwrap_or_default();
                    value["path"] = path.to_string_lossy().into();
                    all.push(value);
                }
                _ => {}
            }
            Continue(())
        })
    })?;
    Ok(Value::from(all).to_string())
}
