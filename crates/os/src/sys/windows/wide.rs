//! Paths as the wide strings that calls take.

use std::io;
use std::os::windows::ffi::OsStrExt;
use std::path::{Path, absolute};

/// The length of a path from which on Windows wants its verbatim form: `MAX_PATH`, less the name of a file in a folder.
const VERBATIM_FROM: usize = 248;

/// The end of a wide string.
const NUL: u16 = 0;

/// Returns a path with NUL at its end. A long one gets its verbatim form, `\\?\…`.
///
/// # Errors
/// If the path has NUL in it, or is a long relative one and there is no current folder.
pub(super) fn wide(path: &Path) -> io::Result<Vec<u16>> {
    let mut units: Vec<u16> = path.as_os_str().encode_wide().collect();
    if units.contains(&NUL) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    if units.len() >= VERBATIM_FROM && !starts_with(&units, r"\\?\") {
        units = verbatim(absolute(path)?.as_os_str().encode_wide().collect());
    }
    units.push(NUL);
    Ok(units)
}

/// Returns text with NUL at its end.
pub(super) fn wide_text(text: &str) -> Vec<u16> {
    text.encode_utf16().chain([NUL]).collect()
}

fn verbatim(units: Vec<u16>) -> Vec<u16> {
    let (start, skipped) = match () {
        () if starts_with(&units, r"\\?\") || starts_with(&units, r"\\.\") => ("", 0),
        () if starts_with(&units, r"\\") => (r"\\?\UNC\", 2),
        () => (r"\\?\", 0),
    };
    start.encode_utf16().chain(units[skipped..].iter().copied()).collect()
}

fn starts_with(units: &[u16], start: &str) -> bool {
    start.encode_utf16().zip(units.iter().copied()).filter(|(one, other)| one == other).count() == start.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_paths_are_verbatim() {
        let text = |path: &str| String::from_utf16(&wide(Path::new(path)).unwrap()).unwrap();
        let name = "a".repeat(300);
        assert_eq!(text(r"C:\a"), "C:\\a\0");
        assert_eq!(text(&format!(r"C:\{name}")), format!("\\\\?\\C:\\{name}\0"));
        assert_eq!(text(&format!(r"\\server\share\{name}")), format!("\\\\?\\UNC\\server\\share\\{name}\0"));
        assert!(wide(Path::new("a\0b")).is_err());
    }
}
