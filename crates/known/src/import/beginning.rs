//! The first bytes of a stream, decoded to UTF-8.

use hashmill_manifest::format::{SNIFFED, utf8};
use std::io::{Cursor, Read};

/// Returns the first bytes of a stream, and the stream from its start.
pub(super) fn beginning<'a>(input: Box<dyn Read + 'a>) -> std::io::Result<(Vec<u8>, Box<dyn Read + 'a>)> {
    let mut input = utf8(input)?;
    let mut first = Vec::new();
    (&mut input).take(SNIFFED as u64).read_to_end(&mut first)?;
    Ok((first.clone(), Box::new(Cursor::new(first).chain(input))))
}
