//! Draws a picture: title, legend and axes, then the points.

use super::canvas::{self, Canvas, Pen, Place, Rectangle, Size, TextStyle};
use super::legend::Legend;
use super::look::Roster;
use super::model::{Axis, Chart, PointStyle, Scale};
use super::plot::{GROUPS, Plot, Pose, points};
use super::scale::{Ends, Span};
use super::theme::Theme;
use super::{bars, font, lines};
use crate::markup::Markup;

/// The width of a picture, narrow enough for readable text when it is shown 400 pixels wide.
const WIDTH: u32 = 640;
/// The height of a picture with upright bars or lines.
const HEIGHT: u32 = 400;
pub(super) const MARGIN: u32 = 14;
const TITLE: u32 = 32;
const TITLE_EM: f64 = 17.0;
const LABEL_EM: f64 = 14.0;
const CAPTION_EM: f64 = 14.0;
/// The maximum width of the names of groups.
const NAMES: u32 = 280;
/// The height of the axis at the bottom, with marks and caption.
const BELOW: u32 = 56;
/// The width of the left axis' caption.
const BESIDE: u32 = 36;
/// The height of a horizontal bar with its gap.
const BAR: u32 = 17;
/// The length of the line beside the text of a mark.
const TICK: i32 = 5;

/// The layout, computed before drawing.
struct Frame {
    pose: Pose,
    height: u32,
    across: Span,
    up: Span,
    left: u32,
    /// The space to the right of the points, for the values of bars.
    right: u32,
}

/// A chart with its layout, ready to be drawn.
pub(super) struct Picture<'a> {
    chart: &'a Chart,
    roster: Roster,
    legend: Legend,
    frame: Frame,
}

impl<'a> Picture<'a> {
    /// Creates a picture with its own legend.
    pub fn with_legend(chart: &'a Chart) -> Self {
        let roster = Roster::from_charts([chart]);
        let legend = Legend::new(&roster, "", chart.kind, WIDTH - 2 * MARGIN);
        Picture::new(chart, roster, legend)
    }

    /// Creates a picture with the looks of a shared roster and no legend of its own.
    pub fn within(chart: &'a Chart, roster: &Roster) -> Self {
        Picture::new(chart, roster.clone(), Legend::default())
    }

    fn new(chart: &'a Chart, roster: Roster, legend: Legend) -> Self {
        let frame = Frame::new(chart, MARGIN + TITLE + legend.height());
        Self { chart, roster, legend, frame }
    }

    /// Returns width and height.
    pub fn size(&self) -> Size {
        Size { width: WIDTH, height: self.frame.height }
    }

    /// Draws an SVG document, whose upper left corner is at `place` if it is within another one.
    pub fn draw(self, theme: Theme, place: Place, markup: &mut Markup<'_>) {
        let drawn = Rectangle { corner: place, size: self.size() };
        let Picture { chart, roster, legend, frame } = self;
        Canvas::draw(markup, drawn, &chart.title, theme, |canvas| {
            let title = font::fitted(&chart.title, TITLE_EM, WIDTH - 2 * MARGIN);
            canvas.text(&title, (MARGIN as i32, MARGIN as i32), TextStyle::new(TITLE_EM, canvas.colors.text));
            legend.draw(canvas, (MARGIN as i32, (MARGIN + TITLE) as i32));
            frame.draw(chart, &roster, canvas, MARGIN + TITLE + legend.height());
        });
    }
}

impl Frame {
    /// Computes the layout of a chart with `above` pixels of title and legend.
    fn new(chart: &Chart, above: u32) -> Self {
        match (chart.kind, &chart.x.scale) {
            (PointStyle::Lines, _) => Self::lines(chart, above),
            (PointStyle::Bars, Scale::Bins(_)) => Self::upright(chart, above),
            (PointStyle::Bars, _) => Self::lying(chart, above),
        }
    }

    fn lines(chart: &Chart, above: u32) -> Self {
        let x = points(chart).map(|point| point.x);
        let across = Span::of_values(&chart.x, x, 6, Ends::Tight);
        let up = Span::of_values(&chart.y, heights(chart), 6, Ends::Round);
        let (left, height) = (beside(&up), HEIGHT + above);
        Self { pose: Pose::Upright, height, across, up, left, right: 0 }
    }

    fn upright(chart: &Chart, above: u32) -> Self {
        let names = names(chart);
        let up = Span::of_values(&chart.y, heights(chart), 6, Ends::Round);
        let left = beside(&up);
        let room = (WIDTH - left - 2 * MARGIN) / names.len().max(1) as u32;
        let stride = (widest(names.iter()) + 10).div_ceil(room.max(1)) as usize;
        let across = Span::of_groups(&names, stride, &chart.x.unit);
        Self { pose: Pose::Upright, height: HEIGHT + above, across, up, left, right: 0 }
    }

    fn lying(chart: &Chart, above: u32) -> Self {
        let names = names(chart);
        let across = Span::of_values(&chart.y, heights(chart), 5, Ends::Round);
        let up = Span::of_groups(&names, 1, &chart.x.unit).backwards();
        let group = (bars::most(chart) as u32 * BAR + 8).max(26);
        // Beside few bars, the caption of their axis is longer than they are.
        let caption = font::width(&chart.x.caption(&up.unit().name), CAPTION_EM).min(HEIGHT);
        let height = above + (names.len().max(1) as u32 * group).max(caption) + BELOW + MARGIN;
        let right = bars::beside(points(chart), &across);
        Self { pose: Pose::Lying, height, across, left: beside(&up), up, right }
    }

    fn draw(self, chart: &Chart, roster: &Roster, canvas: &mut Canvas<'_, '_>, above: u32) {
        let height = self.height as i32;
        let margin = MARGIN as i32;
        let plot = Plot {
            pose: self.pose,
            columns: (margin / 2 + self.left as i32, WIDTH as i32 - 2 * margin - self.right as i32 - 1),
            rows: (above as i32 + 4, height - margin / 2 - BELOW as i32 - 1),
            across: self.across,
            up: self.up,
        };
        draw_grid(chart, &plot, canvas);
        draw_axes(&plot, canvas);
        draw_captions(chart, height, &plot, canvas);
        if points(chart).next().is_none() {
            let style = TextStyle::new(CAPTION_EM, canvas.colors.axis);
            return canvas.text("nothing to show", (WIDTH as i32 / 2 - 40, height / 2), style);
        }
        match chart.kind {
            PointStyle::Bars => bars::draw(chart, roster, &plot, canvas),
            PointStyle::Lines => lines::draw(chart, roster, &plot, canvas),
        }
    }
}

impl Pose {
    /// Returns the axis at the bottom and the one at the left.
    fn axes(self, chart: &Chart) -> (&Axis, &Axis) {
        match self {
            Pose::Upright => (&chart.x, &chart.y),
            Pose::Lying => (&chart.y, &chart.x),
        }
    }
}

/// Draws a line through the area of points for each mark of an axis of values.
fn draw_grid(chart: &Chart, plot: &Plot, canvas: &mut Canvas<'_, '_>) {
    let pen = Pen { color: canvas.colors.grid, width: 1 };
    let ((left, right), (top, bottom)) = (plot.columns, plot.rows);
    let (across, up) = plot.pose.axes(chart);
    if up.groups().is_none() || chart.y.scale == Scale::Log {
        for (y, _) in marks(&plot.up, bottom, top) {
            canvas.line(&[(left, y), (right, y)], pen);
        }
    }
    if across.groups().is_none() {
        for (x, _) in marks(&plot.across, left, right) {
            canvas.line(&[(x, top), (x, bottom)], pen);
        }
    }
}

/// Draws both axes beside the area of points, with their marks.
fn draw_axes(plot: &Plot, canvas: &mut Canvas<'_, '_>) {
    let pen = Pen { color: canvas.colors.axis, width: 1 };
    let style = TextStyle::new(LABEL_EM, canvas.colors.text);
    let ((left, right), (top, bottom)) = (plot.columns, plot.rows);
    canvas.line(&[(left - 1, top), (left - 1, bottom)], pen);
    for (y, text) in marks(&plot.up, bottom, top) {
        canvas.line(&[(left - 1 - TICK, y), (left - 1, y)], pen);
        canvas.text(text, (left - 2 * TICK, y), style.at(canvas::END, canvas::BESIDE));
    }
    canvas.line(&[(left, bottom + 1), (right, bottom + 1)], pen);
    for (x, text) in marks(&plot.across, left, right) {
        canvas.line(&[(x, bottom + 1), (x, bottom + 1 + TICK)], pen);
        canvas.text(text, (x, bottom + 1 + 2 * TICK), style.at(canvas::MIDDLE, canvas::BELOW));
    }
}

/// Returns the pixels and the texts of the marks of an axis from the pixel `first` to `last`.
fn marks(span: &Span, first: i32, last: i32) -> impl Iterator<Item = (i32, &str)> {
    span.marks().iter().map(move |(value, text)| (span.pixel(*value, first, last), text.as_str()))
}

/// Draws what the axes are of: at the left edge and at the bottom of a picture of this height.
fn draw_captions(chart: &Chart, height: i32, plot: &Plot, canvas: &mut Canvas<'_, '_>) {
    let style = TextStyle::new(CAPTION_EM, canvas.colors.text);
    let (across, up) = plot.pose.axes(chart);
    let middle = |(first, last): (i32, i32)| first + (last - first + 1) / 2;
    let edge = MARGIN as i32 / 2;
    let text = font::fitted(&up.caption(&plot.up.unit().name), CAPTION_EM, HEIGHT);
    let upward = TextStyle { upward: true, ..style.at(canvas::MIDDLE, canvas::BELOW) };
    canvas.text(&text, (edge, middle(plot.rows)), upward);
    let most = WIDTH - (plot.columns.0 as u32 - MARGIN / 2) - 4 * MARGIN;
    let text = font::fitted(&across.caption(&plot.across.unit().name), CAPTION_EM, most);
    canvas.text(&text, (middle(plot.columns), height - edge), style.at(canvas::MIDDLE, canvas::ABOVE));
}

/// Returns the names of the groups as drawn.
fn names(chart: &Chart) -> Vec<String> {
    let given = chart.x.groups().unwrap_or_default().iter().take(GROUPS);
    given.map(|name| font::fitted(name, LABEL_EM, NAMES)).collect()
}

fn widest<'a>(names: impl Iterator<Item = &'a String>) -> u32 {
    names.map(|name| font::width(name, LABEL_EM)).max().unwrap_or(0)
}

/// Returns the width of the left axis.
fn beside(span: &Span) -> u32 {
    span.names().map(|name| font::width(name, LABEL_EM)).max().unwrap_or(0) + BESIDE
}

/// Returns all values and bounds for the axis of values.
fn heights(chart: &Chart) -> impl Iterator<Item = f64> {
    points(chart).flat_map(|point| {
        let bounds = if point.has_bounds() { [point.low, point.high] } else { [point.y; 2] };
        [point.y, bounds[0], bounds[1]]
    })
}
