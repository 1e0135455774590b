//! The error of rules that are not usable.

use std::fmt;
use std::path::Path;

/// The reasons why rules are not usable, each with its file, and its line if there is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RulesError {
    lines: Vec<String>,
}

/// The most reasons that are shown.
const SHOWN: usize = 10;

impl RulesError {
    /// Creates it of a reason that names its file.
    pub(crate) fn new(line: String) -> RulesError {
        RulesError { lines: vec![line] }
    }

    /// Creates it of a file and the reason.
    pub(crate) fn about(path: &Path, reason: impl fmt::Display) -> RulesError {
        RulesError::new(format!("{}: {reason}", path.display()))
    }

    /// Adds other reasons.
    pub(crate) fn and(mut self, other: RulesError) -> RulesError {
        self.lines.extend(other.lines);
        self
    }
}

impl fmt::Display for RulesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = &self.lines[..self.lines.len().min(SHOWN)];
        f.write_str(&shown.join("\n"))?;
        match self.lines.len() - shown.len() {
            0 => Ok(()),
            more => write!(f, "\nand {more} more errors"),
        }
    }
}

impl std::error::Error for RulesError {}
