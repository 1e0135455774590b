//! `hash --bare`: one digest per line and nothing else.
//!
//! Only the position of a line shows which entry it belongs to. So every entry has a line, in the order of the operands
//! and of the walk: an entry without a digest has an empty line, is named on standard error, and counts as a failure.

use super::Options;
use super::show::{self, Display, Recorded};
use crate::exit::Carry;
use crate::output::{self, Output, WriteError};
use crate::progress::Heartbeat;
use crate::signal;
use crate::words::message;
use anyhow::{anyhow, bail};
use hashmill_content::output::OutputKind;
use hashmill_digest::{Algorithm, Style};
use hashmill_job::account::{Account, Item};
use hashmill_job::hash::{Ended, HashEvent, HashJob, Input};
use hashmill_manifest::Record;
use hashmill_source::Skip;
use std::ops::ControlFlow;

/// Prints the digests of a job.
///
/// # Errors
/// If there is not one algorithm, or a line can't be written.
pub fn run(mut job: HashJob, options: &Options, display: &Display<'_>) -> anyhow::Result<Account> {
    let algorithm = only(&job)?;
    let style: Style = options.text;
    if !algorithm.has(style) {
        bail!("--text: {} has no other form than its usual one", algorithm.name);
    }
    let output = open(options)?;
    if let Input::Selection(selection) = &mut job.input {
        selection.own.add_output(&output);
    }
    let run = job.start()?;
    signal::watch(run.cancel(), output.clone())?;
    let mut heartbeat = Some(Heartbeat::start(display.resources.progress, run.live(), output.clone()));
    let mut lines =
        Lines { output, algorithm, style, missing: false, account: Account::default(), error: None };
    let summary = run.run(&mut |event| {
        if matches!(event, HashEvent::AllRead) {
            heartbeat = None;
        }
        if lines.error.is_none() {
            lines.error = lines.take(&event).err();
        }
        if lines.error.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    if let Some(error) = lines.error {
        return lines.account.carried_by(Err(error));
    }
    if summary.ended == Ended::Whole && summary.list_problem.is_none() {
        lines.account.carried_by(lines.output.finish())?;
    } else {
        lines.output.rescue();
    }
    let missing = Account::failed(Item::Entry, u64::from(lines.missing));
    let account = show::conclude(&summary, summary.account().and(missing), Recorded::EveryEntry, display);
    show::tell_stats(display, &summary, &account);
    Ok(account)
}

/// Returns the only algorithm of a job.
fn only(job: &HashJob) -> anyhow::Result<&'static Algorithm> {
    match (&job.algorithms.digests[..], &job.algorithms.likeness[..]) {
        ([algorithm], []) => Ok(algorithm),
        _ => Err(anyhow!("--bare: one digest a line: name one algorithm with -c")),
    }
}

/// Opens the output. Its content can't be told from other text files.
fn open(options: &Options) -> Result<Output, WriteError> {
    match output::named(options.output.as_deref()) {
        Some(path) => output::create(&options.force.at(path), OutputKind::Anything),
        None => output::stdout(),
    }
}

/// The state of the output.
struct Lines {
    output: Output,
    algorithm: &'static Algorithm,
    style: Style,
    /// Whether a line is empty.
    missing: bool,
    /// The account of the events so far.
    account: Account,
    error: Option<WriteError>,
}

impl Lines {
    fn take(&mut self, event: &HashEvent<'_>) -> Result<(), WriteError> {
        match event {
            HashEvent::Hashed(record) => self.line(&self.digest(record))?,
            HashEvent::Failed(..) => self.line("")?,
            // Both were requested: by filters, and by naming an output.
            HashEvent::Skipped(_, Skip::Filtered | Skip::Output) => {}
            HashEvent::Skipped(record, why) => {
                self.line("")?;
                message::about(&record.path, format_args!("no digest: {}", why.reason()));
                self.missing = true;
            }
            _ => {}
        }
        if let Some((item, outcome)) = show::tell(event, Recorded::EveryEntry) {
            self.account.count(item, outcome, 1);
        }
        Ok(())
    }

    fn digest(&self, record: &Record) -> String {
        let digest = record.digest(self.algorithm);
        digest.map_or(String::new(), |digest| self.algorithm.format_in(self.style, digest))
    }

    fn line(&mut self, digest: &str) -> Result<(), WriteError> {
        self.output.put(format!("{digest}\n"))
    }
}
