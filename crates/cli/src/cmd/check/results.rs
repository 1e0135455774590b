//! Results of a check on standard output: a line for each file, or JSON.

use super::Options;
use crate::level::is_quiet;
use crate::line::{self, is_escaped, push_name};
use crate::message;
use crate::options::report::ListReport;
use crate::output::{Output, Tone, WriteError};
use hashloom_digest::Algorithm;
use hashloom_job::history::Ignored;
use hashloom_job::{path_b64, path_text};
use serde::Serialize;
use serde_json::json;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    /// For people.
    pub text: &'static str,
    /// For programs.
    pub key: &'static str,
    /// Whether it is good.
    pub tone: Tone,
}

impl Word {
    pub const OK: Word = Word { text: "OK", key: "ok", tone: Tone::Good };
    pub const PARTLY: Word = Word { text: "PARTLY VERIFIED", key: "partly-verified", tone: Tone::Doubtful };
    pub const FAILED: Word = Word { text: "FAILED", key: "failed", tone: Tone::Bad };
    pub const MISSING: Word = Word { text: "FAILED open or read", key: "missing", tone: Tone::Bad };
    pub const UNREADABLE: Word = Word { text: "FAILED open or read", key: "unreadable", tone: Tone::Bad };
    pub const UNSUPPORTED: Word = Word { text: "UNSUPPORTED", key: "unsupported", tone: Tone::Doubtful };
    pub const UNNAMED: Word = Word { text: "NO ALGORITHM NAMED", key: "unnamed", tone: Tone::Doubtful };
    pub const NEW: Word = Word { text: "NEW", key: "new", tone: Tone::Doubtful };

    const ALL: [Word; 8] = [
        Word::OK,
        Word::PARTLY,
        Word::FAILED,
        Word::MISSING,
        Word::UNREADABLE,
        Word::UNNAMED,
        Word::UNSUPPORTED,
        Word::NEW,
    ];
}

/// Results of all lists.
pub struct Results {
    format: ListReport,
    output: Output,
    printed: Cell<u64>,
    counts: RefCell<BTreeMap<&'static str, u64>>,
    /// The algorithms that unnamed digests were taken for.
    guessed: RefCell<Vec<&'static str>>,
    /// Files that patterns of lists leave out.
    ignored: RefCell<Ignored>,
    /// Nothing is printed.
    silent: bool,
}

/// A result as programs read it.
#[derive(Serialize)]
struct Entry<'a> {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_b64: Option<String>,
    result: &'static str,
    /// The list that names the file; none of a new one.
    #[serde(skip_serializing_if = "str::is_empty")]
    list: &'a str,
}

impl Results {
    /// Begins.
    ///
    /// # Errors
    /// If nothing can be written.
    pub fn begin(options: &Options, output: &Output) -> Result<Results, WriteError> {
        let format = if options.status { ListReport::Text } else { options.format };
        let counts = RefCell::new(Word::ALL.into_iter().map(|word| (word.key, 0)).collect());
        let (printed, guessed, ignored) = (Cell::new(0), RefCell::default(), RefCell::default());
        let silent = options.status;
        let results = Results { format, output: output.clone(), printed, counts, guessed, ignored, silent };
        if format == ListReport::Json {
            results.put(|output| output.write_all(b"{\"entries\":["))?;
        }
        Ok(results)
    }

    /// Counts a result, and prints it if it is wanted.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn take(&self, path: &[u8], word: Word, list: &str, wanted: bool) -> Result<(), WriteError> {
        *self.counts.borrow_mut().entry(word.key).or_default() += 1;
        match self.format {
            _ if !wanted => Ok(()),
            // Thousands of lines that say the same need no colour, and to flush each would take long.
            ListReport::Text if word.tone == Tone::Good => {
                self.put(|output| output.write_all(&line::about(path, word.text)))
            }
            ListReport::Text => self.put(|output| {
                output.write_all(&before(path))?;
                output.paint(word.text, word.tone)?;
                output.write_all(b"\n")
            }),
            ListReport::Json | ListReport::Jsonl => self.entry(path, word, list),
        }
    }

    /// Notes what digests of a list were taken for.
    pub fn guess(&self, algorithms: &[&'static Algorithm]) {
        let mut guessed = self.guessed.borrow_mut();
        for algorithm in algorithms {
            if !guessed.contains(&algorithm.name) {
                guessed.push(algorithm.name);
            }
        }
    }

    /// Notes which files are not new because patterns of lists leave them out: people are told, programs read it at the end.
    pub fn ignore(&self, ignored: &Ignored) {
        if ignored.files() > 0 {
            if self.format == ListReport::Text && !self.silent && !is_quiet() {
                message::note(format_args!(
                    "left out: {} (patterns of the list: {ignored})",
                    ignored.files()
                ));
            }
            *self.ignored.borrow_mut() = ignored.clone();
        }
    }

    fn entry(&self, path: &[u8], word: Word, list: &str) -> Result<(), WriteError> {
        let entry = Entry { path: path_text(path), path_b64: path_b64(path), result: word.key, list };
        let separator = match (self.format, self.printed.get()) {
            (ListReport::Jsonl, _) => "",
            (_, 0) => "\n",
            _ => ",\n",
        };
        let end = if self.format == ListReport::Jsonl { "\n" } else { "" };
        self.printed.set(self.printed.get() + 1);
        self.put(|output| {
            let entry = serde_json::to_string(&entry).map_err(io::Error::from)?;
            output.write_all(format!("{separator}{entry}{end}").as_bytes())
        })
    }

    /// Ends: programs are told how many of each there were.
    ///
    /// # Errors
    /// If that can't be written.
    pub fn end(self) -> Result<(), WriteError> {
        let mut end = json!({ "counts": *self.counts.borrow() });
        if !self.guessed.borrow().is_empty() {
            end["guessed"] = json!(*self.guessed.borrow());
        }
        if self.ignored.borrow().files() > 0 {
            end["counts"]["ignored"] = json!(self.ignored.borrow().files());
            end["ignored"] = ignored(&self.ignored.borrow());
        }
        let counts = end.to_string();
        let text = match self.format {
            ListReport::Text => return Ok(()),
            ListReport::Jsonl => format!("{counts}\n"),
            ListReport::Json => format!("\n],{}\n", counts.trim_start_matches('{')),
        };
        self.put(|output| output.write_all(text.as_bytes()))
    }

    fn put(&self, put: impl FnOnce(&mut Output) -> io::Result<()>) -> Result<(), WriteError> {
        put(&mut self.output.clone()).map_err(|error| self.output.error(error))
    }
}

/// Returns what patterns left out, as programs read it.
pub fn ignored(ignored: &Ignored) -> serde_json::Value {
    let all = ignored.patterns().map(|(pattern, files)| json!({ "pattern": pattern, "files": files }));
    all.collect()
}

/// `name: `, escaped and marked as coreutils does it.
fn before(name: &[u8]) -> Vec<u8> {
    let mut line = Vec::with_capacity(name.len() + 3);
    if is_escaped(name) {
        line.push(b'\\');
    }
    push_name(&mut line, name);
    line.extend_from_slice(b": ");
    line
}
