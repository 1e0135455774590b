//! The result of the experiments.

use crate::stage::Conditions;
use crate::timed::{Ranking, Timed};
use serde::{Deserialize, Serialize};

/// One of the experiments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Experiment {
    /// The tool that one had, one thread, a thread a file, prefetching.
    Methods,
    /// Numbers of threads.
    Threads,
    /// Bounds on memory.
    Memory,
    /// Numbers of threads that read ahead.
    Prefetchers,
    /// Files that are not in memory.
    FirstRun,
    /// Files that are.
    SecondRun,
    /// Processes in parallel.
    Processes,
    /// Likeness digests of all files.
    LikenessDigests,
    /// All compared with all.
    AllAgainstAll,
}

impl Experiment {
    /// All of them, in the order of results.
    pub const ALL: [Experiment; 9] = [
        Experiment::Methods,
        Experiment::Threads,
        Experiment::Memory,
        Experiment::Prefetchers,
        Experiment::FirstRun,
        Experiment::SecondRun,
        Experiment::Processes,
        Experiment::LikenessDigests,
        Experiment::AllAgainstAll,
    ];

    /// The name in options and results.
    pub fn name(self) -> &'static str {
        match self {
            Experiment::Methods => "methods",
            Experiment::Threads => "threads",
            Experiment::Memory => "memory",
            Experiment::Prefetchers => "prefetchers",
            Experiment::FirstRun => "first-run",
            Experiment::SecondRun => "second-run",
            Experiment::Processes => "processes",
            Experiment::LikenessDigests => "likeness-digests",
            Experiment::AllAgainstAll => "all-against-all",
        }
    }

    /// The caption of its table.
    pub fn title(self) -> &'static str {
        match self {
            Experiment::Methods => "The tool one had, one thread, a thread a file, prefetching",
            Experiment::Threads => "Number of threads (one prefetcher)",
            Experiment::Memory => "Bound on memory (one prefetcher)",
            Experiment::Prefetchers => "Number of prefetchers",
            Experiment::FirstRun => "First run: files are not in memory",
            Experiment::SecondRun => "Second run: files are in memory",
            Experiment::Processes => "Processes in parallel",
            Experiment::LikenessDigests => "Likeness digests of all files",
            Experiment::AllAgainstAll => "All against all",
        }
    }
}

/// One way to do an experiment's work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Which experiment.
    pub experiment: Experiment,
    /// The algorithm.
    pub algorithm: String,
    /// Whether it is another's tool.
    pub peer: bool,
    /// Threads or processes that hash, if their number was set.
    pub threads: Option<usize>,
    /// The bound on file data in memory, if one was set.
    pub memory_bytes: Option<u64>,
    /// Threads that read ahead, if their number was set.
    pub prefetch: Option<usize>,
    /// The way and its times.
    #[serde(flatten)]
    pub timed: Timed,
}

/// The summary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// How it was measured.
    pub conditions: Conditions,
    /// How many files the corpus has.
    pub files: usize,
    /// Bytes of all together.
    pub bytes: u64,
    /// For each experiment and algorithm, which way was fastest and by how much.
    pub rankings: Vec<Ranking>,
}
