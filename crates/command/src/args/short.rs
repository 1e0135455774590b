//! The output of `-h`: the commands in groups, and of a command with many options those that most people use.

use crate::args::CommandRow;
use clap::{Arg, Command};
use std::fmt::Write as _;

/// The groups of commands, in order.
pub const GROUPS: [(&str, &[&str]); 5] = [
    ("Hash and compare", &["hash", "audit", "check", "copy", "diff", "dupes", "scrub", "triage"]),
    ("Manifests and sets", &["convert", "merge", "report", "known", "similar"]),
    ("Packages and media", &["bag", "image", "tree"]),
    ("Signatures and proofs", &["sign", "verify", "seal", "proof", "outboard"]),
    ("This program", &["explain", "algorithms", "bench", "completions", "man", "help"]),
];

/// A command with more options than this shows only some of them.
const MANY: usize = 40;

/// Headings of options that only `--help` shows.
const RARE_HEADINGS: [&str; 4] = ["BLAKE3", "Case data", "Trusted signatures", "Object stores"];

/// Other options that only `--help` shows.
const RARE: [&str; 31] = [
    "allow-weak",
    "backing",
    "bad-blocks",
    "bare-names",
    "bwlimit",
    "deleted",
    "exclude-from",
    "exclude-type",
    "hashignore",
    "ignore-case",
    "ignore-signature",
    "io",
    "leaves",
    "max-expanded",
    "max-members",
    "max-nesting",
    "max-ratio",
    "max-size",
    "min-size",
    "nice",
    "only-inside",
    "only-type",
    "order",
    "prefetch",
    "seal",
    "sign",
    "text",
    "timeout",
    "times",
    "unallocated",
    "null",
];

/// Returns the template of the help with the commands in groups.
pub fn list(commands: &[CommandRow]) -> String {
    let mut text = "{about-with-newline}\n{usage-heading} {usage}\n\n".to_string();
    for (group, names) in GROUPS {
        let _ = writeln!(text, "{BOLD}{UNDERLINE}{group}:{PLAIN}");
        for name in names {
            let row = commands.iter().find(|row| row.name == *name);
            let about =
                row.map(|row| row.about).or((*name == "help").then_some("Print the help of a command"));
            if let Some(about) = about {
                let _ = writeln!(text, "  {BOLD}{name:<11}{PLAIN}  {about}");
            }
        }
        text.push('\n');
    }
    text + &format!("{BOLD}{UNDERLINE}Options:{PLAIN}\n{{options}}{{after-help}}")
}

/// The styles of headings and names, as clap writes them.
const BOLD: &str = "\u{1b}[1m";
const UNDERLINE: &str = "\u{1b}[4m";
const PLAIN: &str = "\u{1b}[0m";

/// Leaves options that few people use to `--help`, in a command that has many.
pub fn hide_rare(command: Command) -> Command {
    if command.get_arguments().count() <= MANY {
        return command;
    }
    command.mut_args(|arg| {
        let is_rare = is_rare(&arg);
        arg.hide_short_help(is_rare)
    })
}

fn is_rare(arg: &Arg) -> bool {
    let heading = arg.get_help_heading().is_some_and(|heading| RARE_HEADINGS.contains(&heading));
    heading || arg.get_long().is_some_and(|long| RARE.contains(&long))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::whole;

    #[test]
    fn every_command_is_in_one_group() {
        let all = whole();
        let grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        for command in all.get_subcommands() {
            let count = grouped.iter().filter(|name| **name == command.get_name()).count();
            assert_eq!(count, 1, "{}", command.get_name());
        }
        let help = whole().render_help().to_string();
        assert!(help.contains("Hash and compare:\n  hash         Write a manifest"), "{help}");
        assert!(help.lines().all(|line| line.len() <= 100), "{help}");
    }

    #[test]
    fn the_short_help_has_what_most_people_use() {
        let mut all = whole();
        let hash = all.find_subcommand_mut("hash").unwrap();
        let shown = |help: String| {
            let words = help.lines().filter(|line| line.trim_start().starts_with('-')).map(str::to_string);
            words.collect::<Vec<_>>()
        };
        let (short, long) =
            (shown(hash.render_help().to_string()), shown(hash.render_long_help().to_string()));
        assert!((25..=40).contains(&short.len()), "{}: {short:?}", short.len());
        assert!(long.len() > 70, "{}", long.len());
        let has = |lines: &[String], option: &str| lines.iter().any(|line| line.contains(option));
        for option in ["-c,", "-o,", "--resume", "--exclude", "--inside", "-j,"] {
            assert!(has(&short, option), "{option}");
        }
        assert!(!has(&short, "--max-ratio") && has(&long, "--max-ratio"));
    }
}
