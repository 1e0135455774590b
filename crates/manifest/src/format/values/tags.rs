//! The names that other formats have for algorithms.

use super::naming::write_digest;
use crate::{Named, Record};
use std::io::{self, Write};

/// An algorithm, and its name in a format.
pub(in crate::format) type TagRow = (&'static str, &'static str);

/// Returns hashmill's names of the algorithms in a table.
pub(in crate::format) const fn algorithms<const N: usize>(table: &[TagRow; N]) -> [&'static str; N] {
    let mut names = [""; N];
    let mut at = 0;
    while at < N {
        names[at] = table[at].0;
        at += 1;
    }
    names
}

/// Returns the name of a digest's algorithm in a table, or else hashmill's own.
pub(in crate::format) fn tag(table: &[TagRow], named: &Named) -> &'static str {
    let row = table.iter().find(|(name, _)| *name == named.algorithm.name);
    row.map_or(named.algorithm.name, |(_, tag)| tag)
}

/// Appends the digests of a record to JSON, separated by commas: the first of these texts, the name of the algorithm, the
/// second, the digest, the third.
pub(in crate::format) fn write_digests(
    record: &Record,
    table: &[TagRow],
    [before, between, after]: [&str; 3],
    text: &mut Vec<u8>,
) -> io::Result<()> {
    for (place, named) in record.digests.iter().enumerate() {
        let comma = if place > 0 { "," } else { "" };
        write!(text, "{comma}{before}{}{between}", tag(table, named))?;
        write_digest(named, text);
        text.extend_from_slice(after.as_bytes());
    }
    Ok(())
}
