//! The result of comparing whole tools.

use super::correctness::{Agreement, Correctness};
use crate::peers::OURS;
use crate::stage::Conditions;
use crate::stats::Estimate;
use crate::timed::{Timed, shown_bytes};
use serde::{Deserialize, Serialize};

/// What was to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// One large file, one algorithm.
    Large,
    /// Many small files, one algorithm.
    Small,
    /// One large file, several algorithms at once.
    Several,
    /// One large file that is not in memory, one algorithm.
    Disk,
}

/// One tool on one work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// What was to be done.
    pub part: Part,
    /// The algorithms, by commas.
    pub algorithms: String,
    /// Bytes of all files.
    pub bytes: u64,
    /// How many files.
    pub files: usize,
    /// The tool and its times.
    #[serde(flatten)]
    pub timed: Timed,
}

/// The summary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// How it was measured.
    pub conditions: Conditions,
    /// How many times as long each tool took as we did.
    pub speedups: Vec<Speedup>,
    /// Whether tools give the right digests.
    pub correctness: Vec<Correctness>,
    /// The digests, and who prints them.
    #[serde(default)]
    pub digests: Vec<Agreement>,
    /// How the file of [`Part::Disk`] was taken out of memory before each run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk: Option<String>,
    /// What a tebibyte would take; not measured.
    pub extrapolated: Vec<Extrapolated>,
}

/// A tool beside ours, on the same work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Speedup {
    /// What was to be done.
    pub part: Part,
    /// The algorithms, by commas.
    pub algorithms: String,
    /// Bytes of all files.
    pub bytes: u64,
    /// How many files.
    pub files: usize,
    /// The tool.
    pub tool: String,
    /// How many times as long it took as hashloom.
    pub ratio: f64,
    /// The ratio's standard deviation, propagated from those of both times.
    pub error: f64,
    /// Half the ratio's interval, propagated from the intervals (95 %) of both times; none of single runs.
    #[serde(default)]
    pub ci95: Option<f64>,
}

/// What a tebibyte would take at the rate of the largest file. Not measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Extrapolated {
    /// The tool.
    pub tool: String,
    /// The algorithm.
    pub algorithm: String,
    /// Bytes of the file whose rate it is.
    pub from_bytes: u64,
    /// Seconds for 2^40 bytes.
    pub seconds: f64,
    /// How far the seconds may be off by the runs alone, with a confidence of 95 %.
    pub ci95: f64,
}

/// Rates are extrapolated to this size.
const TEBIBYTE: f64 = (1_u64 << 40) as f64;

impl Row {
    pub(super) fn work(&self) -> (Part, &str, u64, usize) {
        (self.part, &self.algorithms, self.bytes, self.files)
    }

    pub(super) fn shown_work(&self) -> String {
        match self.files {
            1 => shown_bytes(self.bytes),
            files => format!("{files} files of {}", shown_bytes(self.bytes / files as u64)),
        }
    }
}

impl Speedup {
    pub(super) fn work(&self) -> (Part, &str, u64, usize) {
        (self.part, &self.algorithms, self.bytes, self.files)
    }
}

pub(super) fn speedups(rows: &[Row]) -> Vec<Speedup> {
    let speedup = |row: &Row| {
        let ours = rows.iter().find(|other| other.work() == row.work() && other.timed.tool == OURS)?;
        let ratio: Estimate = row.timed.estimate()?.ratio(&ours.timed.estimate()?);
        Some(Speedup {
            part: row.part,
            algorithms: row.algorithms.clone(),
            bytes: row.bytes,
            files: row.files,
            tool: row.timed.tool.clone(),
            ratio: ratio.value,
            error: ratio.error,
            ci95: row.timed.interval().zip(ours.timed.interval()).map(|(row, ours)| row.ratio(&ours).error),
        })
    };
    rows.iter().filter(|row| row.timed.tool != OURS).filter_map(speedup).collect()
}

pub(super) fn extrapolated(rows: &[Row]) -> Vec<Extrapolated> {
    let large = || rows.iter().filter(|row| row.part == Part::Large);
    let most = large().map(|row| row.bytes).max().unwrap_or(0);
    let one = |row: &Row| {
        let (mean, ci95) = row.timed.mean()?;
        let factor = TEBIBYTE / row.bytes as f64;
        Some(Extrapolated {
            tool: row.timed.tool.clone(),
            algorithm: row.algorithms.clone(),
            from_bytes: row.bytes,
            seconds: mean * factor,
            ci95: ci95 * factor,
        })
    };
    large().filter(|row| row.bytes == most && most > 0).filter_map(one).collect()
}
