//! The lines of sdhash's files.
//!
//! `sdbf:03:name length:name:size:sha1:256:5:7ff:160:filters:elements of the last:base64`, or `sdbf-dd:03:name
//! length:name:size:sha1:256:5:7ff:192:filters:bytes of a block` and for each filter `:elements:base64`. The length of
//! the name determines its end, so names may contain colons.

use crate::bloom::{BYTES, Filter};
use crate::digest::sdhash::{BLOCK_FULL, FULL, Layout, SdhashDigest};
use crate::fields::{Field, Fields, chomp};
use crate::malformed::malformed;
use crate::{Malformed, Named};
use base64::DecodeError;
use base64::prelude::{BASE64_STANDARD, Engine as _};

/// The length of a filter in base64.
const LETTERS: usize = BYTES.div_ceil(3) * 4;

/// Joins named digests to the digest of a stream. Several digests are segments with their offsets in the names.
pub(crate) fn join(read: Vec<(Vec<u8>, SdhashDigest)>) -> Result<Vec<SdhashDigest>, Malformed> {
    if read.len() == 1 {
        return Ok(read.into_iter().map(|(_, digest)| digest).collect());
    }
    let segment = |(name, digest): (Vec<u8>, SdhashDigest)| match offset(&name) {
        Some(offset) => Ok(SdhashDigest { offset: Some(offset), ..digest }),
        None => malformed(0, "several digests, but their names are not those of segments"),
    };
    read.into_iter().map(segment).collect()
}

/// Returns the offset in a segment's name, in MiB: the digits between the last dot and the final M.
fn offset(name: &[u8]) -> Option<u64> {
    let digits = name.rsplit(|byte| *byte == b'.').next()?.strip_suffix(b"M")?;
    let plain = digits.len() >= 4 && digits.iter().all(u8::is_ascii_digit);
    plain.then(|| str::from_utf8(digits).ok()?.parse().ok()).flatten()
}

/// Reads a line; returns `None` for an empty one.
///
/// # Errors
/// Returns [`Malformed`] with the position and the reason.
pub fn parse(text: &[u8]) -> Result<Option<Named>, Malformed> {
    let text = chomp(text);
    if text.is_empty() {
        return Ok(None);
    }
    let mut fields = Fields::new(text);
    let magic = fields.until(b':', "no ':' after 'sdbf'")?;
    let whole = magic.bytes == b"sdbf";
    if !whole {
        magic.expect(b"sdbf-dd", "neither 'sdbf' nor 'sdbf-dd'")?;
    }
    fields.until(b':', "no version")?.expect(b"03", "a digest of another version: only 03 is known")?;
    let length =
        fields.until(b':', "no length of the name")?.number("the length of the name is not a number")?;
    let name = fields.take(usize::try_from(length).unwrap_or(usize::MAX), "the name is cut short")?;
    fields.until(b':', "no ':' after the name")?.expect(b"", "the name is longer than its length says")?;
    let size = fields.until(b':', "no size")?.number("the size is not a number")?;
    constants(&mut fields, if whole { b"160" } else { b"192" })?;
    let (layout, filters, counts) = if whole { read_whole(&mut fields)? } else { read_blocks(&mut fields)? };
    let digest = SdhashDigest { layout, size, offset: None, filters, counts };
    Ok(Some(Named { name: name.bytes.to_vec(), digest: crate::LikenessDigest::Sdhash(vec![digest]) }))
}

fn constants(fields: &mut Fields<'_>, elements: &[u8]) -> Result<(), Malformed> {
    for wanted in [b"sha1", b"256".as_slice(), b"5", b"7ff", elements] {
        let field = fields.until(b':', "the digest is cut short")?;
        field.expect(wanted, "not the parameters that sdhash 3.4 and 4.0 write")?;
    }
    Ok(())
}

type Filters = (Layout, Vec<Filter>, Vec<u8>);

fn read_whole(fields: &mut Fields<'_>) -> Result<Filters, Malformed> {
    let number = fields.until(b':', "no number of filters")?;
    let count = number.number("the number of filters is not a number")?;
    let last = fields.until(b':', "no number of elements")?;
    let elements = last.number("the number of elements is not a number")?;
    if elements > u64::from(FULL) {
        return malformed(last.at, "more than 160 elements in the last filter");
    }
    let text = fields.rest();
    let bytes = decode(text)?;
    if count == 0 || bytes.len() as u64 != count.saturating_mul(BYTES as u64) {
        return malformed(number.at, "the number of filters is not that of the filters that follow");
    }
    let filters: Vec<Filter> = bytes.as_chunks().0.iter().map(Filter::from_bytes).collect();
    let mut counts = vec![FULL; filters.len() - 1];
    counts.push(elements as u8);
    Ok((Layout::Whole, filters, counts))
}

fn read_blocks(fields: &mut Fields<'_>) -> Result<Filters, Malformed> {
    let number = fields.until(b':', "no number of blocks")?;
    let count = number.number("the number of blocks is not a number")?;
    let size = fields.until(b':', "no length of a block")?;
    let block = u32::try_from(size.number("the length of a block is not a number")?);
    let block = block.or_else(|_| malformed(size.at, "a block longer than 4 GiB"))?;
    let (mut filters, mut counts) = (Vec::new(), Vec::new());
    while !fields.rest().bytes.is_empty() {
        counts.push(elements(fields.until(b':', "no ':' after the number of elements")?)?);
        let text = fields.take(LETTERS, "a filter is cut short")?;
        let bytes = decode(text)?;
        let filter = bytes.first_chunk().map(Filter::from_bytes);
        filters.push(filter.map_or_else(|| malformed(text.at, "a filter is cut short"), Ok)?);
        if !fields.rest().bytes.is_empty() {
            fields.until(b':', "no ':' after a filter")?.expect(b"", "a filter is too long")?;
        }
    }
    if count == 0 || filters.len() as u64 != count {
        return malformed(number.at, "the number of blocks is not that of the filters that follow");
    }
    Ok((Layout::Blocks(block), filters, counts))
}

fn decode(text: Field<'_>) -> Result<Vec<u8>, Malformed> {
    BASE64_STANDARD.decode(text.bytes).or_else(|wrong| {
        let at = match wrong {
            DecodeError::InvalidByte(at, _) | DecodeError::InvalidLastSymbol { offset: at, .. } => at,
            _ => text.bytes.len(),
        };
        malformed(text.at + at, "not base64")
    })
}

/// Parses two hexadecimal digits.
fn elements(field: Field<'_>) -> Result<u8, Malformed> {
    let hex = field.bytes.len() == 2 && field.bytes.iter().all(u8::is_ascii_hexdigit);
    let text = hex.then(|| str::from_utf8(field.bytes).ok()).flatten();
    let count = text.and_then(|text| u8::from_str_radix(text, 16).ok()).filter(|count| *count <= BLOCK_FULL);
    count.map_or_else(|| malformed(field.at, "the number of elements is not 00 to c0"), Ok)
}
