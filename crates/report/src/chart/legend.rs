//! The names of the series beside their colours, in rows above the picture.

use super::font;
use super::marker::Marker;
use super::model::{Chart, Kind};
use super::plot::{Area, Drawn};
use super::theme::Colors;
use plotters::prelude::{Rectangle, Text};
use plotters::style::Color;

const ROW: u32 = 20;
const EM: f64 = 12.5;
const SWATCH: i32 = 12;
const GAP: i32 = 18;
const WIDEST: u32 = 420;

/// An entry with its place.
pub(crate) struct Entry {
    series: usize,
    name: String,
    x: i32,
    row: u32,
}

/// Places all names in rows of `width` pixels; none where there is nothing to tell apart.
pub(crate) fn entries(chart: &Chart, width: u32) -> Vec<Entry> {
    if chart.series.len() < 2 {
        return Vec::new();
    }
    let mut entries = Vec::new();
    let (mut x, mut row) = (0, 0);
    for (series, name) in chart.series.iter().map(|series| font::fitted(&series.name, EM, WIDEST)).enumerate()
    {
        let needed = SWATCH + 6 + font::width(&name, EM) as i32;
        if x > 0 && x + needed > width as i32 {
            (x, row) = (0, row + 1);
        }
        entries.push(Entry { series, name, x, row });
        x += needed + GAP;
    }
    entries
}

/// How high these entries are, pixels.
pub(crate) fn height(entries: &[Entry]) -> u32 {
    entries.last().map_or(0, |last| (last.row + 1) * ROW + 6)
}

/// Draws entries below `top`, from `left` on.
pub(crate) fn draw(
    chart: &Chart,
    entries: &[Entry],
    area: &Area<'_>,
    (left, top): (i32, i32),
    colors: &Colors,
) -> Drawn {
    for entry in entries {
        let (x, y) = (left + entry.x, top + (entry.row * ROW) as i32);
        let color = colors.of_series(entry.series);
        match chart.kind {
            Kind::Bars => area.draw(&Rectangle::new([(x, y), (x + SWATCH, y + SWATCH)], color.filled()))?,
            Kind::Lines => area.draw(&Marker::new(entry.series, (x + SWATCH / 2, y + SWATCH / 2), color))?,
        }
        let style = font::style(EM).color(&colors.text);
        area.draw(&Text::new(entry.name.clone(), (x + SWATCH + 6, y), style))?;
    }
    Ok(())
}
