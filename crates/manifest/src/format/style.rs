//! Digests in the form of a store of objects: [`Style`]. What the list does not tell stands in the key or the tag: the CRC
//! of Azure, whose bytes stand the other way round, has `_le` behind its name, as xxhsum has it.

use super::malformed::{Bad, Why};
use super::naming::write_digest;
use crate::Named;
use hashloom_digest::{Algorithm, Class, Style, of_name};

/// What follows the name of an algorithm whose digests have their least significant byte first.
const LITTLE: &str = "_le";

/// Whether the bytes of a digest stand the other way round.
fn is_little(style: Style, algorithm: &Algorithm) -> bool {
    style == Style::Azure && algorithm.class == Class::Checksum && algorithm.has(style)
}

/// The algorithm of this key, if its digests are as Azure has them.
pub(super) fn of_key(name: &str) -> Option<&'static Algorithm> {
    of_name(name.strip_suffix(LITTLE)?).filter(|row| is_little(Style::Azure, row))
}

/// What the key of an algorithm has behind its name in this style.
pub(super) fn suffix(style: Style, algorithm: &Algorithm) -> &'static str {
    if is_little(style, algorithm) { LITTLE } else { "" }
}

/// The same in tags.
pub(super) fn tag_suffix(style: Style, algorithm: &Algorithm) -> &'static str {
    if is_little(style, algorithm) { "_LE" } else { "" }
}

/// Appends a digest in this style.
pub(super) fn write(style: Style, named: &Named, line: &mut Vec<u8>) {
    match style {
        Style::Usual => write_digest(named, line),
        _ => line.extend_from_slice(named.algorithm.format_in(style, &named.digest).as_bytes()),
    }
}

/// Reads a digest that is as Azure has it.
pub(super) fn azure(algorithm: &'static Algorithm, text: &[u8]) -> Result<Named, Bad> {
    let digest = algorithm.parse_in(Style::Azure, text);
    let digest = digest.map_err(|bad| Bad::new(algorithm.name, Why::Digest(bad)))?;
    Ok(Named { algorithm, digest, guessed: false })
}
