//! Makes the hashers that a plan needs.
//!
//! To add another kind of digest (of blocks, say): its `StreamHasher`, and `UnorderedHasher` if it is a tree, in this
//! folder, and a variant here.

use super::digest::DigestHasher;
use super::facts::{ChunkEnds, ChunkHistogram, ChunkPronom, FactHasher};
use super::hasher::{StreamHasher, UnorderedHasher};
use super::leaves::LeafHasher;
use super::similarity::SimilarityHasher;
use super::tree::TreeHasher;
use crate::Plan;
use hashmill_digest::leaves::{Folding, Leaves, keeping, keeping_alone};
use hashmill_digest::{About, Algorithm};
use hashmill_facts::{Fact, Signatures};
use hashmill_similar::Similar;
use std::sync::Arc;

/// A value to compute of every file or piece.
#[derive(Debug, Clone)]
pub(crate) enum HashSpec {
    Digest(&'static Algorithm),
    /// A digest folded from leaves, with the digests of the leaves.
    WithLeaves(&'static Algorithm, Leaves),
    Similarity(&'static Similar),
    Fact(Fact),
    /// The formats by these signatures of PRONOM.
    Puid(Arc<Signatures>),
}

impl HashSpec {
    /// Returns the values that a plan wants, in the order of a record.
    pub(crate) fn all(plan: &Plan) -> impl Iterator<Item = HashSpec> + '_ {
        let digests = plan.algorithms.iter().map(|algorithm| match algorithm.leaves {
            Some(shape) if plan.leaves => HashSpec::WithLeaves(algorithm, shape),
            _ => HashSpec::Digest(algorithm),
        });
        let likeness = plan.likeness.iter().map(|algorithm| HashSpec::Similarity(algorithm));
        // A scan needs the plan's scanner, and stands behind all of these.
        let facts = plan.facts.iter().filter_map(|fact| match fact {
            Fact::Yara => None,
            Fact::Puid => plan.pronom.clone().map(HashSpec::Puid),
            fact => Some(HashSpec::Fact(fact)),
        });
        digests.chain(likeness).chain(facts)
    }

    /// Makes the hasher that is best for many streams side by side.
    pub(crate) fn for_many(self) -> Box<dyn StreamHasher> {
        match self {
            HashSpec::Digest(algorithm) => Box::new(DigestHasher::new(algorithm, (algorithm.bank)())),
            HashSpec::WithLeaves(algorithm, shape) => Box::new(DigestHasher::new(algorithm, keeping(shape))),
            HashSpec::Similarity(algorithm) => Box::new(SimilarityHasher::new(algorithm)),
            HashSpec::Fact(fact) => Box::new(FactHasher::new(fact, None)),
            HashSpec::Puid(signatures) => Box::new(FactHasher::new(Fact::Puid, Some(signatures))),
        }
    }

    /// Makes the hasher that is best for one stream after another.
    pub(crate) fn for_one(self) -> Box<dyn StreamHasher> {
        match self {
            HashSpec::Digest(algorithm) => Box::new(DigestHasher::new(algorithm, (algorithm.alone)())),
            HashSpec::WithLeaves(algorithm, shape) => {
                Box::new(DigestHasher::new(algorithm, keeping_alone(shape)))
            }
            HashSpec::Similarity(_) | HashSpec::Fact(_) | HashSpec::Puid(_) => self.for_many(),
        }
    }

    /// Makes a hasher for one stream whose states can be had; `None` if there is none.
    pub(crate) fn for_saving(self) -> Option<Box<dyn StreamHasher>> {
        let HashSpec::Digest(algorithm) = self else { return None };
        Some(Box::new(DigestHasher::new(algorithm, algorithm.saving()?)))
    }

    /// Whether it computes the digest of this algorithm.
    pub(crate) fn is_of(&self, algorithm: &Algorithm) -> bool {
        self.algorithm().is_some_and(|own| own == algorithm)
    }

    /// Makes a hasher that takes chunks of `chunk` bytes of one stream in any order; `None` if the value can't be
    /// computed that way.
    pub(crate) fn unordered(&self, chunk: usize, about: &About<'_>) -> Option<Box<dyn UnorderedHasher>> {
        let size = about.size?;
        match self {
            HashSpec::Digest(algorithm) => match algorithm.folding(about) {
                Some(folding) => Some(Box::new(LeafHasher::new(algorithm, folding, chunk)?)),
                None => Some(Box::new(TreeHasher::new(algorithm, chunk, size)?)),
            },
            HashSpec::WithLeaves(algorithm, shape) => {
                Some(Box::new(LeafHasher::new(algorithm, Folding::keeping(*shape), chunk)?))
            }
            HashSpec::Fact(Fact::Type) => Some(Box::new(ChunkEnds::new(size))),
            HashSpec::Fact(Fact::Entropy) => Some(Box::new(ChunkHistogram::default())),
            HashSpec::Puid(signatures) => {
                Some(Box::new(ChunkPronom::new(size, Arc::clone(signatures), about.path)))
            }
            HashSpec::Similarity(_) | HashSpec::Fact(Fact::Yara | Fact::Puid) => None,
        }
    }

    /// Returns the digest's algorithm; `None` for a likeness digest or a fact.
    fn algorithm(&self) -> Option<&'static Algorithm> {
        match self {
            HashSpec::Digest(algorithm) | HashSpec::WithLeaves(algorithm, _) => Some(algorithm),
            HashSpec::Similarity(_) | HashSpec::Fact(_) | HashSpec::Puid(_) => None,
        }
    }

    /// For a digest folded from leaves, returns a length such that a leaf starts at each of its multiples.
    pub(crate) fn leaf_unit(&self, about: &About<'_>) -> Option<u64> {
        self.algorithm()?.folding(about).map(|folding| folding.shape().unit())
    }

    /// Whether the digest is a tree.
    pub(crate) fn is_tree(&self) -> bool {
        self.algorithm().is_some_and(|algorithm| algorithm.tree.is_some())
    }

    /// Whether hashing can't start before the size of the stream is known.
    pub(crate) fn wants_size(&self) -> bool {
        self.algorithm().is_some_and(|algorithm| algorithm.wants_size)
    }

    /// Whether hashing takes far longer than reading, needs much memory for each stream, and gains nothing from
    /// several.
    pub(crate) fn is_slow(&self) -> bool {
        matches!(self, HashSpec::Similarity(_))
    }
}
