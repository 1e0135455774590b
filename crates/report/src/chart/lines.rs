//! Lines with markers, and bands between bounds.

use super::canvas::{Canvas, Pen, Place};
use super::look::Roster;
use super::marker;
use super::model::{Chart, Point};
use super::plot::{Plot, placed};

/// The maximum number of points of a line with markers.
const MARKED: usize = 80;
const BAND_OPACITY: f64 = 0.22;

pub(super) fn draw(chart: &Chart, roster: &Roster, plot: &Plot, canvas: &mut Canvas<'_, '_>) {
    // Bands come first, so that they hide no line.
    for series in &chart.series {
        let points = || placed(chart, &series.points);
        if points().any(Point::has_bounds) {
            let lower = points().map(|point| plot.place(point.x, point.low));
            let upper: Vec<Place> = points().map(|point| plot.place(point.x, point.high)).collect();
            let outline: Vec<Place> = lower.chain(upper.into_iter().rev()).collect();
            canvas.polygon(&outline, canvas.colors.color(roster.look(&series.name)), BAND_OPACITY);
        }
    }
    // The leading series is drawn last, above all others.
    let (leading, others): (Vec<_>, Vec<_>) = chart.series.iter().partition(|series| series.leads);
    for series in others.into_iter().chain(leading) {
        let look = roster.look(&series.name);
        let color = canvas.colors.color(look);
        let places: Vec<Place> =
            placed(chart, &series.points).map(|point| plot.place(point.x, point.y)).collect();
        canvas.line(&places, Pen { color, width: 2 });
        if places.len() <= MARKED {
            places.into_iter().for_each(|place| marker::draw(canvas, look, place, color));
        }
    }
}
