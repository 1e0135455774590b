//! `check --store KIND DIR` and `check --name-is ALG DIR`: stores whose names are digests.

use super::options::Options;
use super::results::{Claim, Results, Word};
use super::show::{differences, warn};
use super::{Attendants, lists_of_categories};
use crate::exit::Carry;
use crate::options::sources::redirected;
use crate::options::write::Lists;
use crate::output::{self, Tone, WriteError};
use crate::words::level::{is_quiet, is_verbose};
use crate::words::message;
use crate::words::message::count;
use crate::{signal, stats};
use anyhow::bail;
use hashmill_engine::Cancel;
use hashmill_engine::flow::Flow;
use hashmill_job::account::Account;
use hashmill_job::check::store::{ObjectVerdict, StoreEvent, StoreJob, StoreSummary};
use hashmill_manifest::audit::Sides;
use hashmill_objects::StoreLayout;
use hashmill_os::names;
use std::io::Write;
use std::ops::ControlFlow;

const DAMAGED: Word = Word::FAILED;
const MISSING: Word = Word { text: "MISSING", key: ObjectVerdict::Missing.word(), tone: Tone::Bad };
const SUPERFLUOUS: Word =
    Word { text: "SUPERFLUOUS", key: ObjectVerdict::Superfluous.word(), tone: Tone::Doubtful };

/// Checks the store in the folder that was named.
///
/// # Errors
/// If the folder has no such store, or the results cannot be written.
pub fn run(options: &Options, layout: StoreLayout) -> anyhow::Result<Account> {
    let folders = options.operands();
    let [folder] = folders else {
        bail!("name the folder of the store, one at a time (there are {})", folders.len())
    };
    let (cancel, output) = (Cancel::default(), output::stdout()?);
    let written = lists_of_categories(options)?;
    let mut own = redirected();
    written.add_to(&mut own);
    let job = StoreJob {
        folder: names::path_bytes(folder).into(),
        layout,
        resources: options.resources.resources(),
        sides: options.is_for_programs() || is_verbose(),
        own,
        cancel: cancel.clone(),
    };
    let check = job.start()?;
    let mut company = Attendants::new(options, cancel, check.live(), output.clone());
    if company.come().is_break() {
        return Ok(company.leave().map(|()| Account::default())?);
    }
    let results = Results::begin(options, &output, written)?;
    results.name_store(layout, check.root());
    let mut show =
        StoreDisplay { options, results: &results, reason: None, account: Account::default(), error: None };
    let summary = check.run(&mut |event| show.take(&event));
    let shown = show.error.take().map_or(Ok(()), Err);
    company.leave()?;
    show.account.carried_by(shown)?;
    // Messages about the store come after its lines, even if both go to one file. An error is reported at the end.
    let _ = output.clone().flush();
    if !summary.interrupted {
        tell(options, &summary);
    }
    let account = summary.account();
    results.count_packed(summary.packed);
    if account.is_interrupted {
        signal::tell();
    } else {
        account.carried_by(results.written().finish())?;
    }
    account.carried_by(results.end(&account))?;
    stats::print(options.resources.stats, &summary.stats, 0);
    account.carried_by(output.finish())?;
    Ok(account)
}

/// The check of a store, as it is shown.
struct StoreDisplay<'a> {
    options: &'a Options,
    results: &'a Results,
    /// The reason for the next verdict.
    reason: Option<Box<str>>,
    /// The exit code of the verdicts so far.
    account: Account,
    error: Option<WriteError>,
}

impl StoreDisplay<'_> {
    fn take(&mut self, event: &StoreEvent<'_>) -> Flow {
        if self.error.is_none() {
            self.error = self.show(event).err();
        }
        if self.error.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn show(&mut self, event: &StoreEvent<'_>) -> Result<(), WriteError> {
        let silent = self.options.status;
        match event {
            StoreEvent::Verdict(path, verdict, sides) => return self.verdict(path, *verdict, *sides),
            StoreEvent::Reason(path, why) => {
                // That nothing names an object says its verdict already.
                self.reason = Some((*why).into());
                if !silent && (is_verbose() || !why.starts_with("nothing names")) {
                    message::about(path, why);
                }
            }
            StoreEvent::Warning(path, why) => {
                self.reason = Some((*why).into());
                if !silent && !is_quiet() {
                    message::about(path, why);
                }
            }
            StoreEvent::Failed(error) => {
                self.reason = Some(error.problem.word().into());
                if !silent {
                    message::about(&error.path, &error.problem);
                }
            }
            StoreEvent::Notice(notice) => message::say(notice),
        }
        Ok(())
    }

    fn verdict(
        &mut self,
        path: &[u8],
        verdict: ObjectVerdict,
        sides: Option<&Sides>,
    ) -> Result<(), WriteError> {
        self.account.add(verdict.account());
        if let Some(sides) = sides.filter(|_| is_verbose() && !self.options.status) {
            differences(path, sides);
        }
        let reason = self.reason.take().map(|reason| Sides { reason: Some(reason), ..Sides::default() });
        let of = Claim { path, list: "", sides: sides.or(reason.as_ref()) };
        if verdict == ObjectVerdict::Apart {
            self.results.written().take(Lists::NOT_COMPARED, path)?;
            return self.results.unchecked(of);
        }
        let silent = self.options.status || verdict == ObjectVerdict::Right && is_quiet();
        self.results.take(of, word(verdict), !silent)
    }
}

fn word(verdict: ObjectVerdict) -> Word {
    match verdict {
        ObjectVerdict::Right => Word::OK,
        ObjectVerdict::Damaged => DAMAGED,
        ObjectVerdict::Missing => MISSING,
        ObjectVerdict::Superfluous => SUPERFLUOUS,
        ObjectVerdict::Unreadable => Word::UNREADABLE,
        ObjectVerdict::Unsupported | ObjectVerdict::Apart => Word::UNSUPPORTED,
    }
}

/// Whether inventories say what the store has, and not names.
fn is_inventoried(options: &Options) -> bool {
    options.layout().is_some_and(|layout| layout.is_inventoried())
}

/// Prints the summary.
fn tell(options: &Options, summary: &StoreSummary) {
    if !options.status {
        let number = |verdict| summary.count(verdict);
        let (object, name) = if is_inventoried(options) { ("file", "inventory") } else { ("object", "name") };
        warn(number(ObjectVerdict::Damaged), object, &format!("did NOT match its {name}"));
        warn(number(ObjectVerdict::Missing), "object", "missing");
        warn(number(ObjectVerdict::Superfluous), "superfluous file", "in the store");
        warn(number(ObjectVerdict::Unreadable), "file", "could not be read");
        warn(number(ObjectVerdict::Unsupported), "object", "could not be checked");
        if summary.packed > 0 {
            message::note(format_args!("verified in packs: {}", count(summary.packed, "object", "objects")));
        }
        let apart = number(ObjectVerdict::Apart);
        if apart > 0 {
            message::note(format_args!(
                "not compared: {} of the store without a digest",
                count(apart, "file", "files")
            ));
        }
        if summary.is_empty() {
            message::say("no object was verified");
        }
    }
}
