//! `hashmill image export`: the original media as raw bytes, or files inside.

use super::extract;
use super::open::{account_of_end, open};
use super::options::Export;
use crate::options::force::Force;
use crate::progress::Heartbeat;
use crate::signal;
use crate::words::message;
use anyhow::ensure;
use hashmill_content::entry::stated;
use hashmill_content::imaging;
use hashmill_content::imaging::{ExportEvent, Exported};
use hashmill_content::operands::inner::InnerPath;
use hashmill_engine::Cancel;
use hashmill_image::{Claim, DigestOutcome, Image, PipelineSummary};
use hashmill_job::account::{Account, Item};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Runs the command, and returns its account.
///
/// # Errors
/// If the media cannot be written.
pub fn run(options: &Export) -> anyhow::Result<Account> {
    if let Some(inner) = InnerPath::new(&options.path) {
        return extract::run(options, inner);
    }
    let resources = options.how.means(&[&options.path], &options.opening);
    let image = match open(&options.path, &options.opening.options()?) {
        Ok(image) => image,
        Err(refused) => return Ok(*refused),
    };
    if image.is_logical() {
        return extract::run(options, InnerPath::whole(&options.path));
    }
    ensure!(
        !options.deleted,
        "--deleted needs a path inside of the image, as in {}!/",
        options.path.display()
    );
    // Reported before the hours that writing may take.
    image.findings().iter().for_each(message::say);
    let force = options.force;
    let (to, cancel) = (Force { force }.to(Some(&options.output))?, Cancel::default());
    let job = imaging::Export { to, force, resources, cancel: cancel.clone() };
    let (mut heartbeat, mut watched) = (None, Ok::<(), io::Error>(()));
    let Exported { summary, written } = job.run(&image, &mut |event| {
        match event {
            ExportEvent::Reading(live, output) => {
                watched = signal::watch(cancel.clone(), output.clone());
                let progress = options.how.progress;
                heartbeat = Some(Heartbeat::start(progress, Arc::clone(live), output.clone()));
            }
            _ => heartbeat = None,
        }
        if watched.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    watched?;
    if summary.interrupted {
        message::say("interrupted");
        return Ok(Account::interrupted());
    }
    let unwritten = (!written).then_some(&options.output);
    let read = conclude(&options.path, &summary).and(unread(&image, &summary, unwritten));
    Ok(read.and(account_of_end(&options.path, image)))
}

/// Prints stored digests that do not match the media.
fn conclude(path: &Path, summary: &PipelineSummary) -> Account {
    let differing: Vec<_> =
        summary.claims.iter().filter(|check| check.outcome == DigestOutcome::Mismatch).collect();
    for check in &differing {
        let Claim { algorithm, digest, .. } = check.claim;
        message::about_path(path, stated::Difference { algorithm, stated: digest });
    }
    Account::differing(Item::Container, u64::from(!differing.is_empty()))
}

/// Prints the parts that could not be read, unless they were reported at the start.
fn unread(image: &Image, summary: &PipelineSummary, unwritten: Option<&PathBuf>) -> Account {
    let new = summary.findings.iter().filter(|finding| !image.findings().contains(finding));
    new.for_each(message::say);
    if summary.findings.is_empty() {
        return Account::default();
    }
    let more = if summary.omitted > 0 { format!(" ({} more)", summary.omitted) } else { String::new() };
    match unwritten {
        None => message::say(format_args!("not all could be read{more}: zeros were written instead")),
        Some(path) => {
            let what = format!(
                "is not written, as the system could not read all of the image{more}; --force writes zeros instead"
            );
            message::about_path(path, what);
        }
    }
    Account::failed(Item::Container, 1)
}
