//! PNG files of charts, with the embedded font and no files of the machine.

mod letters;
mod pixels;

pub(super) use pixels::Pixels;

use super::Error;
use super::canvas::Canvas;
use super::draw::Picture;
use super::model::Chart;
use super::sheet::Page;
use super::theme::Theme;

/// The number of pixels per unit of a single chart's SVG document, so that it is sharp on any screen.
const SHARP: f64 = 2.0;

pub(super) fn png(chart: &Chart, theme: Theme) -> Result<Vec<u8>, Error> {
    let picture = Picture::of(chart);
    let mut pixels = Pixels::new(picture.size(), SHARP)?;
    picture.draw(theme, Canvas::Pixels(&mut pixels));
    pixels.encode()
}

pub(super) fn sheet(page: Page<'_>, theme: Theme) -> Result<Vec<u8>, Error> {
    let mut pixels = Pixels::new(page.size, page.scale().min(SHARP))?;
    pixels.ground(theme.colors().ground);
    for (piece, place) in page.pieces {
        pixels.turn_to(place, piece.size());
        piece.draw(theme, Canvas::Pixels(&mut pixels));
    }
    pixels.encode()
}
