//! Charts: the data are in `model`, drawing is in `draw` and below.

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
    /// The picture as an SVG document, the same for the same data. Nothing in it refers to anything outside.
    pub fn svg(&self, theme: Theme) -> String {
        draw::svg(self, theme)
    }

    /// The picture as a PNG file, at twice the size of the SVG so that it is sharp on any screen.
    ///
    /// # Errors
    /// A chart of so many bars that it doesn't fit in memory; [`Error::LeftOut`] without the feature `png`.
    pub fn png(&self, theme: Theme) -> Result<Vec<u8>, Error> {
        png::png(self, theme)
    }
}
