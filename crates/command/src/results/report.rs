//! Values of options that choose the form of a result.

use clap::ValueEnum;

/// Values of `--format` for a single result, and of `--stats`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Report {
    /// For people
    Text,
    /// One JSON object
    Json,
}

/// Values of `--format` for a result with many parts.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ListReport {
    /// For people
    #[default]
    Text,
    /// One JSON object
    Json,
    /// One JSON object per line
    #[value(alias = "ndjson")]
    Jsonl,
}

/// Values of `--progress`.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Progress {
    /// When standard error is a terminal
    #[default]
    Auto,
    /// Always; without a terminal a line every second
    Always,
    /// Never
    Never,
}
