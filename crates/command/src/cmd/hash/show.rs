//! The display of a hash job: messages, progress, statistics, exit code.

use crate::exit::Carry;
use crate::options::resources::ResourceOptions;
use crate::progress::{self, Heartbeat};
use crate::words::amount;
use crate::words::amount::grouped;
use crate::words::level::is_verbose;
use crate::words::message;
use crate::words::message::count;
use crate::{output, signal, stats};
use hashmill_content::output::To;
use hashmill_engine::Stats;
use hashmill_job::account::{Account, Item, Outcome};
use hashmill_job::hash::{Ended, HashEvent, HashJob, HashSummary, Manifest, ScanCounts, damage, unscanned};
use hashmill_lists::history::Rename;
use hashmill_lists::history::next::Unlike;
use hashmill_source::{Problem, Skip};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::path::Path;

/// The output beside the manifest.
pub struct Display<'a> {
    /// The options for progress and statistics.
    pub resources: &'a ResourceOptions,
    /// The name of the list of paths.
    pub list: Option<&'a Path>,
    /// The manifest, if it is a file.
    pub manifest: Option<&'a Path>,
    /// Whether the job is done before anybody could look at progress.
    pub quick: bool,
}

/// Runs a job that writes a manifest, and returns its account.
///
/// # Errors
/// If the options do not go together, or the output cannot be written.
pub fn run(job: HashJob, manifest: Manifest, display: &Display<'_>) -> anyhow::Result<Account> {
    let (account, summary) = run_summed(job, manifest, display)?;
    tell_stats(display, &summary, &account);
    Ok(account)
}

/// Prints the statistics that were asked for, with the account of the whole command, unless it was interrupted.
pub fn tell_stats(display: &Display<'_>, summary: &HashSummary, account: &Account) {
    if !account.is_interrupted {
        stats::print_accounted(display.resources.stats, &summary.stats, summary.kept, account);
    }
}

/// Runs a job as [`run`] does, but prints no statistics: the account may grow. Returns its summary, too.
///
/// # Errors
/// As [`run`].
pub fn run_summed(
    job: HashJob,
    manifest: Manifest,
    display: &Display<'_>,
) -> anyhow::Result<(Account, HashSummary)> {
    let judging = job.labels.as_ref().is_some_and(|labels| labels.purpose().is_judging());
    let shown = job.labels.as_ref().is_none_or(|labels| labels.show().takes_skipped());
    let has_all = shown && manifest.format.carries.status;
    let recorded = if has_all { Recorded::EveryEntry } else { Recorded::HashedFiles };
    let tidy = matches!(manifest.to, To::Stream(_));
    let run = job.start_writing(manifest)?;
    let output = run.output().map_or_else(output::stdout, |output| Ok(output.clone()))?;
    // Without handlers a signal ends the process, which is right if nothing is left behind.
    if !(display.quick && tidy) {
        signal::watch(run.cancel(), output.clone())?;
    }
    let heartbeat = || Heartbeat::start(display.resources.progress, run.live(), output);
    let mut heartbeat = (!display.quick).then(heartbeat);
    let mut known = Account::default();
    let done = run.run(&mut |event| {
        match event {
            HashEvent::AllRead => drop(heartbeat.take()),
            HashEvent::KnownBad(_) => known.count(Item::Entry, Outcome::Differs, 1),
            event => {
                if let Some((item, outcome)) = tell(&event, recorded) {
                    known.count(item, outcome, 1);
                }
            }
        }
        ControlFlow::Continue(())
    });
    let summary = known.carried_by(done)?;
    let mut account = summary.account();
    if judging && account.is_idle() {
        account.count(Item::Operand, Outcome::Failed, 1);
    }
    if judging && matches!(summary.ended, Ended::Whole) {
        tell_categories(&summary.categories, "file", "files");
    }
    Ok((conclude(&summary, account, recorded, display), summary))
}

/// Returns the name of an algorithm that was typed as a path, as in `hash -c md5 sha1 DIR`.
fn mistaken_algorithm(error: &hashmill_source::Error) -> Option<&str> {
    let Problem::Stat(source) = &error.problem else { return None };
    let name = str::from_utf8(&error.path).ok().filter(|_| source.kind() == ErrorKind::NotFound)?;
    hashmill_digest::find(name).is_ok().then_some(name)
}

/// The entries that have records, which need no message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Recorded {
    EveryEntry,
    HashedFiles,
}

/// Prints the message of an event, if it has one. Returns what it adds to the account.
pub(super) fn tell(event: &HashEvent<'_>, recorded: Recorded) -> Option<(Item, Outcome)> {
    match event {
        HashEvent::Failed(error, _) => {
            message::about(&error.path, &error.problem);
            if let Some(name) = mistaken_algorithm(error) {
                message::note(format_args!(
                    "{name} is an algorithm: -c takes several with commas, -c md5,{name}"
                ));
            }
            return Some((Item::Entry, Outcome::Failed));
        }
        HashEvent::Hashed(record) if !record.bad_blocks.is_empty() => {
            message::about(&record.path, damage(record));
            return Some((Item::Entry, Outcome::Failed));
        }
        HashEvent::Hashed(record) if unscanned(record).is_some() => {
            message::about(&record.path, unscanned(record).unwrap_or_default());
            return Some((Item::Entry, Outcome::NotLookedInto));
        }
        HashEvent::Hashed(record) if recorded == Recorded::HashedFiles => {
            let stated = record.metadata.as_ref().and_then(|metadata| metadata.attributes.stated_kind());
            if let Some(kind) = stated {
                let path = message::Shown(&record.path);
                message::detail(format_args!("{path}: its mode says {kind}; its stored bytes were hashed"));
            }
        }
        HashEvent::Differs(record, difference) => {
            message::about(&record.path, difference);
            return Some((Item::Entry, Outcome::Differs));
        }
        HashEvent::Unlike(record, Unlike { algorithm, known }) => {
            message::about(
                &record.path,
                format_args!(
                    "its {} is not the one in the history, {known}; written as failed",
                    algorithm.name
                ),
            );
            return Some((Item::Entry, Outcome::Differs));
        }
        HashEvent::Renamed(Rename { from, to }) => {
            let (from, to) = (message::Shown(from), message::Shown(to));
            message::note(format_args!("{to}: was {from} in the history, by its digest; written as renamed"));
        }
        HashEvent::Missing(path) => {
            message::about(path, "is in the history, and missing");
            return Some((Item::Entry, Outcome::Differs));
        }
        HashEvent::Skipped(record, why) if recorded == Recorded::HashedFiles => {
            message::detail(format_args!("{}: skipped: {}", message::Shown(&record.path), why.reason()));
        }
        HashEvent::Notice(notice) => message::say(notice),
        _ => {}
    }
    None
}

/// Formats "4,457 files, 1.78 GB, 0.47 s; 3 skipped; manifest m.jsonl".
fn sum(summary: &HashSummary, manifest: Option<&Path>) -> String {
    let Stats { hashed, reused, skipped, failed, bytes, elapsed, .. } = summary.stats;
    let files = hashed + summary.kept;
    let noun = if files == 1 { "file" } else { "files" };
    let mut text = format!("{} {noun}, {}, {}", grouped(files), amount::bytes(bytes), amount::time(elapsed));
    for (number, what) in
        [(reused, "reused"), (skipped, "skipped"), (failed, "failed"), (summary.kept, "kept from before")]
    {
        if number > 0 {
            text += &format!("; {} {what}", grouped(number));
        }
    }
    let name = manifest.map(|path| message::Shown::path(path).to_string());
    name.map_or(text.clone(), |name| format!("{text}; manifest {name}"))
}

/// Prints the final messages, and returns the account.
pub(super) fn conclude(
    summary: &HashSummary,
    account: Account,
    recorded: Recorded,
    display: &Display<'_>,
) -> Account {
    if let Ended::Interrupted { .. } = summary.ended {
        signal::tell();
        return Account::interrupted();
    }
    if recorded == Recorded::HashedFiles {
        tell_skipped(&summary.skipped);
    }
    tell_scans(summary.scans);
    if display.manifest.is_some() && (is_verbose() || progress::is_watched(display.resources.progress)) {
        message::note(sum(summary, display.manifest));
    }
    if let Some(error) = &summary.list_problem {
        let name = display.list.unwrap_or(Path::new("-")).display();
        let unwritten = display.manifest.map_or(String::new(), |manifest| {
            format!("; {} would lack them, so it is not written", message::Shown::path(manifest))
        });
        message::say(format_args!("{name}: cannot read the rest of the list of paths: {error}{unwritten}"));
    }
    account
}

/// Prints "162 files looked up: 4 bad, 20 good, 138 unknown".
pub fn tell_categories(categories: &BTreeMap<Box<str>, u64>, one: &str, many: &str) {
    let each =
        |category: &str, number| format!("{} {}", grouped(number), message::Shown(category.as_bytes()));
    let kinds: Vec<String> = categories.iter().map(|(category, number)| each(category, *number)).collect();
    let colon = if kinds.is_empty() { "" } else { ": " };
    let files = count(categories.values().sum(), one, many);
    message::note(format_args!("{files} looked up{colon}{}", kinds.join(", ")));
}

/// Prints "3 files match rules, 1 file was not wholly looked at".
fn tell_scans(ScanCounts { matching, unscanned }: ScanCounts) {
    let matching = (matching > 0).then(|| {
        let verb = if matching == 1 { "matches" } else { "match" };
        format!("{} {verb} rules", count(matching, "file", "files"))
    });
    let unscanned = (unscanned > 0).then(|| {
        let verb = if unscanned == 1 { "was" } else { "were" };
        format!("{} {verb} not wholly looked at", count(unscanned, "file", "files"))
    });
    let parts: Vec<String> = matching.into_iter().chain(unscanned).collect();
    if !parts.is_empty() {
        message::note(parts.join(", "));
    }
}

/// Prints "3 entries skipped: 2 x symbolic link, 1 x FIFO".
pub fn tell_skipped(skipped: &BTreeMap<Skip, u64>) {
    let total: u64 = skipped.values().sum();
    if total > 0 {
        let kinds: Vec<String> =
            skipped.iter().map(|(why, number)| format!("{number} x {}", why.reason())).collect();
        message::note(format_args!("{} skipped: {}", count(total, "entry", "entries"), kinds.join(", ")));
    }
}
