//! Why a chart can't be drawn.

use std::fmt;

/// Why a chart has no PNG.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// So many pixels can't be had: width and height.
    TooLarge(u32, u32),
    /// The pixels could not be encoded.
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
