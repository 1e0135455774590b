//! The first meaningful lines of a file, by which its format is recognised.

use super::list_line::is_zero;
use super::text::{SNIFFED, is_comment, without_cr};

/// The maximum number of unrecognised lines before the first recognised one.
const LINES: usize = 64;

/// Returns the first lines that are neither blank nor comments. A last line that was cut at [`SNIFFED`] bytes is
/// omitted unless it is the only one.
pub(in crate::format) fn content(first: &[u8]) -> impl Iterator<Item = &[u8]> {
    let first = first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first);
    let feed = if is_zero(first) { 0 } else { b'\n' };
    let cut = first.len() >= SNIFFED && !first.ends_with(&[feed]);
    let end = memchr::memrchr(feed, first).filter(|_| cut).unwrap_or(first.len());
    let lines = first[..end].split(move |byte| *byte == feed).map(without_cr);
    lines.filter(|line| !is_comment(line)).take(LINES)
}
