//! The result of `bench throughput`.

use super::candidate::Mode;
use super::verify::Verified;
use serde::{Deserialize, Serialize};

/// The algorithm that is compared with it by keys of their own, as miners compare them.
const RIVAL: &str = "blake3d";

/// The algorithm that others are compared with.
const REFERENCE: &str = "sha256d";

/// One algorithm in one implementation on so many threads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The algorithm.
    pub algo: String,
    /// Threads that hashed at the same time.
    pub threads: usize,
    /// Bytes of each message.
    pub input_bytes: usize,
    /// How long they hashed.
    pub duration_s: f64,
    /// Messages that they hashed, all together.
    pub total_hashes: u64,
    /// All threads together.
    pub hashes_per_sec: f64,
    /// Time over messages: with several threads less than one message takes.
    pub ns_per_hash: f64,
    /// The implementation.
    pub implementation: String,
    /// Whether messages came one by one.
    pub mode: Mode,
    /// Messages a call.
    pub batch: usize,
    /// Whether it is plain code, without special instructions.
    pub portable: bool,
    /// The true rate lies so far from it at most, with a confidence of 95 %.
    pub hashes_per_sec_ci95: Option<f64>,
    /// The rate of each round, in the order of rounds: the interval follows from these.
    #[serde(default)]
    pub hashes_per_sec_samples: Vec<f64>,
    /// Seconds of processors meanwhile, all threads together, where the system tells.
    #[serde(default)]
    pub processor_s: Option<f64>,
    /// Every digest that was compared was right. If not, the row is not ranked.
    pub digest_right: bool,
}

/// The summary of the rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The algorithm that others are compared with.
    pub reference: String,
    /// The number that the order of turns follows from: in each round it is drawn anew.
    #[serde(default)]
    pub seed: u64,
    /// The fastest rate of BLAKE3 twice over that of SHA-256 twice, each on one thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speedup_blake3d_vs_sha256d_single_thread: Option<f64>,
    /// The same, each on the most threads that were measured; none if that is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speedup_blake3d_vs_sha256d_multi_thread: Option<f64>,
    /// Rows over the reference's: of the same mode, of the same kind of code, on as many threads.
    pub speedups: Vec<Speedup>,
    /// The proof that ran before measuring.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verified: Option<Verified>,
}

/// How many times as many messages a second as the reference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Speedup {
    /// The algorithm.
    pub algo: String,
    /// The implementation.
    pub implementation: String,
    /// Whether messages came one by one.
    pub mode: Mode,
    /// Whether it is plain code.
    pub portable: bool,
    /// Threads that hashed at the same time.
    pub threads: usize,
    /// More than 1: faster than the reference.
    pub speedup: f64,
    /// The same over the reference on one thread; none if that was not measured.
    #[serde(default)]
    pub scaling: Option<f64>,
}

impl Row {
    fn is_beside(&self, other: &Row) -> bool {
        (self.mode, self.portable, self.threads) == (other.mode, other.portable, other.threads)
    }

    pub(super) fn speedup(&self, rows: &[Row]) -> Option<Speedup> {
        let ranked = |row: &&Row| row.algo == REFERENCE && row.is_beside(self) && row.digest_right;
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

/// How many times as fast the rival is as the reference on so many threads, each with its fastest code.
fn versus(rows: &[Row], threads: usize) -> Option<f64> {
    let best = |algo: &str| {
        let rates = rows.iter().filter(|row| row.algo == algo && row.threads == threads && row.digest_right);
        rates.map(|row| row.hashes_per_sec).max_by(f64::total_cmp)
    };
    Some(best(RIVAL)? / best(REFERENCE)?)
}

/// Rows, summary and warnings.
pub(super) fn settle(rows: Vec<Row>, seed: u64) -> (Vec<Row>, Summary, Vec<String>) {
    let speedups = rows.iter().filter_map(|row| row.speedup(&rows)).collect();
    let wrong = rows.iter().filter(|row| !row.digest_right);
    let warning =
        |row: &Row| format!("{} {} gave a wrong digest: its row is not ranked", row.algo, row.implementation);
    let warnings = wrong.map(warning).collect();
    let most = rows.iter().map(|row| row.threads).max().filter(|most| *most > 1);
    let summary = Summary {
        reference: REFERENCE.to_string(),
        seed,
        speedup_blake3d_vs_sha256d_single_thread: versus(&rows, 1),
        speedup_blake3d_vs_sha256d_multi_thread: most.and_then(|most| versus(&rows, most)),
        speedups,
        verified: None,
    };
    (rows, summary, warnings)
}
