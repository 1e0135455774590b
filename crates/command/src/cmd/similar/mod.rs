//! `hashmill similar`: likeness digests, scores, pairs, searches, saved indexes.

mod compare;
mod digest;
mod index;
mod options;
mod pairs;
mod search;
mod show;
mod tell;

use hashmill_job::account::Account;
pub use options::{Command, PairFormat};
pub use show::{Show, Shown};
pub use tell::Teller;

/// Runs the command, and returns its account.
///
/// # Errors
/// If the options do not go together, or the output cannot be written.
pub fn run(command: &Command) -> anyhow::Result<Account> {
    match command {
        Command::Digest(args) => digest::run(args),
        Command::Compare(args) => compare::run(args),
        Command::Pairs(args) => pairs::run(args),
        Command::Search(args) => search::run(args),
        Command::Index(options::Index::Build(args)) => index::build(args),
        Command::Index(options::Index::Info { index, format }) => index::info(index, *format),
    }
}
