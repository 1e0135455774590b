//! The lines of ssdeep's files: a digest, a comma, a quoted name.

use super::score::MAXIMUM;
use super::stream::SMALLEST;
use crate::digest::ssdeep::{SsdeepDigest, cut_runs};
use crate::fields::{Field, Fields, chomp};
use crate::malformed::malformed;
use crate::{Malformed, Named};

/// The first line of a file.
pub const HEADER: &str = "ssdeep,1.1--blocksize:hash:hash,filename";
/// The common start of that line in all versions.
const ANY_HEADER: &[u8] = b"ssdeep,1.";

/// Reads a line or a digest alone; returns `None` for a header or an empty line.
///
/// # Errors
/// Returns [`Malformed`] with the position and the reason.
pub fn parse(text: &[u8]) -> Result<Option<Named>, Malformed> {
    let text = chomp(text);
    if text.is_empty() || text.starts_with(ANY_HEADER) {
        return Ok(None);
    }
    if text.starts_with(b"ssdeep,") {
        return malformed(0, "a file of another version of ssdeep");
    }
    let mut fields = Fields::new(text);
    let block = block_size(fields.until(b':', "no ':' after the block size")?)?;
    let first = part(fields.until(b':', "no ':' after the first part")?)?;
    let rest = fields.rest();
    let end = rest.bytes.iter().position(|byte| *byte == b',').unwrap_or(rest.bytes.len());
    let second = part(Field { at: rest.at, bytes: &rest.bytes[..end] })?;
    let name = match rest.bytes.get(end + 1..) {
        Some(name) => unquote(Field { at: rest.at + end + 1, bytes: name })?,
        None => Vec::new(),
    };
    let digest = crate::LikenessDigest::Ssdeep(SsdeepDigest { block, first, second });
    Ok(Some(Named { name, digest }))
}

fn block_size(field: Field<'_>) -> Result<u64, Malformed> {
    let block = field.number("the block size is not a number")?;
    let known = block % SMALLEST == 0 && (block / SMALLEST).is_power_of_two() && block / SMALLEST <= 1 << 31;
    if known { Ok(block) } else { malformed(field.at, "the block size is not 3 times a power of two") }
}

fn part(field: Field<'_>) -> Result<Vec<u8>, Malformed> {
    let base64 = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'+' || *byte == b'/';
    if let Some(wrong) = field.bytes.iter().position(|byte| !base64(byte)) {
        return malformed(field.at + wrong, "not a base64 character");
    }
    if cut_runs(field.bytes).len() > MAXIMUM {
        return malformed(field.at + MAXIMUM, "a part is longer than 64 characters");
    }
    Ok(field.bytes.to_vec())
}

/// Unquotes a name, if it is quoted; `\"` is a quote.
fn unquote(field: Field<'_>) -> Result<Vec<u8>, Malformed> {
    let Some(inner) = field.bytes.strip_prefix(b"\"") else { return Ok(field.bytes.to_vec()) };
    let Some(inner) = inner.strip_suffix(b"\"") else {
        return malformed(field.at + field.bytes.len(), "the name's closing quote is missing");
    };
    let mut name = Vec::with_capacity(inner.len());
    for (i, byte) in inner.iter().enumerate() {
        if *byte != b'\\' || inner.get(i + 1) != Some(&b'"') {
            name.push(*byte);
        }
    }
    Ok(name)
}
