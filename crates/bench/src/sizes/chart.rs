//! The charts of `bench sizes`.

use super::result::Row;
use crate::charting::{around, by_x, distinct, is_drawn, with};
use hashloom_report::{Axis, Chart};

/// For each algorithm, run time against size, both by powers; bands are a standard deviation wide.
pub(super) fn charts(rows: &[Row]) -> Vec<Chart> {
    let chart = |algorithm: &String| {
        let of = || rows.iter().filter(|row| row.algorithm == *algorithm);
        let title = format!("{algorithm}: run time by file size");
        let chart = Chart::lines(title, Axis::log("file size", "B"), Axis::log("run time (mean ± σ)", "s"));
        distinct(of().map(|row| &row.timed.tool)).into_iter().fold(chart, |chart, tool| {
            let mine = of().filter(|row| row.timed.tool == *tool && row.size_bytes > 0);
            let points = mine.filter_map(|row| {
                let seconds = row.timed.seconds?;
                Some(around(row.size_bytes as f64, seconds.mean, seconds.stddev))
            });
            with(chart, tool, by_x(points.collect()))
        })
    };
    distinct(rows.iter().map(|row| &row.algorithm)).into_iter().map(chart).filter(is_drawn).collect()
}
