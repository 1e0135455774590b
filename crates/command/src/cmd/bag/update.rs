//! `hashmill bag update`.

use super::each;
use super::options::UpdateBagOptions as Options;
use super::show::Show;
use crate::exit::{Carry, end_results};
use crate::results::json::{Frame, Results, add_typed};
use crate::results::report::ListReport;
use crate::results::schema::Schema;
use crate::words::message;
use crate::words::message::Shown;
use crate::words::message::count;
use crate::{output, signal};
use hashmill_engine::Cancel;
use hashmill_job::account::Account;
use hashmill_job::bagit::{TagChange, Update, Updated};
use hashmill_os::names;
use serde_json::{Value, json};
use std::path::Path;

/// Runs the command, and returns its account.
///
/// # Errors
/// If a folder is no bag that can be updated, or something cannot be written.
pub fn run(options: &Options) -> anyhow::Result<Account> {
    let (output, cancel) = (output::stdout()?, Cancel::default());
    signal::watch(cancel.clone(), output.clone())?;
    let frame = Frame::new(options.format, options.bags.len());
    let mut results = Results::new(Schema::BAG_UPDATE, frame, output.clone());
    let account = each(&options.bags, &mut |bag| update(bag, options, &cancel, &mut results))?;
    if options.format == ListReport::Text { Ok(account) } else { end_results(account, &output, results) }
}

fn update(bag: &Path, options: &Options, cancel: &Cancel, results: &mut Results) -> anyhow::Result<Account> {
    let (resources, cancel) = (options.resources.resources(), cancel.clone());
    let update = Update { folder: bag.to_path_buf(), resources, cancel };
    let mut show = Show::new(options.resources.progress);
    let updated = update.run(&mut |event| show.take(&event))?;
    let account = updated.account();
    if options.format != ListReport::Text {
        account.carried_by(results.push(as_json(&updated, bag, &account)))?;
    }
    tell(&updated, bag);
    Ok(account)
}

/// Returns the result for programs.
fn as_json(updated: &Updated, bag: &Path, account: &Account) -> Value {
    let made = matches!(updated, Updated::Bag(..));
    let mut document = json!({ "made": made, "account": account.to_json() });
    match updated {
        Updated::Bag(changes, files) => {
            let change = |change: &TagChange| json!({ "path": change.path(), "kind": change.word() });
            document["files"] = (*files).into();
            document["changes"] = changes.iter().map(change).collect();
        }
        Updated::Refused(number) => document["refused"] = (*number).into(),
        Updated::Interrupted => {}
    }
    add_typed(&mut document, "bag", bag);
    document
}

fn tell(updated: &Updated, bag: &Path) {
    match updated {
        Updated::Bag(changes, files) => {
            for change in changes {
                let what = match change {
                    TagChange::New(_) => "is new",
                    TagChange::Changed(_) => "has changed",
                    TagChange::Gone(_) => "is not there any more",
                };
                let path = names::path_bytes(&bag.join(change.path())).into_owned();
                message::note(format_args!("{}: {what}", Shown(&path)));
            }
            let files = count(*files as u64, "tag file", "tag files");
            let bag = bag.display();
            message::note(format_args!(
                "{bag}: tag manifests of {files} were written; the payload was not read"
            ));
        }
        Updated::Refused(number) => {
            let things = count(*number, "entry", "entries");
            message::about_path(
                bag,
                format_args!("the bag was not updated because of {things}; nothing was changed"),
            );
        }
        Updated::Interrupted => message::say("interrupted; nothing was changed"),
    }
}
