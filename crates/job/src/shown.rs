//! Paths and numbers as people read them.

pub use hashloom_terminal::hidden;
use std::fmt::{self, Display, Write};

/// A path for people's eyes: control characters and bytes that are not UTF-8 as escapes.
pub struct Shown<'a>(pub &'a [u8]);

impl<'a> Shown<'a> {
    /// A path of the standard library.
    pub fn path(path: &'a std::path::Path) -> Shown<'a> {
        Shown(path.as_os_str().as_encoded_bytes())
    }
}

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for chunk in self.0.utf8_chunks() {
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

/// "1 file", "2 files".
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
    fn counts_agree_with_their_nouns() {
        assert_eq!(count(1, "file", "files"), "1 file");
        assert_eq!(count(0, "file", "files"), "0 files");
    }
}
