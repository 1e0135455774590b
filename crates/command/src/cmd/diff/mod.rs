//! `hashmill diff`: two folders, two manifests, or one of each, in the categories of an audit.

mod options;

pub use options::Options;

use crate::cmd::audit::{self, Listing, Reporter, Words};
use crate::cmd::seal;
use crate::options::algorithms::Algorithms;
use crate::options::errors;
use crate::options::write::Lists;
use crate::output::{self, Output, WriteError};
use crate::progress::{self, Heartbeat};
use crate::results::report::ListReport;
use crate::results::schema::Schema;
use crate::verdict::judging;
use crate::words::message;
use crate::{signal, stats};
use anyhow::{bail, ensure};
use hashmill_content::Resources;
use hashmill_digest::{Key, find};
use hashmill_engine::flow::Flow;
use hashmill_job::Notice;
use hashmill_job::account::Account;
use hashmill_job::diff::{AuditSummary, DiffEvent, DiffJob};
use hashmill_manifest::audit::Category;
use std::ffi::OsString;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Runs the command, and returns its account.
///
/// # Errors
/// If an operand is not usable, or the result cannot be written.
pub fn run(options: &Options) -> anyhow::Result<Account> {
    judging(options.format, Schema::DIFF, || judge(options))
}

fn judge(options: &Options) -> anyhow::Result<Account> {
    let [new, more @ ..] = &options.new[..] else { bail!("B: no other side is named") };
    ensure!(
        more.is_empty() || options.by_content,
        "diff compares two sides; with --by-content B may be several"
    );
    if options.roots {
        return seal::compare(&options.old, new);
    }
    ensure!(options.sources.files_from.is_none(), "--files-from: diff compares two operands");
    #[cfg(feature = "stores")]
    if sides(options).any(|operand| audit::evidence::in_store(operand)) {
        return stored(options);
    }
    options.blake3.check_stdin(sides(options).any(|operand| operand == "-"))?;
    let key = options.blake3.key()?;
    let algorithms = algorithms(options, key.as_ref())?;
    let lists = options.write.open(options.sources.null, options.force)?;
    let mut selection = options.sources.selection(&[])?;
    lists.add_to(&mut selection.own);
    let job = DiffJob {
        algorithms,
        selection,
        by_content: options.by_content,
        more: more.iter().map(PathBuf::from).collect(),
        is_filtered: options.sources.is_choosing(),
        sides: options.format != ListReport::Text,
        counts_matched: options.format == ListReport::Text
            && Listing::asked(options.counts) != Listing::Everything
            && !lists.wants(Category::Matched),
        resources: Resources { key, ..options.resources.resources_for(&sides(options).collect::<Vec<_>>()) },
        guard: options.guarded.guard()?,
        ..DiffJob::new(Path::new(&options.old), Path::new(new))
    };
    let cancel = job.cancel.clone();
    let output = output::stdout()?;
    let read = || job.read(&mut |notice| message::say(notice));
    let diff = progress::reading(options.resources.progress, "reading manifests", read);
    let diff = diff.map_err(errors::taking(
        "diff takes folders and manifests; 'hashmill dupes' tells which files in folders are equal",
    ))?;
    signal::watch(cancel, output.clone())?;
    let mut shown = Shown {
        options,
        output,
        lists: Some(lists),
        heartbeat: None,
        reporter: None,
        account: Account::default(),
        error: None,
    };
    let summary = diff.run(&mut |event| shown.event(&event))?;
    shown.end(&summary)
}

/// Returns all operands.
fn sides(options: &Options) -> impl Iterator<Item = &OsString> {
    std::iter::once(&options.old).chain(&options.new)
}

/// Returns the words of the outcome.
fn words(options: &Options) -> Words {
    if options.by_content { Words::CONTENTS } else { Words::DIFF }
}

/// Returns the digests to compare by, if some were typed. A manifest determines them, but for the key.
fn algorithms(options: &Options, key: Option<&Key>) -> anyhow::Result<Option<Algorithms>> {
    let usual = || Ok(find("blake3").map(|row| Algorithms::from(vec![row]))?);
    if options.algorithms.is_none() && !options.blake3.is_given() {
        return Ok(None);
    }
    let typed = options.algorithms.clone().map_or_else(usual, anyhow::Ok)?;
    options.blake3.apply(typed, key).map(Some)
}

/// Compares two sides, at least one of which is in a store.
#[cfg(feature = "stores")]
fn stored(options: &Options) -> anyhow::Result<Account> {
    use crate::cmd::audit::evidence::{EvidenceReport, operand, prove};
    use hashmill_job::evidence::EvidenceJob;

    ensure!(
        !options.by_content,
        "--by-content: compares what is read, and nothing is read of stores (make a list of the store with 'hashmill \
         hash', and compare with that)"
    );
    ensure!(!options.sources.is_filter(), "filters do not go with locations: all of both sides is compared");
    ensure!(options.algorithms.is_none(), "-c: what the store has decides by which digests is compared");
    let resources = options.resources.resources_for(&sides(options).collect::<Vec<_>>());
    let guard = options.guarded.guard()?;
    let (old, new) = (operand(&options.old, &guard)?, operand(&options.new[0], &guard)?);
    let mut selection = options.sources.selection(&[])?;
    let lists = options.write.open(options.sources.null, options.force)?;
    lists.add_to(&mut selection.own);
    let job = EvidenceJob { selection, resources, ..EvidenceJob::new(old, new) };
    let listing = Listing::asked(options.counts);
    let report = EvidenceReport::new(options.format, Words::DIFF, listing, &options.resources, None)?;
    prove(job, &options.proofs, report.writing(lists))
}

/// A consumer of verdicts, which passes them to the report.
struct Shown<'a> {
    options: &'a Options,
    output: Output,
    /// The lists, until the reporter takes them.
    lists: Option<Lists>,
    heartbeat: Option<Heartbeat>,
    /// The report, from the first verdict on.
    reporter: Option<Reporter>,
    /// The exit code of the report.
    account: Account,
    error: Option<WriteError>,
}

impl Shown<'_> {
    fn event(&mut self, event: &DiffEvent<'_>) -> Flow {
        if self.error.is_none() {
            self.error = self.take(event).err();
        }
        if self.error.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn take(&mut self, event: &DiffEvent<'_>) -> Result<(), WriteError> {
        match event {
            DiffEvent::Reading(live) => {
                // One progress display serves both folders.
                let progress = self.options.resources.progress;
                self.heartbeat.get_or_insert_with(|| Heartbeat::new(progress, Arc::clone(live)));
            }
            DiffEvent::Read(stats) => {
                stats::print(self.options.resources.stats, stats, 0);
            }
            DiffEvent::Failed(error) => message::about(&error.path, &error.problem),
            DiffEvent::Unread(path) => message::about(path, "was not read when the manifest was made"),
            DiffEvent::Verdict(verdict) => self.reporter()?.verdict(verdict, None)?,
            DiffEvent::Other(path, kind) => message::about(path, kind),
            DiffEvent::Unjudged(file) => self.reporter()?.unjudged(file)?,
            DiffEvent::Stranger(path) => message::stranger(path),
            DiffEvent::Ignored(ignored) => self.reporter()?.ignoring(ignored),
            DiffEvent::AllJudged(summary) => {
                self.heartbeat = None;
                self.finish(summary)?;
            }
            DiffEvent::Notice(notice @ Notice::EmptyFiles(_)) => message::note(notice),
            DiffEvent::Notice(notice) => message::say(notice),
            _ => {}
        }
        Ok(())
    }

    fn reporter(&mut self) -> Result<&mut Reporter, WriteError> {
        let reporter = match self.reporter.take() {
            Some(reporter) => reporter,
            None => {
                let listing = Listing::asked(self.options.counts);
                let reporter =
                    Reporter::begin(self.options.format, words(self.options), listing, self.output.clone())?;
                reporter.writing(self.lists.take().unwrap_or_default())
            }
        };
        Ok(self.reporter.insert(reporter))
    }

    fn finish(&mut self, summary: &AuditSummary) -> Result<(), WriteError> {
        self.reporter()?;
        if let Some(reporter) = self.reporter.take() {
            self.account = reporter.end(summary)?;
        }
        Ok(())
    }

    fn end(mut self, summary: &AuditSummary) -> anyhow::Result<Account> {
        self.heartbeat = None;
        if let Some(error) = self.error {
            return Err(error.into());
        }
        if summary.interrupted {
            message::say("interrupted");
        }
        if summary.counted.is_idle {
            let is_filtered = summary.counted.left_out.filtered > 0 || !self.options.by_content;
            let why = if is_filtered { "filters left everything out" } else { "A has no file" };
            message::say(format_args!("nothing was compared: {why}"));
        }
        Ok(self.account.and(summary.account()))
    }
}
