//! `-q` and `-v` of every command: how much is printed beside results and errors.

use clap::{Arg, ArgAction, ArgMatches, Command};
use std::sync::atomic::{AtomicU8, Ordering};

/// The amount of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Only differences and errors.
    Quiet,
    /// The default.
    Usual,
    /// Also matches, skipped files, and sources of settings.
    Verbose,
}

const LEVELS: [Level; 3] = [Level::Quiet, Level::Usual, Level::Verbose];

static LEVEL: AtomicU8 = AtomicU8::new(Level::Usual as u8);

const QUIET: &str = "quiet";
const VERBOSE: &str = "verbose";

/// Begins a command, whose level is the usual one until its options are known.
pub fn begin() {
    LEVEL.store(Level::Usual as u8, Ordering::Relaxed);
}

/// Returns the level of the command.
pub fn level() -> Level {
    LEVELS.get(usize::from(LEVEL.load(Ordering::Relaxed))).copied().unwrap_or(Level::Usual)
}

/// Returns whether `-q` was given.
pub fn is_quiet() -> bool {
    level() == Level::Quiet
}

/// Returns whether `-v` was given.
pub fn is_verbose() -> bool {
    level() == Level::Verbose
}

/// Sets the level from the options of the innermost command that was typed.
pub fn set(matches: &ArgMatches) {
    let mut typed = matches;
    while let Some((_, below)) = typed.subcommand() {
        typed = below;
    }
    let given = |name| typed.try_get_one::<bool>(name).ok().flatten().copied().unwrap_or(false);
    let count = typed.try_get_one::<u8>(VERBOSE).ok().flatten().copied().unwrap_or(0);
    let level = match (given(QUIET), count) {
        (true, _) => Level::Quiet,
        (_, 0) => Level::Usual,
        _ => Level::Verbose,
    };
    LEVEL.store(level as u8, Ordering::Relaxed);
}

/// Adds both options to every command that has no subcommands.
pub fn with_options(command: Command) -> Command {
    if command.has_subcommands() {
        return command.mut_subcommands(with_options);
    }
    let option = |name: &'static str, letter| {
        Arg::new(name).short(letter).long(name).help_heading("Messages").display_order(900)
    };
    let has = |name: &str| command.get_arguments().any(|arg| arg.get_id() == name);
    let quiet = (!has(QUIET)).then(|| {
        let help = "Print only differences and errors";
        option(QUIET, 'q').action(ArgAction::SetTrue).help(help)
    });
    let verbose = (!has(VERBOSE)).then(|| {
        let help = "Also print matches, skipped files and where settings came from";
        option(VERBOSE, 'v').action(ArgAction::Count).conflicts_with(QUIET).help(help)
    });
    command.args(quiet.into_iter().chain(verbose))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_known_by_their_numbers() {
        for (number, level) in LEVELS.iter().enumerate() {
            assert_eq!(*level as usize, number);
        }
    }
}
