//! The lines of mrsh-v2's files: `name:size:filters - 1:pieces of the last:filters`, then an empty line.
//!
//! A later repackaging (0.1.3) writes the number of filters itself. Both are read: the number follows from the filters.

use crate::bloom::{BYTES, Filter};
use crate::digest::mrsh::{FULL, MrshDigest};
use crate::fields::{Field, Fields, chomp};
use crate::malformed::malformed;
use crate::{Malformed, Named};

/// Reads a line; returns `None` for an empty one. A name may contain colons.
///
/// # Errors
/// Returns [`Malformed`] with the position and the reason.
pub fn parse(text: &[u8]) -> Result<Option<Named>, Malformed> {
    let text = chomp(text);
    if text.is_empty() {
        return Ok(None);
    }
    let colons: Vec<usize> = (0..text.len()).rev().filter(|at| text[*at] == b':').take(4).collect();
    let &[fourth, third, second, first] = colons.as_slice() else {
        return malformed(text.len(), "fewer than four ':'");
    };
    let field = |from: usize, to: usize| Field { at: from + 1, bytes: &text[from + 1..to] };
    let filters = filters(field(fourth, text.len()))?;
    let count = field(second, third).number("the number of filters is not a number")?;
    if count != filters.len() as u64 && count + 1 != filters.len() as u64 {
        return malformed(second + 1, "the number of filters is not that of the filters that follow");
    }
    let last = field(third, fourth);
    let pieces = last.number("the number of pieces is not a number")?;
    if pieces > u64::from(FULL) {
        return malformed(last.at, "more than 160 pieces in the last filter");
    }
    let size = size(field(first, second))?;
    let digest = crate::LikenessDigest::Mrsh(MrshDigest { size, filters, last: pieces as u32 });
    Ok(Some(Named { name: text[..first].to_vec(), digest }))
}

/// Parses the size; a negative one stands for 2 to 4 GiB.
fn size(field: Field<'_>) -> Result<u64, Malformed> {
    let Some(digits) = field.bytes.strip_prefix(b"-") else {
        let size = field.number("the size is not a number")?;
        return if size >> 32 == 0 {
            Ok(size)
        } else {
            malformed(field.at, "the size has more than 32 bits")
        };
    };
    let below = Field { at: field.at + 1, bytes: digits }.number("the size is not a number")?;
    (1_u64 << 32).checked_sub(below).map_or_else(|| malformed(field.at, "the size is not a number"), Ok)
}

fn filters(field: Field<'_>) -> Result<Vec<Filter>, Malformed> {
    if field.bytes.is_empty() || !field.bytes.len().is_multiple_of(2 * BYTES) {
        return malformed(field.at + field.bytes.len(), "not 512 digits for each filter");
    }
    let mut fields = Fields::new(field.bytes);
    let mut filters = Vec::with_capacity(field.bytes.len() / (2 * BYTES));
    while !fields.rest().bytes.is_empty() {
        let digits = fields.take(2 * BYTES, "a filter is cut short")?;
        filters.push(filter(Field { at: field.at + digits.at, bytes: digits.bytes })?);
    }
    Ok(filters)
}

fn filter(digits: Field<'_>) -> Result<Filter, Malformed> {
    let value = |at: usize| match (digits.bytes[at] as char).to_digit(16) {
        Some(value) => Ok(value as u8),
        None => malformed(digits.at + at, "not a hexadecimal digit"),
    };
    let mut bytes = [0; BYTES];
    for (i, byte) in bytes.iter_mut().enumerate() {
        *byte = value(2 * i)? << 4 | value(2 * i + 1)?;
    }
    Ok(Filter::from_bytes(&bytes))
}
