//! The algorithm of a list or an index whose digests nobody named.

use super::index;
use super::lists::{begun, records};
use crate::error::Error;
use hashmill_content::stores::Stores;
use hashmill_manifest::format::{Hint, Lines, MAX_LIKENESS_LINE};
use hashmill_os::names;
use hashmill_similar::{SIMILAR, Similar};
use std::io::{Cursor, Read};
use std::path::Path;

/// The lines or records of a list that are looked at.
const LOOKED_AT: usize = 64;

/// Returns the algorithm of a list of digests or of a saved index, by its first digest.
///
/// # Errors
/// If it can't be read, or has no digest at its beginning.
pub fn algorithm_of(list: &Path, stores: &Stores) -> Result<&'static Similar, Error> {
    if let Some(index) = index::open_any(list)? {
        return Ok(index.algorithm());
    }
    let (first, rest) = begun(list, stores)?;
    let format = records(&first);
    let input = Box::new(Cursor::new(first).chain(rest));
    let found = match format {
        Some(format) => {
            let records = (format.reader)(input, Hint::None).take(LOOKED_AT).flatten();
            records.flat_map(|record| record.likeness).map(|likeness| likeness.algorithm).next()
        }
        None => {
            let mut lines = Lines::bounded(input, MAX_LIKENESS_LINE);
            let mut next = || lines.next()?.ok().map(|(_, line)| of_line(line));
            std::iter::from_fn(&mut next).take(LOOKED_AT).flatten().next()
        }
    };
    found.ok_or_else(|| Error::of_place(&*names::path_bytes(list), "begins with no digest of likeness"))
}

/// Returns the algorithm of the digest in a line, if there is one. Variants come after the algorithm that they are of.
fn of_line(line: &[u8]) -> Option<&'static Similar> {
    SIMILAR.iter().find(|row| matches!((row.parse)(line), Ok(Some(_))))
}
