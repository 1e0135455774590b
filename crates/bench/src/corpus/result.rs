//! The result of the experiments.

use crate::stage::Conditions;
use crate::timed::{Ranking, Timed};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

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
    /// Threads that read ahead × threads × bounds on memory.
    Combinations,
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
    pub const ALL: [Experiment; 10] = [
        Experiment::Methods,
        Experiment::Threads,
        Experiment::Memory,
        Experiment::Prefetchers,
        Experiment::Combinations,
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
            Experiment::Combinations => "combinations",
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
            Experiment::Combinations => "Prefetchers × threads × memory",
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
    /// Whether files were taken out of memory before each run.
    #[serde(default)]
    pub cold: bool,
    /// The way and its times.
    #[serde(flatten)]
    pub timed: Timed,
}

/// Files whose names end alike.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kind {
    /// What their names end in, without the dot; empty: nothing.
    pub ending: String,
    /// How many there are.
    pub files: usize,
    /// Bytes of all of them.
    pub bytes: u64,
    /// Bytes of the smallest.
    pub least: u64,
    /// Bytes of the largest.
    pub most: u64,
}

/// The kinds of files with these paths and sizes.
pub(super) fn kinds<'a>(files: impl IntoIterator<Item = (&'a Path, u64)>) -> Vec<Kind> {
    let mut kinds: BTreeMap<String, Kind> = BTreeMap::new();
    for (path, size) in files {
        let ending = path.extension().map_or(String::new(), |end| end.to_string_lossy().to_ascii_lowercase());
        let kind = kinds.entry(ending.clone()).or_insert(Kind {
            ending,
            files: 0,
            bytes: 0,
            least: size,
            most: size,
        });
        kind.files += 1;
        kind.bytes += size;
        (kind.least, kind.most) = (kind.least.min(size), kind.most.max(size));
    }
    let mut kinds: Vec<Kind> = kinds.into_values().collect();
    kinds.sort_by_key(|kind| std::cmp::Reverse(kind.bytes));
    kinds
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
    /// The kinds of files, the one with the most bytes first.
    #[serde(default)]
    pub kinds: Vec<Kind>,
    /// For each experiment and algorithm, which way was fastest and by how much.
    pub rankings: Vec<Ranking>,
}
