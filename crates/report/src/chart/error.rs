//! Errors of drawing charts.

use std::fmt;

/// The reason why a chart can't be written as PNG.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The width and height in pixels are too large.
    TooLarge(u32, u32),
    /// Encoding the pixels failed.
    Encode(String),
    /// This build was made without the feature `png`.
    LeftOut,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::TooLarge(width, height) => write!(f, "a chart of {width} x {height} pixels is too large"),
            Error::Encode(why) => write!(f, "the chart can't be written as PNG: {why}"),
            Error::LeftOut => f.write_str("this build draws no PNG"),
        }
    }
}

impl std::error::Error for Error {}
