//! `--no-NAME` for each switch that a file or a variable can set, so that the command line has the last word.

use super::file::is_settable;
use clap::builder::ArgPredicate;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};

/// The beginning of the ids of opposites; no other id has a space.
const NOT: &str = "not ";

/// Adds an opposite for each switch of a command: `--no-follow` for `--follow`, `--recursion` for `--no-recursion`. Of a
/// switch and its opposite the last one typed counts; help shows the switch alone.
///
/// Only opposites that `is_typed` are added, as clap would propose others in place of a mistyped option.
pub(super) fn add(command: Command, is_typed: &dyn Fn(&str) -> bool) -> Command {
    let is_switch = |arg: &&Arg| is_settable(arg) && matches!(arg.get_action(), ArgAction::SetTrue);
    let names = |arg: &Arg| Some((arg.get_id().to_string(), arg.get_long()?.to_string()));
    let switches: Vec<_> = command.get_arguments().filter(is_switch).filter_map(names).collect();
    switches.into_iter().fold(command, |command, (id, long)| {
        let name = long.strip_prefix("no-").map_or_else(|| format!("no-{long}"), str::to_string);
        if !is_typed(&name) || command.get_arguments().any(|arg| arg.get_long() == Some(&name)) {
            return command;
        }
        let opposite = format!("{NOT}{id}");
        let arg = Arg::new(opposite.clone()).long(name).action(ArgAction::SetTrue).hide(true);
        command.arg(arg.overrides_with(id.clone())).mut_arg(id, |arg| {
            arg.overrides_with(opposite.clone()).default_value_if(
                opposite,
                ArgPredicate::Equals("true".into()),
                "false",
            )
        })
    })
}

/// Returns whether an option only undoes another one.
pub(super) fn is_opposite(arg: &Arg) -> bool {
    arg.get_id().as_str().starts_with(NOT)
}

/// Returns whether the switch with this id was undone on the command line.
pub(super) fn is_undone(matches: &ArgMatches, id: &str) -> bool {
    let opposite = format!("{NOT}{id}");
    matches.try_contains_id(&opposite).is_ok()
        && matches.value_source(&opposite) == Some(ValueSource::CommandLine)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::whole;

    /// Calls `check` with every command that has options of its own.
    fn each(command: &Command, check: &mut dyn FnMut(&Command)) {
        check(command);
        command.get_subcommands().for_each(|below| each(below, check));
    }

    #[test]
    fn every_switch_that_can_be_set_can_be_undone() {
        let mut seen = 0;
        each(&whole(), &mut |command| {
            let is_switch = |arg: &&Arg| is_settable(arg) && matches!(arg.get_action(), ArgAction::SetTrue);
            // Those that this system has no use for are refused, and not shown.
            for switch in command.get_arguments().filter(is_switch).filter(|arg| !arg.is_hide_set()) {
                let (id, long) = (switch.get_id().as_str(), switch.get_long().unwrap());
                let set = add(command.clone(), &|_| true)
                    .arg_required_else_help(false)
                    .mut_arg(id, |arg| arg.default_values(["true"]));
                let found = |words: &[String]| {
                    let words = std::iter::once("hashmill".to_string()).chain(words.iter().cloned());
                    set.clone().ignore_errors(true).get_matches_from(words).get_flag(id)
                };
                let no = format!(
                    "--{}",
                    long.strip_prefix("no-").map_or_else(|| format!("no-{long}"), str::to_string)
                );
                let yes = format!("--{long}");
                assert!(found(&[]), "{long} is set");
                assert!(!found(std::slice::from_ref(&no)), "{} {no}", command.get_name());
                assert!(!found(&[yes.clone(), no.clone()]), "{} {yes} {no}", command.get_name());
                assert!(found(&[no, yes]), "{} {long} typed last", command.get_name());
                seen += 1;
            }
        });
        assert!(seen > 50, "{seen} switches");
    }
}
