//! `copy --dry-run`: what would go where, without a byte read or written.

use crate::cmd::hash::tell_skipped;
use crate::exit::Carry;
use crate::words::amount::bytes;
use crate::words::message::{self, count};
use crate::{output, signal};
use hashmill_job::account::{Account, Item, Outcome};
use hashmill_job::copy::{CopyJob, Planned, SurveyEvent};
use hashmill_source::Skip;
use hashmill_terminal::Shown;
use std::collections::BTreeMap;
use std::io::Write;

/// Lists the copies that would be made.
///
/// # Errors
/// If the sources or a destination can't be used, or the list can't be written.
pub fn show(job: CopyJob) -> anyhow::Result<Account> {
    let (cancel, to) = (job.cancel.clone(), job.to.clone());
    let mut output = output::stdout()?;
    signal::watch(cancel.clone(), output.clone())?;
    let (mut account, mut written) = (Account::default(), Ok(()));
    let mut skipped: BTreeMap<Skip, u64> = BTreeMap::new();
    let places = job.survey(&mut |event| match event {
        SurveyEvent::Planned(path, place, planned) => {
            let there = if planned == Planned::There { "  (is there, and is compared)" } else { "" };
            let place = hashmill_os::names::path_bytes(place);
            let line = format!("{} -> {}{there}\n", Shown(path), Shown(&place));
            if written.is_ok() {
                written = output.write_all(line.as_bytes());
            }
            if written.is_err() {
                cancel.set();
            }
        }
        SurveyEvent::Skipped(_, Skip::Filtered | Skip::Output) => {}
        SurveyEvent::Skipped(_, why) => *skipped.entry(why).or_default() += 1,
        SurveyEvent::Unfit(path, why) => message::about(path, why),
        SurveyEvent::Failed(error) => {
            message::about(&error.path, &error.problem);
            account.count(Item::Entry, Outcome::Failed, 1);
        }
    })?;
    account.carried_by(written)?;
    account.carried_by(output.finish())?;
    tell_skipped(&skipped);
    for (place, to) in places.iter().zip(&to) {
        let files = count(place.files, "new file", "new files");
        let room = match place.free {
            Some(free) if free < place.bytes => {
                account.count(Item::Output, Outcome::Failed, 1);
                format!("; there is no room for that: {} are free", bytes(free))
            }
            Some(free) => format!("; {} are free", bytes(free)),
            None => String::new(),
        };
        let there = if place.there > 0 { format!(", {} are there", place.there) } else { String::new() };
        message::note(format_args!("{}: {files} of {}{there}{room}", to.display(), bytes(place.bytes)));
    }
    if cancel.is_set() { Ok(Account::interrupted()) } else { Ok(account) }
}
