//! Digests of the parts of an image, from which one of the whole is made (AFF4 Standard v1.0, 6.2).

use super::Volume;
use super::names;
use super::stream::ImageStream;
use super::turtle::Value;
use hashmill_digest::{Algorithm, Digest, find};

/// The digests of chunks, in the order in which they are part of the digest of the whole.
pub(super) const CHUNK_DIGESTS: [&str; 5] = ["md5", "sha1", "sha256", "sha512", "blake2b"];

/// A stored digest of a part: its algorithm and its text.
#[derive(Debug, Clone, Copy)]
pub(super) struct PartDigest<'a> {
    pub(super) algorithm: &'static Algorithm,
    pub(super) text: &'a str,
}

impl PartDigest<'_> {
    /// Whether this is the digest.
    pub(super) fn is(&self, digest: &Digest) -> bool {
        self.algorithm.parse(self.text.as_bytes()).is_ok_and(|stored| stored == *digest)
    }
}

impl Volume {
    /// Returns the digests that a property states.
    pub(super) fn digests(&self, subject: &str, property: &str) -> Vec<PartDigest<'_>> {
        let values = self.segments.graph.values(subject, &[property]);
        let digests = values.filter_map(|value| match value {
            Value::Text(text, kind) => {
                let algorithm = find(names::algorithm(kind)?).ok()?;
                Some(PartDigest { algorithm, text })
            }
            Value::Name(_) => None,
        });
        digests.collect()
    }

    /// Returns the stored digests of all digests of a stream's chunks with an algorithm.
    pub(super) fn chunk_digests(&self, stream: &ImageStream, name: &str) -> Vec<PartDigest<'_>> {
        let below = format!("{}/blockhash.{name}", stream.name);
        let found = self.digests(&below, "aff4:hash");
        if !found.is_empty() {
            return found;
        }
        // Before the standard they were made with the same algorithm.
        let old = self.digests(&stream.name, "aff4:blockHashesHash").into_iter();
        let algorithm = names::algorithm(name);
        old.filter(|one| Some(one.algorithm.name) == algorithm).collect()
    }

    /// Returns the stored digests of the whole image by those of its parts.
    pub(super) fn whole(&self) -> Vec<PartDigest<'_>> {
        let mut found = self.digests(&self.stream, "aff4:blockMapHash");
        let values = self.segments.graph.values(&self.image, &["aff4:hash"]);
        found.extend(values.filter_map(|value| match value {
            Value::Text(text, kind) if kind.contains("blockMapHash") => {
                Some(PartDigest { algorithm: find(names::algorithm(kind)?).ok()?, text })
            }
            _ => None,
        }));
        // Before the standard, the map had it by this name.
        found.extend(self.digests(&self.stream, "aff4:blockHashesHash"));
        found
    }
}
