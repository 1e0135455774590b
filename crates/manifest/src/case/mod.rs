//! Case data: the facts about the run that wrote a manifest.
//!
//! A [`Start`] precedes the first record; an [`End`] follows the last, when counts and errors are known. A manifest
//! with a start and no end comes from an interrupted run or is truncated. Text formats write each as one line of JSON
//! (see [`mod@line`]); readers return both as a [`Case`], separate from the records.

pub mod line;
mod text;

use crate::Time;
use serde::{Deserialize, Serialize};

/// The maximum number of argument bytes in [`Start::command`]; further arguments are only counted.
pub const MAX_COMMAND: usize = 32 << 10;
/// The maximum number of bytes of case, examiner and evidence each: a start must fit in a line of any format.
pub const MAX_TEXT: usize = 4 << 10;
/// The maximum number of bytes of paths and problems in [`End::errors`]; further errors are only counted.
pub const MAX_ERRORS: usize = 64 << 10;

/// The case data of one manifest, possibly incomplete.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Case {
    /// The facts known at the start of the run.
    pub start: Option<Start>,
    /// The facts known at its end.
    pub end: Option<End>,
}

/// A [`Start`] or [`End`], as written in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum About {
    /// Precedes the first record.
    #[serde(rename = "case_start")]
    Start(Start),
    /// Follows the last record.
    #[serde(rename = "case_end")]
    End(End),
}

/// The facts known at the start of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    /// The number or name of the case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case: Option<Box<str>>,
    /// The examiner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub examiner: Option<Box<str>>,
    /// The item examined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Box<str>>,
    /// The start of the run; of a resumed run, the first start.
    #[serde(with = "text::time")]
    pub started: Time,
    /// The times at which the run was resumed.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "text::times")]
    pub resumed: Vec<Time>,
    /// The host name.
    #[serde(with = "text::bytes")]
    pub host: Box<[u8]>,
    /// The program that wrote the manifest.
    pub tool: Box<str>,
    /// The version of the program.
    pub version: Box<str>,
    /// The command line, starting with the program's name; of a resumed run, the last one.
    #[serde(with = "text::list")]
    pub command: Vec<Box<[u8]>>,
    /// The number of further arguments omitted for length.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub command_left_out: u64,
    /// The computed algorithms and their kernels.
    pub algorithms: Vec<Used>,
    /// The sets of known digests in which the files were looked up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sets: Vec<KnownSet>,
}

/// A set of known digests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownSet {
    /// Its file.
    #[serde(with = "text::bytes")]
    pub path: Box<[u8]>,
    /// The checksum over all of it.
    pub identity: Box<str>,
    /// The time at which it was built, in RFC 3339, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub built: Option<Box<str>>,
    /// The number of its digests.
    pub digests: u64,
}

/// An algorithm and the kernels that computed it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Used {
    /// The algorithm's name.
    pub algorithm: Box<str>,
    /// The kernels that may have been used, for many files side by side and for one long file.
    pub kernels: Vec<Box<str>>,
}

/// The facts known at the end of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// The end of the run.
    #[serde(with = "text::time")]
    pub ended: Time,
    /// The number of entries: always hashed + skipped + failed.
    pub seen: u64,
    /// The number of files hashed, including those kept from interrupted runs.
    pub hashed: u64,
    /// The number of them that interrupted runs had hashed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub kept: u64,
    /// The number of entries left out.
    pub skipped: u64,
    /// The number of entries that could not be read or changed meanwhile.
    pub failed: u64,
    /// The number of bytes hashed, without those of kept files.
    pub bytes: u64,
    /// The errors, in the order of the records.
    pub errors: Vec<Fault>,
    /// The number of further errors omitted for length.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub errors_left_out: u64,
}

/// An error of one entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// The path of the entry.
    #[serde(with = "text::bytes")]
    pub path: Box<[u8]>,
    /// The attempted action and its failure.
    pub problem: Box<str>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Case {
    /// The case data of a manifest that has none.
    pub const NONE: Case = Case { start: None, end: None };

    /// Adds one part; returns false if it was already present.
    pub fn take(&mut self, about: About) -> bool {
        match about {
            About::Start(start) => self.start.replace(start).is_none(),
            About::End(end) => self.end.replace(end).is_none(),
        }
    }

    /// Returns whether there is no case data.
    pub fn is_none(&self) -> bool {
        *self == Case::NONE
    }
}

impl Start {
    /// Sets the command line, up to [`MAX_COMMAND`] bytes of arguments.
    pub fn set_command(&mut self, arguments: impl IntoIterator<Item = Box<[u8]>>) {
        (self.command, self.command_left_out) = (Vec::new(), 0);
        let mut bytes = 0;
        for argument in arguments {
            bytes += argument.len();
            if bytes > MAX_COMMAND || self.command_left_out > 0 {
                self.command_left_out += 1;
            } else {
                self.command.push(argument);
            }
        }
    }

    /// Continues an interrupted run with this start.
    pub fn resume(&mut self, first: &Start) {
        let now = self.started;
        self.started = first.started;
        self.resumed = first.resumed.iter().copied().chain([now]).collect();
    }
}

/// Collects errors: the first ones in full, the others as a count.
#[derive(Debug, Default)]
pub struct Faults {
    faults: Vec<Fault>,
    bytes: usize,
    left_out: u64,
}

impl Faults {
    /// Adds an error.
    pub fn push(&mut self, path: &[u8], problem: String) {
        self.bytes = self.bytes.saturating_add(path.len() + problem.len());
        if self.bytes > MAX_ERRORS || self.left_out > 0 {
            self.left_out += 1;
        } else {
            self.faults.push(Fault { path: path.into(), problem: problem.into() });
        }
    }

    /// Returns the errors in full, and the number of the others.
    pub fn finish(self) -> (Vec<Fault>, u64) {
        (self.faults, self.left_out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_much_is_counted_and_stays_within_a_line() {
        let mut faults = Faults::default();
        (0..100_000).for_each(|_| faults.push(&[1; 100], "\u{1}\u{85}".repeat(50)));
        let (errors, errors_left_out) = faults.finish();
        assert_eq!(errors.len() as u64 + errors_left_out, 100_000);
        let zero = Time { seconds: 0, nanoseconds: 0 };
        let (seen, hashed, kept, skipped, failed, bytes) = (0, 0, 0, 0, 0, 0);
        let end = End { ended: zero, seen, hashed, kept, skipped, failed, bytes, errors, errors_left_out };
        let json = line::json(&About::End(end)).unwrap();
        assert!(json.len() < crate::format::MAX_LINE, "{}", json.len());
        assert!(!json.iter().any(u8::is_ascii_control));
    }
}
