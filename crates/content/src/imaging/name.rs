//! Results in machine-readable form.

use hashmill_image::{Format, Image, Segment, Span, Verification};
use hashmill_terminal::path_b64;
use serde::Serialize;
use std::borrow::Cow;

/// A value with a path: the path as text, and its bytes (`path_b64`) if they are not valid text.
#[derive(Debug, Serialize)]
pub struct Named<'a, T> {
    /// The path as text.
    pub path: Cow<'a, str>,
    /// The bytes of the path in base64, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_b64: Option<String>,
    /// The value with this path.
    #[serde(flatten)]
    pub value: T,
}

impl<'a, T> Named<'a, T> {
    /// Makes a value with this path.
    pub fn new(path: &'a [u8], value: T) -> Named<'a, T> {
        Named { path: String::from_utf8_lossy(path), path_b64: path_b64(path), value }
    }
}

/// The result of verifying an image.
#[derive(Debug, Serialize)]
pub struct Checked<'a> {
    /// The format of the image.
    pub format: Format,
    /// The files of the image.
    pub segments: &'a [Segment],
    /// Parts that could not be read when the image was made.
    pub acquisition_errors: &'a [Span],
    /// The result of the verification.
    #[serde(flatten)]
    pub verification: &'a Verification,
}

impl<'a> Checked<'a> {
    /// Makes the result for this image.
    pub(super) fn new(image: &'a Image, verification: &'a Verification) -> Checked<'a> {
        let (format, segments) = (image.format(), image.segments());
        Checked { format, segments, acquisition_errors: image.acquisition_errors(), verification }
    }
}
