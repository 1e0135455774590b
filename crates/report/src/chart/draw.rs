//! Draws a picture: title, legend and axes, then the points.

use super::canvas::Canvas;
use super::model::{Chart, Kind, Scale};
use super::plot::{Area, Drawn, GROUPS, Plot, Pose, points};
use super::scale::{Ends, Span};
use super::theme::{Colors, Theme};
use super::{bars, font, legend, lines};
use plotters::chart::ChartBuilder;
use plotters::drawing::{DrawingAreaErrorKind, IntoDrawingArea};
use plotters::prelude::{SVGBackend, Text};

const WIDTH: u32 = 960;
/// Height of a picture whose bars are upright.
const HEIGHT: u32 = 520;
const MARGIN: u32 = 16;
const TITLE: u32 = 34;
const TITLE_EM: f64 = 17.0;
const LABEL_EM: f64 = 12.0;
const CAPTION_EM: f64 = 13.0;
/// Most that the names of groups may take from the width.
const NAMES: u32 = 300;
/// Height of the axis below: its marks and its caption.
const BELOW: u32 = 52;
/// Width of the caption beside the axis at the left.
const BESIDE: u32 = 34;
/// The layout, computed before anything is drawn.
struct Frame {
    pose: Pose,
    height: u32,
    across: Span,
    up: Span,
    left: u32,
    entries: Vec<legend::Entry>,
}

pub(super) fn svg(chart: &Chart, theme: Theme) -> String {
    let picture = Picture::of(chart);
    let mut text = String::new();
    let canvas = SVGBackend::with_string(&mut text, picture.size());
    picture.draw(theme, Canvas::Svg(canvas));
    named(&text, &chart.title)
}

/// A chart, ready to be drawn.
pub(super) struct Picture<'a> {
    chart: &'a Chart,
    frame: Frame,
}

impl<'a> Picture<'a> {
    pub fn of(chart: &'a Chart) -> Self {
        font::prepare();
        Self { chart, frame: Frame::of(chart) }
    }

    /// Width and height.
    pub fn size(&self) -> (u32, u32) {
        (WIDTH, self.frame.height)
    }

    pub fn draw(self, theme: Theme, canvas: Canvas<'_>) {
        let area = canvas.into_drawing_area();
        let drawn = self.frame.draw(self.chart, &area, theme.colors()).and_then(|()| area.present());
        debug_assert!(drawn.is_ok(), "a canvas takes all that is drawn: {drawn:?}");
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
    fn of(chart: &Chart) -> Self {
        let entries = legend::entries(chart, WIDTH - 2 * MARGIN);
        let above = MARGIN + TITLE + legend::height(&entries);
        match chart.kind {
            Kind::Lines => Self::lines(chart, entries),
            Kind::Bars => {
                let names = names(chart);
                match pose(chart, &names) {
                    Pose::Upright => Self::upright(chart, &names, entries),
                    Pose::Lying => Self::lying(chart, &names, entries, above),
                }
            }
        }
    }

    fn lines(chart: &Chart, entries: Vec<legend::Entry>) -> Self {
        let x = points(chart).map(|point| point.x);
        let across = Span::of_values(&chart.x, x, 8, Ends::Tight);
        let up = Span::of_values(&chart.y, heights(chart), 6, Ends::Round);
        let left = beside(&up);
        Self { pose: Pose::Upright, height: HEIGHT, across, up, left, entries }
    }

    fn upright(chart: &Chart, names: &[String], entries: Vec<legend::Entry>) -> Self {
        let up = Span::of_values(&chart.y, heights(chart), 6, Ends::Round);
        let left = beside(&up);
        let room = (WIDTH - left - 2 * MARGIN) / names.len().max(1) as u32;
        let stride = (widest(names.iter()) + 10).div_ceil(room.max(1)) as usize;
        Self {
            pose: Pose::Upright,
            height: HEIGHT,
            across: Span::of_groups(names, stride),
            up,
            left,
            entries,
        }
    }

    fn lying(chart: &Chart, names: &[String], entries: Vec<legend::Entry>, above: u32) -> Self {
        let across = Span::of_values(&chart.y, heights(chart), 8, Ends::Round);
        let up = Span::of_groups(names, 1).backwards();
        let group = (chart.series.len().max(1) as u32 * 15 + 8).max(24);
        let height = above + names.len().max(1) as u32 * group + BELOW + MARGIN;
        Self { pose: Pose::Lying, height, across, left: beside(&up), up, entries }
    }

    fn draw(self, chart: &Chart, area: &Area<'_>, colors: &Colors) -> Drawn {
        area.fill(&colors.ground)?;
        let title = font::fitted(&chart.title, TITLE_EM, WIDTH - 2 * MARGIN);
        let place = (MARGIN as i32, MARGIN as i32);
        area.draw(&Text::new(title, place, font::style(TITLE_EM).color(&colors.text)))?;
        let below = (MARGIN as i32, (MARGIN + TITLE) as i32);
        legend::draw(chart, &self.entries, area, below, colors)?;
        let above = MARGIN + TITLE + legend::height(&self.entries);
        let empty = points(chart).next().is_none();
        let pose = self.pose;
        let mut plot = self.axes(chart, area, above, colors)?;
        if empty {
            return nothing(area, colors);
        }
        match chart.kind {
            Kind::Bars => bars::draw(chart, pose, &mut plot, colors),
            Kind::Lines => lines::draw(chart, &mut plot, colors),
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
        let mut plot = ChartBuilder::on(area)
            .margin_top(above + 4)
            .margin_right(MARGIN * 2)
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
            .x_desc(font::fitted(&across.caption(), CAPTION_EM, WIDTH - self.left - 4 * MARGIN))
            .y_desc(font::fitted(&up.caption(), CAPTION_EM, HEIGHT))
            .x_labels(columns)
            .y_labels(rows);
        if across.groups().is_some() {
            mesh.disable_x_mesh();
        }
        if up.groups().is_some() {
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

/// Whether the groups' names fit below upright bars.
fn pose(chart: &Chart, names: &[String]) -> Pose {
    let bins = matches!(chart.x.scale, Scale::Bins(_));
    let room = (WIDTH - 120) / names.len().max(1) as u32;
    let bar = room * 4 / 5 / chart.series.len().max(1) as u32;
    if bins || (widest(names.iter()) + 8 <= room && bar >= 6) { Pose::Upright } else { Pose::Lying }
}

/// The names of the groups as they are drawn.
fn names(chart: &Chart) -> Vec<String> {
    let given = chart.x.groups().unwrap_or_default().iter().take(GROUPS);
    given.map(|name| font::fitted(name, LABEL_EM, NAMES)).collect()
}

fn widest<'a>(names: impl Iterator<Item = &'a String>) -> u32 {
    names.map(|name| font::width(name, LABEL_EM)).max().unwrap_or(0)
}

/// The width of the left axis.
fn beside(span: &Span) -> u32 {
    span.names().map(|name| font::width(name, LABEL_EM)).max().unwrap_or(0) + BESIDE
}

/// All values and bounds that the axis of values must hold.
fn heights(chart: &Chart) -> impl Iterator<Item = f64> {
    points(chart).flat_map(|point| {
        let bounds = if point.has_bounds() { [point.low, point.high] } else { [point.y; 2] };
        [point.y, bounds[0], bounds[1]]
    })
}
