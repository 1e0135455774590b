//! The charts of `bench corpus`.

use super::result::{CorpusRow, Experiment};
use crate::comparisons::charting::{distinct, is_drawn, span, with};
use crate::peers::OURS;
use hashmill_report::{Axis, Chart};

/// Experiments whose likeness digests have their own chart; tables show all.
const LIKENESS: [Experiment; 4] =
    [Experiment::FirstRun, Experiment::SecondRun, Experiment::LikenessDigests, Experiment::AllAgainstAll];

/// Draws the ways of each experiment side by side: with digests, and with likeness digests, which take longer.
pub(super) fn charts(rows: &[CorpusRow]) -> Vec<Chart> {
    let charts = Experiment::ALL.into_iter().flat_map(|experiment| {
        let of = |likeness| {
            let of =
                rows.iter().filter(move |row| row.experiment == experiment && row.timed.seconds.is_some());
            of.filter(move |row| is_likeness(row) == likeness).collect::<Vec<_>>()
        };
        let digests = chart(experiment, &of(false), "");
        let mark = if is_drawn(&digests) { ", likeness digests" } else { "" };
        let likeness = LIKENESS.contains(&experiment).then(|| chart(experiment, &of(true), mark));
        [Some(digests), likeness].into_iter().flatten()
    });
    charts.filter(is_drawn).collect()
}

fn is_likeness(row: &CorpusRow) -> bool {
    hashmill_similar::find(&row.algorithm).is_some()
}

fn chart(experiment: Experiment, rows: &[&CorpusRow], mark: &str) -> Chart {
    let ways = distinct(rows.iter().map(|row| &row.timed.tool));
    // If all ways are hashmill's, their names need not say so.
    let ours = format!("{OURS}, ");
    let all = ways.iter().all(|way| way.starts_with(&ours));
    let names = ways.iter().map(|way| if all { way.trim_start_matches(&ours) } else { way.as_str() });
    let axes = (Axis::names("", names), Axis::linear("mean time, 95 % interval", "s"));
    let chart = Chart::bars(format!("{}{mark}", experiment.title()), axes.0, axes.1);
    distinct(rows.iter().map(|row| &row.algorithm)).into_iter().fold(chart, |chart, algorithm| {
        let points = rows.iter().filter(|row| row.algorithm == *algorithm).filter_map(|row| {
            let way = ways.iter().position(|way| **way == row.timed.tool)?;
            let (mean, margin) = row.timed.mean()?;
            Some(span(way as f64, mean, margin))
        });
        with(chart, algorithm, points.collect())
    })
}
