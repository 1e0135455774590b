//! Optional parts of the program, each a feature of Cargo, and the messages about parts that a build lacks.
//!
//! The commands of a part are in `cmd/mod.rs`; its options in modules of `options` that have a second version without
//! it. Nothing else here depends on the list of parts.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::fmt;

/// An optional part.
pub struct OptionalPart {
    /// The name of its feature.
    feature: &'static str,
    /// Its functionality, in the plural.
    what: &'static str,
    /// Whether this build has it.
    pub is_here: bool,
    /// Its options in other commands.
    options: &'static [&'static str],
    /// Its options that some commands have without it.
    shared: &'static [&'static str],
    /// Its values of options.
    values: &'static [&'static str],
}

/// Makes a part without options and values in other commands.
macro_rules! part {
    ($feature:literal, $what:literal) => {
        part!($feature, $what, options: [], values: [])
    };
    ($feature:literal, $what:literal, options: $options:expr, values: $values:expr) => {
        part!($feature, $what, options: $options, shared: [], values: $values)
    };
    ($feature:literal, $what:literal, options: $options:expr, shared: $shared:expr, values: $values:expr) => {
        OptionalPart {
            feature: $feature,
            what: $what,
            is_here: cfg!(feature = $feature),
            options: &$options,
            shared: &$shared,
            values: &$values,
        }
    };
}

pub const BENCH: OptionalPart = part!("bench", "benchmarks");
pub const IMAGES: OptionalPart = part!("images", "forensic images and archives", options: ["--backing", "--deleted", "--images", "--inside", "--max-expanded", "--max-members", "--max-nesting", "--max-ratio", "--only-inside", "--unallocated"], values: []);
pub const KNOWN_RDS: OptionalPart = part!("known-rds", "databases of the NSRL");
pub const PARQUET: OptionalPart = part!("parquet", "Parquet files", options: [], values: ["parquet"]);
pub const REPORT: OptionalPart = part!("report", "reports");
pub const SCRUB: OptionalPart = part!("scrub", "states of verification");
pub const SIGN: OptionalPart = part!(
    "sign",
    "signatures",
    options: [
        "--allowed-signers",
        "--identity",
        "--namespace",
        "--public-key",
        "--require",
        "--sign",
        "--verify-time"
    ],
    values: []
);
pub const SQLITE: OptionalPart = part!("sqlite", "SQLite databases", options: [], values: ["sqlite"]);
pub const STORES: OptionalPart = part!(
    "stores",
    "object stores",
    options: ["--against", "--anonymous", "--download", "--endpoint", "--price-list", "--region", "--requests"],
    shared: ["--min-strength"],
    values: []
);

const PARTS: [&OptionalPart; 9] =
    [&BENCH, &IMAGES, &KNOWN_RDS, &PARQUET, &REPORT, &SCRUB, &SIGN, &SQLITE, &STORES];

/// The words of a part that a kind of mistake can be about.
type Words = fn(&OptionalPart) -> [&'static [&'static str]; 2];

/// Returns the message for a command line that is wrong only because this build lacks a part.
pub fn asked_for(error: &clap::Error) -> Option<String> {
    let (kind, of): (_, Words) = match error.kind() {
        ErrorKind::UnknownArgument => (ContextKind::InvalidArg, |part| [part.options, part.shared]),
        ErrorKind::InvalidValue => (ContextKind::InvalidValue, |part| [part.values, &[]]),
        _ => return None,
    };
    let Some(ContextValue::String(word)) = error.get(kind) else { return None };
    let asked = |part: &&&OptionalPart| !part.is_here && of(part).concat().contains(&word.as_str());
    PARTS.iter().find(asked).map(|part| format!("{word}: {part}"))
}

/// Returns the features of this build, and those that it lacks.
pub fn features() -> (Vec<&'static str>, Vec<&'static str>) {
    let (here, absent): (Vec<&OptionalPart>, Vec<&OptionalPart>) =
        PARTS.iter().partition(|part| part.is_here);
    let names = |parts: Vec<&OptionalPart>| parts.into_iter().map(|part| part.feature).collect();
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

    /// Returns every option of a command and its subcommands, and every value of `--format` there.
    fn words(command: &Command) -> Vec<String> {
        let options =
            command.get_arguments().filter_map(|arg| arg.get_long()).map(|name| format!("--{name}"));
        let formats = command.get_arguments().filter(|arg| arg.get_long() == Some("format"));
        let values =
            formats.flat_map(|arg| arg.get_possible_values()).map(|value| value.get_name().to_string());
        let below = command.get_subcommands().flat_map(words);
        options.chain(values).chain(below).collect()
    }

    #[test]
    fn what_a_part_brings_is_there_with_it_and_only_then() {
        let words = words(&whole());
        for part in PARTS {
            for word in part.options.iter().chain(part.values) {
                assert_eq!(words.iter().any(|there| there == word), part.is_here, "{word}");
            }
        }
    }

    #[test]
    fn each_part_is_asked_for_by_its_feature() {
        for part in PARTS {
            assert!(part.to_string().ends_with(&format!("--features {}", part.feature)));
        }
        assert_eq!(
            SIGN.to_string(),
            "this build has no signatures: 'make build' builds all parts, cargo this one with --features sign"
        );
    }

    #[test]
    fn other_wrong_words_are_not_taken_for_parts() {
        for line in ["hashmill hash --nosuch", "hashmill hash -f nosuch", "hashmill nosuch"] {
            let error = whole().try_get_matches_from(line.split(' ')).unwrap_err();
            assert_eq!(asked_for(&error), None, "{line}");
        }
    }
}
