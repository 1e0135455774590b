//! The names of the files of an image that is written.

use crate::files::name::{Series, member_path, members, series};
use crate::files::opener::Local;
use hashmill_os::names;
use std::io;
use std::path::{Path, PathBuf};

/// Extensions of raw images in one file.
const RAW: &[&str] = &["dd", "raw", "img", "bin"];

/// The last segment whose name all readers know: `.ZZZ`.
const LAST_EWF: u64 = 99 + 22 * 676;

/// The form of the files of an image that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageForm {
    /// Segments as EnCase 6 writes them: `.E01`, `.E02` and so on.
    Ewf,
    /// The media bytes in one file.
    Raw,
    /// The media bytes in parts: `.001`, `.002` and so on.
    SplitRaw,
}

impl ImageForm {
    /// Returns the form that the name of the first file implies, if there is one.
    pub fn from_name(first: &Path) -> Option<ImageForm> {
        let extension = first.extension()?.to_str()?;
        match series(first) {
            _ if extension.eq_ignore_ascii_case("E01") => Some(ImageForm::Ewf),
            Some(Series::Digits(_)) if extension.ends_with('1') => Some(ImageForm::SplitRaw),
            _ if RAW.iter().any(|known| extension.eq_ignore_ascii_case(known)) => Some(ImageForm::Raw),
            _ => None,
        }
    }
}

/// Returns the path of the segment with this number, from 1 on; `None` if no reader would know its name.
pub fn segment_path(first: &Path, number: u64) -> Option<PathBuf> {
    let series = match ImageForm::from_name(first)? {
        ImageForm::Raw => return (number == 1).then(|| first.to_path_buf()),
        ImageForm::Ewf if number > LAST_EWF => return None,
        ImageForm::Ewf | ImageForm::SplitRaw => series(first)?,
    };
    // The first is named as it was typed.
    if number == 1 { Some(first.to_path_buf()) } else { member_path(first, &series, number) }
}

/// Returns the existing files that have names of segments of this image.
///
/// # Errors
/// If the folder can't be listed.
pub fn segments_beside(first: &Path) -> io::Result<Vec<PathBuf>> {
    match (ImageForm::from_name(first), series(first)) {
        (Some(ImageForm::Ewf | ImageForm::SplitRaw), Some(series)) => {
            let found = members(&Local, first, &series)?.into_iter();
            Ok(found.filter(|member| member.ordinal > 0).map(|member| member.path).collect())
        }
        _ => {
            let path = names::into_path(names::path_bytes(first).into_owned())?;
            Ok(if first.symlink_metadata().is_ok() { vec![path] } else { Vec::new() })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_implies_the_form() {
        let of = |name: &str| ImageForm::from_name(Path::new(name));
        for name in ["a.E01", "x/a.b.e01"] {
            assert_eq!(of(name), Some(ImageForm::Ewf), "{name}");
        }
        for name in ["a.dd", "a.RAW", "a.img"] {
            assert_eq!(of(name), Some(ImageForm::Raw), "{name}");
        }
        assert_eq!(of("a.001"), Some(ImageForm::SplitRaw));
        for name in ["a", "a.E02", "a.Ex01", "a.L01", "a.s01", "a.000", "a.01a", "a.vmdk", ".E01", "a.aff4"] {
            assert_eq!(of(name), None, "{name}");
        }
    }

    #[test]
    fn names_end_where_readers_stop() {
        let name = |first: &str, number| segment_path(Path::new(first), number);
        assert_eq!(name("a.e01", 100), Some("a.eaa".into()));
        assert_eq!(name("a.E01", LAST_EWF), Some("a.ZZZ".into()));
        assert_eq!(name("a.E01", LAST_EWF + 1), None);
        assert_eq!(name("a.001", 1000), Some("a.1000".into()));
        assert_eq!((name("a.dd", 1), name("a.dd", 2)), (Some("a.dd".into()), None));
    }
}
