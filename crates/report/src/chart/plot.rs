//! Types for the areas in which charts are drawn, and the selection of points.

use super::model::{Axis, Chart, Point};
use super::scale::{Span, drawable};
use plotters::chart::ChartContext;
use plotters::coord::Shift;
use plotters::coord::cartesian::Cartesian2d;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind};
use plotters::prelude::SVGBackend;

/// The area of the whole picture.
pub(crate) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
/// The area of the points.
pub(crate) type Plot<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Span, Span>>;
pub(crate) type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

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
