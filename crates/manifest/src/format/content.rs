//! The lines at the start of a file that say what it is.

use super::list_line::is_zero;
use super::text::{SNIFFED, is_comment, without_cr};

/// How many lines without a known shape may come before the first that has one.
const LINES: usize = 64;

/// The first of the lines that are neither blank nor comments. A last line that [`SNIFFED`] bytes cut is none,
/// unless it is the only one.
pub(super) fn content(first: &[u8]) -> impl Iterator<Item = &[u8]> {
    let first = first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first);
    let feed = if is_zero(first) { 0 } else { b'\n' };
    let cut = first.len() >= SNIFFED && !first.ends_with(&[feed]);
    let end = memchr::memrchr(feed, first).filter(|_| cut).unwrap_or(first.len());
    let lines = first[..end].split(move |byte| *byte == feed).map(without_cr);
    lines.filter(|line| !is_comment(line)).take(LINES)
}
