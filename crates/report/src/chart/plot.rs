//! Where charts are drawn, and which points have a place there.

use super::model::{Axis, Chart, Point};
use super::scale::{Span, drawable};
use plotters::chart::ChartContext;
use plotters::coord::Shift;
use plotters::coord::cartesian::Cartesian2d;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind};
use plotters::prelude::SVGBackend;

/// Where everything is drawn.
pub(crate) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
/// Where points are drawn.
pub(crate) type Plot<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Span, Span>>;
pub(crate) type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// Most groups that are drawn: pictures have an end.
pub(crate) const GROUPS: usize = 500;

/// Which way bars grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pose {
    Upright,
    Lying,
}

/// The points that have a place.
pub(crate) fn points(chart: &Chart) -> impl Iterator<Item = &Point> {
    chart.series.iter().flat_map(|series| placed(chart, &series.points))
}

/// Those of `points` that have a place on both axes.
pub(crate) fn placed<'a>(chart: &'a Chart, points: &'a [Point]) -> impl Iterator<Item = &'a Point> {
    points.iter().filter(|point| on(&chart.x, point.x) && drawable(&chart.y, point.y))
}

fn on(axis: &Axis, value: f64) -> bool {
    match axis.groups() {
        Some(names) => value >= 0.0 && value < names.len().min(GROUPS) as f64,
        None => drawable(axis, value),
    }
}
