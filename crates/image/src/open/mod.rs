//! Opens the image that begins with a file: EWF segments, a virtual disk, or raw media.

pub(crate) mod look;

use crate::disks::blocks::Opening;
use crate::disks::{self, Recognized};
use crate::error::{Error, Problem};
use crate::ewf::segments;
use crate::files::name;
use crate::files::opener::{Local, Opener};
use crate::image::Image;
use std::path::Path;
use std::sync::Arc;

fn local() -> Arc<dyn Opener> {
    Arc::new(Local)
}

impl Image {
    /// Opens the image with this first file. The other files are found beside it by their names.
    ///
    /// A damaged image can be opened if the size of its chunks is known; see [`Image::findings`].
    ///
    /// # Errors
    /// [`Error`] if a file can't be read, is named like an image but is none, is an unsupported container, is
    /// encrypted, uses an unknown compression, or states no usable size of chunks.
    pub fn open(first: &Path) -> Result<Image, Error> {
        Image::open_by(&local(), first)
    }

    /// Like [`Image::open`], with an opener for files elsewhere.
    ///
    /// # Errors
    /// As [`Image::open`].
    pub fn open_by(opener: &Arc<dyn Opener>, first: &Path) -> Result<Image, Error> {
        Image::open_over(opener, first, None)
    }

    /// Opens a QCOW2 image that is a layer over a backing file, with that file opened by the caller. The name that the
    /// image states for it is not used.
    ///
    /// # Errors
    /// As [`Image::open`]; also if the image states no backing file.
    pub fn open_with_backing(opener: &Arc<dyn Opener>, first: &Path, backing: Image) -> Result<Image, Error> {
        Image::open_over(opener, first, Some(backing))
    }

    fn open_over(opener: &Arc<dyn Opener>, first: &Path, backing: Option<Image>) -> Result<Image, Error> {
        let series = name::series(first);
        match segments::head(&**opener, first).map_err(|problem| Error::new(first, problem))? {
            Some(_) if backing.is_some() => Err(Error::new(first, Problem::NoBacking)),
            Some(head) => Image::open_ewf(opener, first, series, head),
            None => {
                let raw = Image::parts(opener, first, series.clone().filter(|series| !series.is_ewf()))?;
                let found = raw.recognize().map_err(|error| Error::io(first, error))?;
                match found {
                    Some(Recognized::Disk(disk)) => {
                        let opening =
                            Opening { opener, first, backing: backing.as_ref().map(Image::media_size) };
                        Ok((disk.open)(&opening)?.over(backing))
                    }
                    Some(Recognized::Refused(container)) => {
                        Err(Error::new(first, Problem::Container(container)))
                    }
                    None if series.is_some_and(|series| series.is_ewf()) => {
                        Err(Error::new(first, Problem::NotAnImage))
                    }
                    None if backing.is_some() => Err(Error::new(first, Problem::NoBacking)),
                    None => Ok(raw),
                }
            }
        }
    }

    /// Opens a file, or split raw media with this first file, as raw media, whatever its content.
    ///
    /// # Errors
    /// [`Error`] if a file can't be read.
    pub fn open_raw(first: &Path) -> Result<Image, Error> {
        Image::open_raw_by(&local(), first)
    }

    /// Like [`Image::open_raw`], with an opener for files elsewhere.
    ///
    /// # Errors
    /// As [`Image::open_raw`].
    pub fn open_raw_by(opener: &Arc<dyn Opener>, first: &Path) -> Result<Image, Error> {
        Image::parts(opener, first, name::series(first).filter(|series| !series.is_ewf()))
    }

    /// Like [`Image::open_raw_by`], for this file alone, even if it is named like the first of several.
    ///
    /// # Errors
    /// As [`Image::open_raw`].
    pub fn open_raw_file_by(opener: &Arc<dyn Opener>, file: &Path) -> Result<Image, Error> {
        Image::parts(opener, file, None)
    }

    /// Recognises a container by the start of the first file and the end of the last.
    fn recognize(&self) -> std::io::Result<Option<Recognized>> {
        let found = disks::recognize(&*self.files.get(0)?, self.files.size(0)?)?;
        match (found, self.files.last()) {
            (None, last) if last > 0 => {
                let tail = disks::of_tail(&*self.files.get(last)?, self.files.size(last)?)?;
                Ok(tail.map(Recognized::Refused))
            }
            // No program splits these without a description.
            (Some(Recognized::Disk(disk)), last) if last > 0 => {
                Ok(Some(Recognized::Refused(&disk.container)))
            }
            (found, _) => Ok(found),
        }
    }
}
