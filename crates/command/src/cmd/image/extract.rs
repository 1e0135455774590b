//! `hashmill image export IMAGE!/PATH`: files on the media of an image, or in an archive.

use super::open::{account_of, tell_refused};
use super::options::Export;
use crate::options::force::Force;
use crate::progress::Heartbeat;
use crate::signal;
use crate::words::amount::BinaryBytes;
use crate::words::message;
use hashmill_content::operands::inner::{InnerError, InnerOptions, InnerPath};
use hashmill_content::{Inside, imaging};
use hashmill_engine::Cancel;
use hashmill_job::account::{Account, Item, Outcome};
use hashmill_job::extract::{ExtractError, ExtractEvent, Extraction};
use hashmill_terminal::count;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Writes what is at a path inside of an image or archive, or below it.
///
/// # Errors
/// If an output can't be written.
pub(super) fn run(options: &Export, path: InnerPath) -> anyhow::Result<Account> {
    let means = options.how.means(&[path.outer()], &options.opening);
    let open = options.opening.options()?;
    let inside = Inside { archives: true, media: true, files: true, ..Inside::default() };
    let memory = usize::try_from(means.memory / 2).unwrap_or(usize::MAX);
    let (force, cancel) = (options.force, Cancel::default());
    let job = Extraction {
        path: path.clone(),
        to: Force { force }.to(Some(&options.output))?,
        deleted: options.deleted,
        options: InnerOptions { open, inside, memory },
        cancel: cancel.clone(),
    };
    signal::watch_with(move || cancel.set(), None)?;
    let mut heartbeat = None;
    let account = job.run(&mut |event| {
        if let ExtractEvent::Reading(live) = event {
            heartbeat = Some(Heartbeat::new(options.how.progress, Arc::clone(live)));
        }
        tell(&event);
        ControlFlow::Continue(())
    });
    drop(heartbeat);
    match account {
        Ok(account) => {
            tell_rest(&account);
            Ok(account)
        }
        Err(ExtractError::Write(error)) => Err(error.into()),
        Err(ExtractError::Full { error, account, bytes }) => {
            let stays = match written(&account) {
                0 => String::new(),
                files => format!(
                    " ({} with {} are written and stay; make room, and --force writes all again)",
                    count(files, "file", "files"),
                    BinaryBytes(bytes)
                ),
            };
            message::say(format_args!("{error}{stays}"));
            Ok(*account)
        }
        Err(ExtractError::Nothing) => {
            message::about_path(&options.path, "there is no such file in the image or archive");
            Ok(Account::unusable(Item::Container, 1))
        }
        Err(ExtractError::Closed(InnerError::Image(error))) => {
            tell_refused(&error, &imaging::shown(path.outer()));
            Ok(account_of(&error))
        }
        Err(ExtractError::Closed(unknown)) => {
            message::about_path(&imaging::shown(path.outer()), unknown);
            Ok(Account::unusable(Item::Container, 1))
        }
    }
}

/// Returns how many files have their names.
fn written(account: &Account) -> u64 {
    [Outcome::Done, Outcome::Differs].into_iter().map(|outcome| account.number(Item::Entry, outcome)).sum()
}

/// Prints what was met beside the files that were written.
fn tell_rest(account: &Account) {
    if account.is_interrupted {
        let files = written(account);
        let stay =
            format!(" ({} are written and stay; --force writes all again)", count(files, "file", "files"));
        message::say(format_args!("interrupted{}", if files > 0 { &stay } else { "" }));
    }
    let number = |outcome| account.number(Item::Entry, outcome);
    for (number, what) in [
        (number(Outcome::NoBytes), "without content (links, devices and the like)"),
        (number(Outcome::LeftOut), "that are nearly empty maps of their volumes"),
    ] {
        if number > 0 {
            message::say(format_args!("{} {what} left out", count(number, "entry", "entries")));
        }
    }
}

/// Prints what is not written, and what differs.
fn tell(event: &ExtractEvent<'_>) {
    match event {
        ExtractEvent::Failed(error) => message::about(&error.path, &error.problem),
        ExtractEvent::Unwritten(path, why) => message::about(path, format_args!("is not written: {why}")),
        ExtractEvent::Differs(path, difference) => message::about(path, difference),
        _ => {}
    }
}
