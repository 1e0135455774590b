//! Reading an image back, past the page cache, before its files have their names.

use super::event::Reread;
use super::segments::Segments;
use crate::error::Error;
use hashmill_image::{
    Image, ImageForm, ImageSettings, ImageVerdict, Opener, Options, Progress, SharedFile, Verification,
    verify,
};
use hashmill_manifest::Record;
use hashmill_os::names::{bytes, path_bytes};
use hashmill_source::{self as source, Entry, Origin, Problem, Reader, Reading};
use parking_lot::Mutex;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

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
    let unnamed = Arc::new(Unnamed { places: segments.places(), opened: Mutex::default() });
    let opener = Arc::clone(&unnamed) as Arc<dyn Opener>;
    let image = match settings.form {
        ImageForm::Ewf => Image::open_by(&opener, segments.first()),
        ImageForm::Raw | ImageForm::SplitRaw => Image::open_raw_by(&opener, segments.first()),
    };
    let path = path_bytes(segments.first());
    let image = image
        .map_err(|error| Error::of_place(path, format_args!("cannot be read back: {}", error.problem)))?;
    let Some(verification) = verify(&image, options, progress) else { return Ok(None) };
    let is_same = image.media_size() == settings.size && is_same(settings.form, record, &verification);
    let is_fresh = unnamed.opened.lock().iter().all(|reader| reader.is_fresh());
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
    opened: Mutex<Vec<Arc<Reader>>>,
}

impl Opener for Unnamed {
    fn open(&self, path: &Path) -> io::Result<Arc<dyn SharedFile>> {
        let found = self.places.iter().find(|(named, _)| named == path);
        let (_, place) = found.ok_or(io::ErrorKind::NotFound)?;
        let entry = Entry::new(path_bytes(place).into(), Origin::Operand);
        let reader =
            Arc::new(Reader::open(&entry, &Reading { fresh: true, ..Reading::default() }).map_err(cause)?);
        self.opened.lock().push(Arc::clone(&reader));
        Ok(Arc::new(Uncached(reader)))
    }

    fn beside(&self, _path: &Path, start: &[u8]) -> io::Result<Vec<OsString>> {
        let names = self.places.iter().filter_map(|(named, _)| named.file_name());
        Ok(names.filter(|name| bytes(name).starts_with(start)).map(OsString::from).collect())
    }
}

/// A file that is read past the page cache.
#[derive(Debug)]
struct Uncached(Arc<Reader>);

impl SharedFile for Uncached {
    fn size(&self) -> io::Result<u64> {
        Ok(self.0.meta().size)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read_at(offset, buffer).map_err(cause)
    }

    fn is_near(&self) -> bool {
        true
    }
}

/// Returns the error of the system.
fn cause(error: source::Error) -> io::Error {
    match error.problem {
        Problem::Open(source) | Problem::Stat(source) | Problem::Read { source, .. } => source,
        problem => io::Error::other(problem.to_string()),
    }
}
