//! What hashers give.

use hashloom_digest::{Algorithm, Digest};
use hashloom_manifest::{Likeness, Named};

/// What one hasher gives for one stream.
#[derive(Debug)]
pub(crate) enum Value {
    Digest(Named),
    Likeness(Likeness),
}

/// All values of a file or of a piece, in the order of the plan.
#[derive(Debug, Default)]
pub(crate) struct Digests {
    pub(crate) named: Vec<Named>,
    pub(crate) likeness: Vec<Likeness>,
}

impl Value {
    pub(crate) fn digest(algorithm: &'static Algorithm, digest: Digest) -> Value {
        Value::Digest(Named { algorithm, digest, guessed: false })
    }
}

impl Digests {
    /// Room for so many values and no more: many records wait in memory at once.
    pub(crate) fn with_room(named: usize, likeness: usize) -> Digests {
        Digests { named: Vec::with_capacity(named), likeness: Vec::with_capacity(likeness) }
    }

    pub(crate) fn push(&mut self, value: Value) {
        match value {
            Value::Digest(named) => self.named.push(named),
            Value::Likeness(likeness) => self.likeness.push(likeness),
        }
    }
}

impl FromIterator<Value> for Digests {
    fn from_iter<I: IntoIterator<Item = Value>>(values: I) -> Self {
        let mut digests = Digests::default();
        values.into_iter().for_each(|value| digests.push(value));
        digests
    }
}
