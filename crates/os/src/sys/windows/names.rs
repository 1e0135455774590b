//! Names as bytes: UTF-8 where they are text, else WTF-8.

use crate::wtf8;
use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::windows::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf, Prefix};

/// Beginnings of paths that Windows doesn't interpret: `/` separates nothing in them. As bytes, and as text.
const VERBATIM: [(&[u8], &str); 2] = [(b"//?/", r"\\?\"), (b"//./", r"\\.\")];

pub fn bytes(name: &OsStr) -> Cow<'_, [u8]> {
    match name.to_str() {
        Some(text) => Cow::Borrowed(text.as_bytes()),
        None => Cow::Owned(wtf8::encode(name.encode_wide())),
    }
}

pub fn path_bytes(path: &Path) -> Cow<'_, [u8]> {
    let bytes = bytes(path.as_os_str());
    if bytes.contains(&b'\\') { Cow::Owned(with_slashes(bytes.into_owned())) } else { bytes }
}

fn with_slashes(bytes: Vec<u8>) -> Vec<u8> {
    bytes.into_iter().map(|byte| if byte == b'\\' { b'/' } else { byte }).collect()
}

pub fn into_bytes(name: OsString) -> Vec<u8> {
    name.into_string().map_or_else(|name| wtf8::encode(name.encode_wide()), String::into_bytes)
}

pub fn into_path_bytes(path: PathBuf) -> Vec<u8> {
    with_slashes(into_bytes(path.into_os_string()))
}

pub fn name(bytes: &[u8]) -> io::Result<Cow<'_, OsStr>> {
    match str::from_utf8(bytes) {
        Ok(text) => Ok(Cow::Borrowed(OsStr::new(text))),
        Err(_) => decode(bytes).map(Cow::Owned),
    }
}

pub fn path(bytes: &[u8]) -> io::Result<Cow<'_, Path>> {
    check(bytes)?;
    Ok(match name(bytes)? {
        Cow::Owned(name) => Cow::Owned(verbatim(&name).unwrap_or_else(|| name.into())),
        Cow::Borrowed(name) => verbatim(name).map_or(Cow::Borrowed(Path::new(name)), Cow::Owned),
    })
}

pub fn into_name(bytes: Vec<u8>) -> io::Result<OsString> {
    String::from_utf8(bytes).map(OsString::from).or_else(|error| decode(error.as_bytes()))
}

pub fn into_path(bytes: Vec<u8>) -> io::Result<PathBuf> {
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

/// Names of devices, which the system finds in every folder, whatever their extension.
const DEVICES: [&[u8]; 6] = [b"con", b"prn", b"aux", b"nul", b"conin$", b"conout$"];
/// The beginnings of such names that have a digit at their end.
const PORTS: [&[u8]; 2] = [b"com", b"lpt"];

pub fn exact_path(bytes: &[u8]) -> io::Result<Cow<'_, Path>> {
    let names: Vec<&[u8]> = bytes.split(|byte| *byte == b'/').collect();
    // A device that stands alone is one that somebody typed.
    if names.len() == 1 || !names.iter().any(|name| *name != b"." && *name != b".." && is_changed(name)) {
        return path(bytes);
    }
    let working;
    let (start, names) = match bytes {
        [b'/', b'/', ..] => (r"\\?\UNC".to_string(), &names[2..]),
        [_, b':', b'/', ..] => (format!(r"\\?\{}:", bytes[0] as char), &names[1..]),
        _ => {
            working = std::env::current_dir()?
                .into_os_string()
                .into_string()
                .map_err(|_| io::ErrorKind::InvalidFilename)?;
            let drive = working.strip_prefix(r"\\?\").unwrap_or(&working);
            let kept = if bytes.starts_with(b"/") { drive.get(..2).unwrap_or(drive) } else { drive };
            (format!(r"\\?\{}", kept.trim_end_matches('\\')), &names[..])
        }
    };
    let mut exact = OsString::from(start);
    for name in below(names) {
        exact.push(r"\");
        exact.push(&*self::name(name)?);
    }
    Ok(Cow::Owned(exact.into()))
}

pub fn canonical(path: &Path) -> io::Result<PathBuf> {
    path.canonicalize().map(as_typed)
}

/// Returns the form of a verbatim path that people write, if the system changes nothing of it. Calls of the standard library and
/// of this crate take such paths of any length.
fn as_typed(path: PathBuf) -> PathBuf {
    let mut parts = path.components();
    let Some(Component::Prefix(prefix)) = parts.next() else { return path };
    let separator = OsStr::new(r"\");
    let mut typed = match prefix.kind() {
        Prefix::VerbatimDisk(letter) => OsString::from(format!("{}:", letter as char)),
        Prefix::VerbatimUNC(server, share) => [separator, server, share].join(separator),
        _ => return path,
    };
    typed.push(parts.as_path());
    if parts.any(|part| is_changed(&bytes(part.as_os_str()))) { path } else { typed.into() }
}

/// Returns the names of a path without those that lead nowhere or back.
fn below<'a>(names: &[&'a [u8]]) -> Vec<&'a [u8]> {
    let mut kept = Vec::new();
    for name in names {
        match *name {
            b"" | b"." => {}
            b".." => drop(kept.pop()),
            name => kept.push(name),
        }
    }
    kept
}

/// Returns whether the system takes a name for another one.
fn is_changed(name: &[u8]) -> bool {
    is_cut(name) || is_device(name)
}

/// Returns whether the system cuts the end of a name.
fn is_cut(name: &[u8]) -> bool {
    name.ends_with(b".") || name.ends_with(b" ")
}

/// Returns whether the system takes a name for that of a device.
fn is_device(name: &[u8]) -> bool {
    let base = name.split(|byte| b".:".contains(byte)).next().unwrap_or_default().trim_ascii_end();
    let base = base.to_ascii_lowercase();
    // Raised digits (`COM¹`) are digits here.
    let is_digit = |end: &[u8]| matches!(end, [b'0'..=b'9'] | [0xC2, 0xB2 | 0xB3 | 0xB9]);
    let is_port = PORTS.iter().any(|port| base.strip_prefix(*port).is_some_and(is_digit));
    is_port || DEVICES.contains(&&*base)
}

pub const REPLACES_PATTERNS: bool = true;

pub fn is_from_root(path: &[u8]) -> bool {
    path.starts_with(b"/") || matches!(path, [drive, b':', b'/', ..] if drive.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(hashmill_testing::cases(256) as u32))]

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
    fn a_verbatim_path_is_written_as_people_do_unless_that_names_another_file() {
        for (path, wanted) in [
            (r"\\?\C:\a\b", r"C:\a\b"),
            (r"\\?\C:\", r"C:\"),
            (r"\\?\UNC\server\share\a", r"\\server\share\a"),
        ] {
            assert_eq!(as_typed(path.into()).as_os_str(), wanted);
        }
        for same in [
            r"\\?\C:\a.\b",
            r"\\?\C:\nul",
            r"\\?\C:\com1.txt\b",
            "\\\\?\\C:\\Lpt\u{b9}",
            r"\\?\Volume{1}\a",
            r"C:\a",
            r"a\b",
        ] {
            assert_eq!(as_typed(same.into()).as_os_str(), same);
        }
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

    #[test]
    fn exact_paths_keep_what_the_system_would_change() {
        let exact = |path: &str| exact_path(path.as_bytes()).unwrap().to_str().unwrap().to_owned();
        assert_eq!(exact("C:/a/b"), "C:/a/b");
        assert_eq!(exact("NUL"), "NUL");
        assert_eq!(exact("../a"), "../a");
        assert_eq!(exact("C:/a/./b/../end. "), r"\\?\C:\a\end. ");
        assert_eq!(exact("//server/share/nul.txt"), r"\\?\UNC\server\share\nul.txt");
        let working = std::env::current_dir().unwrap().to_str().unwrap().to_owned();
        assert_eq!(exact("a/com1"), format!(r"\\?\{working}\a\com1"));
        assert_eq!(exact("/a /b"), format!(r"\\?\{}\a \b", &working[..2]));
        for name in ["con", "LPT9.tar.gz", "aux .txt", "Nul:x"] {
            assert!(is_device(name.as_bytes()), "{name}");
        }
        for name in ["co", "com", "lptx", "nullx", "", "x.nul"] {
            assert!(!is_device(name.as_bytes()), "{name}");
        }
    }

    #[test]
    fn names_that_the_system_would_cut_are_found_exactly() {
        let folder = tempfile::tempdir().unwrap();
        let typed = |name: &str| [&*path_bytes(folder.path()), b"/", name.as_bytes()].concat();
        for name in ["ends.", "ends ", "nul"] {
            std::fs::write(exact_path(&typed(name)).unwrap(), name).unwrap();
        }
        for name in ["ends.", "ends ", "nul"] {
            assert_eq!(std::fs::read(exact_path(&typed(name)).unwrap()).unwrap(), name.as_bytes());
        }
        for name in ["ends.", "ends ", "nul"] {
            std::fs::remove_file(exact_path(&typed(name)).unwrap()).unwrap();
        }
    }
}
