//! Lines with markers, and bands between bounds.

use super::look::Roster;
use super::marker::Marker;
use super::model::{Chart, Point, Stroke};
use super::plot::{Drawn, Plot, placed};
use super::theme::Colors;
use plotters::element::Polygon;
use plotters::series::{DashedLineSeries, LineSeries};
use plotters::style::Color;

/// The maximum number of points of a line with markers.
const MARKED: usize = 80;

pub(super) fn draw(chart: &Chart, roster: &Roster, plot: &mut Plot<'_, '_>, colors: &Colors) -> Drawn {
    // Bands come first, so that they hide no line.
    for series in &chart.series {
        let points = || placed(chart, &series.points);
        if points().any(Point::has_bounds) {
            let lower = points().map(|point| (point.x, point.low));
            let upper: Vec<_> = points().map(|point| (point.x, point.high)).collect();
            let outline: Vec<_> = lower.chain(upper.into_iter().rev()).collect();
            plot.draw_series([Polygon::new(outline, colors.color(roster.look(&series.name)).mix(0.22))])?;
        }
    }
    // The leading series is drawn last, above all others.
    let (leading, others): (Vec<_>, Vec<_>) = chart.series.iter().partition(|series| series.leads);
    for series in others.into_iter().chain(leading) {
        let look = roster.look(&series.name);
        let color = colors.color(look);
        let points: Vec<_> = placed(chart, &series.points).map(|point| (point.x, point.y)).collect();
        let style = color.stroke_width(2);
        match series.stroke {
            Stroke::Solid => plot.draw_series(LineSeries::new(points.iter().copied(), style))?,
            Stroke::Dashed => plot.draw_series(DashedLineSeries::new(points.iter().copied(), 6, 4, style))?,
        };
        if points.len() <= MARKED {
            plot.draw_series(points.into_iter().map(|point| Marker::new(look, point, color)))?;
        }
    }
    Ok(())
}
