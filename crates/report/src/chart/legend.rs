//! The names of the series beside their colours, in rows above the chart.

use super::canvas::{Canvas, Place, Rectangle, Size, TextStyle};
use super::font;
use super::look::{Look, Roster};
use super::marker;
use super::model::PointStyle;

const ROW: u32 = 22;
const EM: f64 = 14.0;
const SWATCH: i32 = 13;
const GAP: i32 = 18;
const WIDEST: u32 = 420;

/// The entries of a legend and their positions.
#[derive(Default)]
pub(crate) struct Legend {
    /// The text before the entries.
    title: String,
    entries: Vec<Entry>,
    /// Whether entries show the marks of lines instead of the colours of bars.
    marks: bool,
}

struct Entry {
    look: Look,
    name: String,
    x: i32,
    row: u32,
}

impl Legend {
    /// Creates a legend with all names in rows of `width` pixels after a title; empty if there is only one series.
    pub fn new(roster: &Roster, title: &str, kind: PointStyle, width: u32) -> Self {
        let title = font::fitted(title, EM, width / 4);
        let mut legend = Legend { marks: kind == PointStyle::Lines, ..Legend::default() };
        if roster.all().count() < 2 {
            return legend;
        }
        let left = if title.is_empty() { 0 } else { font::width(&title, EM) as i32 + GAP };
        let (mut x, mut row) = (left, 0);
        for (name, look) in roster.all() {
            let name = font::fitted(name, EM, WIDEST.min(width / 2));
            let needed = SWATCH + 6 + font::width(&name, EM) as i32;
            if x > left && x + needed > width as i32 {
                (x, row) = (left, row + 1);
            }
            legend.entries.push(Entry { look, name, x, row });
            x += needed + GAP;
        }
        Legend { title, ..legend }
    }

    /// Returns the height in pixels.
    pub fn height(&self) -> u32 {
        self.entries.last().map_or(0, |last| (last.row + 1) * ROW + 6)
    }

    /// Returns the text before the entries.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Draws the legend below `top`, starting at `left`.
    pub fn draw(&self, canvas: &mut Canvas<'_, '_>, (left, top): Place) {
        if !self.entries.is_empty() && !self.title.is_empty() {
            canvas.text(&self.title, (left, top), TextStyle::new(EM, canvas.colors.axis));
        }
        for entry in &self.entries {
            let (x, y) = (left + entry.x, top + (entry.row * ROW) as i32);
            let color = canvas.colors.color(entry.look);
            if self.marks {
                marker::draw(canvas, entry.look, (x + SWATCH / 2, y + SWATCH / 2), color);
            } else {
                let size = Size { width: SWATCH as u32, height: SWATCH as u32 };
                canvas.rectangle(Rectangle { corner: (x, y), size }, color);
            }
            canvas.text(&entry.name, (x + SWATCH + 6, y), TextStyle::new(EM, canvas.colors.text));
        }
    }
}
