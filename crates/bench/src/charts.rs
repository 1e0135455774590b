//! Pictures of what comparisons of tools found.

use crate::peers::OURS;
use crate::timed::{Timed, shown_bytes};
use crate::{corpus, sizes, tools};
use hashloom_report::{Axis, Chart, Point, Series};

/// For each algorithm, run time against size, both by powers; bands are a standard deviation wide.
pub fn sizes(rows: &[sizes::Row]) -> Vec<Chart> {
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

/// The four pictures of whole tools: throughput, size curve, latency a file, algorithms. The two in the middle are
/// of the first algorithm; tables have the others.
pub fn tools(rows: &[tools::Row]) -> Vec<Chart> {
    let of = |part| rows.iter().filter(move |row| row.part == part).collect::<Vec<_>>();
    let (large, small, several) = (of(tools::Part::Large), of(tools::Part::Small), of(tools::Part::Several));
    let mut charts = vec![throughput(&large)];
    charts.extend(curve(&large));
    charts.extend(latency(&small));
    charts.push(algorithms(&large, &several));
    charts.into_iter().filter(is_drawn).collect()
}

/// All tools at the largest size: groups are algorithms.
fn throughput(rows: &[&tools::Row]) -> Chart {
    let most = rows.iter().map(|row| row.bytes).max().unwrap_or(0);
    let rows: Vec<&tools::Row> = rows.iter().copied().filter(|row| row.bytes == most).collect();
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
fn curve(rows: &[&tools::Row]) -> Option<Chart> {
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
fn latency(rows: &[&tools::Row]) -> Option<Chart> {
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
fn algorithms(large: &[&tools::Row], several: &[&tools::Row]) -> Chart {
    let most = large.iter().map(|row| row.bytes).max().unwrap_or(0);
    let at_most: Vec<&tools::Row> =
        large.iter().chain(several).copied().filter(|row| row.bytes == most).collect();
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

/// For each experiment, the ways side by side.
pub fn corpus(rows: &[corpus::Row]) -> Vec<Chart> {
    let chart = |experiment: corpus::Experiment| {
        let of: Vec<&corpus::Row> =
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
    corpus::Experiment::ALL.into_iter().map(chart).filter(is_drawn).collect()
}

/// Megabytes a second. The interval of the time becomes that of its inverse.
fn rate(x: f64, bytes: u64, timed: &Timed) -> Option<Point> {
    let (mean, margin) = timed.mean()?;
    let rate = |seconds: f64| bytes as f64 / seconds / 1e6;
    // An interval that reaches down to no time at all has no upper bound: none is drawn then.
    let high = if mean > margin { rate(mean - margin) } else { rate(mean) };
    Some(Point::between(x, rate(mean), rate(mean + margin), high))
}

/// A value with as much to both sides. A lower bound that is not above zero can't be drawn by powers: there it is
/// a tenth of the value.
fn around(x: f64, value: f64, margin: f64) -> Point {
    Point::between(x, value, (value - margin).max(value / 10.0), value + margin)
}

fn with(chart: Chart, name: &str, points: Vec<Point>) -> Chart {
    if points.is_empty() { chart } else { chart.with(Series::new(name, points)) }
}

fn by_x(mut points: Vec<Point>) -> Vec<Point> {
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    points
}

/// Each once, in the order in which they come.
fn distinct<'a>(names: impl Iterator<Item = &'a String>) -> Vec<&'a String> {
    let mut seen: Vec<&String> = Vec::new();
    for name in names {
        if !seen.contains(&name) {
            seen.push(name);
        }
    }
    seen
}

fn is_drawn(chart: &Chart) -> bool {
    !chart.series.is_empty()
}
