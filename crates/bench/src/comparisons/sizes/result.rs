//! The result of `bench sizes`.

use crate::peers::OURS;
use crate::stage::Conditions;
use crate::timed::{Ranking, Timed, shown_bytes};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A tool's runs on one file with one algorithm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SizesRow {
    /// The algorithm.
    pub algorithm: String,
    /// The size of the file in bytes.
    pub size_bytes: u64,
    /// The tool and its times.
    #[serde(flatten)]
    pub timed: Timed,
}

/// The summary of the rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SizesSummary {
    /// The conditions of the measurements.
    pub conditions: Conditions,
    /// The fastest tool for each algorithm and size, and its lead.
    pub rankings: Vec<Ranking>,
    /// For each size, the ranking of hashmill's algorithms, then of those of other tools, each with its fastest tool.
    #[serde(default)]
    pub algorithms: Vec<Ranking>,
}

/// Ranks the tools of each algorithm and size. Their rows must be adjacent.
pub(super) fn rankings(rows: &[SizesRow]) -> Vec<Ranking> {
    let works = rows.chunk_by(|a, b| (&a.algorithm, a.size_bytes) == (&b.algorithm, b.size_bytes));
    let ranking = |work: &[SizesRow]| {
        let name = format!("{}, {}", work[0].algorithm, shown_bytes(work[0].size_bytes));
        Ranking::from_rows(name, work.iter().map(|row| &row.timed))
    };
    works.filter_map(ranking).collect()
}

/// The tools whose algorithms are ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whose {
    /// hashmill.
    Ours,
    /// The other tools.
    Others,
}

impl Whose {
    /// Returns the name for people.
    pub(super) fn name(self) -> &'static str {
        match self {
            Whose::Ours => OURS,
            Whose::Others => "the fastest other tools",
        }
    }

    /// Returns the fastest row for each algorithm with one size.
    pub(super) fn best(self, rows: &[SizesRow], size: u64) -> Vec<&SizesRow> {
        let mine =
            |row: &&SizesRow| row.size_bytes == size && (row.timed.tool == OURS) == (self == Whose::Ours);
        let mut best: Vec<&SizesRow> = Vec::new();
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

    /// Returns the name of a row in this group.
    pub(super) fn called(self, row: &SizesRow) -> String {
        match self {
            Whose::Ours => row.algorithm.clone(),
            Whose::Others => format!("{} ({})", row.algorithm, row.timed.tool),
        }
    }
}

impl SizesRow {
    /// Returns the mean in seconds; infinite if not ranked.
    fn mean(&self) -> f64 {
        self.timed.seconds.map_or(f64::INFINITY, |seconds| seconds.mean)
    }
}

pub(super) fn sizes(rows: &[SizesRow]) -> BTreeSet<u64> {
    rows.iter().map(|row| row.size_bytes).collect()
}

/// Ranks the algorithms for each size.
pub(crate) fn algorithms(rows: &[SizesRow]) -> Vec<Ranking> {
    let works = sizes(rows).into_iter().flat_map(|size| [(size, Whose::Ours), (size, Whose::Others)]);
    let ranking = |(size, whose): (u64, Whose)| {
        let best = whose.best(rows, size).into_iter();
        let ranked = best.filter_map(|row| Some((whose.called(row), row.timed.estimate()?)));
        Ranking::among(format!("{}, {}", shown_bytes(size), whose.name()), ranked.collect())
    };
    works.filter_map(ranking).collect()
}

/// Returns the output that hyperfine's `--export-json` would have for the same runs.
pub(super) fn results(rows: &[SizesRow]) -> Value {
    let results = rows.iter().filter_map(|row| {
        let seconds = row.timed.seconds?;
        Some(json!({
            "command": row.timed.command,
            "mean": seconds.mean,
            // hyperfine has no deviation for a single run.
            "stddev": (seconds.count > 1).then_some(seconds.stddev),
            "median": seconds.median,
            "user": row.timed.user,
            "system": row.timed.system,
            "min": seconds.min,
            "max": seconds.max,
            "times": row.timed.times,
            "exit_codes": vec![0; row.timed.times.len()],
            // A single parameter, since hyperfine's scripts plot results over the only one.
            "parameters": { "size": row.size_bytes.to_string() },
        }))
    });
    results.collect()
}
