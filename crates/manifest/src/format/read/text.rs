//! Common properties of lines in text formats.

/// The number of bytes that [`sniff`](crate::format::sniff()) examines.
pub const SNIFFED: usize = 64 << 10;

/// Returns whether a line of a digest list is blank or a comment.
pub(crate) fn is_comment(line: &[u8]) -> bool {
    matches!(line.trim_ascii_start().first(), None | Some(b'#' | b';'))
}

/// Returns whether most lines end as in DOS. Otherwise a carriage return is part of a name (`Icon\r` of macOS).
pub(crate) fn is_dos(first: &[u8]) -> bool {
    let lines = || first.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    2 * lines().filter(|line| line.ends_with(b"\r")).count() >= lines().count()
}

/// Returns the words of a line, which blanks or tabs separate.
pub(crate) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|byte| matches!(byte, b' ' | b'\t')).filter(|word| !word.is_empty())
}

/// Strips the carriage return of a DOS line end.
pub(crate) fn without_cr(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}
