//! The charts of `bench sizes`.

use super::result::{SizesRow, Whose, sizes};
use crate::comparisons::charting::{TOOLS, around, by_x, distinct, is_drawn, with};
use hashmill_report::{Axis, Chart};

/// Draws hashmill's algorithms in one chart, those of other tools in another, then all tools: a chart for each
/// algorithm.
pub(super) fn charts(rows: &[SizesRow]) -> Vec<Chart> {
    let whole = [Whose::Ours, Whose::Others].map(|whose| all(rows, whose)).into_iter().filter(is_drawn);
    whole.chain(each(rows)).collect()
}

/// Draws every algorithm with its fastest tool of this group.
fn all(rows: &[SizesRow], whose: Whose) -> Chart {
    let title = format!("All algorithms by file size: {}", whose.name());
    let chart = Chart::lines(title, Axis::log("file size", "B"), Axis::log("mean run time ± σ", "s"));
    let chart = chart.sharing("algorithms");
    distinct(rows.iter().map(|row| &row.algorithm)).into_iter().fold(chart, |chart, algorithm| {
        let sizes = sizes(rows).into_iter().filter(|size| *size > 0);
        let points = sizes.filter_map(|size| {
            let row = whose.best(rows, size).into_iter().find(|row| row.algorithm == *algorithm)?;
            let seconds = row.timed.seconds?;
            Some(around(size as f64, seconds.mean, seconds.stddev))
        });
        with(chart, algorithm, points.collect())
    })
}

/// Draws run time against size for each algorithm, both on logarithmic scales, with bands of one standard deviation.
fn each(rows: &[SizesRow]) -> Vec<Chart> {
    let chart = |algorithm: &String| {
        let of = || rows.iter().filter(|row| row.algorithm == *algorithm);
        let title = format!("{algorithm}: run time by file size");
        let chart = Chart::lines(title, Axis::log("file size", "B"), Axis::log("mean run time ± σ", "s"));
        let chart = chart.sharing(TOOLS);
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
