//! The schemas of documents (docs/schemas). Each document names its schema with a version: removing a key, or changing
//! its meaning, makes a new version; adding a key does not.

use serde::Serialize;
use serde_json::Value;

/// A kind of document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(dead_code, reason = "a build that leaves parts out writes fewer documents")]
pub enum Schema {
    Algorithms,
    Audit,
    Bag,
    Check,
    Diff,
    Dupes,
    Explain,
    ImageInfo,
    ImageList,
    ImageVerify,
    KnownBuild,
    KnownInfo,
    Outboard,
    Proof,
    Scrub,
    Seal,
    Sign,
    SimilarCompare,
    SimilarIndex,
    Stats,
    Tree,
    Verify,
    VerifyModel,
    VerifySeal,
}

/// A document, and the schema that it follows.
#[derive(Serialize)]
pub struct Document<T> {
    #[serde(flatten)]
    content: T,
    schema: &'static str,
}

impl Schema {
    /// Returns the name of the schema, which is also the name of its file.
    pub fn name(self) -> &'static str {
        match self {
            Schema::Algorithms => "algorithms-1",
            Schema::Audit => "audit-1",
            Schema::Bag => "bag-verify-1",
            Schema::Check => "check-1",
            Schema::Diff => "diff-1",
            Schema::Dupes => "dupes-1",
            Schema::Explain => "explain-1",
            Schema::ImageInfo => "image-info-1",
            Schema::ImageList => "image-list-1",
            Schema::ImageVerify => "image-verify-1",
            Schema::KnownBuild => "known-build-1",
            Schema::KnownInfo => "known-info-1",
            Schema::Outboard => "outboard-verify-1",
            Schema::Proof => "verify-proof-1",
            Schema::Scrub => "scrub-1",
            Schema::Seal => "seal-1",
            Schema::Sign => "sign-1",
            Schema::SimilarCompare => "similar-compare-1",
            Schema::SimilarIndex => "similar-index-1",
            Schema::Stats => "stats-1",
            Schema::Tree => "tree-1",
            Schema::Verify => "verify-1",
            Schema::VerifyModel => "verify-model-1",
            Schema::VerifySeal => "verify-seal-1",
        }
    }

    /// Returns a document with the name of its schema.
    pub fn document<T: Serialize>(self, content: T) -> Document<T> {
        Document { content, schema: self.name() }
    }

    /// Adds the name of the schema to an object.
    pub fn mark(self, object: &mut Value) {
        object["schema"] = self.name().into();
    }
}
