//! Events of a run, and its result.

use super::devices::DeviceFiles;
use super::known_list::Learnt;
use crate::error::Error;
use crate::notice::Notice;
use crate::scrub::repair::{AsideNews, RepairOutcome, Repairs};
use hashmill_engine::Stats;
use hashmill_engine::flow::Flow;
use hashmill_keep::{Due, Kept, State, Verdict};
use hashmill_manifest::Piece;
use std::fmt::Write;

/// Receives the events of a run.
pub type ScrubObserver<'a> = dyn FnMut(&ScrubEvent<'_>) -> Flow + 'a;

/// A step of a run.
#[derive(Debug)]
pub enum ScrubEvent<'a> {
    /// The answer to a glob of accepted files that matches this path.
    Accepted(&'a [u8], Acceptance),
    /// An entry could not be read, or a folder could not be listed.
    Failed(&'a hashmill_source::Error),
    /// The verdict on a file. It is in the state.
    Judged(&'a FileVerdict<'a>),
    /// The fate of a file that a repair put at this path.
    Aside(&'a [u8], &'a AsideNews),
    /// A notice for the user.
    Notice(Notice<'a>),
}

/// The fate of a file that was to be accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Acceptance {
    /// Its content counts from now on.
    Counts,
    /// It is gone, and is forgotten.
    Forgotten,
    /// Nothing: it may have rotted, and only its whole path accepts that.
    Unnamed,
}

/// The verdict on a file.
#[derive(Debug)]
pub struct FileVerdict<'a> {
    /// The path.
    pub path: &'a [u8],
    /// The verdict.
    pub verdict: Verdict,
    /// The size in bytes, if the file was read or was read before.
    pub size: Option<u64>,
    /// When its content was last proved, in seconds since 1970; 0 for never.
    pub last: i64,
    /// How many runs in a row found that.
    pub streak: u32,
    /// Where the file was, if it moved.
    pub from: Option<&'a [u8]>,
    /// The parts that could not be read.
    pub bad: &'a [Piece],
    /// The metadata of the inode that changed together with the content, while size and time of modification are as they
    /// were.
    pub moved: Box<[&'static str]>,
    /// The result of its repair, or whether it could be repaired, if it was damaged.
    pub repair: Option<&'a RepairOutcome>,
}

/// The result of a run.
#[derive(Debug, Default)]
pub struct ScrubSummary {
    /// Whether the run was cancelled.
    pub interrupted: bool,
    /// When the run began, in seconds since 1970.
    pub began: i64,
    /// When it ended.
    pub ended: i64,
    /// The part of the list that the state took when it began.
    pub learnt: Option<Learnt>,
    /// The files by verdict, in the order of [`Verdict::ALL`].
    pub verdicts: [u64; Verdict::ALL.len()],
    /// The files that were due when the run began.
    pub due: Due,
    /// The files that were read.
    pub read: Due,
    /// The files that only the page cache gave: that proves nothing.
    pub cached: Due,
    /// Edits and absences that were accepted.
    pub accepted: u64,
    /// Globs of accepted files that match no edit and no absence.
    pub unused: Vec<Box<str>>,
    /// The damaged files by what their repair gave; none without a place of second copies.
    pub repairs: Option<Repairs>,
    /// The damaged files that repairs keep beside the repaired ones.
    pub aside: Due,
    /// Those that were removed.
    pub discarded: u64,
    /// Entries that could not be examined, and folders that could not be listed.
    pub failed: u64,
    /// Entries that are no files, or that filters leave out.
    pub skipped: u64,
    /// Those of them that have bytes, and are no output of the run.
    pub left_out: u64,
    /// The files that were met, due or not.
    pub met: u64,
    /// Whether the budget ended the run.
    pub used_up: bool,
    /// The state as a whole after the run.
    pub coverage: Coverage,
    /// The files of each device, if they were asked for.
    pub devices: Vec<DeviceFiles>,
    /// The seal of the state, as text.
    pub seal: String,
    /// The work done and the time it took.
    pub stats: Stats,
}

/// How much of all files was verified, and when.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Coverage {
    /// All files.
    pub files: u64,
    /// Their bytes, as far as sizes are known.
    pub bytes: u64,
    /// The files whose content was never proved.
    pub unread: u64,
    /// The age in seconds of the oldest last proof.
    pub oldest: Option<u64>,
    /// The files that are older than the age that was asked for, and those that were never read.
    pub late: u64,
    /// Bytes that runs read per day.
    pub rate: Option<f64>,
    /// Days in which all files are read at this rate.
    pub days: Option<f64>,
}

impl Coverage {
    pub(super) fn of(state: &State, now: i64, max_age: Option<i64>) -> Result<Coverage, Error> {
        let totals = state.totals(max_age.map(|age| now.saturating_sub(age)))?;
        let rate = state.rate(now)?;
        let days = rate.filter(|rate| *rate > 0.0).map(|rate| totals.bytes as f64 / rate);
        Ok(Coverage {
            files: totals.files,
            bytes: totals.bytes,
            unread: totals.unread,
            oldest: totals.oldest.map(|oldest| u64::try_from(now.saturating_sub(oldest)).unwrap_or(0)),
            late: totals.late,
            rate,
            days,
        })
    }
}

impl ScrubSummary {
    pub(super) fn count(&mut self, verdict: Verdict) {
        if let Some(place) = Verdict::ALL.iter().position(|other| *other == verdict) {
            self.verdicts[place] += 1;
        }
    }

    /// Adds a file that only the page cache gave.
    pub(super) fn add_cached(&mut self, kept: &Kept) {
        let size = kept.content.as_ref().and_then(|content| content.size).unwrap_or(0);
        self.cached.files += 1;
        self.cached.bytes = self.cached.bytes.saturating_add(size);
    }

    /// Returns the number of files with this verdict.
    pub fn of(&self, verdict: Verdict) -> u64 {
        let place = Verdict::ALL.iter().position(|other| *other == verdict);
        place.map_or(0, |place| self.verdicts[place])
    }

    /// Returns the numbers of verdicts as the state keeps them.
    pub(super) fn counts_as_json(&self) -> String {
        let mut text = String::from("{");
        for (verdict, count) in Verdict::ALL.iter().zip(self.verdicts).filter(|(_, count)| *count > 0) {
            let comma = if text.len() > 1 { "," } else { "" };
            // Writing to a string can't fail.
            let _ = write!(text, "{comma}\"{}\":{count}", verdict.word());
        }
        text + "}"
    }
}
