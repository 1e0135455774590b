//! The result of `bench throughput`.

use super::candidate::Mode;
use super::verify::Verified;
use serde::{Deserialize, Serialize};

/// The algorithm whose comparison with the reference has its own keys, as is usual for miners.
const RIVAL: &str = "blake3d";

/// The reference of the comparisons.
const REFERENCE: &str = "sha256d";

/// The row of one algorithm, implementation and number of threads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ThroughputRow {
    /// The algorithm.
    pub algo: String,
    /// The number of threads that hashed at the same time.
    pub threads: usize,
    /// The length of each message in bytes.
    pub input_bytes: usize,
    /// The duration in seconds.
    pub duration_s: f64,
    /// The number of messages hashed by all threads.
    pub total_hashes: u64,
    /// The rate of all threads.
    pub hashes_per_sec: f64,
    /// Time divided by messages: with several threads, less than the time of one message.
    pub ns_per_hash: f64,
    /// The implementation.
    pub implementation: String,
    /// Whether messages were hashed one by one.
    pub mode: Mode,
    /// The number of messages in a call.
    pub batch: usize,
    /// Whether it is plain code, without special instructions.
    pub portable: bool,
    /// Half of the 95 % confidence interval of the rate.
    pub hashes_per_sec_ci95: Option<f64>,
    /// The rate of each round, in order: the samples of the interval.
    #[serde(default)]
    pub hashes_per_sec_samples: Vec<f64>,
    /// Processor time of all threads in that time in seconds, if available.
    #[serde(default)]
    pub processor_s: Option<f64>,
    /// Whether every checked digest was right. If not, the row is not ranked.
    pub digest_right: bool,
}

/// The summary of the rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ThroughputSummary {
    /// The reference of the comparisons.
    pub reference: String,
    /// The seed of the order of turns, which is shuffled in each round.
    #[serde(default)]
    pub seed: u64,
    /// The fastest rate of BLAKE3 twice divided by that of SHA-256 twice, both on one thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speedup_blake3d_vs_sha256d_single_thread: Option<f64>,
    /// The same ratio on the most threads that were measured; `None` if that is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speedup_blake3d_vs_sha256d_multi_thread: Option<f64>,
    /// Ratios to the reference in the same mode, with the same kind of code and the same number of threads.
    pub speedups: Vec<Speedup>,
    /// The verification before measuring.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verified: Option<Verified>,
}

/// The rate as a multiple of the reference's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Speedup {
    /// The algorithm.
    pub algo: String,
    /// The implementation.
    pub implementation: String,
    /// Whether messages were hashed one by one.
    pub mode: Mode,
    /// Whether it is plain code.
    pub portable: bool,
    /// The number of threads that hashed at the same time.
    pub threads: usize,
    /// The ratio; above 1 is faster than the reference.
    pub speedup: f64,
    /// The ratio to the reference on one thread; `None` if that was not measured.
    #[serde(default)]
    pub scaling: Option<f64>,
}

impl ThroughputRow {
    fn is_beside(&self, other: &ThroughputRow) -> bool {
        (self.mode, self.portable, self.threads) == (other.mode, other.portable, other.threads)
    }

    pub(super) fn speedup(&self, rows: &[ThroughputRow]) -> Option<Speedup> {
        let ranked = |row: &&ThroughputRow| row.algo == REFERENCE && row.is_beside(self) && row.digest_right;
        let reference = rows.iter().find(ranked).filter(|_| self.digest_right)?;
        let one = rows.iter().find(|row| {
            row.algo == REFERENCE
                && row.threads == 1
                && row.digest_right
                && (row.mode, row.portable) == (self.mode, self.portable)
        });
        Some(Speedup {
            scaling: one.map(|one| self.hashes_per_sec / one.hashes_per_sec),
            algo: self.algo.clone(),
            implementation: self.implementation.clone(),
            mode: self.mode,
            portable: self.portable,
            threads: self.threads,
            speedup: self.hashes_per_sec / reference.hashes_per_sec,
        })
    }
}

/// Returns the rate of the rival divided by that of the reference on this many threads, each with its fastest code.
fn versus(rows: &[ThroughputRow], threads: usize) -> Option<f64> {
    let best = |algo: &str| {
        let rates = rows.iter().filter(|row| row.algo == algo && row.threads == threads && row.digest_right);
        rates.map(|row| row.hashes_per_sec).max_by(f64::total_cmp)
    };
    Some(best(RIVAL)? / best(REFERENCE)?)
}

pub(super) fn settle(
    rows: Vec<ThroughputRow>,
    seed: u64,
) -> (Vec<ThroughputRow>, ThroughputSummary, Vec<String>) {
    let speedups = rows.iter().filter_map(|row| row.speedup(&rows)).collect();
    let wrong = rows.iter().filter(|row| !row.digest_right);
    let warning = |row: &ThroughputRow| {
        format!("{} {} gave a wrong digest: its row is not ranked", row.algo, row.implementation)
    };
    let warnings = wrong.map(warning).collect();
    let most = rows.iter().map(|row| row.threads).max().filter(|most| *most > 1);
    let summary = ThroughputSummary {
        reference: REFERENCE.to_string(),
        seed,
        speedup_blake3d_vs_sha256d_single_thread: versus(&rows, 1),
        speedup_blake3d_vs_sha256d_multi_thread: most.and_then(|most| versus(&rows, most)),
        speedups,
        verified: None,
    };
    (rows, summary, warnings)
}
