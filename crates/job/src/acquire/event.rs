//! Events and results of acquisitions.

use hashmill_engine::Live;
use hashmill_image::{Finding, ImageSettings, ImageVerdict, WrittenImage};
use hashmill_manifest::Named;
use hashmill_source::Error;
use std::ops::Range;
use std::sync::Arc;

/// A step of an acquisition. The counters of each are updated from then on.
#[derive(Debug)]
#[non_exhaustive]
pub enum AcquireEvent<'a> {
    /// The source is read, and the image written.
    Reading(&'a Arc<Live>),
    /// The image is read back.
    Verifying(&'a Arc<Live>),
}

/// The end of an acquisition. The image has its name only if it is whole.
#[derive(Debug)]
#[non_exhaustive]
pub enum AcquireResult {
    /// The image was written and verified.
    Whole(Box<AcquiredImage>),
    /// The image that was read back is another than the one that was written.
    Differs(Box<AcquiredImage>),
    /// The source could not be read.
    Unread(Box<Error>),
    /// The job was cancelled.
    Interrupted,
}

/// An image that was written.
#[derive(Debug)]
pub struct AcquiredImage {
    /// The settings, with the size of the media.
    pub settings: ImageSettings,
    /// The digests of the media as they were read.
    pub digests: Vec<Named>,
    /// The bytes of the media that could not be read and are zeros in the image, in order.
    pub unreadable: Vec<Range<u64>>,
    /// The files.
    pub written: WrittenImage,
    /// The comparison with what was read back.
    pub reread: Reread,
}

/// The result of reading an image back.
#[derive(Debug)]
pub struct Reread {
    /// Whether its media have the same size and digests, and nothing is damaged.
    pub is_same: bool,
    /// Whether all of it came from the medium, past the page cache.
    pub is_fresh: bool,
    /// The verdict on the image by itself.
    pub verdict: ImageVerdict,
    /// The problems that were found.
    pub findings: Vec<Finding>,
}
