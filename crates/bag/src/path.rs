//! Encoding and safety of paths in manifests.

use crate::Version;
use std::fmt;

/// The reason why a path in a bag is unsafe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unsafe {
    /// It is empty.
    Empty,
    /// It is absolute.
    Absolute,
    /// It starts with a tilde, which shells expand to a home directory.
    Home,
    /// It has a `..` part.
    Parent,
    /// It starts with a Windows drive letter.
    Drive,
    /// It has a backslash (a separator on Windows) at the start or beside a part that leads elsewhere.
    Backslash,
    /// It has a NUL.
    Nul,
}

/// Encodes a path (RFC 8493, 2.1.3): `%`, LF and CR are percent-encoded, and nothing else.
pub fn encode(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for letter in path.chars() {
        match letter {
            '%' => text.push_str("%25"),
            '\n' => text.push_str("%0A"),
            '\r' => text.push_str("%0D"),
            _ => text.push(letter),
        }
    }
    text
}

/// Decodes a path of a manifest. Before version 1.0 only LF and CR were encoded. Other percent signs are kept.
pub fn decode(text: &str, version: Version) -> String {
    let mut path = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        path.push_str(&rest[..at]);
        let letter = match rest.as_bytes().get(at + 1..at + 3) {
            Some(b"0A" | b"0a") => Some('\n'),
            Some(b"0D" | b"0d") => Some('\r'),
            Some(b"25") if version >= Version::CURRENT => Some('%'),
            _ => None,
        };
        path.push(letter.unwrap_or('%'));
        rest = &rest[at + if letter.is_some() { 3 } else { 1 }..];
    }
    path.push_str(rest);
    path
}

/// Checks that the spelling of a path can't lead out of the bag.
///
/// # Errors
/// The reason why it is unsafe.
pub fn check(path: &str) -> Result<(), Unsafe> {
    let bytes = path.as_bytes();
    let parts = || path.split(['/', '\\']);
    match bytes {
        [] => Err(Unsafe::Empty),
        [b'/', ..] => Err(Unsafe::Absolute),
        [b'~', ..] => Err(Unsafe::Home),
        [letter, b':', ..] if letter.is_ascii_alphabetic() => Err(Unsafe::Drive),
        _ if bytes.contains(&0) => Err(Unsafe::Nul),
        [b'\\', ..] => Err(Unsafe::Backslash),
        _ if path.split('/').any(|part| part == "..") => Err(Unsafe::Parent),
        _ if parts().any(|part| part == "..") => Err(Unsafe::Backslash),
        _ => Ok(()),
    }
}

/// Removes empty parts and `.` parts.
pub(crate) fn plain(path: &str) -> String {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    parts.join("/")
}

impl fmt::Display for Unsafe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unsafe::Empty => "is empty",
            Unsafe::Absolute => "is absolute",
            Unsafe::Home => "starts with ~",
            Unsafe::Parent => "leads up with ..",
            Unsafe::Drive => "starts with a drive letter",
            Unsafe::Backslash => "has backslashes that lead elsewhere on Windows",
            Unsafe::Nul => "has a NUL",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: Version = Version { major: 0, minor: 97 };

    #[test]
    fn only_three_letters_are_encoded() {
        assert_eq!(encode("data/100% \r\n%0A é.txt"), "data/100%25 %0D%0A%250A é.txt");
        assert_eq!(decode("data/%0d%0A%2525%41%", Version::CURRENT), "data/\r\n%25%41%");
        assert_eq!(decode("data/%0d%0A%25", OLD), "data/\r\n%25");
    }

    #[test]
    fn paths_that_lead_out_are_told() {
        for (path, why) in [
            ("", Unsafe::Empty),
            ("/etc/passwd", Unsafe::Absolute),
            ("~/x", Unsafe::Home),
            ("~root/x", Unsafe::Home),
            ("data/../../x", Unsafe::Parent),
            ("..", Unsafe::Parent),
            ("C:\\x", Unsafe::Drive),
            ("c:x", Unsafe::Drive),
            ("\\\\?\\c:\\x", Unsafe::Backslash),
            ("data\\..\\..\\x", Unsafe::Backslash),
            ("data/a\0b", Unsafe::Nul),
        ] {
            assert_eq!(check(path), Err(why), "{path}");
        }
        for path in ["data/a", "data/..a/b..", "data/~x", "data/a\\b", "data/x:y"] {
            assert_eq!(check(path), Ok(()), "{path}");
        }
    }
}
