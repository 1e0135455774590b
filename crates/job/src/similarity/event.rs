//! What is told while digests are collected, and what that came to.

use crate::notice::Notice;
use crate::shown::Shown;
use hashloom_engine::{Live, Stats};
use hashloom_manifest::format;
use hashloom_similar::Malformed;
use hashloom_source::Skip;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{fmt, io};

/// One step of collecting digests.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Files are about to be read. The counters go up meanwhile.
    Reading(&'a Arc<Live>),
    /// An entry could not be read, or changed meanwhile.
    Failed(&'a hashloom_source::Error),
    /// A part of a list has no digest: the list, and why. The first ten parts of each list are told.
    Malformed(&'a [u8], MalformedEntry<'a>),
    /// So many further parts of this list have none.
    MoreMalformed(&'a [u8], u64),
    /// All files were read.
    AllRead,
    /// All digests of an input were collected, and what that came to.
    Collected(&'a Summary),
    /// Something that is worth a line.
    Notice(Notice<'a>),
}

/// Hears of events.
pub type Observer<'a> = dyn FnMut(Event<'_>) -> crate::flow::Flow + 'a;

/// Why a part of a list has no digest.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum MalformedEntry<'a> {
    /// The line or record can't be read.
    Line(&'a format::Malformed),
    /// The line of this number, from 1, is not a digest by the algorithm.
    Digest(u64, &'a Malformed),
    /// The record of this path has no digest by this algorithm.
    Without(&'a [u8], &'static str),
}

/// What collecting digests came to.
#[derive(Debug, Default)]
pub struct Summary {
    /// It was cancelled: digests are missing.
    pub interrupted: bool,
    /// What was done with files, and where the time went.
    pub stats: Stats,
    /// Entries that were not to be read, except those that filters leave out and outputs of the job.
    pub skipped: BTreeMap<Skip, u64>,
    /// Files that were read and have no digest: by the algorithm and the word of the reason.
    pub lacking: BTreeMap<(&'static str, &'static str), u64>,
    /// Files that were left out because they are known to be good.
    pub known_good: u64,
    /// Digests that hold too little to mean much.
    pub sparse: u64,
    /// Parts of lists that have no digest.
    pub malformed: u64,
    /// What ended the list of paths early.
    pub list_problem: Option<io::Error>,
    /// The comparisons of digests.
    pub comparing: Comparing,
}

/// Digests compared with digests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Comparing {
    /// Pairs of digests that were decided, also those that bounds or an index left out.
    pub comparisons: u64,
    /// The time that this took, with all threads at work and whatever takes the pairs that are found.
    pub time: Duration,
}

impl Comparing {
    /// Notes what so many comparisons take.
    pub(super) fn of<T>(&mut self, comparisons: u64, compare: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let done = compare();
        self.time += start.elapsed();
        self.comparisons += comparisons;
        done
    }
}

/// How many pairs there are of so many.
pub(super) fn pairs_of(count: usize) -> u64 {
    let count = count as u64;
    count * count.saturating_sub(1) / 2
}

impl Summary {
    /// Whether every input was read whole.
    pub fn is_complete(&self) -> bool {
        !self.interrupted && self.stats.failed + self.malformed == 0 && self.list_problem.is_none()
    }

    /// Adds what another input came to.
    pub(super) fn add(&mut self, other: Summary) {
        self.interrupted |= other.interrupted;
        self.stats.elapsed += other.stats.elapsed;
        self.stats.add(&other.stats);
        other.skipped.into_iter().for_each(|(why, number)| *self.skipped.entry(why).or_default() += number);
        other.lacking.into_iter().for_each(|(why, number)| *self.lacking.entry(why).or_default() += number);
        self.known_good += other.known_good;
        self.sparse += other.sparse;
        self.malformed += other.malformed;
        self.list_problem = self.list_problem.take().or(other.list_problem);
        self.comparing.comparisons += other.comparing.comparisons;
        self.comparing.time += other.comparing.time;
    }
}

impl fmt::Display for MalformedEntry<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MalformedEntry::Line(malformed) => malformed.fmt(f),
            MalformedEntry::Digest(number, malformed) => write!(f, "line {number}: {malformed}"),
            MalformedEntry::Without(path, name) => write!(f, "{}: no {name} digest", Shown(path)),
        }
    }
}
