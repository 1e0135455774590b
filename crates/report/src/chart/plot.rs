//! The area in which points are drawn, and their selection.

use super::canvas::Place;
use super::model::{Axis, Chart, Point};
use super::scale::{Span, drawable};

/// The area of the points between its axes.
pub(crate) struct Plot {
    pub pose: Pose,
    pub across: Span,
    pub up: Span,
    /// The first and the last pixel from left to right.
    pub columns: (i32, i32),
    /// The first and the last pixel from top to bottom.
    pub rows: (i32, i32),
}

impl Plot {
    /// Returns the pixel of a point by its positions on both axes; one beyond an axis is at its end.
    pub fn place(&self, across: f64, up: f64) -> Place {
        let ((left, right), (top, bottom)) = (self.columns, self.rows);
        (self.across.pixel(across, left, right), self.up.pixel(up, bottom, top))
    }
}

/// The maximum number of groups that are drawn.
pub(crate) const GROUPS: usize = 500;

/// The direction of bars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pose {
    Upright,
    Lying,
}

/// Returns the points that have a position.
pub(crate) fn points(chart: &Chart) -> impl Iterator<Item = &Point> {
    chart.series.iter().flat_map(|series| placed(chart, &series.points))
}

/// Returns those of `points` that have a position on both axes.
pub(crate) fn placed<'a>(chart: &'a Chart, points: &'a [Point]) -> impl Iterator<Item = &'a Point> {
    points.iter().filter(|point| on(&chart.x, point.x) && drawable(&chart.y, point.y))
}

fn on(axis: &Axis, value: f64) -> bool {
    match axis.groups() {
        Some(names) => value >= 0.0 && value < names.len().min(GROUPS) as f64,
        None => drawable(axis, value),
    }
}
