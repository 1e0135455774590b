//! Paths and numbers for people to read.

use crate::{hidden, masked};
use hashmill_os::names;
use std::fmt::{self, Display, Write};
use std::path::Path;

/// A path or a line for people to read: `Display` escapes control characters and bytes that are not UTF-8, and hides
/// secrets in addresses.
pub struct Shown<'a>(pub &'a [u8]);

/// A path of the standard library, shown likewise.
pub struct ShownPath<'a>(&'a Path);

impl Display for ShownPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Shown(&names::path_bytes(self.0)).fmt(f)
    }
}

impl<'a> Shown<'a> {
    /// Shows a path of the standard library.
    pub fn path(path: &'a (impl AsRef<Path> + ?Sized)) -> ShownPath<'a> {
        ShownPath(path.as_ref())
    }
}

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for chunk in masked(self.0).utf8_chunks() {
            for letter in chunk.valid().chars() {
                show(f, letter)?;
            }
            for byte in chunk.invalid() {
                write!(f, "\\x{byte:02x}")?;
            }
        }
        Ok(())
    }
}

fn show(f: &mut fmt::Formatter<'_>, letter: char) -> fmt::Result {
    match letter {
        '\n' => f.write_str("\\n"),
        '\r' => f.write_str("\\r"),
        '\t' => f.write_str("\\t"),
        _ if hidden(letter) => write!(f, "{}", letter.escape_unicode()),
        _ => f.write_char(letter),
    }
}

/// Returns a number with its noun: "1 file", "2 files".
pub fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_speak_to_the_terminal() {
        assert_eq!(Shown(b"a\nb\x1b[31m\xff").to_string(), "a\\nb\\u{1b}[31m\\xff");
        assert_eq!(Shown("größe\u{202e}txt".as_bytes()).to_string(), "größe\\u{202e}txt");
    }

    #[test]
    fn secrets_of_addresses_are_not_shown() {
        assert_eq!(Shown(b"https://me:x@h/f?sig=x: gone").to_string(), "https://…@h/f?…: gone");
    }

    #[test]
    fn counts_agree_with_their_nouns() {
        assert_eq!(count(1, "file", "files"), "1 file");
        assert_eq!(count(0, "file", "files"), "0 files");
    }
}
