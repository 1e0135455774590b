//! Grouped bars with error bars and values beside them. On a logarithmic axis, marks replace the bars.

use super::canvas::{self, Canvas, Pen, Place, Rectangle, Size, TextStyle};
use super::font;
use super::look::Roster;
use super::marker;
use super::model::{Chart, Point, Scale, Series};
use super::plot::{GROUPS, Plot, Pose, placed};
use super::scale::Span;

/// The share of a group's width for its bars; the rest is the gap to the next group.
const GROUP: f64 = 0.8;
/// The same in a histogram, where bars are adjacent.
const BIN: f64 = 0.96;
/// The height of the values beside bars, in pixels.
const EM: f64 = 12.5;
/// The number of pixels between a bar and its value.
const GAP: i32 = 5;
/// The minimum length of a non-zero bar in pixels, so that one among thousands is visible.
const LEAST_LENGTH: i32 = 3;

/// The position of a bar along the axis of groups.
#[derive(Clone, Copy)]
struct Lane {
    start: f64,
    end: f64,
}

/// Draws all bars.
pub(super) fn draw(chart: &Chart, roster: &Roster, plot: &Plot, canvas: &mut Canvas<'_, '_>) {
    let (values, most) = (plot.values(), most(chart));
    for (number, series) in chart.series.iter().enumerate() {
        let look = roster.look(&series.name);
        let color = canvas.colors.color(look);
        let points: Vec<(Lane, &Point)> =
            placed(chart, &series.points).map(|point| (lane(chart, most, number, point.x), point)).collect();
        for (lane, point) in &points {
            if values.is_log() {
                marker::draw(canvas, look, plot.bar_place(lane.middle(), point.y), color);
            } else {
                let start = plot.bar_place(lane.start, values.floor());
                let end = plot.bar_place(lane.end, point.y);
                let least = if point.y == values.floor() { 0 } else { LEAST_LENGTH };
                canvas.rectangle(plot.pose.rectangle(start, end, least), color);
            }
        }
        for (lane, point) in points.iter().filter(|(_, point)| point.has_bounds()) {
            let pen = Pen { color: canvas.colors.text, width: 1 };
            for ends in whiskers(*lane, point) {
                canvas.line(&ends.map(|(along, value)| plot.bar_place(along, value)), pen);
            }
        }
        draw_values(&points, plot, canvas);
    }
    draw_picks(chart, plot, canvas);
}

/// Marks each group that stands for rows, with its name beside the axis.
fn draw_picks(chart: &Chart, plot: &Plot, canvas: &mut Canvas<'_, '_>) {
    let names = chart.x.groups().unwrap_or_default();
    for ((group, name), pick) in names.iter().enumerate().zip(&chart.picks).take(GROUPS) {
        let Some(pick) = pick else { continue };
        let rectangle = plot.band(group as f64 - 0.5, group as f64 + 0.5);
        canvas.pick(rectangle, name, pick);
    }
}

/// Draws the values beside bars and marks. Those of upright bars are only drawn if all of them fit.
fn draw_values(points: &[(Lane, &Point)], plot: &Plot, canvas: &mut Canvas<'_, '_>) {
    let text = |point: &Point| plot.values().unit().value(point.y);
    if plot.pose == Pose::Upright {
        let columns = f64::from(plot.columns.1 - plot.columns.0 + 1);
        let room = |lane: &Lane| (lane.end - lane.start) / plot.across.length() * columns;
        let fits = |(lane, point): &(Lane, &Point)| f64::from(font::width(&text(point), EM)) < room(lane);
        if !points.iter().all(fits) {
            return;
        }
    }
    let style = TextStyle::new(EM, canvas.colors.text);
    let (style, shift) = match plot.pose {
        Pose::Upright => (style.at(canvas::MIDDLE, canvas::ABOVE), (0, -GAP)),
        Pose::Lying => (style.at(canvas::START, canvas::BESIDE), (GAP + 3, 0)),
    };
    for (lane, point) in points {
        let end = if point.has_bounds() { point.high.max(point.y) } else { point.y };
        let (x, y) = plot.bar_place(lane.middle(), end);
        canvas.text(&text(point), (x + shift.0, y + shift.1), style);
    }
}

/// Returns the width of the widest value beside a bar with the space before it, in pixels.
pub(super) fn beside<'a>(points: impl Iterator<Item = &'a Point>, values: &Span) -> u32 {
    let widest = points.map(|point| font::width(&values.unit().value(point.y), EM)).max().unwrap_or(0);
    widest + 2 * GAP as u32
}

/// Returns the position of a series' bar in the group at `x`, next to those of the other series in that group.
fn lane(chart: &Chart, most: usize, series: usize, x: f64) -> Lane {
    let width = if matches!(chart.x.scale, Scale::Bins(_)) { BIN } else { GROUP };
    let before = chart.series.iter().take(series).filter(|series| is_in(chart, series, x)).count();
    // Bars are never wider than in the group with the most bars.
    let each = width / most as f64;
    let start = x - each * side_by_side(chart, x) as f64 / 2.0 + each * before as f64;
    Lane { start, end: start + each * 0.94 }
}

/// Returns whether a series has a bar in the group at `x`.
fn is_in(chart: &Chart, series: &Series, x: f64) -> bool {
    placed(chart, &series.points).any(|point| point.x == x)
}

/// Returns the number of bars in the group at `x`.
fn side_by_side(chart: &Chart, x: f64) -> usize {
    chart.series.iter().filter(|series| is_in(chart, series, x)).count()
}

/// Returns the maximum number of bars in a group; at least one.
pub(super) fn most(chart: &Chart) -> usize {
    let groups = chart.x.groups().map_or(0, <[String]>::len);
    (0..groups.min(GROUPS)).map(|group| side_by_side(chart, group as f64)).max().unwrap_or(0).max(1)
}

/// Returns the lines of an error bar, as positions along the groups and values: from low to high, and its two ends.
fn whiskers(lane: Lane, point: &Point) -> [[(f64, f64); 2]; 3] {
    let middle = lane.middle();
    let reach = (lane.end - lane.start) / 5.0;
    let end = |value| [(middle - reach, value), (middle + reach, value)];
    [[(middle, point.low), (middle, point.high)], end(point.low), end(point.high)]
}

impl Lane {
    fn middle(self) -> f64 {
        f64::midpoint(self.start, self.end)
    }
}

impl Plot {
    /// Returns the axis of values.
    fn values(&self) -> &Span {
        match self.pose {
            Pose::Upright => &self.up,
            Pose::Lying => &self.across,
        }
    }

    /// Returns the rectangle of the groups between two positions, over all values and the names of the groups.
    fn band(&self, start: f64, end: f64) -> Rectangle {
        let values = self.values();
        let (one, other) = (self.bar_place(start, values.floor()), self.bar_place(end, values.floor()));
        let ((_, right), (top, bottom)) = (self.columns, self.rows);
        let (first, last) = match self.pose {
            Pose::Upright => ((one.0.min(other.0), top), (one.0.max(other.0), bottom)),
            Pose::Lying => ((0, one.1.min(other.1)), (right, one.1.max(other.1))),
        };
        let size = Size { width: last.0.abs_diff(first.0), height: last.1.abs_diff(first.1) };
        Rectangle { corner: first, size }
    }

    /// Returns the pixel of a value at a position along the groups.
    fn bar_place(&self, along: f64, value: f64) -> Place {
        match self.pose {
            Pose::Upright => self.place(along, value),
            Pose::Lying => self.place(value, along),
        }
    }
}

impl Pose {
    /// Returns the rectangle of a bar of at least `least` pixels between two corners, of which the first is on the base line.
    fn rectangle(self, start: Place, mut end: Place, least: i32) -> Rectangle {
        match self {
            Pose::Lying => end.0 = longer(start.0, end.0, least, 1),
            Pose::Upright => end.1 = longer(start.1, end.1, least, -1),
        }
        let corner = (start.0.min(end.0), start.1.min(end.1));
        let size = Size { width: end.0.abs_diff(start.0), height: end.1.abs_diff(start.1) };
        Rectangle { corner, size }
    }
}

/// Returns an end that is at least `least` from the start; if both are equal, in this direction.
fn longer(start: i32, end: i32, least: i32, forward: i32) -> i32 {
    if (end - start).abs() >= least {
        return end;
    }
    let direction = if end == start { forward } else { (end - start).signum() };
    start + direction * least
}
