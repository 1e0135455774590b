//! Names as bytes: those that the system stores.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

pub fn bytes(name: &OsStr) -> Cow<'_, [u8]> {
    Cow::Borrowed(name.as_bytes())
}

pub fn path_bytes(path: &Path) -> Cow<'_, [u8]> {
    bytes(path.as_os_str())
}

pub fn into_bytes(name: OsString) -> Vec<u8> {
    name.into_vec()
}

pub fn into_path_bytes(path: PathBuf) -> Vec<u8> {
    path.into_os_string().into_vec()
}

pub fn name(bytes: &[u8]) -> io::Result<Cow<'_, OsStr>> {
    Ok(Cow::Borrowed(OsStr::from_bytes(bytes)))
}

pub fn path(bytes: &[u8]) -> io::Result<Cow<'_, Path>> {
    Ok(Cow::Borrowed(Path::new(OsStr::from_bytes(bytes))))
}

pub use path as exact_path;

pub fn into_name(bytes: Vec<u8>) -> io::Result<OsString> {
    Ok(OsString::from_vec(bytes))
}

pub fn into_path(bytes: Vec<u8>) -> io::Result<PathBuf> {
    Ok(OsString::from_vec(bytes).into())
}

pub fn canonical(path: &Path) -> io::Result<PathBuf> {
    path.canonicalize()
}

/// Shells do.
pub const REPLACES_PATTERNS: bool = false;

pub fn is_from_root(path: &[u8]) -> bool {
    path.starts_with(b"/")
}

#[cfg(test)]
mod tests {
    use crate::names;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(hashmill_testing::cases(256) as u32))]

        #[test]
        fn any_bytes_are_a_name(bytes: Vec<u8>) {
            let (name, path) = (names::name(&bytes).unwrap(), names::path(&bytes).unwrap());
            prop_assert_eq!(&*names::bytes(&name), &bytes[..]);
            prop_assert_eq!(&*names::path_bytes(&path), &bytes[..]);
            prop_assert_eq!(names::into_bytes(names::into_name(bytes.clone()).unwrap()), &bytes[..]);
            prop_assert_eq!(names::into_path_bytes(names::into_path(bytes.clone()).unwrap()), bytes);
        }
    }
}
