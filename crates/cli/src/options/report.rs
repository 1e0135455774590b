//! How a result is printed.

use clap::ValueEnum;

/// `--format` of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Report {
    /// For people
    Text,
    /// One JSON object
    Json,
}

/// `--format` of a result that has many parts.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ListReport {
    /// For people
    #[default]
    Text,
    /// One JSON object
    Json,
    /// One JSON object a line
    #[value(alias = "ndjson")]
    Jsonl,
}

/// `--stats`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// For people
    Text,
    /// One JSON object
    Json,
}

/// `--progress`.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Progress {
    /// If standard error is a terminal
    #[default]
    Auto,
    /// Always; a line each second if it is not a terminal
    Always,
    /// Never
    Never,
}
