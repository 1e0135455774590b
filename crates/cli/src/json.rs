//! Results for programs: `-f json` is one document, `-f jsonl` one object per line.

use crate::access;
use crate::options::report::ListReport;
use crate::output::Output;
use crate::schema::Schema;
use anyhow::Context;
use hashmill_job::add_path;
use hashmill_os::names;
use serde::Serialize;
use serde_json::Value;
use std::io::Write;
use std::path::Path;

/// Adds the name of a file as it was typed: unchanged, except for secrets of a location.
pub fn add_typed(object: &mut Value, name: &str, path: &Path) {
    add_path(object, name, &access::stores().without_secrets(&names::path_bytes(path)));
}

/// The text around and between results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Frame {
    /// One result per line.
    Lines,
    /// A single result, which is the document.
    One,
    /// The document is a list of results.
    List,
}

impl Frame {
    /// Returns the frame for results of this many operands. It is unused for text.
    pub fn new(format: ListReport, operands: usize) -> Frame {
        match (format, operands) {
            (ListReport::Text | ListReport::Jsonl, _) => Frame::Lines,
            (ListReport::Json, 1) => Frame::One,
            (ListReport::Json, _) => Frame::List,
        }
    }
}

/// A writer of results to standard output.
pub struct Results {
    schema: Schema,
    frame: Frame,
    output: Output,
    written: u64,
}

impl Results {
    /// Makes a writer without results.
    pub fn new(schema: Schema, frame: Frame, output: Output) -> Results {
        Results { schema, frame, output, written: 0 }
    }

    /// Writes a result.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn push(&mut self, result: impl Serialize) -> anyhow::Result<()> {
        let before = match (self.frame, self.written) {
            (Frame::Lines | Frame::One, _) => "",
            (Frame::List, 0) => "[\n",
            (Frame::List, _) => ",\n",
        };
        let after = if self.frame == Frame::List { "" } else { "\n" };
        let result =
            serde_json::to_string(&self.schema.document(result)).context("cannot be written as JSON")?;
        self.written += 1;
        self.write(&format!("{before}{result}{after}"))
    }

    /// Ends the results.
    ///
    /// # Errors
    /// If the end can't be written.
    pub fn end(mut self) -> anyhow::Result<()> {
        match (self.frame, self.written) {
            (Frame::List, 0) => self.write("[]\n"),
            (Frame::List, _) => self.write("\n]\n"),
            _ => Ok(()),
        }
    }

    fn write(&mut self, text: &str) -> anyhow::Result<()> {
        Ok(self.output.write_all(text.as_bytes()).map_err(|error| self.output.error(error))?)
    }
}
