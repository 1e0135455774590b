//! What lines of text formats have in common.

/// How many bytes [`super::sniff()`] wants to see.
pub const SNIFFED: usize = 64 << 10;

/// Whether a line of a digest list says nothing.
pub(crate) fn is_comment(line: &[u8]) -> bool {
    matches!(line.trim_ascii_start().first(), None | Some(b'#' | b';'))
}

/// Whether most lines end as DOS has them. In others a carriage return belongs to a name (`Icon\r` of macOS).
pub(crate) fn is_dos(first: &[u8]) -> bool {
    let lines = || first.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    2 * lines().filter(|line| line.ends_with(b"\r")).count() >= lines().count()
}

/// A line without the carriage return of a DOS line end.
pub(crate) fn without_cr(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}
