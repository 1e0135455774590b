//! The result of `bench sizes`.

use crate::peers::OURS;
use crate::stage::Conditions;
use crate::timed::{Ranking, Timed, shown_bytes};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeSet;

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
    /// For each size, our algorithms against each other; then those of the other tools, each by the fastest of them.
    #[serde(default)]
    pub algorithms: Vec<Ranking>,
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

/// Whose algorithms are ranked against each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whose {
    /// Our own.
    Ours,
    /// Those of the other tools.
    Others,
}

impl Whose {
    /// For people.
    pub(super) fn name(self) -> &'static str {
        match self {
            Whose::Ours => OURS,
            Whose::Others => "the fastest other tools",
        }
    }

    /// For each algorithm the fastest row of one size.
    pub(super) fn best(self, rows: &[Row], size: u64) -> Vec<&Row> {
        let mine = |row: &&Row| row.size_bytes == size && (row.timed.tool == OURS) == (self == Whose::Ours);
        let mut best: Vec<&Row> = Vec::new();
        for row in rows.iter().filter(mine).filter(|row| row.timed.seconds.is_some()) {
            match best.iter_mut().find(|other| other.algorithm == row.algorithm) {
                Some(other) if row.mean() < other.mean() => *other = row,
                Some(_) => {}
                None => best.push(row),
            }
        }
        best.sort_by(|a, b| a.mean().total_cmp(&b.mean()));
        best
    }

    /// What a row is called among these.
    pub(super) fn called(self, row: &Row) -> String {
        match self {
            Whose::Ours => row.algorithm.clone(),
            Whose::Others => format!("{} ({})", row.algorithm, row.timed.tool),
        }
    }
}

impl Row {
    /// Mean seconds; endless if not ranked.
    fn mean(&self) -> f64 {
        self.timed.seconds.map_or(f64::INFINITY, |seconds| seconds.mean)
    }
}

/// Each size once, the smallest first.
pub(super) fn sizes(rows: &[Row]) -> BTreeSet<u64> {
    rows.iter().map(|row| row.size_bytes).collect()
}

/// For each size, algorithms against each other.
pub(crate) fn algorithms(rows: &[Row]) -> Vec<Ranking> {
    let works = sizes(rows).into_iter().flat_map(|size| [(size, Whose::Ours), (size, Whose::Others)]);
    let ranking = |(size, whose): (u64, Whose)| {
        let best = whose.best(rows, size).into_iter();
        let ranked = best.filter_map(|row| Some((whose.called(row), row.timed.estimate()?)));
        Ranking::among(format!("{}, {}", shown_bytes(size), whose.name()), ranked.collect())
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
