//! Charts: `model` has the data, `draw` and the other modules draw them.

mod bars;
mod canvas;
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

pub use model::{Axis, Chart, Pick, PickedCells, Point, PointStyle, Scale, Series};
pub use number::bytes as size;
pub(crate) use number::grouped;
pub use sheet::Sheet;
pub use theme::Theme;

use crate::markup::{Markup, in_memory};

impl Chart {
    /// Draws the chart as an SVG document. Equal data give equal documents, which refer to nothing outside.
    pub fn svg(&self, theme: Theme) -> String {
        in_memory(|markup| self.draw(theme, markup))
    }

    /// Draws the chart as an element.
    pub(crate) fn draw(&self, theme: Theme, markup: &mut Markup<'_>) {
        draw::Picture::with_legend(self).draw(theme, (0, 0), markup);
    }
}
