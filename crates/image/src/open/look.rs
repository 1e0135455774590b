//! Recognises images by their first bytes and their names.

use crate::container::{Container, Family};
use crate::disks::vmdk;
use crate::disks::{self, Recognized};
use crate::error::{Error, Problem};
use crate::ewf::segments;
use crate::files::name;
use crate::files::opener::{Local, Opener, SharedFile};
use hashmill_os::names;
use std::io;
use std::path::{Path, PathBuf};

/// The kind of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Look {
    /// Not an Expert Witness image. It may be a raw image, which can't be recognised.
    Other,
    /// The first segment of an image of media, or a virtual disk.
    Media,
    /// The first segment of an image of single files.
    Logical,
    /// A later segment.
    Later {
        /// The first segment, if it exists beside this file.
        first: Option<PathBuf>,
    },
    /// An image of another program, with media that can't be read.
    Foreign(&'static Container),
}

/// Whether a file is named like a segment of an Expert Witness image, a virtual disk or an image of another program, and so is worth
/// looking at. Names like `.EAA` count only if the first segment is there, as the function tells. No file is opened.
pub fn is_named_as_image_if(path: &Path, is_there: &dyn Fn(&Path) -> bool) -> bool {
    let firsts = || name::firsts(path);
    let last = path.extension().and_then(|text| names::bytes(text).last().copied());
    let numbered = last.is_some_and(|last| last.is_ascii_digit());
    name::series(path).is_some_and(|series| series.is_ewf())
        || firsts().iter().any(|first| numbered || is_there(first))
        || disks::is_named_so(path)
}

/// Returns whether a file has the mark of an image, also of one that can't be read. A raw image has none.
///
/// # Errors
/// If the file can't be read.
pub fn is_marked(file: &dyn SharedFile) -> io::Result<bool> {
    match segments::head_of(file) {
        Ok(None) => {}
        Err(Problem::Io(error)) => return Err(error),
        Ok(Some(_)) | Err(_) => return Ok(true),
    }
    Ok(match disks::recognize(file, file.size()?)? {
        Some(Recognized::Disk(_)) => true,
        Some(Recognized::Refused(found)) => found.family == Family::Image,
        None => false,
    })
}

/// Looks at the first bytes of a file, and for the first segment of a later one.
///
/// # Errors
/// If the file can't be read, or is an image of an unsupported kind.
pub fn look(path: &Path) -> Result<Look, Error> {
    look_by(&Local, path)
}

/// Like [`look`], with an opener for a file elsewhere.
///
/// # Errors
/// As [`look`].
pub fn look_by(opener: &dyn Opener, path: &Path) -> Result<Look, Error> {
    let head = |path: &Path| segments::head(opener, path);
    let found = match head(path) {
        // The caller reports files that can't be read.
        Err(Problem::Io(error)) => return Err(Error::io(path, error)),
        Err(problem) => return Err(Error::new(path, problem)),
        Ok(None) => return foreign(opener, path).map_err(|error| Error::io(path, error)),
        Ok(Some(found)) => found,
    };
    let kin = |first: &PathBuf| head(first).is_ok_and(|head| head.is_some());
    let firsts = name::firsts(path).into_iter();
    if let Some(first) = firsts.filter(|first| first.as_path() != path).find(kin) {
        return Ok(Look::Later { first: Some(first) });
    }
    let named_first = path.extension().is_some_and(|text| names::bytes(text).ends_with(b"01"));
    Ok(match (found.number() > 1 && !named_first, found.logical) {
        (true, _) => Look::Later { first: None },
        (false, true) => Look::Logical,
        (false, false) => Look::Media,
    })
}

/// Returns the kind of a file that is not an Expert Witness image. Archives count as plain files.
fn foreign(opener: &dyn Opener, path: &Path) -> io::Result<Look> {
    let file = opener.open(path)?;
    // A flat extent looks like raw media, or like any image within the media.
    if let Some(first) = vmdk::descriptor_of(opener, path) {
        return Ok(Look::Later { first: Some(first) });
    }
    Ok(match disks::recognize(&*file, file.size()?)? {
        Some(Recognized::Disk(_)) => Look::Media,
        Some(Recognized::Refused(found)) if found.family == Family::Image => Look::Foreign(found),
        _ => Look::Other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_segments_are_known() {
        let is_named = |name: &str| is_named_as_image_if(Path::new(name), &|first| first.exists());
        for name in ["a.E01", "a.e02", "a.E99", "a.s01", "a.L02", "a.Ex01", "a.Ex99", "a.vmdk"] {
            assert!(is_named(name), "{name}");
        }
        for name in ["a", "a.001", "a.EAA", "a.jpg", "a.doc", "E01", "a.Ey"] {
            assert!(!is_named(name), "{name}");
        }
    }
}
