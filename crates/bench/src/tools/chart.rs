//! The charts of `bench tools`.

use super::result::{Part, Row};
use crate::charting::{around, by_x, distinct, is_drawn, rate, with};
use crate::peers::OURS;
use crate::timed::shown_bytes;
use hashloom_report::{Axis, Chart, Point};

/// The four pictures of whole tools: throughput, size curve, latency a file, algorithms. The two in the middle are
/// of the first algorithm; tables have the others.
pub(super) fn charts(rows: &[Row]) -> Vec<Chart> {
    let of = |part| rows.iter().filter(move |row| row.part == part).collect::<Vec<_>>();
    let (large, small, several) = (of(Part::Large), of(Part::Small), of(Part::Several));
    let mut charts = vec![throughput(&large)];
    charts.extend(curve(&large));
    charts.extend(latency(&small));
    charts.push(algorithms(&large, &several));
    charts.into_iter().filter(is_drawn).collect()
}

/// All tools at the largest size: groups are algorithms.
fn throughput(rows: &[&Row]) -> Chart {
    let most = rows.iter().map(|row| row.bytes).max().unwrap_or(0);
    let rows: Vec<&Row> = rows.iter().copied().filter(|row| row.bytes == most).collect();
    let groups = distinct(rows.iter().map(|row| &row.algorithms));
    let title = format!("Throughput, one file of {}", shown_bytes(most));
    let axis = Axis::names("algorithm", groups.iter().copied());
    let chart = Chart::bars(title, axis, Axis::linear("throughput (mean, 95 % interval)", "MB/s"));
    distinct(rows.iter().map(|row| &row.timed.tool)).into_iter().fold(chart, |chart, tool| {
        let mine = rows.iter().filter(|row| row.timed.tool == *tool);
        let points = mine.filter_map(|row| {
            let group = groups.iter().position(|group| **group == row.algorithms)?;
            rate(group as f64, row.bytes, &row.timed)
        });
        with(chart, tool, points.collect())
    })
}

/// Throughput over the size of the file.
fn curve(rows: &[&Row]) -> Option<Chart> {
    let algorithm = &rows.first()?.algorithms;
    let of = || rows.iter().filter(|row| row.algorithms == *algorithm);
    let y = Axis::linear("throughput (mean, 95 % interval)", "MB/s");
    let title = format!("{algorithm}: throughput by file size");
    let chart = Chart::lines(title, Axis::log("file size", "B"), y);
    Some(distinct(of().map(|row| &row.timed.tool)).into_iter().fold(chart, |chart, tool| {
        let mine = of().filter(|row| row.timed.tool == *tool);
        let points = mine.filter_map(|row| rate(row.bytes as f64, row.bytes, &row.timed));
        with(chart, tool, by_x(points.collect()))
    }))
}

/// The time of one of many small files over their number.
fn latency(rows: &[&Row]) -> Option<Chart> {
    let algorithm = &rows.first()?.algorithms;
    let of = || rows.iter().filter(|row| row.algorithms == *algorithm);
    let size = of().next().map_or(0, |row| row.bytes / row.files.max(1) as u64);
    let title = format!("{algorithm}: time for each of many files of {}", shown_bytes(size));
    let y = Axis::log("time a file (mean, 95 % interval)", "µs");
    let chart = Chart::lines(title, Axis::log("number of files", ""), y);
    Some(distinct(of().map(|row| &row.timed.tool)).into_iter().fold(chart, |chart, tool| {
        let mine = of().filter(|row| row.timed.tool == *tool);
        let points = mine.filter_map(|row| {
            let ((mean, margin), files) = (row.timed.mean()?, row.files as f64);
            Some(around(files, mean * 1e6 / files, margin * 1e6 / files))
        });
        with(chart, tool, by_x(points.collect()))
    }))
}

/// Our own throughput beside the best of the others, for each algorithm and for several at once.
fn algorithms(large: &[&Row], several: &[&Row]) -> Chart {
    let most = large.iter().map(|row| row.bytes).max().unwrap_or(0);
    let at_most: Vec<&Row> = large.iter().chain(several).copied().filter(|row| row.bytes == most).collect();
    let groups = distinct(at_most.iter().map(|row| &row.algorithms));
    let axis = Axis::names("algorithms of one read", groups.iter().copied());
    let title = format!("Algorithms, one file of {}", shown_bytes(most));
    let chart = Chart::bars(title, axis, Axis::linear("throughput (mean, 95 % interval)", "MB/s"));
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
