//! A chart as a PNG file, with the font that comes with the program and nothing from the machine.

mod letters;
mod pixels;

pub(super) use pixels::Pixels;

use super::Error;
use super::canvas::Canvas;
use super::draw::Picture;
use super::model::Chart;
use super::theme::Theme;

/// Charts, one below the other.
pub(super) fn png(charts: &[Chart], theme: Theme) -> Result<Vec<u8>, Error> {
    let pictures: Vec<Picture<'_>> = charts.iter().map(Picture::of).collect();
    let width = pictures.iter().map(|picture| picture.size().0).max().unwrap_or(0);
    let height = pictures.iter().map(|picture| picture.size().1).sum();
    let mut pixels = Pixels::new(width, height)?;
    let mut top = 0;
    for picture in pictures {
        let height = picture.size().1;
        pixels.turn_to(top, height);
        picture.draw(theme, Canvas::Pixels(&mut pixels));
        top += height;
    }
    pixels.encode()
}
