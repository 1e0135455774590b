//! Results for programs: `-f json` is one document, `-f jsonl` one object per line.

use super::report::ListReport;
use super::schema::Schema;
use crate::access;
use crate::output::Output;
use anyhow::Context;
use hashmill_manifest::json_line;
use hashmill_os::names;
use hashmill_terminal::add_path;
use serde::Serialize;
use serde_json::Value;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Adds the name of a file as it was typed: unchanged, except for secrets of a location.
pub fn add_typed(object: &mut Value, name: &str, path: &Path) {
    add_path(object, name, &access::stores().without_secrets(&names::path_bytes(path)));
}

/// The number of entries so far.
static ENTRIES: AtomicU64 = AtomicU64::new(0);

/// Returns a number that grows with each entry of a list.
pub fn entries_so_far() -> u64 {
    ENTRIES.load(Ordering::Relaxed)
}

/// The text of a document whose first member is a list. With `-f jsonl`, each entry of the list is a line, and the other
/// members are the last line.
#[derive(Debug)]
pub struct Entries {
    format: ListReport,
    name: &'static str,
    written: u64,
}

impl Entries {
    /// Makes a document without entries, and the name of its list.
    pub fn new(format: ListReport, name: &'static str) -> Entries {
        Entries { format, name, written: 0 }
    }

    /// Returns the text before the entries.
    pub fn begin(&self) -> String {
        if self.format == ListReport::Json { format!("{{\"{}\":[", self.name) } else { String::new() }
    }

    /// Returns the text of the next entry.
    ///
    /// # Errors
    /// If it can't be represented.
    pub fn next(&mut self, entry: impl Serialize) -> io::Result<String> {
        let entry = json_line(&entry)?;
        let before = if self.written > 0 { ",\n" } else { "\n" };
        self.written += 1;
        ENTRIES.fetch_add(1, Ordering::Relaxed);
        Ok(if self.format == ListReport::Json { before.to_string() + &entry } else { entry + "\n" })
    }

    /// Returns the text after the entries, which has the members of this object.
    pub fn end(&self, object: &str) -> String {
        match self.format {
            ListReport::Text => String::new(),
            ListReport::Json => format!("\n],{}\n", object.trim_start_matches('{')),
            ListReport::Jsonl => format!("{object}\n"),
        }
    }
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
        let result = json_line(&self.schema.document(result)).context("cannot be written as JSON")?;
        self.written += 1;
        Ok(self.output.put(format!("{before}{result}{after}"))?)
    }

    /// Ends the results.
    ///
    /// # Errors
    /// If the end can't be written.
    pub fn end(self) -> anyhow::Result<()> {
        match (self.frame, self.written) {
            (Frame::List, 0) => Ok(self.output.put("[]\n")?),
            (Frame::List, _) => Ok(self.output.put("\n]\n")?),
            _ => Ok(()),
        }
    }
}
