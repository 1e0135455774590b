//! `hashloom similar`: likeness digests, scores, pairs, searches, saved indexes.

pub mod args;
mod compare;
mod digest;
mod files;
mod index;
mod lists;
mod members;
mod pairs;
mod search;
mod show;

use crate::exit::Exit;
use args::Command;

/// The command, from options to exit code.
///
/// # Errors
/// If the options do not go together, or the output cannot be written.
pub fn run(command: &Command) -> anyhow::Result<Exit> {
    match command {
        Command::Digest(args) => digest::run(args),
        Command::Compare(args) => compare::run(args),
        Command::Pairs(args) => pairs::run(args),
        Command::Search(args) => search::run(args),
        Command::Index(args::Index::Build(args)) => index::build(args),
        Command::Index(args::Index::Info { index }) => index::info(index),
    }
}
