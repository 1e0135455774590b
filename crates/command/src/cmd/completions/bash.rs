//! Completions for bash: tables of words, and a function that reads them.
//!
//! clap's own script does not handle words with `=`, which bash splits, and offers options where files are wanted.

use super::{has_list, names};
use clap::{Arg, Command};
use std::fmt::Write;

/// The function, with places for the tables.
const SCRIPT: &str = include_str!("hashmill.bash");

/// Returns the script for all commands, which must be built already.
pub fn script(all: &Command) -> String {
    let mut tables = Tables::default();
    tables.add(all, "");
    SCRIPT.replace("@COMMANDS@\n", &tables.commands).replace("@VALUES@\n", &tables.values)
}

/// The arms of `case`.
#[derive(Default)]
struct Tables {
    commands: String,
    values: String,
}

impl Tables {
    /// Adds a command with this path, and its subcommands.
    fn add(&mut self, command: &Command, path: &str) {
        let options: Vec<&Arg> =
            command.get_arguments().filter(|arg| !arg.is_positional() && !arg.is_hide_set()).collect();
        let all: Vec<String> = options.iter().flat_map(|arg| spellings(arg)).collect();
        let takes_value = |arg: &&&Arg| arg.get_num_args().is_some_and(|range| range.takes_values());
        let valued: Vec<&Arg> = options.iter().filter(takes_value).copied().collect();
        let words: Vec<String> = valued.iter().flat_map(|arg| spellings(arg)).collect();
        let below: Vec<&Command> = command.get_subcommands().filter(|below| !below.is_hide_set()).collect();
        let names: Vec<&str> = below.iter().map(|below| below.get_name()).collect();
        let (all, words, names) = (all.join(" "), words.join(" "), names.join(" "));
        self.commands +=
            &format!("        \"{path}\") options='{all}' valued='{words}' commands='{names}' ;;\n");
        let operands = command.get_arguments().filter(|arg| arg.is_positional());
        for arg in valued.into_iter().chain(operands) {
            self.add_values(arg, path);
        }
        for command in below {
            let separator = if path.is_empty() { "" } else { " " };
            let path = format!("{path}{separator}{}", command.get_name());
            match command.get_name() {
                "help" => self.commands += &format!("        \"{path}\") commands='{names}' ;;\n"),
                _ => self.add(command, &path),
            }
        }
    }

    /// Adds the values of an option or of operands, if it has some.
    fn add_values(&mut self, arg: &Arg, path: &str) {
        let possible = arg.get_possible_values();
        let possible: Vec<&str> =
            possible.iter().filter(|value| !value.is_hide_set()).map(|value| value.get_name()).collect();
        let values = match possible.is_empty() {
            true if has_list(arg) => names(path),
            _ => possible.join(" "),
        };
        if values.is_empty() {
            return;
        }
        let spelled = spellings(arg);
        let spelled = if spelled.is_empty() { vec![String::new()] } else { spelled };
        let places: Vec<String> = spelled.iter().map(|option| format!("\"{path} {option}\"")).collect();
        let is_list = has_list(arg) || arg.get_value_delimiter() == Some(',');
        let list = if is_list { " list=yes" } else { "" };
        // Writing to a string does not fail.
        let _ = writeln!(self.values, "        {}) values='{values}'{list} ;;", places.join(" | "));
    }
}

/// Returns the spellings of an option: `-c`, `--algorithms`.
fn spellings(arg: &Arg) -> Vec<String> {
    let short = arg.get_short().map(|short| format!("-{short}"));
    let long = arg.get_long().map(|long| format!("--{long}"));
    short.into_iter().chain(long).collect()
}
