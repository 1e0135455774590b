//! Results as programs read them.

use crate::shown::path_b64;
use hashloom_image::{Format, Image, Segment, Span, Verification};
use serde::Serialize;
use std::borrow::Cow;

/// Something with a path: as text, and its bytes (`path_b64`) where they are none.
#[derive(Debug, Serialize)]
pub struct Named<'a, T> {
    /// The path.
    pub path: Cow<'a, str>,
    /// Its bytes in base64, if it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_b64: Option<String>,
    /// What it is the path of.
    #[serde(flatten)]
    pub value: T,
}

impl<'a, T> Named<'a, T> {
    /// Something with this path.
    pub fn of(path: &'a [u8], value: T) -> Named<'a, T> {
        Named { path: String::from_utf8_lossy(path), path_b64: path_b64(path), value }
    }
}

/// What was checked of an image.
#[derive(Debug, Serialize)]
pub struct Checked<'a> {
    /// Its format.
    pub format: Format,
    /// Its files.
    pub segments: &'a [Segment],
    /// What could not be read when it was made.
    pub acquisition_errors: &'a [Span],
    /// What verifying it came to.
    #[serde(flatten)]
    pub verification: &'a Verification,
}

impl<'a> Checked<'a> {
    /// This image, and what verifying it came to.
    pub(super) fn of(image: &'a Image, verification: &'a Verification) -> Checked<'a> {
        let (format, segments) = (image.format(), image.segments());
        Checked { format, segments, acquisition_errors: image.acquisition_errors(), verification }
    }
}
