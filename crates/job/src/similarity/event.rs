//! Events and results of collecting digests.

use crate::account::{self, Account, Item, Outcome};
use crate::notice::Notice;
use hashmill_engine::{Live, Stats};
use hashmill_source::Skip;
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// One step of collecting digests.
#[derive(Debug)]
#[non_exhaustive]
pub enum SimilarityEvent<'a> {
    /// Files are about to be read. The counters go up while they are.
    Reading(&'a Arc<Live>),
    /// An entry could not be read, or changed meanwhile.
    Failed(&'a hashmill_source::Error),
    /// A part of a list has no digest: the list, and the reason. Only the first ten parts of each list are reported.
    Malformed(&'a [u8], &'a str),
    /// This number of further parts of the list have no digest.
    MoreMalformed(&'a [u8], u64),
    /// All files were read.
    AllRead,
    /// All digests of an input were collected; these are the results.
    Collected(&'a SimilaritySummary),
    /// A notice for the user.
    Notice(Notice<'a>),
}

/// A callback for events.
pub type SimilarityObserver<'a> = dyn FnMut(SimilarityEvent<'_>) -> hashmill_engine::flow::Flow + 'a;

/// The results of collecting digests.
#[derive(Debug, Default)]
pub struct SimilaritySummary {
    /// Whether it was cancelled: digests are missing.
    pub interrupted: bool,
    /// Counters and times of hashing files.
    pub stats: Stats,
    /// Numbers of skipped entries by the reason, without those that filters leave out and outputs of the job.
    pub skipped: BTreeMap<Skip, u64>,
    /// Numbers of files that were read but have no digest, by the algorithm and the word for the reason.
    pub lacking: BTreeMap<(&'static str, &'static str), u64>,
    /// Number of files that were left out because they are known to be good.
    pub known_good: u64,
    /// Number of digests with too little content to be reliable.
    pub sparse: u64,
    /// Number of parts of lists that have no digest.
    pub malformed: u64,
    /// The error that ended the list of paths early.
    pub list_problem: Option<io::Error>,
    /// The comparisons of digests.
    pub comparing: Comparing,
}

/// Number and time of comparisons of digests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Comparing {
    /// Number of decided pairs of digests, including those that bounds or an index excluded.
    pub comparisons: u64,
    /// Time that this took, with all threads at work, including the callback that takes the pairs.
    pub time: Duration,
}

impl Comparing {
    /// Measures a number of comparisons and adds them.
    pub(super) fn measure<T>(&mut self, comparisons: u64, compare: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let done = compare();
        self.time += start.elapsed();
        self.comparisons += comparisons;
        done
    }
}

/// Returns the number of pairs of `count` items.
pub(super) fn pairs_of(count: usize) -> u64 {
    let count = count as u64;
    count * count.saturating_sub(1) / 2
}

impl SimilaritySummary {
    /// Returns the account of what was met.
    pub fn account(&self) -> Account {
        let mut account = account::of_entries(&self.stats, &self.skipped, 0);
        account.count(Item::Record, Outcome::Failed, self.malformed);
        account.count(Item::List, Outcome::Incomplete, self.list_problem.is_some().into());
        account.is_interrupted = self.interrupted;
        account
    }

    /// Adds the results of another input.
    pub(super) fn add(&mut self, other: SimilaritySummary) {
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
