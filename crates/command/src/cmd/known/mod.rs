//! `hashmill known`: builds sets of known digests; looks up files and digests.

mod build;
mod info;
mod manifest;
mod matching;
mod options;
mod query;

pub use matching::tell_partly_held;
pub use options::Command;

use hashmill_job::account::Account;

/// Runs the command, and returns its account.
///
/// # Errors
/// If the options do not go together, an index is not usable, or the output cannot be written.
pub fn run(command: Command) -> anyhow::Result<Account> {
    match command {
        Command::Build(args) => build::run(&args),
        Command::Info(args) => info::run(&args),
        Command::Query(args) => query::run(&args),
        Command::Match(args) => matching::run(&args),
    }
}
