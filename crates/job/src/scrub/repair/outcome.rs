//! The results of repairs.

use crate::audit::is_missing;
use crate::error::Error;
use hashmill_keep::Verdict;
use hashmill_os::Attribute;
use std::{fmt, io};

/// The result of a repair, or of looking whether a file can be repaired.
#[derive(Debug, Clone)]
pub struct RepairOutcome {
    /// The result.
    pub result: RepairResult,
    /// The verdict on the file before.
    pub was: Verdict,
    /// The path or the location of the second copy.
    pub copy: Box<[u8]>,
    /// The path of the damaged file, if it was replaced.
    pub aside: Option<Box<[u8]>>,
    /// The number of other names (hard links) that the damaged file has: these still have its content.
    pub links: u64,
    /// The attributes of the damaged file that the new one could not get.
    pub unkept: Vec<Attribute>,
    /// The reason, where the result alone does not tell.
    pub why: Option<Box<str>>,
}

/// The result of a repair in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RepairResult {
    /// The file was replaced.
    Repaired,
    /// The second copy has the recorded content.
    Repairable,
    /// The second copy does not have the recorded content, either.
    Differs,
    /// There is no second copy.
    Missing,
    /// The second copy could not be read.
    Unreadable,
    /// The file was replaced since it was judged, or has an edit that was not accepted.
    Changed,
    /// The file could not be replaced.
    Failed,
}

impl RepairResult {
    /// Returns the word used in outputs.
    pub const fn word(self) -> &'static str {
        match self {
            RepairResult::Repaired => "repaired",
            RepairResult::Repairable => "repairable",
            RepairResult::Differs => "differs",
            RepairResult::Missing => "missing",
            RepairResult::Unreadable => "unreadable",
            RepairResult::Changed => "changed",
            RepairResult::Failed => "failed",
        }
    }
}

/// Counts of results.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Repairs {
    /// Files that were replaced.
    pub repaired: u64,
    /// Files that could be.
    pub repairable: u64,
    /// All others.
    pub unrepaired: u64,
}

impl Repairs {
    pub(crate) fn count(&mut self, result: RepairResult) {
        *match result {
            RepairResult::Repaired => &mut self.repaired,
            RepairResult::Repairable => &mut self.repairable,
            _ => &mut self.unrepaired,
        } += 1;
    }
}

impl RepairOutcome {
    pub(super) fn new(was: Verdict, copy: Box<[u8]>) -> RepairOutcome {
        RepairOutcome {
            result: RepairResult::Failed,
            was,
            copy,
            aside: None,
            links: 0,
            unkept: Vec::new(),
            why: None,
        }
    }

    pub(super) fn fail(&mut self, why: Unrepaired) {
        (self.result, self.why) = match why {
            Unrepaired::Differs => (RepairResult::Differs, None),
            Unrepaired::Missing => (RepairResult::Missing, None),
            Unrepaired::Unreadable(why) => (RepairResult::Unreadable, Some(why)),
            Unrepaired::Changed(why) => (RepairResult::Changed, Some(why)),
            Unrepaired::Failed(why) | Unrepaired::Touched(why, _) => (RepairResult::Failed, Some(why)),
            Unrepaired::Cancelled => (RepairResult::Failed, Some("the run was interrupted".into())),
            Unrepaired::State(error) => (RepairResult::Failed, Some(error.to_string().into())),
        };
    }
}

/// The fate of a file that a repair put beside another.
#[derive(Debug)]
pub enum AsideNews {
    /// A damaged file was removed.
    Discarded,
    /// The new file of a repair that was killed was removed.
    Leftover,
    /// A damaged file was changed, or another one is in its place: it is a file like all others from now on.
    Changed,
    /// Somebody removed a damaged file.
    Gone,
    /// A damaged file stays, as the repaired one was not found well since.
    Needed,
    /// A file can't be removed or examined.
    Failed(io::Error),
}

impl fmt::Display for AsideNews {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AsideNews::Discarded => f.write_str("discarded: the damaged file was removed"),
            AsideNews::Leftover => f.write_str("removed: it was the unfinished copy of a repair that was ended"),
            AsideNews::Changed => {
                f.write_str("no damaged file that was put aside any more, but another one: it is kept like all others from now on")
            }
            AsideNews::Gone => f.write_str("the damaged file that was put aside is gone"),
            AsideNews::Needed => {
                f.write_str("not discarded: the file that replaced it is gone, or was not found well the last time")
            }
            AsideNews::Failed(error) => write!(f, "cannot remove what a repair put aside: {error}"),
        }
    }
}

/// The reason why a file was not repaired.
#[derive(Debug)]
pub(super) enum Unrepaired {
    Differs,
    Missing,
    Unreadable(Box<str>),
    Changed(Box<str>),
    Failed(Box<str>),
    /// It failed, and the damaged file has another time of metadata since.
    Touched(Box<str>, (i64, u32)),
    Cancelled,
    /// The state can't be written: that ends the run.
    State(Error),
}

impl From<Error> for Unrepaired {
    fn from(error: Error) -> Unrepaired {
        Unrepaired::State(error)
    }
}

impl From<hashmill_keep::Error> for Unrepaired {
    fn from(error: hashmill_keep::Error) -> Unrepaired {
        Unrepaired::State(error.into())
    }
}

impl Unrepaired {
    /// Makes the reason of a second copy that can't be read.
    pub(super) fn of_copy(error: &hashmill_source::Error) -> Unrepaired {
        match is_missing(error) {
            true => Unrepaired::Missing,
            false => Unrepaired::Unreadable(error.problem.to_string().into()),
        }
    }

    /// Makes the reason of a new file that is not read back as it was written.
    pub(super) fn of_reading_back(self) -> Unrepaired {
        match self {
            Unrepaired::Differs => {
                Unrepaired::Failed("the new file is read back otherwise than it was written".into())
            }
            Unrepaired::Missing => Unrepaired::Failed("the new file is gone".into()),
            Unrepaired::Unreadable(why) => {
                Unrepaired::Failed(format!("the new file can't be read back: {why}").into())
            }
            other => other,
        }
    }
}

/// Returns a function that makes the reason of an error of the system.
pub(super) fn failed(what: &'static str) -> impl Fn(io::Error) -> Unrepaired {
    move |error| Unrepaired::Failed(format!("{what}: {error}").into())
}
