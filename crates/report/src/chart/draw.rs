//! Draws a picture: title, legend and axes, then the points.

use super::legend::Legend;
use super::look::Roster;
use super::model::{Chart, PointStyle, Scale};
use super::plot::{Area, Drawn, GROUPS, Plot, Pose, points};
use super::scale::{Ends, Span};
use super::theme::{Colors, Theme};
use super::{bars, font, lines};
use plotters::chart::ChartBuilder;
use plotters::drawing::{DrawingAreaErrorKind, IntoDrawingArea};
use plotters::prelude::{SVGBackend, Text};

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

pub(super) fn svg(chart: &Chart, theme: Theme) -> String {
    Picture::with_legend(chart).svg(theme)
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
        font::prepare();
        let roster = Roster::from_charts([chart]);
        let legend = Legend::new(&roster, "", chart.kind, WIDTH - 2 * MARGIN);
        Picture::new(chart, roster, legend)
    }

    /// Creates a picture with the looks of a shared roster and no legend of its own.
    pub fn within(chart: &'a Chart, roster: &Roster) -> Self {
        font::prepare();
        Picture::new(chart, roster.clone(), Legend::default())
    }

    fn new(chart: &'a Chart, roster: Roster, legend: Legend) -> Self {
        let frame = Frame::new(chart, MARGIN + TITLE + legend.height());
        Self { chart, roster, legend, frame }
    }

    /// Returns width and height.
    pub fn size(&self) -> (u32, u32) {
        (WIDTH, self.frame.height)
    }

    /// Draws an SVG document.
    pub fn svg(self, theme: Theme) -> String {
        let mut text = String::new();
        let (title, canvas) = (&self.chart.title, SVGBackend::with_string(&mut text, self.size()));
        self.draw(theme, canvas);
        named(&text, title)
    }

    pub fn draw(self, theme: Theme, canvas: SVGBackend<'_>) {
        let area = canvas.into_drawing_area();
        let drawn = self.on(&area, theme.colors()).and_then(|()| area.present());
        debug_assert!(drawn.is_ok(), "a canvas takes all that is drawn: {drawn:?}");
    }

    fn on(self, area: &Area<'_>, colors: &Colors) -> Drawn {
        area.fill(&colors.ground)?;
        let Picture { chart, roster, legend, frame } = self;
        let title = font::fitted(&chart.title, TITLE_EM, WIDTH - 2 * MARGIN);
        let place = (MARGIN as i32, MARGIN as i32);
        area.draw(&Text::new(title, place, font::style(TITLE_EM).color(&colors.text)))?;
        legend.draw(area, (MARGIN as i32, (MARGIN + TITLE) as i32), colors)?;
        frame.draw((chart, &roster), area, MARGIN + TITLE + legend.height(), colors)
    }
}

/// Adds the title as text for screen readers.
fn named(svg: &str, title: &str) -> String {
    let mut label = String::new();
    for c in font::fitted(title, 1.0, u32::MAX).chars() {
        match c {
            '<' => label.push_str("&lt;"),
            '>' => label.push_str("&gt;"),
            '&' => label.push_str("&amp;"),
            '"' => label.push_str("&quot;"),
            c => label.push(c),
        }
    }
    svg.replacen("<svg ", &format!("<svg role=\"img\" aria-label=\"{label}\" "), 1)
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
        let height = above + names.len().max(1) as u32 * group + BELOW + MARGIN;
        let right = bars::beside(points(chart), &across);
        Self { pose: Pose::Lying, height, across, left: beside(&up), up, right }
    }

    fn draw(self, (chart, roster): (&Chart, &Roster), area: &Area<'_>, above: u32, colors: &Colors) -> Drawn {
        let empty = points(chart).next().is_none();
        let pose = self.pose;
        let values = if pose == Pose::Lying { self.across.clone() } else { self.up.clone() };
        let mut plot = self.axes(chart, area, above, colors)?;
        if empty {
            return nothing(area, colors);
        }
        match chart.kind {
            PointStyle::Bars => bars::draw(chart, (pose, &values), roster, &mut plot, colors),
            PointStyle::Lines => lines::draw(chart, roster, &mut plot, colors),
        }
    }

    /// Draws the axes and returns the area between them.
    fn axes<'a, 'b>(
        self,
        chart: &Chart,
        area: &'a Area<'b>,
        above: u32,
        colors: &Colors,
    ) -> Result<Plot<'a, 'b>, DrawingAreaErrorKind<std::io::Error>> {
        let (across, up) = match self.pose {
            Pose::Upright => (&chart.x, &chart.y),
            Pose::Lying => (&chart.y, &chart.x),
        };
        let (columns, rows) = (self.across.count(), self.up.count());
        let captions = (across.caption(&self.across.unit().name), up.caption(&self.up.unit().name));
        let mut plot = ChartBuilder::on(area)
            .margin_top(above + 4)
            .margin_right(MARGIN * 2 + self.right)
            .margin_left(MARGIN / 2)
            .margin_bottom(MARGIN / 2)
            .x_label_area_size(BELOW)
            .y_label_area_size(self.left)
            .build_cartesian_2d(self.across, self.up)?;
        let mut mesh = plot.configure_mesh();
        mesh.axis_style(colors.axis)
            .bold_line_style(colors.grid)
            .light_line_style(colors.grid)
            .label_style(font::style(LABEL_EM).color(&colors.text))
            .axis_desc_style(font::style(CAPTION_EM).color(&colors.text))
            .x_desc(font::fitted(&captions.0, CAPTION_EM, WIDTH - self.left - 4 * MARGIN))
            .y_desc(font::fitted(&captions.1, CAPTION_EM, HEIGHT))
            .x_labels(columns)
            .y_labels(rows);
        if across.groups().is_some() {
            mesh.disable_x_mesh();
        }
        if up.groups().is_some() && chart.y.scale != Scale::Log {
            mesh.disable_y_mesh();
        }
        mesh.draw()?;
        Ok(plot)
    }
}

fn nothing(area: &Area<'_>, colors: &Colors) -> Drawn {
    let (width, height) = area.dim_in_pixel();
    let middle = (width as i32 / 2 - 40, height as i32 / 2);
    area.draw(&Text::new("nothing to show", middle, font::style(CAPTION_EM).color(&colors.axis)))
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
