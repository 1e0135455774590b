//! `hashmill bag update`.

use super::each;
use super::options::UpdateBagOptions as Options;
use super::show::Show;
use crate::words::message;
use crate::words::message::count;
use crate::{output, signal};
use hashmill_engine::Cancel;
use hashmill_job::account::Account;
use hashmill_job::bagit::{TagChange, Update, Updated};
use std::path::Path;

/// Runs the command, and returns its account.
///
/// # Errors
/// If a folder is no bag that can be updated, or something cannot be written.
pub fn run(options: &Options) -> anyhow::Result<Account> {
    let cancel = Cancel::default();
    signal::watch(cancel.clone(), output::stdout()?)?;
    each(&options.bags, &mut |bag| update(bag, options, &cancel))
}

fn update(bag: &Path, options: &Options, cancel: &Cancel) -> anyhow::Result<Account> {
    let (resources, cancel) = (options.resources.resources(), cancel.clone());
    let update = Update { folder: bag.to_path_buf(), resources, cancel };
    let mut show = Show::new(options.resources.progress);
    let updated = update.run(&mut |event| show.take(&event))?;
    let account = updated.account();
    match updated {
        Updated::Bag(changes, files) => {
            for change in &changes {
                let (path, what) = match change {
                    TagChange::New(path) => (path, "is new"),
                    TagChange::Changed(path) => (path, "has changed"),
                    TagChange::Gone(path) => (path, "is not there any more"),
                };
                message::note(format_args!("{}: {what}", bag.join(path).display()));
            }
            let files = count(files as u64, "tag file", "tag files");
            let bag = bag.display();
            message::note(format_args!(
                "{bag}: tag manifests of {files} were written; the payload was not read"
            ));
        }
        Updated::Refused(number) => {
            let things = count(number, "entry", "entries");
            message::about_path(
                bag,
                format_args!("the bag was not updated because of {things}; nothing was changed"),
            );
        }
        Updated::Interrupted => message::say("interrupted; nothing was changed"),
    }
    Ok(account)
}
