//! `hashmill bag`: folders as bags (BagIt, RFC 8493).

mod create;
mod options;
mod report;
mod show;
mod update;
mod verify;

pub use options::Command;

use hashmill_job::account::Account;

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
