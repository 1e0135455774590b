//! Charts: the data are in `model`, drawing is in `draw` and below.

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

pub use model::{Axis, Chart, Kind, Point, Scale, Series, Stroke};
pub use number::bytes as size;
pub use sheet::Sheet;
pub use theme::Theme;

impl Chart {
    /// The picture as an SVG document, the same for the same data. Nothing in it refers to anything outside.
    pub fn svg(&self, theme: Theme) -> String {
        draw::svg(self, theme)
    }
}
