//! Helpers for the charts of several comparisons.

use crate::peers::OURS;
use crate::timed::Timed;
use hashmill_report::{Axis, Chart, Point, Series};

/// Returns the rate in megabytes per second. To first order, the interval is the same share of the rate as of the time.
pub(crate) fn rate(x: f64, bytes: u64, timed: &Timed) -> Option<Point> {
    let (mean, margin) = timed.mean()?;
    let rate = bytes as f64 / mean / 1e6;
    Some(span(x, rate, rate * margin / mean))
}

/// Returns a value with a symmetric interval. On a logarithmic scale, a lower bound must be above zero: it is at least
/// a tenth of the value.
pub(crate) fn around(x: f64, value: f64, margin: f64) -> Point {
    Point::between(x, value, (value - margin).max(value / 10.0), value + margin)
}

/// Returns a value with a symmetric interval, cut off at zero.
pub(crate) fn span(x: f64, value: f64, margin: f64) -> Point {
    Point::between(x, value, (value - margin).max(0.0), value + margin)
}

/// Adds a series, if it has points. The series of hashmill is highlighted.
pub(crate) fn with(chart: Chart, name: &str, points: Vec<Point>) -> Chart {
    if points.is_empty() { chart } else { chart.with(Series::new(name, points).leading(name == OURS)) }
}

/// The title of the legend of charts whose series are tools.
pub(crate) const TOOLS: &str = "tools";

/// Draws one bar for each of these, by name, with hashmill in another colour.
pub(crate) fn side_by_side(title: String, y: Axis, bars: &[(String, bool, Point)]) -> Chart {
    let x = Axis::names("", bars.iter().map(|(name, ..)| name.as_str()));
    let of = |ours: bool| {
        let place = |(at, (_, _, point)): (usize, &(String, bool, Point))| Point { x: at as f64, ..*point };
        bars.iter().enumerate().filter(|(_, bar)| bar.1 == ours).map(place).collect::<Vec<_>>()
    };
    let chart = with(Chart::bars(title, x, y), OURS, of(true));
    with(chart, "another tool", of(false))
}

/// Sorts the points in the order in which a line connects them.
pub(crate) fn by_x(mut points: Vec<Point>) -> Vec<Point> {
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    points
}

/// Returns each name once, in order of first occurrence.
pub(crate) fn distinct<'a>(names: impl Iterator<Item = &'a String>) -> Vec<&'a String> {
    let mut seen: Vec<&String> = Vec::new();
    for name in names {
        if !seen.contains(&name) {
            seen.push(name);
        }
    }
    seen
}

pub(crate) fn is_drawn(chart: &Chart) -> bool {
    !chart.series.is_empty()
}
