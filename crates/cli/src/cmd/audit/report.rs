//! What an audit prints: verdicts as they come, counts at the end.

use crate::exit::Exit;
use crate::line::{is_escaped, push_name};
use crate::options::report::Report;
use crate::output::{Output, WriteError};
use hashloom_job::audit::{Counted, Entry};
use hashloom_manifest::audit::{Category, Unjudged, Verdict};
use hashloom_manifest::{Label, Piece};
use std::io::{self, Write};

/// How a comparison ends, in words.
#[derive(Debug, Clone, Copy)]
pub struct Words {
    passed: &'static str,
    failed: &'static str,
}

impl Words {
    /// What is there against what should be.
    pub const AUDIT: Words = Words { passed: "audit passed", failed: "audit failed" };
    /// One against another.
    pub const DIFF: Words = Words { passed: "no difference", failed: "different" };
}

/// Prints verdicts.
pub struct Reporter {
    format: Report,
    words: Words,
    verbose: u8,
    output: Output,
    /// Verdicts printed.
    printed: u64,
    /// Nobody reads any more; the audit goes on for its exit code and its update.
    closed: bool,
}

impl Reporter {
    /// Begins a report.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn begin(
        (format, words): (Report, Words),
        verbose: u8,
        output: Output,
    ) -> Result<Reporter, WriteError> {
        let mut reporter = Reporter { format, words, verbose, output, printed: 0, closed: false };
        if format == Report::Json {
            reporter.write(b"{\"entries\":[")?;
        }
        Ok(reporter)
    }

    /// Prints a verdict, if it is asked for.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn verdict(&mut self, verdict: &Verdict, label: Option<&Label>) -> Result<(), WriteError> {
        match self.format {
            Report::Json => self.entry(verdict, label),
            Report::Text if self.wants(verdict.category) => self.write(&text(verdict, label)),
            Report::Text => Ok(()),
        }
    }

    fn wants(&self, category: Category) -> bool {
        self.verbose > 1 || self.verbose == 1 && category != Category::Matched
    }

    fn entry(&mut self, verdict: &Verdict, label: Option<&Label>) -> Result<(), WriteError> {
        let separator: &[u8] = if self.printed == 0 { b"\n" } else { b",\n" };
        self.printed += 1;
        let mut line = separator.to_vec();
        let done = serde_json::to_writer(&mut line, &Entry::of(verdict, label)).map_err(io::Error::from);
        done.map_err(|error| self.output.error(error))?;
        self.write(&line)
    }

    /// Prints the counts and ends the report, and says whether somebody read it. Files that could not be compared have
    /// no category: where there are some, nothing has passed, and those whose digests can't be computed are counted.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn end(mut self, counted: &Counted) -> Result<Exit, WriteError> {
        let words = counted.words();
        let text = match self.format {
            Report::Json => {
                let pairs = words.iter().map(|(word, number)| format!("\"{word}\":{number}"));
                format!("\n],\"counts\":{{{}}}}}\n", pairs.collect::<Vec<_>>().join(","))
            }
            Report::Text => {
                let verdict = if counted.passed() { self.words.passed } else { self.words.failed };
                let lines = words.iter().map(|(word, number)| format!("{word}: {number}\n"));
                format!("{verdict}\n{}", lines.collect::<String>())
            }
        };
        self.write(text.as_bytes())?;
        match self.output.finish() {
            Err(error) if error.closed() => self.closed = true,
            done => done?,
        }
        Ok(Exit::ReaderGone.when(self.closed))
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        if self.closed {
            return Ok(());
        }
        match self.output.write_all(bytes).map_err(|error| self.output.error(error)) {
            Err(error) if error.closed() => self.closed = true,
            done => return done,
        }
        Ok(())
    }
}

/// Why a file was not compared.
pub fn unjudged(unjudged: &Unjudged) -> &'static str {
    match unjudged.unsupported {
        true => "not compared: hashloom can't compute the digests that the manifests have of it",
        false => "not compared: the manifests have no digest of it by the same algorithm",
    }
}

/// `path: moved from known path`; a line with escaped names starts with a backslash.
fn text(verdict: &Verdict, label: Option<&Label>) -> Vec<u8> {
    let from = verdict.known_path.as_deref().filter(|known| **known != *verdict.path);
    let mut line = Vec::new();
    if is_escaped(&verdict.path) || from.is_some_and(is_escaped) {
        line.push(b'\\');
    }
    push_name(&mut line, &verdict.path);
    if let Some(Piece { offset, length }) = verdict.piece {
        line.extend_from_slice(format!(" bytes {offset} to {}", offset + length).as_bytes());
    }
    line.extend_from_slice(format!(": {}", verdict.category.word()).as_bytes());
    if let Some(from) = from {
        let word: &[u8] = match verdict.category {
            Category::Moved | Category::Copied => b" from ",
            _ => b", known as ",
        };
        line.extend_from_slice(word);
        push_name(&mut line, from);
    }
    if let Some(label) = label.filter(|label| &*label.category != Label::UNKNOWN) {
        line.extend_from_slice(b", known ");
        push_name(&mut line, label.category.as_bytes());
        line.extend_from_slice(b" in ");
        push_name(&mut line, label.set.as_bytes());
    }
    line.push(b'\n');
    line
}
