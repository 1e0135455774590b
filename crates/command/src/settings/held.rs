//! The effective options of a command, and where they come from.

use super::Setting;
use clap::ArgMatches;
use serde::Serialize;

/// An option that does not have its default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChangedOption {
    /// The words of the command.
    pub command: String,
    /// The name of the option, without hyphens before it.
    pub option: String,
    /// Its values, as they would be typed.
    pub values: Vec<String>,
    /// `typed`, the name of a variable, or the path of a file.
    pub source: String,
}

impl ChangedOption {
    /// Returns an option from a setting.
    pub(super) fn set(command: &[&str], setting: &Setting) -> ChangedOption {
        let Setting { option, values, source, .. } = setting;
        let (command, option, values) = (command.join(" "), option.clone(), values.clone());
        ChangedOption { command, option, values, source: source.to_string() }
    }

    /// Returns an option that was typed.
    pub(super) fn typed(command: &[&str], option: &str, matches: &ArgMatches, id: &str) -> ChangedOption {
        let values = matches.try_get_raw(id).ok().flatten().into_iter().flatten();
        let values = values.map(|value| value.to_string_lossy().into_owned()).collect();
        ChangedOption {
            command: command.join(" "),
            option: option.to_string(),
            values,
            source: "typed".to_string(),
        }
    }
}
