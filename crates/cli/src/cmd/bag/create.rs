//! `hashmill bag create`.

use super::options::Create as Options;
use super::show::Show;
use crate::message::{self, count};
use crate::{output, signal};
use hashmill_engine::Cancel;
use hashmill_job::account::{Account, Item};
use hashmill_job::bagit::{Create, Created};

/// Runs the command, and returns its account.
///
/// # Errors
/// If the options or the folder are not usable, or something cannot be written.
pub fn run(options: &Options) -> anyhow::Result<Account> {
    let bag = Create {
        folder: options.folder.clone(),
        to: options.output.clone(),
        algorithms: options.algorithms.clone(),
        info: options.info.clone(),
        resources: options.resources.resources(),
        cancel: Cancel::default(),
    };
    signal::watch(bag.cancel.clone(), output::stdout()?)?;
    let mut show = Show::new(options.resources.progress);
    let created = bag.run(&mut |event| show.take(&event))?;
    let made = options.output.as_ref().unwrap_or(&options.folder).display();
    Ok(match created {
        Created::Bag(oxum) => {
            let files = count(oxum.streams, "file", "files");
            message::note(format_args!("{made}: a bag of {files}, {} bytes", oxum.octets));
            Account::default()
        }
        Created::Finished => {
            message::say(format_args!(
                "{made}: finished what an interrupted run had begun, with the manifests and fields of that run"
            ));
            Account::default()
        }
        Created::Refused(number) => {
            let things = count(number, "entry", "entries");
            message::say(format_args!("no bag was made because of {things}; nothing was changed"));
            Account::failed(Item::Record, 1)
        }
        Created::Interrupted => {
            message::say("interrupted; nothing was changed");
            Account::interrupted()
        }
    })
}
