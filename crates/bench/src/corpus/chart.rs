//! The charts of `bench corpus`.

use super::result::{Experiment, Row};
use crate::charting::{around, distinct, is_drawn, with};
use hashloom_report::{Axis, Chart};

/// For each experiment, the ways side by side.
pub(super) fn charts(rows: &[Row]) -> Vec<Chart> {
    let chart = |experiment: Experiment| {
        let of: Vec<&Row> =
            rows.iter().filter(|row| row.experiment == experiment && row.timed.seconds.is_some()).collect();
        let ways = distinct(of.iter().map(|row| &row.timed.tool));
        let axis = Axis::names("way", ways.iter().copied());
        let chart = Chart::bars(experiment.title(), axis, Axis::linear("time (mean, 95 % interval)", "s"));
        distinct(of.iter().map(|row| &row.algorithm)).into_iter().fold(chart, |chart, algorithm| {
            let points = of.iter().filter(|row| row.algorithm == *algorithm).filter_map(|row| {
                let way = ways.iter().position(|way| **way == row.timed.tool)?;
                let (mean, margin) = row.timed.mean()?;
                Some(around(way as f64, mean, margin))
            });
            with(chart, algorithm, points.collect())
        })
    };
    Experiment::ALL.into_iter().map(chart).filter(is_drawn).collect()
}
