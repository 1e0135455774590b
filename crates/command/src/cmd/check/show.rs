//! The output of a check of one list.

use super::Options;
use super::results::{Claim, Results, Word};
use crate::access;
use crate::exit::Carry;
use crate::options::errors;
use crate::options::write::Lists;
use crate::output::WriteError;
use crate::words::level::{is_quiet, is_verbose};
use crate::words::message;
use crate::words::message::count;
use hashmill_engine::flow::Flow;
use hashmill_job::Notice;
use hashmill_job::account::{Account, Item, Outcome};
use hashmill_job::check::{CheckEvent, CheckSummary, ClaimVerdict, MissingFiles, is_missing, is_of_file};
use hashmill_manifest::Named;
use hashmill_manifest::audit::Sides;
use std::cell::Cell;
use std::ops::ControlFlow;

/// The number of malformed lines, and of missing files, that are named without `--warn`.
const NAMED: u64 = 10;

/// The check of a list, as it is shown.
pub struct Show<'a> {
    name: &'a str,
    options: &'a Options,
    results: &'a Results,
    /// The account of the events so far.
    account: Account,
    error: Option<WriteError>,
    /// Whether a path that starts with a drive letter was not found.
    of_windows: Cell<bool>,
    /// The number of missing files so far.
    missing: u64,
}

impl<'a> Show<'a> {
    /// Makes the display of a list with this name.
    pub fn new(name: &'a str, options: &'a Options, results: &'a Results) -> Show<'a> {
        Show {
            name,
            options,
            results,
            account: Account::default(),
            error: None,
            of_windows: Cell::new(false),
            missing: 0,
        }
    }

    /// Shows an event, and returns whether to go on.
    pub fn take(&mut self, event: &CheckEvent<'_>) -> Flow {
        if self.error.is_none() {
            self.error = self.show(event).err();
        }
        if self.error.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Returns the error that stopped the display, if there was one.
    ///
    /// # Errors
    /// If a result could not be written.
    pub fn done(&mut self) -> anyhow::Result<()> {
        self.account.carried_by(self.error.take().map_or(Ok(()), Err))
    }

    fn show(&mut self, event: &CheckEvent<'_>) -> Result<(), WriteError> {
        let Options { status, ignore_missing, warn, .. } = *self.options;
        let warn = warn || is_verbose();
        match event {
            CheckEvent::Known(verdict) => self.account.add(self.meaning(*verdict)),
            CheckEvent::Verdict(claim, verdict, sides) => {
                if let (Some(sides), ClaimVerdict::Wrong, true) = (sides, verdict, is_verbose() && !status) {
                    differences(&claim.path, sides);
                }
                let of = Claim { path: &claim.path, list: self.name, sides: *sides };
                return self.results.take(of, word(*verdict), self.wants(*verdict));
            }
            CheckEvent::Other(path, why) => {
                if !status {
                    message::about(path, why.reason());
                }
            }
            CheckEvent::New(path) => {
                self.account.count(Item::Record, Outcome::Differs, 1);
                return self.results.take(Claim { path, list: "", sides: None }, Word::NEW, !status);
            }
            CheckEvent::Failed(error) if self.name.is_empty() => {
                self.account.count(Item::Record, Outcome::Failed, 1);
                message::about(&error.path, &error.problem);
            }
            CheckEvent::Failed(error) if !(status || ignore_missing && is_missing(error)) => {
                self.missing += u64::from(is_missing(error));
                if warn || self.missing <= NAMED || !is_missing(error) {
                    message::about(&error.path, &error.problem);
                }
                self.of_windows.set(self.of_windows.get() || is_missing(error) && is_of_windows(&error.path));
                if access::stores().is_location(&error.path)
                    && is_of_file(error)
                    && !self.options.remote.allow_remote
                {
                    message::about(
                        &error.path,
                        "a path in a list is a file's (--allow-remote reads locations)",
                    );
                }
            }
            CheckEvent::Malformed(line, number) if !status && (warn || *number <= NAMED) => {
                message::say(format_args!("{}: {line}", self.name));
            }
            CheckEvent::Unchecked(path, why) => {
                self.results.written().take(Lists::NOT_COMPARED, path)?;
                if !status {
                    message::about(path, format_args!("not checked: {why}"));
                }
                return self.results.unchecked(Claim { path, list: self.name, sides: None });
            }
            CheckEvent::Torn(error) => message::say(format_args!(
                "{}: {error}{}",
                self.name,
                errors::advice(self.name.as_bytes(), error)
            )),
            CheckEvent::Notice(notice) => message::say(notice),
            CheckEvent::Long | CheckEvent::Failed(_) | CheckEvent::Malformed(..) => {}
        }
        Ok(())
    }

    /// Returns the exit code of a verdict.
    fn meaning(&self, verdict: ClaimVerdict) -> Account {
        match verdict {
            ClaimVerdict::Missing if self.options.ignore_missing => Account::default(),
            ClaimVerdict::Right => Account::done(Item::Record, 1),
            ClaimVerdict::Wrong | ClaimVerdict::Missing => Account::differing(Item::Record, 1),
            ClaimVerdict::Partly
            | ClaimVerdict::Unnamed
            | ClaimVerdict::Unreadable
            | ClaimVerdict::Unsupported => Account::failed(Item::Record, 1),
        }
    }

    /// Returns whether a verdict is printed.
    fn wants(&self, verdict: ClaimVerdict) -> bool {
        match verdict {
            _ if self.options.status => false,
            ClaimVerdict::Right => !is_quiet(),
            ClaimVerdict::Missing => !self.options.ignore_missing,
            _ => true,
        }
    }

    /// Prints the summary, and returns its account.
    pub fn end(&self, summary: &CheckSummary) -> Account {
        if summary.interrupted {
            return Account::interrupted();
        }
        self.results.guess(&summary.guessed);
        self.results.count_malformed(summary.malformed);
        let is_ignored = self.options.ignore_missing;
        let missing_files = if is_ignored { MissingFiles::Ignored } else { MissingFiles::Differ };
        if summary.names_nothing() {
            let why = format!("{}: names no file", self.name);
            self.results.fail(&why);
            message::say(why);
            return summary.account(missing_files);
        }
        if !self.options.status {
            let missing = if is_ignored { 0 } else { summary.missing };
            self.tell(summary, missing + summary.unreadable, summary.is_idle(missing_files));
        }
        summary.account(missing_files)
    }

    fn tell(&self, summary: &CheckSummary, unread: u64, none: bool) {
        let name = self.name;
        if summary.malformed > 0 {
            let verb = if summary.malformed == 1 { "is" } else { "are" };
            let lines = count(summary.malformed, "line", "lines");
            message::say(format_args!("{name}: WARNING: {lines} {verb} improperly formatted"));
        }
        if summary.in_pieces_too > 0 && !is_quiet() {
            let files = count(summary.in_pieces_too, "file", "files");
            message::say(format_args!(
                "{name}: the digests of the pieces of {files} were not compared ('hashmill audit -k {name} DIR' compares them)"
            ));
        }
        if summary.foreign.any() {
            message::say(format_args!("{name}: {}", summary.foreign));
        }
        if self.missing > NAMED && !is_verbose() && !self.options.warn {
            let more = count(self.missing - NAMED, "file is", "files are");
            message::say(format_args!("{name}: {more} missing, too"));
        }
        warn(unread, "listed file", "could not be read");
        if let Some(elsewhere) = summary.elsewhere.as_ref().filter(|_| unread > 0 && !is_quiet()) {
            message::say(format_args!("{name}: {elsewhere}"));
        }
        if self.of_windows.get() {
            message::note(format_args!(
                "{name}: its paths are those of Windows: 'hashmill audit -k {name} DIR' finds the files below DIR"
            ));
        }
        warn(summary.wrong, "computed checksum", "did NOT match");
        for tried in &summary.tried {
            message::say(format_args!("{name}: {tried}"));
        }
        if summary.partly > 0 {
            let lines = count(summary.partly, "line is", "lines are");
            message::say(format_args!(
                "{name}: WARNING: {lines} only partly verified: a digest is of an unknown algorithm"
            ));
        }
        if !summary.guessed.is_empty() && !is_quiet() {
            message::say(Notice::Guessed { list: name.as_bytes(), algorithms: &summary.guessed });
        }
        if none {
            message::say(format_args!("{name}: no file was verified"));
        }
    }
}

/// Prints the expected and the actual content of a file.
pub(super) fn differences(path: &[u8], sides: &Sides) {
    let Sides { expected: Some(expected), actual: Some(actual), .. } = sides else { return };
    if let (Some(size), Some(other)) =
        (expected.size, actual.size.filter(|size| expected.size != Some(*size)))
    {
        message::about(path, format_args!("size: should be {size}, is {other}"));
    }
    for named in &expected.digests {
        // A digest without the name of its algorithm may be by any algorithm of its length.
        let is_by = |other: &&Named| match named.guessed {
            true => other.digest.bits() == named.digest.bits(),
            false => other.algorithm == named.algorithm,
        };
        for other in actual.digests.iter().filter(is_by).filter(|other| other.digest != named.digest) {
            let text = |digest| other.algorithm.format(digest);
            let (name, wanted, is) = (other.algorithm.name, text(&named.digest), text(&other.digest));
            message::about(path, format_args!("{name}: should be {wanted}, is {is}"));
        }
    }
}

pub(super) fn warn(number: u64, what: &str, happened: &str) {
    if number > 0 {
        message::say(format_args!("WARNING: {} {happened}", count(number, what, &format!("{what}s"))));
    }
}

/// Returns whether a path begins with a drive letter: `C:\data`.
fn is_of_windows(path: &[u8]) -> bool {
    matches!(path, [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic())
}

/// Returns the word of a verdict.
fn word(verdict: ClaimVerdict) -> Word {
    match verdict {
        ClaimVerdict::Right => Word::OK,
        ClaimVerdict::Partly => Word::PARTLY,
        ClaimVerdict::Unnamed => Word::UNNAMED,
        ClaimVerdict::Wrong => Word::FAILED,
        ClaimVerdict::Missing => Word::MISSING,
        ClaimVerdict::Unreadable => Word::UNREADABLE,
        ClaimVerdict::Unsupported => Word::UNSUPPORTED,
    }
}
