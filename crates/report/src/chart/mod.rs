//! Charts: `model` has the data, `draw` and the other modules draw them.

mod bars;
mod draw;
mod font;
mod legend;
mod lines;
mod look;
mod marker;
mod model;
mod number;
mod plot;
mod scale;
mod sheet;
mod theme;
mod ticks;

pub use model::{Axis, Chart, Point, PointStyle, Scale, Series, Stroke};
pub use number::bytes as size;
pub use sheet::Sheet;
pub use theme::Theme;

impl Chart {
    /// Draws the chart as an SVG document. Equal data give equal documents, which refer to nothing outside.
    pub fn svg(&self, theme: Theme) -> String {
        draw::svg(self, theme)
    }
}
