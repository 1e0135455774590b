//! `hashmill bag`: folders as bags (BagIt, RFC 8493).

mod create;
mod options;
mod report;
mod show;
mod update;
mod verify;

pub use options::{Command, field};

use crate::exit::{account_of, is_closed};
use crate::options as shared;
use crate::words::message;
use hashmill_job::account::{Account, Item};
use std::path::{Path, PathBuf};

/// Runs the command, and returns its account.
///
/// # Errors
/// If an option, a folder or a bag is not usable, or something cannot be written.
pub fn run(command: &Command) -> anyhow::Result<Account> {
    match command {
        Command::Create(options) => create::run(options),
        Command::Update(options) => update::run(options),
        Command::Verify(options) => verify::run(options),
    }
}

/// Does something with each of several bags, until a signal. The error of one of several is told, and the others follow.
fn each(bags: &[PathBuf], take: &mut dyn FnMut(&Path) -> anyhow::Result<Account>) -> anyhow::Result<Account> {
    let mut all = Account::default();
    for bag in bags {
        let account = match take(bag) {
            Err(error) if bags.len() > 1 && !is_closed(&error) => {
                message::say(shared::errors::text(&error));
                account_of(&error)
            }
            account => account?.and(Account::done(Item::Operand, u64::from(bags.len() > 1))),
        };
        all.add(account);
        if all.is_interrupted {
            break;
        }
    }
    Ok(all)
}
