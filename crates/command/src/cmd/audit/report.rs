//! Output of audits: problems as they are found, then matches if they are asked for, then counts.

use super::moved::Moved;
use crate::cmd::check::ignored;
use crate::options::sources;
use crate::options::write::Lists;
use crate::output::{Output, Tone, WriteError};
use crate::results::json::Entries;
use crate::results::report::ListReport;
use crate::results::schema::Schema;
use crate::settings;
use crate::verdict;
use crate::words::level::{Level, level};
use crate::words::line::{is_escaped, push_name};
use crate::words::message;
use crate::words::message::count;
use hashmill_job::account::{Account, Outcome};
use hashmill_job::audit::{AuditSummary, Counted, Entry, LeftOut};
use hashmill_job::check::Strays;
use hashmill_job::run::Run;
use hashmill_lists::history::Ignored;
use hashmill_manifest::audit::{Category, Incomparable, Root, Unjudged, Verdict};
use hashmill_manifest::stored::Strength;
use hashmill_manifest::{Label, Piece};
use hashmill_terminal::add_path;
use serde_json::{Value, json};
use std::io::{self, Read, Seek, Write};
use tempfile::SpooledTempFile;

/// The words for the outcome of a comparison.
#[derive(Debug, Clone, Copy)]
pub struct Words {
    passed: &'static str,
    failed: &'static str,
    /// Where nothing differs, but not everything could be read and understood.
    undecided: &'static str,
    /// Where nothing was compared.
    idle: &'static str,
    schema: Schema,
}

impl Words {
    /// The words of an audit.
    pub const AUDIT: Words = Words {
        passed: "audit passed",
        failed: "audit failed",
        undecided: "audit undecided: not everything was read and understood",
        idle: "audit failed",
        schema: Schema::AUDIT,
    };
    /// The words of a comparison of two sides.
    pub const DIFF: Words = Words {
        passed: "no difference",
        failed: "different",
        undecided: "undecided: not everything was read and understood",
        idle: "undecided: nothing was compared",
        schema: Schema::DIFF,
    };
    /// The words of a search for the content of one side.
    pub const CONTENTS: Words =
        Words { passed: "all content is there", failed: "content is missing", ..Words::DIFF };
}

/// The amount of text output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listing {
    /// Only the number of files in each category.
    Counts,
    /// Only problems.
    Problems,
    /// Problems, then the counts.
    Usual,
    /// Problems, then matches, then the counts.
    Everything,
}

impl Listing {
    /// Returns the amount that the options ask for.
    pub fn asked(counts: bool) -> Listing {
        match level() {
            _ if counts => Listing::Counts,
            Level::Quiet => Listing::Problems,
            Level::Usual => Listing::Usual,
            Level::Verbose => Listing::Everything,
        }
    }
}

/// The most files that belong to manifests and are named in the report.
const NAMED: usize = 10;

/// The most bytes of lines of matches in memory; more wait in a temporary file.
const IN_MEMORY: usize = 1 << 20;

/// Prints verdicts.
pub struct Reporter {
    format: ListReport,
    words: Words,
    listing: Listing,
    output: Output,
    /// Lines of matches, printed after the problems.
    later: SpooledTempFile,
    /// Files that moved, until all of them are known.
    moved: Option<Moved>,
    /// Files that take the paths of a category.
    lists: Lists,
    /// The run that produced the result.
    run: Option<Run>,
    /// Files that patterns in manifests leave out.
    ignored: Ignored,
    /// The first files that were left out because they belong to the manifests.
    own: Vec<Box<[u8]>>,
    /// Files that one side lacks.
    strays: Strays,
    /// The verdicts for programs.
    entries: Entries,
    /// Whether the reader of the output closed it; the audit goes on for its exit code and its update.
    closed: bool,
}

impl Reporter {
    /// Begins a report.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn begin(
        format: ListReport,
        words: Words,
        listing: Listing,
        output: Output,
    ) -> Result<Reporter, WriteError> {
        let folds = format == ListReport::Text && matches!(listing, Listing::Problems | Listing::Usual);
        let mut reporter = Reporter {
            format,
            words,
            listing,
            output,
            later: SpooledTempFile::new(IN_MEMORY),
            moved: folds.then(Moved::default),
            lists: Lists::default(),
            run: None,
            ignored: Ignored::default(),
            own: Vec::new(),
            strays: Strays::default(),
            entries: Entries::new(format, "entries"),
            closed: false,
        };
        reporter.write(reporter.entries.begin().as_bytes())?;
        Ok(reporter)
    }

    /// Adds lists of categories to write.
    pub fn writing(self, lists: Lists) -> Reporter {
        Reporter { lists, ..self }
    }

    /// Adds the data of the run.
    pub fn of_run(self, run: Option<Run>) -> Reporter {
        Reporter { run, ..self }
    }

    /// Takes the files that patterns in manifests leave out, for the end.
    pub fn ignoring(&mut self, ignored: &Ignored) {
        self.ignored = ignored.clone();
    }

    /// Takes a file that was left out because it belongs to the manifests.
    pub fn own(&mut self, path: &[u8]) {
        if self.own.len() < NAMED {
            self.own.push(path.into());
        }
    }

    /// Prints a verdict, if the options include it.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn verdict(&mut self, verdict: &Verdict, label: Option<&Label>) -> Result<(), WriteError> {
        self.lists.take(verdict.category.word(), &verdict.path)?;
        self.strays.see(verdict);
        // Missing files come last, when no more files can turn out to be moved.
        if verdict.category == Category::Missing {
            self.print_moved()?;
        }
        if verdict.category == Category::Moved && self.waits(verdict, label)? {
            return Ok(());
        }
        let matched = verdict.category == Category::Matched;
        match (self.format, self.listing) {
            (ListReport::Json | ListReport::Jsonl, Listing::Problems) if matched => Ok(()),
            (ListReport::Json | ListReport::Jsonl, _) => self.entry(&Entry::from_verdict(verdict, label)),
            (_, Listing::Counts) => Ok(()),
            (_, Listing::Everything) if matched => self.later(&ReportLine::from_verdict(verdict, label)),
            _ if matched => Ok(()),
            _ => self.tell(&ReportLine::from_verdict(verdict, label), tone(verdict.category)),
        }
    }

    /// Returns the first files that are missing.
    pub fn missing(&self) -> &[Box<[u8]>] {
        self.strays.missing()
    }

    /// Returns the names of files that belong to the manifests.
    fn named(&self) -> String {
        let mut named = String::new();
        for (place, path) in self.own.iter().enumerate() {
            named += if place == 0 { ": " } else { ", " };
            named += &message::Shown(path).to_string();
        }
        if self.own.len() == NAMED { named + ", …" } else { named }
    }

    fn tell(&mut self, told: &ReportLine, tone: Tone) -> Result<(), WriteError> {
        self.write(&told.before)?;
        self.paint(told.word, tone)?;
        self.write(&told.after)
    }

    /// Keeps a file that moved until all are known, and returns whether it was kept. Pieces, and files with further
    /// details, are printed by themselves.
    fn waits(&mut self, verdict: &Verdict, label: Option<&Label>) -> Result<bool, WriteError> {
        let (Some(moved), Some(from)) = (&mut self.moved, &verdict.known_path) else { return Ok(false) };
        if verdict.piece.is_some() {
            return Ok(false);
        }
        let is_shown = label.is_some_and(|label| &*label.category != Label::UNKNOWN);
        moved.take(from, verdict, is_shown).map_err(unkept)?;
        Ok(!is_shown)
    }

    /// Prints the files that moved: one line for each folder that moved as a whole.
    fn print_moved(&mut self) -> Result<(), WriteError> {
        let Some(moved) = self.moved.take() else { return Ok(()) };
        for told in moved.lines().map_err(unkept)? {
            self.tell(&told.map_err(unkept)?, tone(Category::Moved))?;
        }
        Ok(())
    }

    /// Reports a file that was not compared: a line on standard error for people, also an entry for programs.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn unjudged(&mut self, file: &Unjudged) -> Result<(), WriteError> {
        self.lists.take(Lists::NOT_COMPARED, &file.path)?;
        message::about(&file.path, unjudged(file));
        self.unjudged_entry(file)
    }

    /// Reports a file that was not compared to programs alone, as people are told of all such files together.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn unjudged_silently(&mut self, file: &Unjudged) -> Result<(), WriteError> {
        self.lists.take(Lists::NOT_COMPARED, &file.path)?;
        self.unjudged_entry(file)
    }

    fn unjudged_entry(&mut self, file: &Unjudged) -> Result<(), WriteError> {
        match self.format {
            ListReport::Json | ListReport::Jsonl => self.entry(&Entry::of_unjudged(file)),
            ListReport::Text => Ok(()),
        }
    }

    fn later(&mut self, told: &ReportLine) -> Result<(), WriteError> {
        let line = [&told.before, told.word.as_bytes(), &told.after].concat();
        self.later.write_all(&line).map_err(unkept)
    }

    /// Prints the lines that waited.
    fn print_later(&mut self) -> Result<(), WriteError> {
        self.later.rewind().map_err(unkept)?;
        let mut part = vec![0; 64 << 10];
        loop {
            match self.later.read(&mut part).map_err(unkept)? {
                0 => return Ok(()),
                read => self.write(&part[..read])?,
            }
        }
    }

    fn entry(&mut self, entry: &Entry<'_>) -> Result<(), WriteError> {
        let text = self.entries.next(entry).map_err(|error| self.output.error(error))?;
        self.write(text.as_bytes())
    }

    /// Prints the counts, ends the report and returns the exit code, which depends on whether the output was read.
    /// Files that could not be compared have no category: if there are any, the audit has not passed, and those whose
    /// digests can't be computed are counted.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn end(mut self, summary: &AuditSummary) -> Result<Account, WriteError> {
        let (counted, account) = (&summary.counted, summary.account().and(sources::unread()));
        self.print_moved()?;
        let words = counted.words();
        let pairs = || {
            let pairs = words.iter().map(|(word, number)| format!("\"{word}\":{number}"));
            let counts = pairs.collect::<Vec<_>>().join(",");
            let left_out = number("not_compared", counted.left_out.all())
                + &number("own", counted.own)
                + &number("ignored", counted.ignored)
                + &number("reused", counted.reused)
                + &number("carried_over", counted.carried)
                + &number("pruned", counted.pruned);
            let ignored = match counted.ignored {
                0 => String::new(),
                _ => format!(",\"ignored\":{}", ignored(&self.ignored)),
            };
            let not_looked_for = list("not_looked_for", counted.not_looked_for());
            let guessed: Vec<_> = summary.guessed.iter().map(|algorithm| algorithm.name).collect();
            let guessed = list("guessed", &guessed);
            let run = self.run.as_ref().map_or(String::new(), |run| format!(",\"run\":{}", run.end()));
            let malformed = number("malformed", summary.malformed) + &mapped(&summary.mapped);
            let about = format!(
                "{malformed},\"verdict\":\"{}\",\"account\":{}{ignored}{run},\"schema\":\"{}\"",
                verdict::word(&account),
                account.to_json(),
                self.words.schema.name()
            );
            format!("\"counts\":{{{counts}{left_out}}}{}{guessed}{not_looked_for}{about}", strengths(counted))
        };
        match (self.format, self.listing) {
            (ListReport::Json | ListReport::Jsonl, _) => {
                self.write(self.entries.end(&format!("{{{}}}", pairs())).as_bytes())?;
            }
            (_, Listing::Problems) => {}
            _ => {
                self.counts(counted, &account)?;
                let named =
                    |path: &[u8]| if path.is_empty() { ".".into() } else { message::Shown(path).to_string() };
                let line = |root: &Root| {
                    format!("{}: taken for {} of the list\n", named(&root.local), named(&root.known))
                };
                let lines: String = summary.mapped.iter().filter(|root| !is_alike(root)).map(line).collect();
                self.write(lines.as_bytes())?;
            }
        }
        match self.output.finish() {
            Err(error) if error.closed() => self.closed = true,
            done => done?,
        }
        self.lists.finish()?;
        if let Some(why) = self.strays.why().filter(|_| self.listing != Listing::Problems) {
            message::note(why);
        }
        Ok(Account::unread().when(self.closed))
    }

    fn counts(&mut self, counted: &Counted, account: &Account) -> Result<(), WriteError> {
        self.print_later()?;
        let is_compared = counted.passed() && !account.has(Outcome::Differs);
        match is_compared {
            _ if counted.is_idle => self.paint(self.words.idle, Tone::Bad)?,
            true if account.is_fine() => self.paint(self.words.passed, Tone::Good)?,
            true => self.paint(self.words.undecided, Tone::Doubtful)?,
            false => self.paint(self.words.failed, Tone::Bad)?,
        }
        let not_looked_for = counted.not_looked_for();
        let line = |(word, number): &(&str, u64)| match not_looked_for.contains(word) && *number == 0 {
            true => format!("{word}: not looked for\n"),
            false => format!("{word}: {number}\n"),
        };
        let mut lines: String = counted.words().iter().map(line).collect();
        if counted.left_out.all() > 0 {
            lines += &format!("not compared: {}\n", told(counted.left_out));
        }
        if counted.unlisted > 0 {
            lines += &format!(
                "no bytes: {} (links, FIFOs and the like, {})\n",
                counted.unlisted,
                if counted.is_by_content { "which have no content" } else { "which the list can't have" }
            );
        }
        if counted.own > 0 {
            lines += &format!(
                "left out: {} (the manifest, and what belongs to it{})\n",
                counted.own,
                self.named()
            );
        }
        if counted.ignored > 0 {
            lines += &format!("left out: {} (patterns of the manifest: {})\n", counted.ignored, self.ignored);
        }
        if counted.reused > 0 {
            lines += &format!("reused: {} (not read: their digests are of an earlier run)\n", counted.reused);
        }
        if counted.carried > 0 {
            let records = count(counted.carried, "record that was", "records that were");
            lines += &format!("carried over: {records} not compared (--prune leaves them out)\n");
        }
        if counted.pruned > 0 {
            let records = count(counted.pruned, "record that was", "records that were");
            lines += &format!("pruned: {records} not compared\n");
        }
        let proofs: String = counted
            .strengths()
            .iter()
            .map(|(word, number)| format!("matched by {word}: {number}\n"))
            .collect();
        self.write(format!("\n{lines}{proofs}").as_bytes())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        self.put(|output| output.write_all(bytes))
    }

    /// Writes words of our own, coloured if colours are used.
    fn paint(&mut self, words: &str, tone: Tone) -> Result<(), WriteError> {
        self.put(|output| output.paint(words, tone))
    }

    fn put(&mut self, put: impl FnOnce(&mut Output) -> io::Result<()>) -> Result<(), WriteError> {
        if self.closed {
            return Ok(());
        }
        match put(&mut self.output).map_err(|error| self.output.error(error)) {
            Err(error) if error.closed() => self.closed = true,
            done => return done,
        }
        Ok(())
    }
}

/// Returns whether an operand has the name of the directory that it stands for, at another place, or is named by no more
/// than where it is.
fn is_alike(root: &Root) -> bool {
    let name =
        |path: &[u8]| path.rsplit(|byte| *byte == b'/').find(|part| !part.is_empty()).map(<[u8]>::to_vec);
    let local = name(&root.local);
    root.known.is_empty() || local.as_deref().is_none_or(|name| name == b".") || local == name(&root.known)
}

/// Lists the operands that stand for a directory of another name, for programs; empty if there are none.
fn mapped(roots: &[Root]) -> String {
    let one = |root: &Root| {
        let mut shown = json!({});
        add_path(&mut shown, "path", &root.local);
        add_path(&mut shown, "known_path", &root.known);
        shown
    };
    let all: Vec<Value> = roots.iter().map(one).collect();
    if all.is_empty() { String::new() } else { format!(",\"mapped\":{}", Value::from(all)) }
}

/// Makes an error of a temporary file.
fn unkept(error: io::Error) -> WriteError {
    WriteError::new(&std::env::temp_dir(), error)
}

fn tone(category: Category) -> Tone {
    match category {
        Category::Matched => Tone::Good,
        Category::Moved | Category::Copied | Category::New => Tone::Doubtful,
        Category::Changed | Category::Missing | Category::Unreadable => Tone::Bad,
    }
}

/// Lists how many files matched by which strength of evidence, for programs; empty if no store was asked.
fn strengths(counted: &Counted) -> String {
    let pairs: Vec<_> =
        counted.strengths().iter().map(|(word, number)| format!("\"{word}\":{number}")).collect();
    if pairs.is_empty() { String::new() } else { format!(",\"strengths\":{{{}}}", pairs.join(",")) }
}

/// Formats a list of words for the end of the result; empty if the list is.
fn list(name: &str, words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    if words.is_empty() { String::new() } else { format!(",\"{name}\":[{}]", words.join(",")) }
}

/// Formats a number for the counts; empty for zero.
fn number(name: &str, files: u64) -> String {
    if files == 0 { String::new() } else { format!(",\"{name}\":{files}") }
}

/// Formats why files of manifests were left out: `3 (2 by filters: --exclude *.mov (typed), 1 elsewhere than what was
/// named)`.
fn told(left_out: LeftOut) -> String {
    let LeftOut { filtered, outside, own, closed } = left_out;
    let mut why = Vec::new();
    if filtered > 0 {
        why.push(format!("{filtered} by {}", filters()));
    }
    if outside > 0 {
        why.push(format!("{outside} elsewhere than what was named"));
    }
    if own > 0 {
        why.push(format!("{own} that the manifest is made of"));
    }
    if closed > 0 {
        why.push(format!("{closed} inside of files that were not looked into: --inside all"));
    }
    format!("{} ({})", left_out.all(), why.join(", "))
}

/// Names the filters in effect, and where each comes from.
fn filters() -> String {
    let held = settings::held();
    let named = held.iter().filter(|held| settings::FILTERS.contains(&held.option.as_str()));
    let named: Vec<String> =
        named.map(|held| format!("--{} {} ({})", held.option, held.values.join(" "), held.source)).collect();
    if named.is_empty() { "filters".into() } else { format!("filters: {}", named.join(", ")) }
}

/// Describes why a file was not compared.
fn unjudged(unjudged: &Unjudged) -> String {
    match unjudged.why {
        Incomparable::Unproven(strength) => unproven(strength).into(),
        why => format!("not compared: {why}"),
    }
}

/// Describes evidence that is too weak.
fn unproven(strength: Strength) -> &'static str {
    match strength {
        Strength::Size => "not told: the store has nothing but its size that could be compared",
        Strength::Declared => {
            "not told: whoever uploaded it declared its digest, and the store did not check it"
        }
        Strength::Crc => "not told: the store has no more than a checksum",
        Strength::Composite => "not told: the store has no more than a digest of the digests of parts",
        _ => {
            "not told: the store has nothing that could be compared, or an entity tag alone that differs and that nobody promises to be a digest (--download reads it)"
        }
    }
}

/// A line such as `path: moved from known path`; a line with escaped names starts with a backslash.
pub struct ReportLine {
    /// The path, and the colon after it.
    pub before: Vec<u8>,
    /// The category.
    pub word: &'static str,
    /// The rest of the line: the known path, the known category.
    pub after: Vec<u8>,
}

impl ReportLine {
    /// Makes the line of a file that moved.
    pub fn moved(path: &[u8], from: &[u8]) -> ReportLine {
        let (path, known_path) = (path.into(), Some(from.into()));
        let (category, piece, status, strength) = (Category::Moved, None, None, None);
        ReportLine::from_verdict(
            &Verdict { category, path, known_path, piece, status, strength, sides: None },
            None,
        )
    }

    fn from_verdict(verdict: &Verdict, label: Option<&Label>) -> ReportLine {
        let from = verdict.known_path.as_deref().filter(|known| **known != *verdict.path);
        let mut before = Vec::new();
        if is_escaped(&verdict.path) || from.is_some_and(is_escaped) {
            before.push(b'\\');
        }
        push_name(&mut before, &verdict.path);
        if let Some(Piece { offset, length }) = verdict.piece {
            before.extend_from_slice(format!(" bytes {offset} to {}", offset + length).as_bytes());
        }
        before.extend_from_slice(b": ");
        let mut after = Vec::new();
        if let Some(from) = from {
            let word: &[u8] = match verdict.category {
                Category::Moved | Category::Copied => b" from ",
                _ => b", known as ",
            };
            after.extend_from_slice(word);
            push_name(&mut after, from);
        }
        if let Some(label) = label.filter(|label| &*label.category != Label::UNKNOWN) {
            after.extend_from_slice(b", known ");
            push_name(&mut after, label.category.as_bytes());
            after.extend_from_slice(b" in ");
            push_name(&mut after, label.set.as_bytes());
        }
        after.push(b'\n');
        ReportLine { before, word: verdict.category.word(), after }
    }
}
