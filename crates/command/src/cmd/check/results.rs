//! Results of a check on standard output: a line for each file, or JSON.

use super::Options;
use crate::options::write::Lists;
use crate::output::{Output, Tone, WriteError};
use crate::results::json::{Entries, add_typed};
use crate::results::report::ListReport;
use crate::results::schema::Schema;
use crate::verdict;
use crate::words::level::is_quiet;
use crate::words::line;
use crate::words::message;
use hashmill_digest::Algorithm;
use hashmill_job::account::Account;
use hashmill_job::audit::Entry;
use hashmill_job::check::ClaimVerdict;
use hashmill_lists::SignedBy;
use hashmill_lists::history::Ignored;
use hashmill_manifest::audit::{Category, Incomparable, Sides};
use hashmill_objects::StoreLayout;
use hashmill_terminal::{add_path, without_numbers};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::Path;

/// The result for a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    /// The word for people.
    pub text: &'static str,
    /// The key for programs.
    pub key: &'static str,
    /// Whether it is a good result.
    pub tone: Tone,
}

impl Word {
    pub const OK: Word = Word::new("OK", ClaimVerdict::Right, Tone::Good);
    pub const PARTLY: Word = Word::new("PARTLY VERIFIED", ClaimVerdict::Partly, Tone::Doubtful);
    pub const FAILED: Word = Word::new("FAILED", ClaimVerdict::Wrong, Tone::Bad);
    pub const MISSING: Word = Word::new("FAILED open or read", ClaimVerdict::Missing, Tone::Bad);
    pub const UNREADABLE: Word = Word::new("FAILED open or read", ClaimVerdict::Unreadable, Tone::Bad);
    pub const UNSUPPORTED: Word = Word::new("UNSUPPORTED", ClaimVerdict::Unsupported, Tone::Doubtful);
    pub const UNNAMED: Word = Word::new("NO ALGORITHM NAMED", ClaimVerdict::Unnamed, Tone::Doubtful);
    pub const NEW: Word = Word { text: "NEW", key: Category::New.word(), tone: Tone::Doubtful };

    /// The categories for `--write`.
    pub const CATEGORIES: [&'static str; 6] = [
        Category::Matched.word(),
        Category::Changed.word(),
        Category::Missing.word(),
        Category::Unreadable.word(),
        Category::New.word(),
        Lists::NOT_COMPARED,
    ];

    const fn new(text: &'static str, verdict: ClaimVerdict, tone: Tone) -> Word {
        Word { text, key: verdict.word(), tone }
    }

    /// Returns the category whose list has files with this result.
    fn listed_as(self) -> &'static str {
        if Word::CATEGORIES.contains(&self.key) { self.key } else { Lists::NOT_COMPARED }
    }

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
    /// Files that take the paths of a category.
    written: Lists,
    entries: RefCell<Entries>,
    counts: RefCell<BTreeMap<&'static str, u64>>,
    /// The algorithms that unnamed digests were taken for.
    guessed: RefCell<Vec<&'static str>>,
    /// The lists with their signers, for programs.
    lists: RefCell<Vec<Value>>,
    /// Files that patterns of lists leave out.
    ignored: RefCell<Ignored>,
    /// The store that is checked, for programs.
    store: RefCell<Option<Value>>,
    /// Whether nothing is printed.
    silent: bool,
}

/// A file that a result is about.
#[derive(Clone, Copy)]
pub struct Claim<'a> {
    /// The file.
    pub path: &'a [u8],
    /// The list that names it; empty for a new file.
    pub list: &'a str,
    /// The expected and the actual content, if they were requested.
    pub sides: Option<&'a Sides>,
}

impl Results {
    /// Begins the output.
    ///
    /// # Errors
    /// If nothing can be written.
    pub fn begin(options: &Options, output: &Output, written: Lists) -> Result<Results, WriteError> {
        let format = if options.is_for_programs() { options.format } else { ListReport::Text };
        let counts = RefCell::new(Word::ALL.into_iter().map(|word| (word.key, 0)).collect());
        let entries = Entries::new(format, "entries");
        output.put(entries.begin())?;
        Ok(Results {
            format,
            output: output.clone(),
            written,
            entries: RefCell::new(entries),
            counts,
            guessed: RefCell::default(),
            lists: RefCell::default(),
            ignored: RefCell::default(),
            store: RefCell::default(),
            silent: options.status,
        })
    }

    /// Returns the files that take the paths of a category.
    pub fn written(&self) -> &Lists {
        &self.written
    }

    /// Counts a result, and prints it if it is wanted.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn take(&self, of: Claim<'_>, word: Word, wanted: bool) -> Result<(), WriteError> {
        let path = of.path;
        *self.counts.borrow_mut().entry(word.key).or_default() += 1;
        self.written.take(word.listed_as(), path)?;
        match self.format {
            _ if !wanted => Ok(()),
            // Thousands of equal results need no colour, and flushing each would take long.
            ListReport::Text if word.tone == Tone::Good => self.output.put(line::about(path, word.text)),
            ListReport::Text => self.put(|output| {
                output.write_all(&line::named(path, b": "))?;
                output.paint(word.text, word.tone)?;
                output.write_all(b"\n")
            }),
            ListReport::Json | ListReport::Jsonl => self.entry(of, word.key),
        }
    }

    /// Records the algorithms that digests of a list were taken for.
    pub fn guess(&self, algorithms: &[&'static Algorithm]) {
        let mut guessed = self.guessed.borrow_mut();
        for algorithm in algorithms {
            if !guessed.contains(&algorithm.name) {
                guessed.push(algorithm.name);
            }
        }
    }

    /// Counts a file that a list names without a digest that could be checked, and adds it to the output for programs.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn unchecked(&self, of: Claim<'_>) -> Result<(), WriteError> {
        let key = Incomparable::Apart.word();
        *self.counts.borrow_mut().entry(key).or_default() += 1;
        if self.format == ListReport::Text { Ok(()) } else { self.entry(of, key) }
    }

    /// Records a list and its signers.
    pub fn list(&self, name: &OsStr, signers: Vec<SignedBy>) {
        if self.format != ListReport::Text {
            let mut list = json!({ "signers": signers });
            add_typed(&mut list, "path", Path::new(name));
            self.lists.borrow_mut().push(list);
        }
    }

    /// Records a list that could not be opened, for programs.
    pub fn refuse(&self, name: &OsStr, why: &str) {
        if self.format != ListReport::Text {
            let mut list = json!({ "signers": [], "error": without_numbers(why) });
            add_typed(&mut list, "path", Path::new(name));
            self.lists.borrow_mut().push(list);
        }
    }

    /// Records that the last list could not be used, for programs.
    pub fn fail(&self, why: &str) {
        if let Some(list) = self.lists.borrow_mut().last_mut() {
            list["error"] = without_numbers(why).into();
        }
    }

    /// Records the number of lines of the last list that were not understood, for programs.
    pub fn count_malformed(&self, lines: u64) {
        if let Some(list) = self.lists.borrow_mut().last_mut().filter(|_| lines > 0) {
            list["malformed"] = lines.into();
        }
    }

    /// Records the store that is checked.
    pub fn name_store(&self, layout: StoreLayout, root: &[u8]) {
        if self.format != ListReport::Text {
            let mut store = match layout {
                StoreLayout::Kind(kind) => json!({ "kind": kind.name }),
                StoreLayout::NameIs(algorithm) => json!({ "name_is": algorithm.name }),
            };
            add_path(&mut store, "path", root);
            *self.store.borrow_mut() = Some(store);
        }
    }

    /// Records the number of objects in packs that were verified.
    pub fn count_packed(&self, objects: u64) {
        if let Some(store) = self.store.borrow_mut().as_mut().filter(|_| objects > 0) {
            store["packed_objects"] = json!(objects);
        }
    }

    /// Records the files that do not count as new because patterns of lists leave them out: people get a message,
    /// programs an entry at the end.
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

    fn entry(&self, of: Claim<'_>, category: &str) -> Result<(), WriteError> {
        let entry = Entry::of_claim(category, of.path, of.list).with_sides(of.sides);
        let text = self.entries.borrow_mut().next(&entry).map_err(|error| self.output.error(error))?;
        self.output.put(text)
    }

    /// Ends the output; programs get the number of each result.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn end(self, account: &Account) -> Result<(), WriteError> {
        let mut end = json!({
            "verdict": verdict::word(account),
            "counts": *self.counts.borrow(),
            "account": account.to_json(),
        });
        if !self.guessed.borrow().is_empty() {
            end["guessed"] = json!(*self.guessed.borrow());
        }
        if self.ignored.borrow().files() > 0 {
            end["counts"]["ignored"] = json!(self.ignored.borrow().files());
            end["ignored"] = ignored(&self.ignored.borrow());
        }
        end["lists"] = json!(*self.lists.borrow());
        if let Some(store) = self.store.borrow_mut().take() {
            end["store"] = store;
        }
        Schema::CHECK.mark(&mut end);
        self.output.put(self.entries.borrow().end(&end.to_string()))
    }

    fn put(&self, put: impl FnOnce(&mut Output) -> io::Result<()>) -> Result<(), WriteError> {
        put(&mut self.output.clone()).map_err(|error| self.output.error(error))
    }
}

/// Returns the files that patterns left out, for programs.
pub fn ignored(ignored: &Ignored) -> serde_json::Value {
    let all = ignored.patterns().map(|(pattern, files)| json!({ "pattern": pattern, "files": files }));
    all.collect()
}
