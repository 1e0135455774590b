//! Grouped bars with error bars and values beside them. On a logarithmic axis, marks replace the bars.

use super::font;
use super::look::Roster;
use super::marker::Marker;
use super::model::{Chart, Point, Scale, Series};
use super::plot::{Drawn, GROUPS, Plot, Pose, placed};
use super::scale::Span;
use super::theme::Colors;
use plotters::element::{Drawable, EmptyElement, PathElement, PointCollection, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, RGBColor};
use plotters_backend::{BackendCoord, DrawingBackend, DrawingErrorKind};

/// The share of a group's width for its bars; the rest is the gap to the next group.
const GROUP: f64 = 0.8;
/// The same in a histogram, where bars are adjacent.
const BIN: f64 = 0.96;
/// The height of the values beside bars, in pixels.
const EM: f64 = 12.5;
/// The number of pixels between a bar and its value.
const GAP: i32 = 5;
/// The minimum length of a non-zero bar in pixels, so that one among thousands is visible.
const LEAST: i32 = 3;

/// The position of a bar along the axis of groups.
#[derive(Clone, Copy)]
struct Lane {
    start: f64,
    end: f64,
}

/// Draws all bars; `values` is the axis of values.
pub(super) fn draw(
    chart: &Chart,
    (pose, values): (Pose, &Span),
    roster: &Roster,
    plot: &mut Plot<'_, '_>,
    colors: &Colors,
) -> Drawn {
    let (floor, most) = (values.floor(), most(chart));
    for (number, series) in chart.series.iter().enumerate() {
        let look = roster.look(&series.name);
        let color = colors.color(look);
        let points: Vec<(Lane, &Point)> =
            placed(chart, &series.points).map(|point| (lane(chart, most, number, point.x), point)).collect();
        if values.is_log() {
            let marks = points.iter().map(|(lane, point)| pose.at(lane.middle(), point.y));
            plot.draw_series(marks.map(|place| Marker::new(look, place, color)))?;
        } else {
            plot.draw_series(points.iter().map(|(lane, point)| Bar {
                corners: [pose.at(lane.start, floor), pose.at(lane.end, point.y)],
                least: if point.y == floor { 0 } else { LEAST },
                pose,
                color,
            }))?;
        }
        let bounded = points.iter().filter(|(_, point)| point.has_bounds());
        plot.draw_series(
            bounded
                .flat_map(|(lane, point)| whiskers(*lane, point, pose))
                .map(|line| PathElement::new(line, colors.text.stroke_width(1))),
        )?;
        texts(&points, (pose, values), plot, colors)?;
    }
    Ok(())
}

/// Draws the values beside bars and marks. Those of upright bars are only drawn if all of them fit.
fn texts(
    points: &[(Lane, &Point)],
    (pose, values): (Pose, &Span),
    plot: &mut Plot<'_, '_>,
    colors: &Colors,
) -> Drawn {
    let text = |point: &Point| values.unit().value(point.y);
    if pose == Pose::Upright {
        let (columns, _) = plot.plotting_area().dim_in_pixel();
        let groups = plot.as_coord_spec().x_spec().length();
        let room = |lane: &Lane| (lane.end - lane.start) / groups * f64::from(columns);
        let fits = |(lane, point): &(Lane, &Point)| f64::from(font::width(&text(point), EM)) < room(lane);
        if !points.iter().all(fits) {
            return Ok(());
        }
    }
    let (anchor, shift) = match pose {
        Pose::Upright => (Pos::new(HPos::Center, VPos::Bottom), (0, -GAP)),
        Pose::Lying => (Pos::new(HPos::Left, VPos::Center), (GAP + 3, 0)),
    };
    plot.draw_series(points.iter().map(|(lane, point)| {
        let end = if point.has_bounds() { point.high.max(point.y) } else { point.y };
        let style = font::style(EM).color(&colors.text).pos(anchor);
        EmptyElement::at(pose.at(lane.middle(), end)) + Text::new(text(point), shift, style)
    }))?;
    Ok(())
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

/// Returns the lines of an error bar: from low to high, and its two ends.
fn whiskers(lane: Lane, point: &Point, pose: Pose) -> [Vec<(f64, f64)>; 3] {
    let middle = lane.middle();
    let reach = (lane.end - lane.start) / 5.0;
    let end = |value| vec![pose.at(middle - reach, value), pose.at(middle + reach, value)];
    [vec![pose.at(middle, point.low), pose.at(middle, point.high)], end(point.low), end(point.high)]
}

impl Lane {
    fn middle(self) -> f64 {
        f64::midpoint(self.start, self.end)
    }
}

impl Pose {
    /// Returns the coordinates of a value at a position along the groups.
    fn at(self, along: f64, value: f64) -> (f64, f64) {
        match self {
            Pose::Upright => (along, value),
            Pose::Lying => (value, along),
        }
    }
}

/// A bar from the base line to its value.
struct Bar {
    corners: [(f64, f64); 2],
    /// The minimum length in pixels.
    least: i32,
    pose: Pose,
    color: RGBColor,
}

impl<'a> PointCollection<'a, (f64, f64)> for &'a Bar {
    type Point = &'a (f64, f64);
    type IntoIter = std::slice::Iter<'a, (f64, f64)>;

    fn point_iter(self) -> Self::IntoIter {
        self.corners.iter()
    }
}

impl<B: DrawingBackend> Drawable<B> for Bar {
    fn draw<I: Iterator<Item = BackendCoord>>(
        &self,
        mut places: I,
        backend: &mut B,
        _: (u32, u32),
    ) -> Result<(), DrawingErrorKind<B::ErrorType>> {
        let (Some(start), Some(mut end)) = (places.next(), places.next()) else { return Ok(()) };
        match self.pose {
            Pose::Lying => end.0 = longer(start.0, end.0, self.least, 1),
            Pose::Upright => end.1 = longer(start.1, end.1, self.least, -1),
        }
        let (left, right) = (start.0.min(end.0), start.0.max(end.0));
        let (top, bottom) = (start.1.min(end.1), start.1.max(end.1));
        backend.draw_rect((left, top), (right, bottom), &self.color.to_backend_color(), true)
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
