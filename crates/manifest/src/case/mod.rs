//! Case data: what a manifest says of the run that wrote it, beside its records.
//!
//! A [`Start`] stands before the first record, an [`End`] after the last: only then counts and errors are known. A
//! manifest with a start and no end is of a run that did not end, or was cut. Text formats carry each as one line of
//! JSON (see [`mod@line`]); readers give both back as a [`Case`], apart from the records.

pub mod line;
mod text;

use crate::Time;
use serde::{Deserialize, Serialize};

/// Bytes of arguments that [`Start::command`] holds; the rest are counted.
pub const MAX_COMMAND: usize = 32 << 10;
/// Bytes that case, examiner and evidence may have each: a start must fit a line of any format.
pub const MAX_TEXT: usize = 4 << 10;
/// Bytes of paths and problems that [`End::errors`] holds; the rest are counted.
pub const MAX_ERRORS: usize = 64 << 10;

/// The case data of one manifest, as far as it was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Case {
    /// What was known when the run began.
    pub start: Option<Start>,
    /// What was known when it ended.
    pub end: Option<End>,
}

/// One of the two, as it stands in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum About {
    /// Before the first record.
    #[serde(rename = "case_start")]
    Start(Start),
    /// Behind the last.
    #[serde(rename = "case_end")]
    End(End),
}

/// What is known when a run begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    /// The case's number or name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case: Option<Box<str>>,
    /// Who ran it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub examiner: Option<Box<str>>,
    /// What was examined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Box<str>>,
    /// When the run began; with resumptions, the first one.
    #[serde(with = "text::time")]
    pub started: Time,
    /// When it was continued, each time.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "text::times")]
    pub resumed: Vec<Time>,
    /// The name of the machine.
    #[serde(with = "text::bytes")]
    pub host: Box<[u8]>,
    /// The program that wrote the manifest.
    pub tool: Box<str>,
    /// Its version.
    pub version: Box<str>,
    /// Its arguments, its own name first; of a resumed run, those of the last one.
    #[serde(with = "text::list")]
    pub command: Vec<Box<[u8]>>,
    /// Arguments that are left out after them, because there were too many bytes.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub command_left_out: u64,
    /// What was computed, by what.
    pub algorithms: Vec<Used>,
}

/// An algorithm, and what computed it on that machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Used {
    /// Its name.
    pub algorithm: Box<str>,
    /// The kernels that it may have run on: of many files side by side, of one long file.
    pub kernels: Vec<Box<str>>,
}

/// What is known when a run has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// When.
    #[serde(with = "text::time")]
    pub ended: Time,
    /// Entries met. Always hashed + skipped + failed.
    pub seen: u64,
    /// Files hashed, those kept from interrupted runs among them.
    pub hashed: u64,
    /// Of them, those that interrupted runs had hashed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub kept: u64,
    /// Entries left out.
    pub skipped: u64,
    /// Entries that could not be read, or changed meanwhile.
    pub failed: u64,
    /// Bytes hashed, those of kept files not among them.
    pub bytes: u64,
    /// What went wrong, in the order of the records.
    pub errors: Vec<Fault>,
    /// Errors after them that are only counted, because there were too many.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub errors_left_out: u64,
}

/// What went wrong with one entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Its path.
    #[serde(with = "text::bytes")]
    pub path: Box<[u8]>,
    /// What was attempted, and how it failed.
    pub problem: Box<str>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Case {
    /// Of manifests that have none.
    pub const NONE: Case = Case { start: None, end: None };

    /// Takes one part; false if there was one already.
    pub fn take(&mut self, about: About) -> bool {
        match about {
            About::Start(start) => self.start.replace(start).is_none(),
            About::End(end) => self.end.replace(end).is_none(),
        }
    }

    /// Whether there is nothing.
    pub fn is_none(&self) -> bool {
        *self == Case::NONE
    }
}

impl Start {
    /// Takes a command line, as much of it as there is room for.
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

    /// Goes on with what a run that began like this has left.
    pub fn resume(&mut self, first: &Start) {
        let now = self.started;
        self.started = first.started;
        self.resumed = first.resumed.iter().copied().chain([now]).collect();
    }
}

/// Errors while they come in: the first ones in full, the rest as a number.
#[derive(Debug, Default)]
pub struct Faults {
    faults: Vec<Fault>,
    bytes: usize,
    left_out: u64,
}

impl Faults {
    /// Takes one.
    pub fn push(&mut self, path: &[u8], problem: String) {
        self.bytes = self.bytes.saturating_add(path.len() + problem.len());
        if self.bytes > MAX_ERRORS || self.left_out > 0 {
            self.left_out += 1;
        } else {
            self.faults.push(Fault { path: path.into(), problem: problem.into() });
        }
    }

    /// Those in full, and the number of the rest.
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
