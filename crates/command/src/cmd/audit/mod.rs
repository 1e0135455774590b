//! `hashmill audit`: files against manifests.

#[cfg(feature = "stores")]
pub mod evidence;
mod moved;
mod options;
pub(in crate::cmd) mod report;

pub use options::Options;
pub use report::{Listing, Reporter, Words};

use crate::cmd::hash::reuse;
use crate::exit::Carry;
use crate::needs;
use crate::options::errors;
use crate::options::known::Types;
use crate::options::write::Lists;
use crate::output::{self, Output, WriteError};
use crate::progress::{self, Heartbeat};
use crate::results::report::ListReport;
use crate::results::schema::Schema;
use crate::verdict::judging;
use crate::words::level::is_quiet;
use crate::words::message;
use crate::{signal, stats};
use anyhow::{anyhow, ensure};
use hashmill_content::{Resources, Selection};
use hashmill_engine::Cancel;
use hashmill_job::Error;
use hashmill_job::Misfit;
use hashmill_job::account::{Account, Item};
use hashmill_job::audit::{Audit, AuditEvent, AuditJob, AuditSummary};
use hashmill_job::check::{Elsewhere, ListBase};
use hashmill_job::run::Run;
use hashmill_lists::listing::Listing as List;
use hashmill_os::names;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Runs the command, and returns its account.
///
/// # Errors
/// If the options do not go together, a manifest is not usable, or the result cannot be written.
pub fn run(options: &Options) -> anyhow::Result<Account> {
    judging(options.format, Schema::AUDIT, || judge(options))
}

fn judge(options: &Options) -> anyhow::Result<Account> {
    let is_json = options.format != ListReport::Text;
    ensure!(
        is_json || !options.case.is_given(),
        "--case, --examiner and --evidence need -f json or -f jsonl, which have a place for case data"
    );
    #[cfg(feature = "stores")]
    if let Some(account) = evidence::audit(options)? {
        return Ok(account);
    }
    let (cancel, output) = (Cancel::default(), output::stdout()?);
    let lists = options.write.open(options.sources.null, options.force)?;
    signal::watch(cancel.clone(), output.clone())?;
    let sets = (!options.known_set.is_empty()).then(|| Types::default().open(&options.known_set));
    let is_stdin = |path: &PathBuf| path.as_path() == Path::new("-");
    let list = options.sources.files_from.iter();
    let of_reuse = options.reuse.iter().filter(|path| is_stdin(path)).count();
    let others = options.manifest.iter().chain(list.clone()).any(is_stdin);
    ensure!(of_reuse == 0 || !others, "--reuse -: standard input is read as another list already");
    options.blake3.check_stdin(options.manifest.iter().chain(list).any(is_stdin))?;
    let key = options.blake3.key()?;
    let mut facts = run_of(options);
    let job = AuditJob {
        algorithm: options.blake3.of_unnamed(options.algorithm, key.as_ref())?,
        manifests: manifests(options, facts.as_mut())?,
        reach: options.remote.reach(),
        selection: selection(options, &lists)?,
        sets: sets.transpose()?,
        reuse: options.reuse.as_deref().map(|old| reuse(old, &options.guarded)).transpose()?,
        update: options.update.as_deref().map(|path| options.force.at(path)),
        prune: options.prune,
        sides: is_json,
        resources: Resources { key, ..options.resources.resources_for(&options.paths) },
        cancel,
    };
    let progress = options.resources.progress;
    let read = || job.read(&mut |notice| message::say(notice)).map_err(about);
    let total = progress::bytes_of(&options.manifest, 1);
    let audit = progress::reading_of(progress, "reading the manifest", total, read)?;
    let unneeded = needs::tell_unneeded(audit.unneeded());
    if !unneeded.is_fine() {
        return Ok(unneeded);
    }
    let known = Account::failed(Item::Record, u64::from(audit.malformed() > 0));
    facts.iter_mut().for_each(|facts| facts.computes(audit.algorithms()));
    known.carried_by(show(audit, options, lists, output, facts))
}

/// Returns the facts of the run, for programs.
fn run_of(options: &Options) -> Option<Run> {
    let operands = options.paths.iter().map(|path| names::path_bytes(path));
    let begin = || Run::begin(&options.case.with_command(), operands);
    (options.format != ListReport::Text).then(begin)
}

/// Returns the manifests, after their signatures were checked.
fn manifests(options: &Options, mut run: Option<&mut Run>) -> anyhow::Result<Vec<(PathBuf, List)>> {
    let guard = options.guarded.guard()?;
    let open = |manifest: &PathBuf| {
        let list = match &mut run {
            Some(run) => run.open(manifest, &guard, &mut |notice| message::say(notice))?,
            None => guard.open(manifest.as_os_str(), &mut |judged| message::say(judged))?,
        };
        Ok((manifest.clone(), list))
    };
    options.manifest.iter().map(open).collect()
}

/// Returns the files to walk; none if the manifests name them.
fn selection(options: &Options, lists: &Lists) -> anyhow::Result<Option<Selection>> {
    if options.paths.is_empty() && options.sources.files_from.is_none() {
        ensure!(!options.sources.is_filter(), "filters need a PATH to walk");
        return Ok(None);
    }
    let mut selection = options.sources.selection(&options.paths)?;
    lists.add_to(&mut selection.own);
    Ok(Some(selection))
}

/// Adds the option that an error is about.
fn about(error: Error) -> anyhow::Error {
    match &error {
        Error::Misfit(misfit @ Misfit::OtherAlgorithms { .. }) => {
            let misfit = errors::of_misfit(misfit);
            anyhow!("--known-set: the manifests' algorithms do not go with it: {misfit}")
        }
        Error::Misfit(misfit @ (Misfit::Stream(_) | Misfit::Pipe(_))) => anyhow!("--update: {misfit}"),
        _ => error.into(),
    }
}

/// Says where the files of a manifest are that are not where it says, or why they are not there.
fn tell_elsewhere(options: &Options, missing: &[Box<[u8]>]) {
    let [manifest] = &options.manifest[..] else { return };
    let is_of_listed = options.paths.is_empty() && options.sources.files_from.is_none();
    if is_of_listed
        && !is_quiet()
        && let Some(elsewhere) = Elsewhere::find(manifest, missing, ListBase::OwnFolder)
    {
        message::say(format_args!("{}: {elsewhere}", message::Shown::path(manifest)));
    }
}

/// A consumer of verdicts, which passes them to the report.
struct Shown {
    reporter: Option<Reporter>,
    /// The exit code of the report.
    account: Account,
    /// The first files that are not where the manifests say.
    missing: Vec<Box<[u8]>>,
    error: Option<WriteError>,
}

fn show(
    audit: Audit,
    options: &Options,
    lists: Lists,
    output: Output,
    run: Option<Run>,
) -> anyhow::Result<Account> {
    let listing = Listing::asked(options.counts);
    let reporter = Reporter::begin(options.format, Words::AUDIT, listing, output.clone())?;
    let reporter = reporter.writing(lists).of_run(run);
    let mut shown =
        Shown { reporter: Some(reporter), account: Account::default(), missing: Vec::new(), error: None };
    let mut heartbeat = Some(Heartbeat::start(options.resources.progress, audit.live(), output));
    let summary = audit.run(&mut |event| {
        if matches!(event, AuditEvent::AllRead) {
            heartbeat = None;
        }
        // Events that still come must not hide the first error.
        if shown.error.is_none() {
            shown.error = shown.take(&event).err();
        }
        if shown.error.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    if let Some(error) = shown.error {
        return Err(error.into());
    }
    stats::print(options.resources.stats, &summary.stats, 0);
    tell_elsewhere(options, &shown.missing);
    if summary.counted.is_idle {
        message::say("nothing was compared");
    }
    if let Some(error) = &summary.unwritten {
        message::say(error);
    }
    if let Some(error) = &summary.list_problem {
        message::say(format_args!("cannot read the list of paths on: {error}"));
    }
    Ok(summary.account().and(shown.account))
}

impl Shown {
    fn take(&mut self, event: &AuditEvent<'_>) -> Result<(), WriteError> {
        match event {
            AuditEvent::Verdict(verdict, label) => {
                self.reporter.as_mut().map_or(Ok(()), |reporter| reporter.verdict(verdict, *label))?;
            }
            AuditEvent::Ignored(ignored) => {
                self.reporter.iter_mut().for_each(|reporter| reporter.ignoring(ignored));
            }
            AuditEvent::AllJudged(summary) => self.end(summary)?,
            AuditEvent::Failed(error) => message::about(&error.path, &error.problem),
            AuditEvent::Unjudged(file) => {
                self.reporter.as_mut().map_or(Ok(()), |reporter| reporter.unjudged(file))?;
            }
            AuditEvent::Differs(record, difference) => message::about(&record.path, difference),
            AuditEvent::Other(path, why) => message::about(path, why.reason()),
            AuditEvent::NoBytes(path, why) => {
                message::detail(format_args!("{}: {}", message::Shown(path), why.reason()));
            }
            AuditEvent::Own(path) => {
                self.reporter.iter_mut().for_each(|reporter| reporter.own(path));
                message::detail(format_args!("{}: left out: belongs to the manifest", message::Shown(path)));
            }
            AuditEvent::Stranger(path) => message::stranger(path),
            AuditEvent::Notice(notice) => message::say(notice),
            AuditEvent::AllRead => {}
        }
        Ok(())
    }

    fn end(&mut self, summary: &AuditSummary) -> Result<(), WriteError> {
        if let Some(reporter) = self.reporter.take() {
            self.missing = reporter.missing().to_vec();
            self.account = reporter.end(summary)?;
        }
        Ok(())
    }
}
