//! `hashmill bag create`.

use super::options::Create as Options;
use super::show::Show;
use crate::exit::Carry;
use crate::results::json::add_typed;
use crate::results::report::Report;
use crate::results::schema::Schema;
use crate::words::message;
use crate::words::message::count;
use crate::{output, signal};
use hashmill_engine::Cancel;
use hashmill_job::account::Account;
use hashmill_job::bagit::{Create, Created};
use serde_json::json;

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
    let (bag, account) = (options.output.as_ref().unwrap_or(&options.folder), created.account());
    if options.format == Report::Json {
        let made = matches!(created, Created::Bag(_) | Created::Finished);
        let mut document = json!({ "made": made, "account": account.to_json() });
        match created {
            Created::Bag(oxum) => {
                document["payload"] = json!({ "octets": oxum.octets, "streams": oxum.streams })
            }
            Created::Refused(number) => document["refused"] = number.into(),
            Created::Finished | Created::Interrupted => {}
        }
        add_typed(&mut document, "bag", bag);
        Schema::BAG_CREATE.mark(&mut document);
        account.carried_by(output::print(format!("{document}\n").as_bytes()))?;
    }
    let made = bag.display();
    match created {
        Created::Bag(oxum) => {
            let files = count(oxum.streams, "file", "files");
            message::note(format_args!("{made}: a bag of {files}, {} bytes", oxum.octets));
        }
        Created::Finished => message::say(format_args!(
            "{made}: finished what an interrupted run had begun, with the manifests and fields of that run"
        )),
        Created::Refused(number) => {
            let things = count(number, "entry", "entries");
            message::say(format_args!("no bag was made because of {things}; nothing was changed"));
        }
        Created::Interrupted => message::say("interrupted; nothing was changed"),
    }
    Ok(account)
}
