//! Bars, grouped, with error bars.

use super::model::{Chart, Point, Scale};
use super::plot::{Drawn, Plot, Pose, placed};
use super::theme::Colors;
use plotters::element::{PathElement, Rectangle};
use plotters::style::Color;

/// The share of a group that its bars take; the rest is the gap to the next group.
const GROUP: f64 = 0.8;
/// The same in a histogram, whose bars are neighbours.
const BIN: f64 = 0.96;

/// One bar's place along the axis of groups.
#[derive(Clone, Copy)]
struct Lane {
    start: f64,
    end: f64,
}

pub(super) fn draw(chart: &Chart, pose: Pose, plot: &mut Plot<'_, '_>, colors: &Colors) -> Drawn {
    let spans = plot.as_coord_spec();
    let floor = match pose {
        Pose::Upright => spans.y_spec().floor(),
        Pose::Lying => spans.x_spec().floor(),
    };
    for (number, series) in chart.series.iter().enumerate() {
        let color = colors.of_series(number);
        let points: Vec<(Lane, &Point)> =
            placed(chart, &series.points).map(|point| (lane(chart, number, point.x), point)).collect();
        plot.draw_series(points.iter().map(|(lane, point)| {
            let corners = [pose.at(lane.start, floor), pose.at(lane.end, point.y)];
            Rectangle::new(corners, color.filled())
        }))?;
        let bounded = points.iter().filter(|(_, point)| point.has_bounds());
        plot.draw_series(
            bounded
                .flat_map(|(lane, point)| whiskers(*lane, point, pose))
                .map(|line| PathElement::new(line, colors.text.stroke_width(1))),
        )?;
    }
    Ok(())
}

/// Where the bar of this series is in the group at `x`.
fn lane(chart: &Chart, series: usize, x: f64) -> Lane {
    let width = if matches!(chart.x.scale, Scale::Bins(_)) { BIN } else { GROUP };
    let each = width / chart.series.len().max(1) as f64;
    let start = x - width / 2.0 + each * series as f64;
    Lane { start, end: start + each * 0.94 }
}

/// The lines of an error bar: from low to high, and its two ends.
fn whiskers(lane: Lane, point: &Point, pose: Pose) -> [Vec<(f64, f64)>; 3] {
    let middle = f64::midpoint(lane.start, lane.end);
    let reach = (lane.end - lane.start) / 5.0;
    let end = |value| vec![pose.at(middle - reach, value), pose.at(middle + reach, value)];
    [vec![pose.at(middle, point.low), pose.at(middle, point.high)], end(point.low), end(point.high)]
}

impl Pose {
    /// Coordinates of a value of a place along the groups.
    fn at(self, along: f64, value: f64) -> (f64, f64) {
        match self {
            Pose::Upright => (along, value),
            Pose::Lying => (value, along),
        }
    }
}
