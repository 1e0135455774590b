//! Charts: `model` has the data, `draw` and the other modules draw them.

mod bars;
mod canvas;
mod draw;
mod error;
mod font;
mod legend;
mod lines;
mod look;
mod marker;
mod model;
mod number;
mod plot;
#[cfg(not(feature = "png"))]
#[path = "no_png.rs"]
mod png;
#[cfg(feature = "png")]
mod png;
mod scale;
mod sheet;
mod theme;
mod ticks;

pub use error::Error;
pub use model::{Axis, Chart, Kind, Point, Scale, Series, Stroke};
pub use number::bytes as size;
pub use sheet::Sheet;
pub use theme::Theme;

impl Chart {
    /// Draws the chart as an SVG document. Equal data give equal documents, which refer to nothing outside.
    pub fn svg(&self, theme: Theme) -> String {
        draw::svg(self, theme)
    }

    /// Draws the chart as a PNG file, at twice the size of the SVG so that it is sharp on any screen.
    ///
    /// # Errors
    /// If the chart has too many bars to fit in memory; [`Error::LeftOut`] without the feature `png`.
    pub fn png(&self, theme: Theme) -> Result<Vec<u8>, Error> {
        png::png(self, theme)
    }
}
