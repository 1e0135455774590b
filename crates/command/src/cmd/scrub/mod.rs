//! `hashmill scrub`: verification that goes on for years.

mod export;
mod form;
mod limit;
mod list;
mod metrics;
mod options;
mod repair;
mod report;

pub use options::Options;

use crate::exit::Carry;
use crate::progress::Heartbeat;
use crate::results::report::ListReport;
use crate::words::level::is_quiet;
use crate::words::message;
use crate::words::message::Shown;
use crate::{output, signal, stats};
use anyhow::{Context, ensure};
use hashmill_job::account::{Account, Item, Outcome};
use hashmill_job::scrub::{
    Acceptance, AsideNews, Budget, RepairFrom, Scrub, ScrubEvent, ScrubJob, ScrubSummary, Verdict,
};
use hashmill_lists::sealing::Globs;
use hashmill_os::names;
use limit::Limit;
use report::Report;
use std::ops::ControlFlow;

/// Runs the command, and returns its account.
///
/// # Errors
/// If the options do not go together, the state is not usable, or the result cannot be written.
pub fn run(options: &Options) -> anyhow::Result<Account> {
    ensure!(options.sources.files_from.is_none(), "--files-from: scrub takes the folders themselves");
    if let Some(to) = &options.export {
        return export::run(options, to);
    }
    let form = form(options)?;
    let scrub = job(options)?.start()?;
    let metrics = options.metrics.as_deref().map(|path| metrics::open(path, options.force)).transpose()?;
    let (account, summary) = scrub_and_tell(options, form, scrub)?;
    if let Some(output) = metrics {
        account.carried_by(metrics::write(output, &options.state, &summary, options.max_age, account))?;
    }
    Ok(account)
}

/// Verifies what is due, and tells what is found.
fn scrub_and_tell(
    options: &Options,
    form: ListReport,
    scrub: Scrub,
) -> anyhow::Result<(Account, ScrubSummary)> {
    let learnt = scrub.learnt().map_or(Account::default(), list::tell);
    let mut known = learnt;
    let output = output::stdout()?;
    signal::watch(scrub.cancel(), output.clone())?;
    let heartbeat = Heartbeat::start(options.resources.progress, scrub.live(), output.clone());
    let mut report = Report::begin(form, output)?;
    let mut failed = None;
    let summary = scrub.run(&mut |event| match tell(&mut report, event, &mut known) {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => {
            failed.get_or_insert(error);
            ControlFlow::Break(())
        }
    });
    drop(heartbeat);
    known.carried_by(failed.map_or(Ok(()), Err))?;
    let summary = summary?;
    known.carried_by(report.end(&summary, options.max_age))?;
    if is_quiet() && !summary.interrupted {
        report::reasons(&summary).into_iter().for_each(message::say);
    }
    stats::print(options.resources.stats, &summary.stats, 0);
    if summary.interrupted {
        message::say("interrupted; what was told is kept");
        return Ok((Account::interrupted(), summary));
    }
    for glob in &summary.unused {
        let why = "it matches no file that was edited or is gone, as far as this run sees";
        message::say(format_args!("--accept={}: has no effect: {why}", Shown(glob.as_bytes())));
    }
    let unused = Account::unusable(Item::Operand, summary.unused.len() as u64);
    Ok((account_of(&summary).and(learnt).and(unused), summary))
}

/// Returns the form of the result.
fn form(options: &Options) -> anyhow::Result<ListReport> {
    let form = options.format.map_or(Some(ListReport::Text), |form| form.report);
    form.context("-f: a run has the forms text, json and jsonl; formats of manifests are for --export")
}

fn job(options: &Options) -> anyhow::Result<ScrubJob> {
    let budget = match options.budget {
        None => Budget::default(),
        Some(Limit::Time(time)) => Budget { time: Some(time), bytes: None },
        Some(Limit::Bytes(bytes)) => Budget { time: None, bytes: Some(bytes) },
    };
    ensure!(
        options.moved_to.is_none() || options.paths.len() == 1,
        "--moved-to: name the one folder that was moved, as before"
    );
    let paths = options.moved_to.as_ref().map_or(&*options.paths, std::slice::from_ref);
    let moved_from = options.moved_to.as_ref().and(options.paths.first());
    Ok(ScrubJob {
        selection: options.sources.selection(paths)?,
        is_first: options.first,
        is_clock_wrong: options.clock_was_wrong,
        moved_from: moved_from.map(|path| names::bytes(path).into()),
        state: options.state.clone(),
        algorithms: options.algorithms.clone(),
        list: list::read(options)?,
        budget,
        max_age: options.max_age,
        accept: Globs::parse(&options.accept).context("--accept")?,
        repair: options
            .repair_from
            .as_ref()
            .map(|path| RepairFrom { path: names::bytes(path).into(), replace: options.repair }),
        discard: options.discard,
        seed: options.seed,
        guard: options.guarded.guard()?,
        signers: options.signing.signers(Some(&options.state))?,
        by_device: options.metrics.is_some(),
        resources: options.resources.resources_for(paths),
        cancel: Default::default(),
    })
}

fn tell(report: &mut Report, event: &ScrubEvent<'_>, known: &mut Account) -> anyhow::Result<()> {
    match event {
        ScrubEvent::Failed(error) => {
            message::about(&error.path, &error.problem);
            known.count(Item::Entry, Outcome::Failed, 1);
        }
        ScrubEvent::Accepted(path, Acceptance::Counts) => {
            message::about(path, "accepted: what is there counts from now on")
        }
        ScrubEvent::Accepted(path, Acceptance::Forgotten) => {
            message::about(path, "accepted: it is gone, and is forgotten")
        }
        ScrubEvent::Accepted(path, Acceptance::Unnamed) => message::about(
            path,
            "not accepted: nothing but its inode tells that it was edited, so that it may have rotted (--accept with this whole \
             path accepts it)",
        ),
        ScrubEvent::Aside(path, news) => {
            message::about(path, news);
            if matches!(news, AsideNews::Failed(_)) {
                known.count(Item::Entry, Outcome::Failed, 1);
            }
        }
        ScrubEvent::Notice(notice) => message::say(notice),
        ScrubEvent::Judged(found) => report.found(found)?,
    }
    Ok(())
}

/// Returns the account of a run. What only the page cache had was not verified.
fn account_of(summary: &ScrubSummary) -> Account {
    use Verdict::{Differs, Edited, Missing, Moved, New, Restored, Rot, Unreadable, Unstable, Verified};
    let count = |verdicts: &[Verdict]| verdicts.iter().map(|verdict| summary.of(*verdict)).sum::<u64>();
    // Files that were not due are done, too.
    let judged = count(&[Verified, Restored, Moved, New, Edited, Rot, Unstable, Differs, Unreadable]);
    let done = count(&[Verified, Restored, Moved, New, Edited]) + summary.met.saturating_sub(judged);
    let mut account = Account::done(Item::Entry, done.saturating_sub(summary.cached.files));
    account.count(Item::Entry, Outcome::LeftOut, summary.left_out);
    account.count(Item::Operand, Outcome::Failed, u64::from(account.is_idle()));
    account.count(Item::Entry, Outcome::Late, summary.coverage.late);
    account.count(Item::Entry, Outcome::Differs, count(&[Rot, Unstable, Missing, Differs]));
    let failed = summary.failed + count(&[Unreadable]) + summary.cached.files;
    account.count(Item::Entry, Outcome::Failed, failed);
    account
}
