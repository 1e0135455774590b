//! Lines on standard error: `hashloom: path: what: why`.
//!
//! Names come from disks that others filled: nothing in them may move the cursor, ring the bell or
//! start a line of its own. A standard error that is gone is no reason to stop.

use hashloom_terminal::hidden;
use indicatif::ProgressBar;
use std::fmt::{self, Display, Write as _};
use std::io::{self, Write as _};
use std::sync::OnceLock;

static BAR: OnceLock<ProgressBar> = OnceLock::new();

/// From now on lines are written above this bar.
pub fn above(bar: &ProgressBar) {
    // A process draws one bar; a second one would only mean that lines go above the first.
    let _ = BAR.set(bar.clone());
}

/// Writes one line, after the program's name. It stays one, whatever names are in it.
pub fn say(text: impl Display) {
    let line = format!("hashloom: {}\n", Shown(text.to_string().as_bytes()));
    match BAR.get() {
        Some(bar) => bar.suspend(|| write(&line)),
        None => write(&line),
    }
}

/// Writes one line about a path.
pub fn about(path: &[u8], what: impl Display) {
    say(format_args!("{}: {what}", Shown(path)));
}

/// Writes one line about what is wrong with an image.
pub fn about_finding(finding: &hashloom_image::Finding) {
    say(finding);
}

/// Writes text to standard error as it is.
pub fn write(text: &str) {
    // Nobody is left to be told.
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// "1 file", "2 files".
pub fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// A path for people's eyes: control characters and bytes that are not UTF-8 as escapes.
pub struct Shown<'a>(pub &'a [u8]);

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
