//! Escapes output to a terminal, and hides secrets in output ([`masked`]). Names come from untrusted disks: they must
//! not be able to move the cursor, or hide or reorder text. Output to a pipe or a file is not escaped.
//!
//! [`shown`] and [`Filter`] escape, [`masked`] hides. This crate knows nothing of what is shown.

mod mask;
mod path_text;
mod reason;
mod text;

pub use mask::{masked, masked_word, scheme};
pub use path_text::{add_path, path_b64, path_text};
pub use reason::without_numbers;
pub use text::{Shown, ShownPath, count};

/// Escapes output to a terminal, piece by piece.
///
/// Line feeds, tabs, and carriage returns at the end of a line (as in CSV) are passed through. Control characters,
/// including C1 as single bytes, marks that reorder text, and bytes that are not UTF-8 are shown as `\u{1b}` and
/// `\x9b`.
#[derive(Debug, Default)]
pub struct Filter {
    /// The start of an incomplete character, or a carriage return.
    held: Vec<u8>,
}

impl Filter {
    /// Escapes these bytes, after those that were held back.
    pub fn pass(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut all = std::mem::take(&mut self.held);
        all.extend_from_slice(bytes);
        self.held = all.split_off(all.len() - unfinished(&all));
        shown(&all)
    }

    /// Returns the held bytes, escaped, at the end of the output.
    pub fn end(&mut self) -> Vec<u8> {
        shown(&std::mem::take(&mut self.held))
    }
}

/// Returns how many bytes at the end can't be judged before more are known.
fn unfinished(bytes: &[u8]) -> usize {
    if bytes.ends_with(b"\r") {
        return 1;
    }
    let start = |back: &usize| bytes[bytes.len() - back] & 0xc0 != 0x80;
    let Some(back) = (1..=bytes.len().min(3)).find(start) else { return 0 };
    let cut = |error: std::str::Utf8Error| error.error_len().is_none();
    if str::from_utf8(&bytes[bytes.len() - back..]).is_err_and(cut) { back } else { 0 }
}

/// Returns the bytes with unsafe ones escaped.
pub fn shown(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        let mut letters = chunk.valid().chars().peekable();
        while let Some(letter) = letters.next() {
            match letter {
                '\n' | '\t' => out.push(letter as u8),
                '\r' if letters.peek() == Some(&'\n') => out.push(b'\r'),
                '\r' => out.extend_from_slice(b"\\r"),
                _ if hidden(letter) => out.extend(letter.escape_unicode().map(|letter| letter as u8)),
                _ => out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        for byte in chunk.invalid() {
            out.extend_from_slice(format!("\\x{byte:02x}").as_bytes());
        }
    }
    out
}

/// Returns whether a terminal interprets this character, or shows nothing for it: control characters, the marks that reorder
/// or break a line, and those without a width, by which two names look the same (Unicode's Default_Ignorable_Code_Point,
/// and the line and paragraph separators).
pub fn hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            '\u{00ad}' | '\u{034f}' | '\u{061c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    const NASTY: &[u8] =
        b"a\x1b[8m\x07\x7f\x00b\rc\r\nd\te\xc2\x9b1m\x9b\xe2\x80\xae\xc3\xb6\xf0\x9f\x98\x80\xf0\x9f\xff\n";
    const SHOWN: &str =
        "a\\u{1b}[8m\\u{7}\\u{7f}\\u{0}b\\rc\r\nd\te\\u{9b}1m\\x9b\\u{202e}ö\u{1f600}\\xf0\\x9f\\xff\n";

    #[test]
    fn nothing_speaks_to_the_terminal() {
        assert_eq!(String::from_utf8(shown(NASTY)).unwrap(), SHOWN);
    }

    #[test]
    fn where_writes_are_cut_changes_nothing() {
        for first in 0..=NASTY.len() {
            for second in first..=NASTY.len() {
                let mut filter = Filter::default();
                let mut out = filter.pass(&NASTY[..first]);
                out.extend(filter.pass(&NASTY[first..second]));
                out.extend(filter.pass(&NASTY[second..]));
                out.extend(filter.end());
                assert_eq!(String::from_utf8(out).unwrap(), SHOWN, "{first} {second}");
            }
        }
    }

    #[test]
    fn what_never_ends_is_shown_at_the_end() {
        for (bytes, wanted) in [(&b"a\xe2\x80"[..], "a\\xe2\\x80"), (b"a\r", "a\\r"), (b"\xf0", "\\xf0")] {
            let mut filter = Filter::default();
            let mut out = filter.pass(bytes);
            assert!(out.len() < wanted.len());
            out.extend(filter.end());
            assert_eq!(out, wanted.as_bytes());
        }
    }

    #[test]
    fn no_byte_is_lost_or_let_through() {
        for first in 0..=255_u8 {
            for second in 0..=255_u8 {
                let out = String::from_utf8(shown(&[first, second])).unwrap();
                let harmless = |letter: char| matches!(letter, '\n' | '\t' | '\r') || !hidden(letter);
                assert!(out.chars().all(harmless), "{out:?}");
                assert!(!out.contains('\r') || (first, second) == (b'\r', b'\n'));
            }
        }
    }
}
