//! `--export-json`: what a benchmark found, for programs.

use crate::output::{Output, WriteError};
use hashloom_bench::Calibration;
use serde::Serialize;
use std::io::{self, Write};
use std::path::Path;

/// One benchmark's result.
#[derive(Serialize)]
pub struct Document<'a, R, S> {
    /// Which benchmark.
    comparison: &'static str,
    host: Host<'a>,
    /// RFC 3339.
    timestamp: &'a str,
    rows: Vec<R>,
    summary: Vec<S>,
}

/// The machine, and the program that measured it.
#[derive(Serialize)]
struct Host<'a> {
    model: &'a str,
    processor: &'a str,
    hashloom: &'a str,
}

impl<'a, R, S> Document<'a, R, S> {
    /// A result measured on the calibration's machine, at its time.
    pub fn new(comparison: &'static str, at: &'a Calibration, rows: Vec<R>, summary: Vec<S>) -> Self {
        let host = Host { model: &at.model, processor: &at.processor, hashloom: &at.tool };
        Document { comparison, host, timestamp: &at.date, rows, summary }
    }
}

/// Writes a document as JSON, under its name only when whole.
///
/// # Errors
/// If the file cannot be written.
pub fn export(path: &Path, document: &impl Serialize) -> Result<(), WriteError> {
    let mut output = Output::file(path)?;
    let json = serde_json::to_vec_pretty(document).map_err(|error| output.error(io::Error::other(error)))?;
    output.write_all(&json).and_then(|()| output.write_all(b"\n")).map_err(|error| output.error(error))?;
    output.finish()
}
