//! Text: UTF-8, or UTF-16 with a byte order mark. Scripts, pages and JSON are told from other text.

/// The encoding of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Utf8,
    Utf16,
}

/// Returns the encoding of text with these ends; `None` if they are not text.
pub(super) fn encoding(head: &[u8], tail: &[u8], size: u64) -> Option<Encoding> {
    let is_whole = head.len() as u64 == size;
    let is_order_mark = head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]);
    if is_order_mark && is_utf16(head) && is_utf16_units(tail, head[0] == 0xff, size) {
        return Some(Encoding::Utf16);
    }
    let last = || is_whole || is_utf8(skip_partial(tail), true);
    (is_utf8(head, is_whole) && last()).then_some(Encoding::Utf8)
}

/// Returns whether bytes are UTF-8 without control characters that texts don't have. The last character may be cut off
/// unless these are the last bytes.
fn is_utf8(bytes: &[u8], is_end: bool) -> bool {
    let text = match str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) if !is_end && error.error_len().is_none() => {
            str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return false,
    };
    text.bytes().all(|byte| byte >= b' ' && byte != 0x7f || b"\t\n\x0b\x0c\r\x08\x1b".contains(&byte))
}

/// Skips the rest of a character that was cut off.
fn skip_partial(bytes: &[u8]) -> &[u8] {
    let rest = bytes.iter().take(3).take_while(|byte| **byte & 0xc0 == 0x80).count();
    &bytes[rest..]
}

/// Returns whether bytes with a byte order mark are UTF-16 without control characters.
fn is_utf16(head: &[u8]) -> bool {
    let (units, is_little) = (&head[2..], head[0] == 0xff);
    is_plain(units, is_little)
}

/// Returns whether the last bytes of a stream are such text. In a stream of an odd length they are not.
fn is_utf16_units(tail: &[u8], is_little: bool, size: u64) -> bool {
    // The tail may begin with the mark.
    let tail = &tail[tail.len() % 2..];
    size.is_multiple_of(2) && is_plain(tail, is_little)
}

fn is_plain(units: &[u8], is_little: bool) -> bool {
    let units = units.as_chunks::<2>().0;
    let mut units = units
        .iter()
        .map(|unit| if is_little { u16::from_le_bytes(*unit) } else { u16::from_be_bytes(*unit) });
    units.all(|unit| (0x20..0xfffe).contains(&unit) || [9, 10, 12, 13].contains(&unit))
}

/// Interpreters, by the beginning of their names.
const INTERPRETERS: [(&str, &str); 14] = [
    ("python", "text/x-python"),
    ("pypy", "text/x-python"),
    ("perl", "text/x-perl"),
    ("ruby", "text/x-ruby"),
    ("php", "text/x-php"),
    ("lua", "text/x-lua"),
    ("node", "application/javascript"),
    ("tclsh", "text/x-tcl"),
    ("wish", "text/x-tcl"),
    ("expect", "text/x-tcl"),
    ("awk", "text/x-awk"),
    ("gawk", "text/x-awk"),
    ("mawk", "text/x-awk"),
    ("make", "text/x-makefile"),
];

/// Returns the MIME type of text.
pub(super) fn mime(head: &[u8], encoding: Encoding) -> &'static str {
    if encoding == Encoding::Utf16 {
        return "text/plain";
    }
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let start = head.trim_ascii_start();
    let is = |prefix: &str| {
        start.get(..prefix.len()).is_some_and(|own| own.eq_ignore_ascii_case(prefix.as_bytes()))
    };
    if let Some(line) = head.strip_prefix(b"#!") {
        return script(line).unwrap_or("text/plain");
    }
    if is("<!doctype html") || is("<html") || is("<head") || is("<body") {
        return "text/html";
    }
    if is("<?php") {
        return "text/x-php";
    }
    if is("<?xml") || is("<!doctype") || is("<svg") {
        return super::xml::mime(start);
    }
    "text/plain"
}

/// Returns the MIME type of a script by its first line, behind `#!`.
fn script(line: &[u8]) -> Option<&'static str> {
    let line = line.split(|byte| *byte == b'\n').next()?;
    let mut words = str::from_utf8(line).ok()?.split_ascii_whitespace();
    let name = |path: &str| path.rsplit('/').next().map(str::to_owned);
    let mut interpreter = name(words.next()?)?;
    if interpreter == "env" {
        let is_program = |word: &&str| !word.starts_with('-') && !word.contains('=');
        interpreter = name(words.find(is_program)?)?;
    }
    if ["sh", "bash", "dash", "ksh", "zsh", "ash", "csh", "tcsh", "mksh"].contains(&interpreter.as_str()) {
        return Some("text/x-shellscript");
    }
    INTERPRETERS.iter().find(|(prefix, _)| interpreter.starts_with(prefix)).map(|(_, mime)| *mime)
}
