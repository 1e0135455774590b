//! `--export`: the state as a manifest.

use super::options::Options;
use crate::cmd::convert;
use crate::exit::Carry;
use crate::options::format::{self, choose};
use crate::output;
use crate::signal;
use crate::words::message;
use crate::words::message::count;
use anyhow::{anyhow, ensure};
use hashmill_content::output::To;
use hashmill_engine::Cancel;
use hashmill_job::Algorithms;
use hashmill_job::account::{Account, Item};
use hashmill_job::scrub::{ExportJob, Exported};
use std::path::Path;

/// The format of the manifest where nothing tells another one.
const FORMAT: &str = "jsonl";

/// Writes the manifest, and returns the exit code.
///
/// # Errors
/// If the state can't be used, or the manifest can't be written.
pub fn run(options: &Options, to: &Path) -> anyhow::Result<Account> {
    let typed = match options.format {
        None => None,
        Some(form) => Some(form.manifest.ok_or_else(|| anyhow!("-f text: no format of manifests"))?),
    };
    let format = choose(typed, output::named(Some(to)), FORMAT)?;
    output::fits(format, Some(to))?;
    let cancel = Cancel::default();
    let job = ExportJob {
        state: options.state.clone(),
        guard: options.guarded.guard()?,
        format,
        to: options.force.to(Some(to))?,
        cancel: cancel.clone(),
    };
    let stream = match &job.to {
        To::Stream(output) => Some(output.clone()),
        To::File(_) => None,
    };
    let export = job.open()?;
    // A name that implies another algorithm would make readers take the digests for that one's.
    let algorithms = Algorithms::from(export.algorithms().to_vec());
    ensure!(!algorithms.digests.is_empty(), "the state has no digests");
    format::algorithms(Some(&algorithms), format, output::named(Some(to)))?;
    signal::watch_with(move || cancel.set(), stream)?;
    let mut known = Account::default();
    let done = export.run(&mut |event| convert::tell(&event, &mut known));
    let exported = known.carried_by(done)?;
    tell(&exported);
    let lacks = Account::failed(Item::Record, exported.unread + exported.refused);
    Ok(if exported.interrupted { Account::interrupted() } else { lacks })
}

/// Tells what the manifest does not say.
fn tell(exported: &Exported) {
    let Exported { unread, unproved, otherwise, .. } = exported;
    if *unread > 0 {
        let files = count(*unread, "file was never read, and is", "files were never read, and are");
        message::say(format_args!("{files} not in the manifest"));
    }
    if *unproved > 0 {
        let files = count(*unproved, "file", "files");
        message::note(format_args!(
            "{files} never verified: the digests are those that the state began with"
        ));
    }
    if *otherwise > 0 {
        let files = count(*otherwise, "file was", "files were");
        message::note(format_args!("{files} found otherwise, or gone: the manifest has what counts"));
    }
}
