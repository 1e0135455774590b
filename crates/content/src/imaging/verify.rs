//! Verification of images.

use super::live::Progress;
use super::name::Checked;
use super::{OpenOptions, open, shown};
use hashmill_digest::Algorithm;
use hashmill_engine::flow::Flow;
use hashmill_engine::{Cancel, Live};
use hashmill_image::{Entry, Error, Format, Image, ImageVerdict, Options, Problem, Resources};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The settings of a verification.
#[derive(Debug, Clone, Default)]
pub struct ImageVerification {
    /// The first segment of each image.
    pub images: Vec<PathBuf>,
    /// The way to open them.
    pub open: OpenOptions,
    /// The algorithms of digests of the media to compute in addition to those that an image stores.
    pub algorithms: Vec<&'static Algorithm>,
    /// Threads and memory to use.
    pub resources: Resources,
    /// Ends the job soon after it is set.
    pub cancel: Cancel,
}

/// A step of a job.
#[derive(Debug)]
#[non_exhaustive]
pub enum ImageEvent<'a> {
    /// An image is not verified.
    Refused(&'a Path, Refusal<'a>),
    /// All images are open, and reading begins. The counters are updated from now on.
    Reading(&'a Arc<Live>),
    /// An image was verified.
    Checked(&'a Path, &'a Checked<'a>),
}

/// Receives events.
pub type ImageObserver<'a> = dyn FnMut(ImageEvent<'_>) -> Flow + 'a;

/// The reason why an image is not verified.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Refusal<'a> {
    /// It can't be opened.
    Open(&'a Error),
    /// Raw media store no digests, and none was requested.
    NoDigests,
}

/// The result of a job.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct ImageSummary {
    /// Whether the job was cancelled; some images are then missing.
    pub interrupted: bool,
    /// Images that were not verified.
    pub refused: u64,
    /// The verdicts of the other images, in their order.
    pub verdicts: Vec<ImageVerdict>,
}

impl Refusal<'_> {
    /// Returns the machine-readable word.
    pub fn word(&self) -> &'static str {
        match self {
            Refusal::NoDigests => "not-an-image",
            Refusal::Open(error) => match error.problem {
                Problem::Io(_) => "unreadable",
                Problem::Encrypted(_) => "encrypted",
                Problem::Compression(_)
                | Problem::Container(_)
                | Problem::Feature(_)
                | Problem::Backing(_)
                | Problem::BackingLoop(_)
                | Problem::BackingDepth(_)
                | Problem::BackingFormat(_)
                | Problem::Parent(_)
                | Problem::FileName(_) => "unsupported",
                _ => "not-an-image",
            },
        }
    }
}

impl ImageVerification {
    /// Opens all images, then reads one after the other: every chunk, table and section is checked, and every stored
    /// digest compared.
    pub fn run(&self, observer: &mut ImageObserver<'_>) -> ImageSummary {
        let (mut summary, mut images) = (ImageSummary::default(), Vec::new());
        for typed in &self.images {
            let path = shown(typed);
            let mut refuse = |refusal| {
                summary.refused += 1;
                summary.interrupted |= observer(ImageEvent::Refused(&path, refusal)).is_break();
            };
            match open(typed, &self.open) {
                Ok(image) if self.has_nothing(&image) => refuse(Refusal::NoDigests),
                Ok(image) => images.push((path, image)),
                Err(error) => refuse(Refusal::Open(&error)),
            }
        }
        if !summary.interrupted {
            self.verify(images, &mut summary, observer);
        }
        summary
    }

    /// Returns whether there is nothing to compare.
    fn has_nothing(&self, image: &Image) -> bool {
        let raw = image.format() == Format::Raw && image.findings().is_empty();
        raw && self.algorithms.is_empty()
    }

    fn verify(
        &self,
        images: Vec<(PathBuf, Image)>,
        summary: &mut ImageSummary,
        observer: &mut ImageObserver<'_>,
    ) {
        let total = images.iter().map(|(_, image)| bytes(image)).sum();
        let mut progress = Progress::new(self.cancel.clone(), images.len() as u64, total);
        summary.interrupted = observer(ImageEvent::Reading(&progress.live)).is_break();
        let options = Options { means: self.resources, algorithms: self.algorithms.clone() };
        for (path, image) in images {
            if summary.interrupted {
                return;
            }
            let verified = hashmill_image::verify(&image, &options, &|done| progress.note(done));
            let Some(verification) = verified else {
                summary.interrupted = true;
                return;
            };
            progress.next(bytes(&image));
            summary.verdicts.push(verification.verdict);
            let checked = Checked::new(&image, &verification);
            summary.interrupted = observer(ImageEvent::Checked(&path, &checked)).is_break();
        }
    }
}

/// Returns the number of bytes that a verification reads: the media, and files with stored digests once more.
fn bytes(image: &Image) -> u64 {
    let stored = |entry: &&Entry| entry.md5.is_some() || entry.sha1.is_some();
    let files = image.entries().iter().filter(stored).filter(|entry| !entry.folder);
    files.fold(image.media_size(), |sum, entry| sum.saturating_add(entry.size))
}
