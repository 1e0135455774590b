//! The result of `bench tools`.

use super::correctness::{Agreement, Correctness};
use crate::measure::stats::Estimate;
use crate::peers::OURS;
use crate::stage::Conditions;
use crate::timed::{Timed, shown_bytes};
use serde::{Deserialize, Serialize};

/// A part of the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ToolsPart {
    /// One large file, one algorithm.
    Large,
    /// Many small files, one algorithm.
    Small,
    /// One large file, several algorithms at once.
    Several,
    /// One large file that is not in memory, one algorithm.
    Disk,
}

/// A tool's runs on one work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolsRow {
    /// The part of the comparison.
    pub part: ToolsPart,
    /// The algorithms, separated by commas.
    pub algorithms: String,
    /// The total size of the files in bytes.
    pub bytes: u64,
    /// The number of files.
    pub files: usize,
    /// The tool and its times.
    #[serde(flatten)]
    pub timed: Timed,
}

/// The summary of the rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolsSummary {
    /// The conditions of the measurements.
    pub conditions: Conditions,
    /// The time of each tool as a multiple of hashmill's.
    pub speedups: Vec<Speedup>,
    /// Whether tools print the right digests.
    pub correctness: Vec<Correctness>,
    /// The digests, and the tools that print them.
    #[serde(default)]
    pub digests: Vec<Agreement>,
    /// How the file of [`ToolsPart::Disk`] was removed from the cache before each run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk: Option<String>,
    /// Extrapolated times for a tebibyte, which were not measured.
    pub extrapolated: Vec<Extrapolated>,
}

/// A comparison of a tool with hashmill, on the same work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Speedup {
    /// The part of the comparison.
    pub part: ToolsPart,
    /// The algorithms, separated by commas.
    pub algorithms: String,
    /// The total size of the files in bytes.
    pub bytes: u64,
    /// The number of files.
    pub files: usize,
    /// The tool.
    pub tool: String,
    /// Its time as a multiple of hashmill's.
    pub ratio: f64,
    /// The standard deviation of the ratio, propagated from those of both times.
    pub error: f64,
    /// Half of the ratio's interval, propagated from the 95 % intervals of both times; `None` for single runs.
    #[serde(default)]
    pub ci95: Option<f64>,
}

/// An extrapolated time for a tebibyte at the rate of the largest file, which was not measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Extrapolated {
    /// The tool.
    pub tool: String,
    /// The algorithm.
    pub algorithm: String,
    /// The size in bytes of the measured file.
    pub from_bytes: u64,
    /// The time for 2^40 bytes in seconds.
    pub seconds: f64,
    /// Half of the 95 % interval in seconds, which only accounts for the variation of runs.
    pub ci95: f64,
}

/// The size of extrapolated times in bytes.
const TEBIBYTE: f64 = (1_u64 << 40) as f64;

impl ToolsRow {
    pub(super) fn work(&self) -> (ToolsPart, &str, u64, usize) {
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
    pub(super) fn work(&self) -> (ToolsPart, &str, u64, usize) {
        (self.part, &self.algorithms, self.bytes, self.files)
    }
}

pub(super) fn speedups(rows: &[ToolsRow]) -> Vec<Speedup> {
    let speedup = |row: &ToolsRow| {
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

pub(super) fn extrapolated(rows: &[ToolsRow]) -> Vec<Extrapolated> {
    let large = || rows.iter().filter(|row| row.part == ToolsPart::Large);
    let most = large().map(|row| row.bytes).max().unwrap_or(0);
    let one = |row: &ToolsRow| {
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
