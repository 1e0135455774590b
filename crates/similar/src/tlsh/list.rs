//! The lines of TLSH's lists: a digest, a tab, a name.

use crate::digest::tlsh::{TlshDigest, TlshForm};
use crate::fields::{Fields, chomp};
use crate::malformed::malformed;
use crate::{Malformed, Named};

/// The number of digits of a digest.
const DIGITS: usize = 70;

/// Reads a line or a digest alone; returns `None` for an empty line.
///
/// # Errors
/// Returns [`Malformed`] with the position and the reason.
pub fn parse(text: &[u8]) -> Result<Option<Named>, Malformed> {
    let text = chomp(text);
    if text.is_empty() {
        return Ok(None);
    }
    let form = form(text)?;
    let mut fields = Fields::new(text);
    if form == TlshForm::T1 {
        fields.take(2, "the digest is cut short")?;
    }
    let digits = fields.take(DIGITS, "the digest has fewer than 70 digits")?;
    let bytes =
        bytes(digits.bytes).or_else(|wrong| malformed(digits.at + wrong, "not a hexadecimal digit"))?;
    let rest = fields.rest();
    let name = match rest.bytes.split_first() {
        None => Vec::new(),
        Some((b'\t' | b' ' | b',', name)) => name.to_vec(),
        Some(_) => return malformed(rest.at, "the digest has more than 70 digits"),
    };
    Ok(Some(Named { name, digest: crate::LikenessDigest::Tlsh(digest(form, &bytes)) }))
}

fn form(text: &[u8]) -> Result<TlshForm, Malformed> {
    match text {
        [b'T', b'1', ..] => Ok(TlshForm::T1),
        [b'T' | b't', ..] => malformed(0, "a digest of another version of TLSH: only T1 is known"),
        _ => Ok(TlshForm::Old),
    }
}

/// Decodes the digits, or returns the position of an error.
fn bytes(digits: &[u8]) -> Result<Vec<u8>, usize> {
    let value = |(at, digit): (usize, &u8)| (*digit as char).to_digit(16).map(|value| value as u8).ok_or(at);
    let values = digits.iter().enumerate().map(value).collect::<Result<Vec<u8>, usize>>()?;
    Ok(values.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

fn digest(form: TlshForm, bytes: &[u8]) -> TlshDigest {
    let [checksum, length, ratios] = [0, 1, 2].map(|at: usize| bytes[at].rotate_left(4));
    let mut code = [0; 32];
    for (place, byte) in code.iter_mut().zip(bytes[3..].iter().rev()) {
        *place = *byte;
    }
    TlshDigest { form, checksum, length, ratios: [ratios & 15, ratios >> 4], code }
}
