//! The result of `bench sizes`.

use crate::stage::Conditions;
use crate::timed::{Ranking, Timed, shown_bytes};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// One tool on one file with one algorithm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The algorithm.
    pub algorithm: String,
    /// Bytes of the file.
    pub size_bytes: u64,
    /// The tool and its times.
    #[serde(flatten)]
    pub timed: Timed,
}

/// The summary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// How it was measured.
    pub conditions: Conditions,
    /// For each algorithm and size, who was fastest and by how much.
    pub rankings: Vec<Ranking>,
}

/// Rows of one algorithm and size stand together.
pub(super) fn rankings(rows: &[Row]) -> Vec<Ranking> {
    let works = rows.chunk_by(|a, b| (&a.algorithm, a.size_bytes) == (&b.algorithm, b.size_bytes));
    let ranking = |work: &[Row]| {
        let name = format!("{}, {}", work[0].algorithm, shown_bytes(work[0].size_bytes));
        Ranking::of(name, work.iter().map(|row| &row.timed))
    };
    works.filter_map(ranking).collect()
}

/// What hyperfine's `--export-json` would have written for the same runs.
pub(super) fn results(rows: &[Row]) -> Value {
    let results = rows.iter().filter_map(|row| {
        let seconds = row.timed.seconds?;
        Some(json!({
            "command": row.timed.command,
            "mean": seconds.mean,
            // hyperfine knows no deviation of a single run.
            "stddev": (seconds.count > 1).then_some(seconds.stddev),
            "median": seconds.median,
            "user": row.timed.user,
            "system": row.timed.system,
            "min": seconds.min,
            "max": seconds.max,
            "times": row.timed.times,
            "exit_codes": vec![0; row.timed.times.len()],
            // One parameter alone, because its scripts draw results over the only one.
            "parameters": { "size": row.size_bytes.to_string() },
        }))
    });
    results.collect()
}
