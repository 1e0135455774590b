//! The charts of `bench tools`.

use super::result::{ToolsPart, ToolsRow, speedups};
use crate::comparisons::charting::{TOOLS, around, by_x, distinct, is_drawn, rate, side_by_side, span, with};
use crate::peers::OURS;
use crate::timed::shown_bytes;
use hashmill_report::{Axis, Chart, Point};

/// Draws the rates of all tools, their curves over sizes for every algorithm, the time and ratio of one of many small
/// files, algorithms, and files that are not in memory. Charts of small files only show the first algorithm; tables
/// show all.
pub(super) fn charts(rows: &[ToolsRow]) -> Vec<Chart> {
    let of = |part| rows.iter().filter(move |row| row.part == part).collect::<Vec<_>>();
    let (large, small, several) = (of(ToolsPart::Large), of(ToolsPart::Small), of(ToolsPart::Several));
    let mut charts = vec![throughput("", &large)];
    charts.extend(curves(&large));
    charts.extend(latency(&small));
    charts.extend(ratios(rows));
    charts.push(algorithms(&large, &several));
    charts.push(throughput(", not in memory", &of(ToolsPart::Disk)));
    charts.into_iter().filter(is_drawn).collect()
}

/// Draws all tools at the largest size, with every algorithm.
fn throughput(mark: &str, rows: &[&ToolsRow]) -> Chart {
    let most = rows.iter().map(|row| row.bytes).max().unwrap_or(0);
    let bars = rows.iter().filter(|row| row.bytes == most).filter_map(|row| {
        let name = format!("{} {}", row.algorithms, row.timed.tool);
        Some((name, row.timed.tool == OURS, rate(0.0, row.bytes, &row.timed)?))
    });
    let title = format!("Throughput, one file of {}{mark}", shown_bytes(most));
    side_by_side(title, Axis::linear("mean throughput, 95 % interval", "MB/s"), &bars.collect::<Vec<_>>())
}

/// Draws throughput over the size of the file, for every algorithm.
fn curves(rows: &[&ToolsRow]) -> Vec<Chart> {
    let curve = |algorithm: &String| {
        let of = || rows.iter().filter(|row| row.algorithms == *algorithm);
        let y = Axis::linear("mean throughput, 95 % interval", "MB/s");
        let title = format!("{algorithm}: throughput by file size");
        let chart = Chart::lines(title, Axis::log("file size", "B"), y).sharing(TOOLS);
        distinct(of().map(|row| &row.timed.tool)).into_iter().fold(chart, |chart, tool| {
            let mine = of().filter(|row| row.timed.tool == *tool);
            let points = mine.filter_map(|row| rate(row.bytes as f64, row.bytes, &row.timed));
            with(chart, tool, by_x(points.collect()))
        })
    };
    distinct(rows.iter().map(|row| &row.algorithms)).into_iter().map(curve).collect()
}

/// Draws the time of one of many small files over their number.
fn latency(rows: &[&ToolsRow]) -> Option<Chart> {
    let algorithm = &rows.first()?.algorithms;
    let of = || rows.iter().filter(|row| row.algorithms == *algorithm);
    let size = of().next().map_or(0, |row| row.bytes / row.files.max(1) as u64);
    let title = format!("{algorithm}: time for each of many files of {}", shown_bytes(size));
    let y = Axis::log("mean time a file, 95 % interval", "s");
    let chart = Chart::lines(title, Axis::log("number of files", ""), y).sharing(TOOLS);
    Some(distinct(of().map(|row| &row.timed.tool)).into_iter().fold(chart, |chart, tool| {
        let mine = of().filter(|row| row.timed.tool == *tool);
        let points = mine.filter_map(|row| {
            let ((mean, margin), files) = (row.timed.mean()?, row.files as f64);
            Some(around(files, mean / files, margin / files))
        });
        with(chart, tool, by_x(points.collect()))
    }))
}

/// Draws the time of other tools for many small files as a multiple of hashmill's: below 1 they are faster.
fn ratios(rows: &[ToolsRow]) -> Option<Chart> {
    let found: Vec<_> = speedups(rows).into_iter().filter(|found| found.part == ToolsPart::Small).collect();
    let algorithm = &found.first()?.algorithms;
    let of = || found.iter().filter(|found| found.algorithms == *algorithm);
    let title = format!("{algorithm}: many small files, times as long as {OURS}");
    let y = Axis::linear(format!("time over that of {OURS}, 95 % interval"), "");
    let chart = Chart::lines(title, Axis::log("number of files", ""), y).sharing(TOOLS);
    let one = of().map(|found| Point::new(found.files as f64, 1.0)).collect();
    let chart = with(chart, OURS, by_x(one));
    Some(distinct(of().map(|found| &found.tool)).into_iter().fold(chart, |chart, tool| {
        let mine = of().filter(|found| found.tool == *tool);
        let points = mine.map(|found| span(found.files as f64, found.ratio, found.ci95.unwrap_or(0.0)));
        with(chart, tool, by_x(points.collect()))
    }))
}

/// Draws hashmill's throughput beside the best of the others, for each algorithm and for several at once.
fn algorithms(large: &[&ToolsRow], several: &[&ToolsRow]) -> Chart {
    let most = large.iter().map(|row| row.bytes).max().unwrap_or(0);
    let at_most: Vec<&ToolsRow> =
        large.iter().chain(several).copied().filter(|row| row.bytes == most).collect();
    let groups = distinct(at_most.iter().map(|row| &row.algorithms));
    let axis = Axis::names("", groups.iter().copied());
    let title = format!("Algorithms of one read, one file of {}", shown_bytes(most));
    let chart = Chart::bars(title, axis, Axis::linear("mean throughput, 95 % interval", "MB/s"));
    let points = |ours: bool| {
        let best = |(group, name): (usize, &&String)| {
            let of = at_most.iter().filter(|row| row.algorithms == **name);
            let mut of: Vec<Point> = of
                .filter(|row| (row.timed.tool == OURS) == ours)
                .filter_map(|row| rate(group as f64, row.bytes, &row.timed))
                .collect();
            of.sort_by(|a, b| b.y.total_cmp(&a.y));
            of.first().copied()
        };
        groups.iter().enumerate().filter_map(best).collect::<Vec<_>>()
    };
    let chart = with(chart, OURS, points(true));
    with(chart, "the fastest other tool", points(false))
}
