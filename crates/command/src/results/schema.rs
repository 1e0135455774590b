//! The schemas of documents (docs/schemas). Each document names its schema with a version: removing a key, or changing
//! its meaning, makes a new version; adding a key does not.

use serde::Serialize;
use serde_json::Value;

/// A kind of document, by the name of its schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schema(&'static str);

/// A document, and the schema that it follows.
#[derive(Serialize)]
pub struct Document<T> {
    #[serde(flatten)]
    content: T,
    schema: &'static str,
}

impl Schema {
    pub const ALGORITHMS: Schema = Schema("algorithms-1");
    pub const AUDIT: Schema = Schema("audit-1");
    pub const BAG_CREATE: Schema = Schema("bag-create-1");
    pub const BAG_UPDATE: Schema = Schema("bag-update-1");
    pub const BAG: Schema = Schema("bag-verify-1");
    pub const CHECK: Schema = Schema("check-1");
    pub const COPY: Schema = Schema("copy-1");
    pub const DIFF: Schema = Schema("diff-1");
    pub const DUPES: Schema = Schema("dupes-1");
    pub const EXPLAIN: Schema = Schema("explain-1");
    pub const IMAGE_ACQUIRE: Schema = Schema("image-acquire-1");
    pub const IMAGE_INFO: Schema = Schema("image-info-1");
    pub const IMAGE_LIST: Schema = Schema("image-list-1");
    pub const IMAGE_VERIFY: Schema = Schema("image-verify-1");
    pub const KNOWN_BUILD: Schema = Schema("known-build-1");
    pub const KNOWN_INFO: Schema = Schema("known-info-1");
    pub const OUTBOARD: Schema = Schema("outboard-verify-1");
    pub const PROOF: Schema = Schema("verify-proof-1");
    pub const SCRUB: Schema = Schema("scrub-1");
    pub const SEAL: Schema = Schema("seal-1");
    pub const SIGN: Schema = Schema("sign-1");
    pub const SIMILAR_COMPARE: Schema = Schema("similar-compare-1");
    pub const SIMILAR_INDEX: Schema = Schema("similar-index-1");
    pub const STATS: Schema = Schema("stats-1");
    pub const TREE: Schema = Schema("tree-1");
    pub const VERIFY: Schema = Schema("verify-1");
    pub const VERIFY_MODEL: Schema = Schema("verify-model-1");
    pub const VERIFY_SEAL: Schema = Schema("verify-seal-1");

    /// Returns the name of the schema, which is also the name of its file.
    pub fn name(self) -> &'static str {
        self.0
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
