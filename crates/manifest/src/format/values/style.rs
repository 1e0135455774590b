//! Digests in the notation of an object store: [`Style`]. If it can't be recognised from the text, the key or tag marks
//! it: the CRC of Azure, whose bytes are reversed, has the suffix `_le`, as in xxhsum.

use super::naming::write_digest;
use crate::Named;
use crate::format::malformed::{Bad, Why};
use hashmill_digest::{Algorithm, Class, Style, of_name};

/// The suffix of algorithms whose digests have their least significant byte first.
const LITTLE: &str = "_le";

/// Returns whether the bytes of a digest are reversed.
fn is_little(style: Style, algorithm: &Algorithm) -> bool {
    style == Style::Azure && algorithm.class == Class::Checksum && algorithm.has(style)
}

/// Returns the algorithm of this key, if its digests are in Azure's notation.
pub(in crate::format) fn of_key(name: &str) -> Option<&'static Algorithm> {
    of_name(name.strip_suffix(LITTLE)?).filter(|row| is_little(Style::Azure, row))
}

/// Returns the suffix of an algorithm's key in this style.
pub(in crate::format) fn suffix(style: Style, algorithm: &Algorithm) -> &'static str {
    if is_little(style, algorithm) { LITTLE } else { "" }
}

/// Returns the suffix of an algorithm's tag in this style.
pub(in crate::format) fn tag_suffix(style: Style, algorithm: &Algorithm) -> &'static str {
    if is_little(style, algorithm) { "_LE" } else { "" }
}

/// Appends a digest in this style.
pub(in crate::format) fn write(style: Style, named: &Named, line: &mut Vec<u8>) {
    match style {
        Style::Usual => write_digest(named, line),
        _ => line.extend_from_slice(named.algorithm.format_in(style, &named.digest).as_bytes()),
    }
}

/// Parses a digest in Azure's notation.
pub(in crate::format) fn azure(algorithm: &'static Algorithm, text: &[u8]) -> Result<Named, Bad> {
    let digest = algorithm.parse_in(Style::Azure, text);
    let digest = digest.map_err(|bad| Bad::new(algorithm.name, Why::Digest(bad)))?;
    Ok(Named { algorithm, digest, guessed: false })
}
