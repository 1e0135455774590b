//! `hashmill image`: inspect, verify, hash and export forensic images, and acquire them.

mod acquire;
mod disk;
mod export;
mod extract;
mod hash;
mod info;
mod list;
mod open;
mod options;
mod verify;

pub use options::Options;

use hashmill_job::account::Account;
use options::Command;

/// Runs the command, and returns its account.
///
/// # Errors
/// If the options do not go together, or an output cannot be written.
pub fn run(options: &Options) -> anyhow::Result<Account> {
    match &options.command {
        Command::Info(options) => info::run(options),
        Command::Verify(options) => verify::run(options),
        Command::Hash(options) => hash::run(options),
        Command::Export(options) => export::run(options),
        Command::List(options) => list::run(options),
        Command::Acquire(options) => acquire::run(options),
    }
}
