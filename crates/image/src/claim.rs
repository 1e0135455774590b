//! Digests that an image states about its media.

use crate::bytes::checksums::adler_holds;
use crate::{ImageLocation, ProblemKind};
use hashmill_digest::{Algorithm, Digest, find};
use serde::{Serialize, Serializer};

/// A digest of the media that a section of the image states.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Claim {
    /// The algorithm.
    #[serde(serialize_with = "name")]
    pub algorithm: &'static Algorithm,
    /// The stored digest.
    #[serde(serialize_with = "text")]
    pub digest: Digest,
    /// The location of its section.
    pub place: ImageLocation,
    /// The section's checksum is right.
    pub intact: bool,
}

/// The comparison of a stored digest of the media.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClaimCheck {
    /// The stored digest.
    pub claim: Claim,
    /// The result.
    pub outcome: DigestOutcome,
}

/// The result for a stored digest. The serialised words are those of an audit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum DigestOutcome {
    /// It matches the bytes.
    #[serde(rename = "matched")]
    Match,
    /// It matches the media with the bytes past the last whole sector.
    #[serde(rename = "matched-with-tail")]
    MatchWithTail,
    /// It does not match.
    #[serde(rename = "changed")]
    Mismatch,
    /// Not all bytes are available.
    #[serde(rename = "not_compared")]
    NotComputed,
}

pub(crate) fn name<S: Serializer>(algorithm: &&'static Algorithm, to: S) -> Result<S::Ok, S::Error> {
    algorithm.name.serialize(to)
}

pub(crate) fn text<S: Serializer>(digest: &Digest, to: S) -> Result<S::Ok, S::Error> {
    digest.to_string().serialize(to)
}

/// The digests in a section, and the section's problem.
pub(crate) type Claims = (Vec<(&'static str, Digest)>, Option<ProblemKind>);

/// Reads `hash`: MD5, 16 undocumented bytes, checksum.
pub(crate) fn hash_section(content: &[u8]) -> Claims {
    plain(content, 32, &[("md5", 0, 16)])
}

/// Reads `digest`: MD5 and SHA-1.
pub(crate) fn digest_section(content: &[u8]) -> Claims {
    plain(content, 76, &[("md5", 0, 16), ("sha1", 16, 20)])
}

/// Reads EWF2's MD5.
pub(crate) fn md5_section(content: &[u8]) -> Claims {
    plain(content, 16, &[("md5", 0, 16)])
}

/// Reads EWF2's SHA-1.
pub(crate) fn sha1_section(content: &[u8]) -> Claims {
    plain(content, 20, &[("sha1", 0, 20)])
}

/// Reads digests at fixed offsets before a checksum. Digests of zeros are unset.
fn plain(content: &[u8], checksum: usize, fields: &[(&'static str, usize, usize)]) -> Claims {
    if content.len() < checksum + 4 {
        return (Vec::new(), Some(ProblemKind::Malformed));
    }
    let digests = fields.iter().map(|(name, at, length)| (*name, &content[*at..at + length]));
    let set = digests.filter(|(_, bytes)| bytes.iter().any(|byte| *byte != 0));
    let claims = set.map(|(name, bytes)| (name, Digest::new(bytes))).collect();
    (claims, (!adler_holds(content, checksum)).then_some(ProblemKind::ContentChecksum))
}

/// Reads decompressed `xhash`: an element for each algorithm, with names in any case.
pub(crate) fn xhash_text(text: &[u8]) -> Claims {
    let text = String::from_utf8_lossy(text);
    let mut claims = Vec::new();
    let mut bad = false;
    for element in text.split('<').filter(|element| !element.starts_with(['/', '?', '!'])) {
        let Some((tag, value)) = element.split_once('>') else { continue };
        let Ok(algorithm) = find(tag.trim()) else { continue };
        match algorithm.parse(value.trim().as_bytes()) {
            Ok(digest) => claims.push((algorithm.name, digest)),
            Err(_) => bad = true,
        }
    }
    (claims, bad.then_some(ProblemKind::BadClaim))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xhash_elements_become_claims() {
        let (claims, bad) = xhash_text(
            b"\xef\xbb\xbf<?xml version=\"1.0\"?>\n<xhash>\n\t<md5>00112233445566778899aabbccddeeff</md5>\n\
            <SHA256>xx</SHA256></xhash>\n",
        );
        assert_eq!(claims, [("md5", Digest::from_hex(b"00112233445566778899aabbccddeeff").unwrap())]);
        assert_eq!(bad, Some(ProblemKind::BadClaim));
    }

    #[test]
    fn zeros_claim_nothing() {
        let (claims, bad) = digest_section(&[0; 80]);
        assert!(claims.is_empty());
        assert_eq!(bad, Some(ProblemKind::ContentChecksum));
        assert_eq!(digest_section(&[0; 79]).1, Some(ProblemKind::Malformed));
    }
}
