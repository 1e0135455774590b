//! SVG to PNG, with the font that comes with the program and nothing from the machine.

use super::font;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};
use std::fmt;
use std::sync::Arc;

/// Pixels of the PNG for each unit of the SVG.
const SCALE: f32 = 2.0;

/// Why a chart has no PNG.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The SVG is not as the rasteriser wants it.
    Svg(resvg::usvg::Error),
    /// So many pixels can't be had: width and height.
    TooLarge(u32, u32),
    /// The pixels could not be encoded.
    Encode(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Svg(error) => write!(f, "the chart can't be rasterised: {error}"),
            Error::TooLarge(width, height) => write!(f, "a chart of {width} x {height} pixels is too large"),
            Error::Encode(why) => write!(f, "the chart can't be written as PNG: {why}"),
        }
    }
}

impl std::error::Error for Error {}

pub(super) fn png(svg: &str) -> Result<Vec<u8>, Error> {
    let tree = Tree::from_str(svg, &options()).map_err(Error::Svg)?;
    let size = tree.size().to_int_size();
    let (width, height) = (size.width() * SCALE as u32, size.height() * SCALE as u32);
    let mut pixels = Pixmap::new(width, height).ok_or(Error::TooLarge(width, height))?;
    resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| Error::Encode(error.to_string()))
}

fn options() -> Options<'static> {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(font::bytes().to_vec());
    fonts.set_sans_serif_family("DejaVu Sans");
    Options { fontdb: Arc::new(fonts), ..Options::default() }
}
