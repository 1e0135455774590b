//! Reading an image back, past the page cache, before its files have their names.

use super::event::Reread;
use super::segments::Segments;
use crate::error::Error;
use crate::media::uncached::Uncached;
use hashmill_image::{
    Image, ImageForm, ImageSettings, ImageVerdict, Opener, Options, Progress, SharedFile, Verification,
    verify,
};
use hashmill_manifest::Record;
use hashmill_os::names::{bytes, path_bytes};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Verifies an image and compares its media with the record of the source. `None` if `progress` stopped it.
///
/// # Errors
/// If the image can't be opened.
pub(super) fn read_back(
    segments: &Segments,
    settings: &ImageSettings,
    record: &Record,
    options: &Options,
    progress: Progress<'_>,
) -> Result<Option<Reread>, Error> {
    let is_fresh = Arc::new(AtomicBool::new(true));
    let unnamed = Unnamed { places: segments.places(), is_fresh: Arc::clone(&is_fresh) };
    let opener = Arc::new(unnamed) as Arc<dyn Opener>;
    let image = match settings.form {
        ImageForm::Ewf => Image::open_by(&opener, segments.first()),
        ImageForm::Raw | ImageForm::SplitRaw => Image::open_raw_by(&opener, segments.first()),
    };
    let path = path_bytes(segments.first());
    let image = image
        .map_err(|error| Error::of_place(path, format_args!("cannot be read back: {}", error.problem)))?;
    let Some(verification) = verify(&image, options, progress) else { return Ok(None) };
    let is_same = image.media_size() == settings.size && is_same(settings.form, record, &verification);
    // All of its files are closed then.
    drop(image);
    let is_fresh = is_fresh.load(Ordering::Acquire);
    let Verification { verdict, findings, .. } = verification;
    Ok(Some(Reread { is_same, is_fresh, verdict, findings }))
}

/// Returns whether the image is sound, and its media have the digests of the source.
fn is_same(form: ImageForm, record: &Record, verification: &Verification) -> bool {
    let is_sound = match (form, verification.verdict) {
        (ImageForm::Ewf, ImageVerdict::Verified | ImageVerdict::VerifiedWithNotes) => true,
        // Raw media state no digests.
        (ImageForm::Raw | ImageForm::SplitRaw, ImageVerdict::NoDigest) => verification.findings.is_empty(),
        _ => false,
    };
    let mut computed = verification.digests.iter();
    let is_known = |algorithm, digest| {
        record.digests.iter().any(|named| named.algorithm == algorithm && named.digest == digest)
    };
    is_sound && !verification.digests.is_empty() && computed.all(|one| is_known(one.algorithm, one.digest))
}

/// The files of an image by the names that they will have.
#[derive(Debug)]
struct Unnamed {
    places: Vec<(PathBuf, PathBuf)>,
    /// Whether no file that was closed came from the page cache.
    is_fresh: Arc<AtomicBool>,
}

impl Opener for Unnamed {
    fn open(&self, path: &Path) -> io::Result<Arc<dyn SharedFile>> {
        let found = self.places.iter().find(|(named, _)| named == path);
        let (_, place) = found.ok_or(io::ErrorKind::NotFound)?;
        Ok(Arc::new(Uncached::open(place, &self.is_fresh)?))
    }

    fn beside(&self, _path: &Path, start: &[u8]) -> io::Result<Vec<OsString>> {
        let names = self.places.iter().filter_map(|(named, _)| named.file_name());
        Ok(names.filter(|name| bytes(name).starts_with(start)).map(OsString::from).collect())
    }
}

impl SharedFile for Uncached {
    fn size(&self) -> io::Result<u64> {
        Ok(self.meta().size)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        Uncached::read_at(self, offset, buffer)
    }

    fn is_near(&self) -> bool {
        true
    }
}
