//! The result of the experiments.

use crate::stage::Conditions;
use crate::timed::{Ranking, Timed};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// An experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Experiment {
    /// The original tool, one thread, a thread a file, prefetching.
    Methods,
    /// Numbers of threads.
    Threads,
    /// Bounds on memory.
    Memory,
    /// Numbers of threads that read ahead.
    Prefetchers,
    /// Threads that read ahead × threads × bounds on memory.
    Combinations,
    /// The first run: files are not in memory.
    FirstRun,
    /// The second run: files are in memory.
    SecondRun,
    /// Processes in parallel.
    Processes,
    /// Likeness digests of all files.
    LikenessDigests,
    /// Comparisons of all files with all.
    AllAgainstAll,
}

impl Experiment {
    /// All experiments, in the order of results.
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

    /// Returns the name in options and results.
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

    /// Returns the caption of its table.
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
pub struct CorpusRow {
    /// The experiment.
    pub experiment: Experiment,
    /// The algorithm.
    pub algorithm: String,
    /// Whether it is another tool than hashmill.
    pub peer: bool,
    /// The number of threads or processes that hash, if set.
    pub threads: Option<usize>,
    /// The bound on file data in memory, if set.
    pub memory_bytes: Option<u64>,
    /// The number of threads that read ahead, if set.
    pub prefetch: Option<usize>,
    /// Whether files were removed from the page cache before each run.
    #[serde(default)]
    pub cold: bool,
    /// The way and its times.
    #[serde(flatten)]
    pub timed: Timed,
}

/// Files with the same extension.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtensionFiles {
    /// The extension, without the dot; empty if there is none.
    pub ending: String,
    /// The number of files.
    pub files: usize,
    /// The total size in bytes.
    pub bytes: u64,
    /// The size of the smallest file in bytes.
    pub least: u64,
    /// The size of the largest file in bytes.
    pub most: u64,
}

/// Groups files with these paths and sizes by extension.
pub(super) fn kinds<'a>(files: impl IntoIterator<Item = (&'a Path, u64)>) -> Vec<ExtensionFiles> {
    let mut kinds: BTreeMap<String, ExtensionFiles> = BTreeMap::new();
    for (path, size) in files {
        let ending = path.extension().map_or(String::new(), |end| end.to_string_lossy().to_ascii_lowercase());
        let kind = kinds.entry(ending.clone()).or_insert(ExtensionFiles {
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
    let mut kinds: Vec<ExtensionFiles> = kinds.into_values().collect();
    kinds.sort_by_key(|kind| std::cmp::Reverse(kind.bytes));
    kinds
}

/// The summary of the experiments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CorpusSummary {
    /// The conditions of the measurements.
    pub conditions: Conditions,
    /// The number of files in the corpus.
    pub files: usize,
    /// The total size in bytes.
    pub bytes: u64,
    /// The kinds of files, the one with the most bytes first.
    #[serde(default)]
    pub kinds: Vec<ExtensionFiles>,
    /// The fastest way for each experiment and algorithm, and its lead.
    pub rankings: Vec<Ranking>,
}
