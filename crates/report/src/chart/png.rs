//! A chart as a PNG file, with the font that comes with the program and nothing from the machine.

use super::canvas::Canvas;
use super::draw::Picture;
use super::model::Chart;
use super::pixels::Pixels;
use super::theme::Theme;
use std::fmt;

/// Why a chart has no PNG.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// So many pixels can't be had: width and height.
    TooLarge(u32, u32),
    /// The pixels could not be encoded.
    Encode(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::TooLarge(width, height) => write!(f, "a chart of {width} x {height} pixels is too large"),
            Error::Encode(why) => write!(f, "the chart can't be written as PNG: {why}"),
        }
    }
}

impl std::error::Error for Error {}

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
