//! The results of hashers.

use hashmill_digest::{Algorithm, Digest};
use hashmill_facts::{ContentFacts, ContentType, Entropy, Fact, FactSet, Pronom, RuleFacts};
use hashmill_manifest::{KeptLeaves, Likeness, Named};
use std::sync::Arc;

/// The result of one hasher for one stream.
#[derive(Debug)]
pub(crate) enum Value {
    Digest(Named),
    /// A digest with the digests of its leaves.
    WithLeaves(Named, KeptLeaves),
    Likeness(Likeness),
    /// The type of the content, if it is known.
    ContentType(Option<Arc<ContentType>>),
    Entropy(Entropy),
    Rules(RuleFacts),
    Pronom(Pronom),
    /// Nothing: the bytes were only passed on, or the value is none of pieces.
    None,
}

/// All values of a file or piece, in the order of the plan.
#[derive(Debug, Default)]
pub(crate) struct DigestValues {
    pub(crate) named: Vec<Named>,
    pub(crate) likeness: Vec<Likeness>,
    /// Kept digests of leaves.
    pub(crate) leaves: Vec<KeptLeaves>,
    /// The facts that were found, and those that were looked for.
    pub(crate) facts: ContentFacts,
    pub(crate) asked: FactSet,
}

impl Value {
    pub(crate) fn digest(algorithm: &'static Algorithm, digest: Digest) -> Value {
        Value::Digest(Named { algorithm, digest, guessed: false })
    }

    /// Makes a value of a digest and, if kept, the digests of its leaves.
    pub(crate) fn with_leaves(
        algorithm: &'static Algorithm,
        digest: Digest,
        leaves: Option<Box<[u8]>>,
    ) -> Value {
        let named = Named { algorithm, digest, guessed: false };
        match leaves {
            None => Value::Digest(named),
            Some(digests) => Value::WithLeaves(named, KeptLeaves { algorithm, digests }),
        }
    }
}

impl DigestValues {
    /// Reserves exactly this room, since many records wait in memory at once.
    pub(crate) fn with_room(named: usize, likeness: usize) -> DigestValues {
        DigestValues {
            named: Vec::with_capacity(named),
            likeness: Vec::with_capacity(likeness),
            ..DigestValues::default()
        }
    }

    pub(crate) fn push(&mut self, value: Value) {
        match value {
            Value::Digest(named) => self.named.push(named),
            Value::WithLeaves(named, leaves) => {
                self.named.push(named);
                self.leaves.push(leaves);
            }
            Value::Likeness(likeness) => self.likeness.push(likeness),
            Value::ContentType(found) => {
                self.asked.add(Fact::Type);
                self.facts.content_type = found;
            }
            Value::Entropy(entropy) => {
                self.asked.add(Fact::Entropy);
                self.facts.entropy = Some(entropy);
            }
            Value::Rules(rules) => {
                self.asked.add(Fact::Yara);
                self.facts.rules = Some(Arc::new(rules));
            }
            Value::Pronom(found) => {
                self.asked.add(Fact::Puid);
                self.facts.pronom = Some(Arc::new(found));
            }
            Value::None => {}
        }
    }
}

impl FromIterator<Value> for DigestValues {
    fn from_iter<I: IntoIterator<Item = Value>>(values: I) -> Self {
        let mut digests = DigestValues::default();
        values.into_iter().for_each(|value| digests.push(value));
        digests
    }
}
