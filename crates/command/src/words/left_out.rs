//! Optional parts of the program, each a feature of Cargo, and the messages about parts that a build lacks.
//!
//! A command, an option or a value of a part is not there without it; this table tells what was asked for.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::fmt;

/// An optional part.
pub struct OptionalPart {
    /// The name of its feature.
    feature: &'static str,
    /// Its functionality, in the plural.
    what: &'static str,
    /// Whether this build has it.
    is_here: bool,
    /// Its commands, options and values of options.
    words: &'static [&'static str],
    /// Its options that some commands have without it.
    shared: &'static [&'static str],
}

/// Makes a part of a feature, with its words and those that it shares.
macro_rules! part {
    ($feature:literal, $what:literal, $words:expr, $shared:expr) => {
        OptionalPart {
            feature: $feature,
            what: $what,
            is_here: cfg!(feature = $feature),
            words: &$words,
            shared: &$shared,
        }
    };
}

pub const KNOWN_RDS: OptionalPart = part!("tables", "databases of the NSRL", [], []);
pub const KNOWN_ZIP: OptionalPart = part!("images", "lists in archives", [], []);

/// All parts, those of one feature side by side.
const PARTS: [&OptionalPart; 10] = [
    &part!(
        "images",
        "forensic images and archives",
        [
            "image",
            "--backing",
            "--deleted",
            "--images",
            "--inside",
            "--max-expanded",
            "--max-members",
            "--max-nesting",
            "--max-ratio",
            "--only-inside",
            "--unallocated"
        ],
        []
    ),
    &part!(
        "sign",
        "signatures",
        [
            "sign",
            "verify",
            "--allow-weak",
            "--allowed-signers",
            "--identity",
            "--namespace",
            "--public-key",
            "--require",
            "--sign",
            "--verify-time"
        ],
        []
    ),
    &part!("sign", "outboards", ["outboard"], []),
    &part!(
        "stores",
        "object stores",
        ["--against", "--anonymous", "--download", "--endpoint", "--price-list", "--region", "--requests"],
        ["--min-strength"]
    ),
    &part!("tables", "benchmarks", ["bench"], []),
    &part!("tables", "reports", ["report"], []),
    &part!("tables", "states of verification", ["scrub"], []),
    &part!("tables", "Parquet files", ["parquet"], []),
    &part!("tables", "SQLite databases", ["sqlite"], []),
    &part!("yara", "rules of YARA", ["--yara", "--yara-max", "--yara-strings", "--yara-timeout"], []),
];

/// Returns the message for a command line that is wrong only because this build lacks a part.
pub fn asked_for(error: &clap::Error) -> Option<String> {
    let kind = match error.kind() {
        ErrorKind::UnknownArgument => ContextKind::InvalidArg,
        ErrorKind::InvalidValue => ContextKind::InvalidValue,
        ErrorKind::InvalidSubcommand => ContextKind::InvalidSubcommand,
        _ => return None,
    };
    let Some(ContextValue::String(word)) = error.get(kind) else { return None };
    let asked =
        |part: &&&OptionalPart| !part.is_here && [part.words, part.shared].concat().contains(&word.as_str());
    PARTS.iter().find(asked).map(|part| format!("{word}: {part}"))
}

/// Returns the features of this build, and those that it lacks.
pub fn features() -> (Vec<&'static str>, Vec<&'static str>) {
    let (here, absent): (Vec<&OptionalPart>, Vec<&OptionalPart>) =
        PARTS.iter().partition(|part| part.is_here);
    let names = |parts: Vec<&OptionalPart>| {
        let mut names: Vec<&'static str> = parts.into_iter().map(|part| part.feature).collect();
        names.dedup();
        names
    };
    (names(here), names(absent))
}

impl fmt::Display for OptionalPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "this build has no {}: 'make build' builds all parts, cargo this one with --features {}",
            self.what, self.feature
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::whole;
    use clap::Command;

    /// Returns the names below a command: subcommands, options, and values of `--format`.
    fn words(command: &Command) -> Vec<String> {
        let options =
            command.get_arguments().filter_map(|arg| arg.get_long()).map(|name| format!("--{name}"));
        let formats = command.get_arguments().filter(|arg| arg.get_long() == Some("format"));
        let values =
            formats.flat_map(|arg| arg.get_possible_values()).map(|value| value.get_name().to_string());
        let commands = command.get_subcommands().map(|below| below.get_name().to_string());
        let below = command.get_subcommands().flat_map(words);
        options.chain(values).chain(commands).chain(below).collect()
    }

    #[test]
    fn what_a_part_brings_is_there_with_it_and_only_then() {
        let words = words(&whole());
        for part in PARTS {
            for word in part.words {
                // Other commands have verbs of these names.
                let is_there = match *word {
                    "sign" | "verify" => whole().find_subcommand(word).is_some(),
                    _ => words.iter().any(|there| there == word),
                };
                assert_eq!(is_there, part.is_here, "{word}");
            }
        }
    }

    #[test]
    fn each_part_is_asked_for_by_its_feature() {
        for part in PARTS {
            assert!(part.to_string().ends_with(&format!("--features {}", part.feature)));
        }
        assert_eq!(
            KNOWN_RDS.to_string(),
            "this build has no databases of the NSRL: 'make build' builds all parts, cargo this one with --features tables"
        );
    }

    #[test]
    fn a_command_that_is_not_there_is_told() {
        let mut error = clap::Error::new(ErrorKind::InvalidSubcommand);
        for (word, what) in [("bench", "benchmarks"), ("outboard", "outboards"), ("image", "forensic images")]
        {
            error.insert(ContextKind::InvalidSubcommand, ContextValue::String(word.into()));
            let is_here = whole().find_subcommand(word).is_some();
            let told = asked_for(&error);
            assert_eq!(told.is_none(), is_here, "{word}");
            assert!(told.is_none_or(|told| told.starts_with(&format!("{word}: this build has no {what}"))));
        }
    }

    #[test]
    fn other_wrong_words_are_not_taken_for_parts() {
        for line in ["hashmill hash --nosuch", "hashmill hash -f nosuch", "hashmill nosuch"] {
            let error = whole().try_get_matches_from(line.split(' ')).unwrap_err();
            assert_eq!(asked_for(&error), None, "{line}");
        }
    }
}
