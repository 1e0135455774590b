//! Names as bytes: UTF-8 where they are text, else WTF-8.

use crate::wtf8;
use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::windows::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// Beginnings of paths that Windows doesn't interpret: `/` separates nothing in them. As bytes, and as text.
const VERBATIM: [(&[u8], &str); 2] = [(b"//?/", r"\\?\"), (b"//./", r"\\.\")];

pub(crate) fn bytes(name: &OsStr) -> Cow<'_, [u8]> {
    match name.to_str() {
        Some(text) => Cow::Borrowed(text.as_bytes()),
        None => Cow::Owned(wtf8::encode(name.encode_wide())),
    }
}

pub(crate) fn path_bytes(path: &Path) -> Cow<'_, [u8]> {
    let bytes = bytes(path.as_os_str());
    if bytes.contains(&b'\\') { Cow::Owned(with_slashes(bytes.into_owned())) } else { bytes }
}

fn with_slashes(bytes: Vec<u8>) -> Vec<u8> {
    bytes.into_iter().map(|byte| if byte == b'\\' { b'/' } else { byte }).collect()
}

pub(crate) fn into_bytes(name: OsString) -> Vec<u8> {
    name.into_string().map_or_else(|name| wtf8::encode(name.encode_wide()), String::into_bytes)
}

pub(crate) fn into_path_bytes(path: PathBuf) -> Vec<u8> {
    with_slashes(into_bytes(path.into_os_string()))
}

pub(crate) fn name(bytes: &[u8]) -> io::Result<Cow<'_, OsStr>> {
    match str::from_utf8(bytes) {
        Ok(text) => Ok(Cow::Borrowed(OsStr::new(text))),
        Err(_) => decode(bytes).map(Cow::Owned),
    }
}

pub(crate) fn path(bytes: &[u8]) -> io::Result<Cow<'_, Path>> {
    check(bytes)?;
    Ok(match name(bytes)? {
        Cow::Owned(name) => Cow::Owned(verbatim(&name).unwrap_or_else(|| name.into())),
        Cow::Borrowed(name) => verbatim(name).map_or(Cow::Borrowed(Path::new(name)), Cow::Owned),
    })
}

pub(crate) fn into_name(bytes: Vec<u8>) -> io::Result<OsString> {
    String::from_utf8(bytes).map(OsString::from).or_else(|error| decode(error.as_bytes()))
}

pub(crate) fn into_path(bytes: Vec<u8>) -> io::Result<PathBuf> {
    check(&bytes)?;
    let name = into_name(bytes)?;
    Ok(verbatim(&name).unwrap_or_else(|| name.into()))
}

fn decode(bytes: &[u8]) -> io::Result<OsString> {
    wtf8::decode(bytes).map(|units| OsString::from_wide(&units)).ok_or_else(|| no_name("not WTF-8"))
}

/// Refuses paths that have another meaning on Windows than where they come from.
fn check(bytes: &[u8]) -> io::Result<()> {
    if bytes.contains(&b'\\') { Err(no_name(r"has \ in a name")) } else { Ok(()) }
}

fn no_name(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidFilename, format!("is no name on Windows: {why}"))
}

/// Returns a path that Windows doesn't interpret with its own separators; none for other paths.
fn verbatim(name: &OsStr) -> Option<PathBuf> {
    let bytes = name.as_encoded_bytes();
    let (_, start) = VERBATIM.iter().find(|(start, _)| bytes.starts_with(start))?;
    let units = name.encode_wide().skip(start.len());
    let rest: Vec<u16> =
        units.map(|unit| if unit == u16::from(b'/') { u16::from(b'\\') } else { unit }).collect();
    let mut path = OsString::from(start);
    path.push(OsString::from_wide(&rest));
    Some(path.into())
}

pub(crate) const REPLACES_PATTERNS: bool = true;

pub(crate) fn is_from_root(path: &[u8]) -> bool {
    path.starts_with(b"/") || matches!(path, [drive, b':', b'/', ..] if drive.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_units_come_back(units: Vec<u16>) {
            let wide = OsString::from_wide(&units);
            let own = bytes(&wide);
            prop_assert_eq!(&*name(&own).unwrap(), &*wide);
            prop_assert_eq!(into_name(into_bytes(wide.clone())).unwrap(), wide);
        }
    }

    #[test]
    fn paths_have_slashes_as_bytes() {
        for (text, wanted) in [
            (r"a\b", "a/b"),
            (r"C:\a/b", "C:/a/b"),
            (r"\\server\share\a", "//server/share/a"),
            (r"\\?\C:\a", "//?/C:/a"),
            (r"\\.\PhysicalDrive0", "//./PhysicalDrive0"),
        ] {
            assert_eq!(&*path_bytes(Path::new(text)), wanted.as_bytes());
            assert_eq!(&*path(wanted.as_bytes()).unwrap(), Path::new(text));
            assert_eq!(into_path(into_path_bytes(text.into())).unwrap(), Path::new(text));
        }
        assert_eq!(path(b"//?/C:/a/b").unwrap().as_os_str(), r"\\?\C:\a\b");
        assert_eq!(path(br"a\b").unwrap_err().kind(), io::ErrorKind::InvalidFilename);
        assert_eq!(name(b"\xff").unwrap_err().kind(), io::ErrorKind::InvalidFilename);
    }

    #[test]
    fn a_drive_is_a_root() {
        for path in ["C:/", "z:/a", "/a", "//server/share", "//?/C:/a"] {
            assert!(is_from_root(path.as_bytes()), "{path}");
        }
        for path in ["C:", "C:a", "a/b", "1:/a", ""] {
            assert!(!is_from_root(path.as_bytes()), "{path}");
        }
    }
}
