//! What an algorithm is: a row of the registry.

use crate::bank::{Bank, Part};
use crate::blake3::Key;
use crate::block::LaneKernel;
use crate::lanes::Plan;
use crate::lanes::costs::Costs;
use crate::leaves::{Folding, Leaves};
use crate::machine::Isa;
use crate::parameter::Parameter;
use crate::{About, Digest, Tree};
use std::{fmt, hash, ptr};

pub use crate::text::{Style, Text};

/// Makes a bank.
pub type Make = &'static (dyn Fn() -> Box<dyn Bank> + Send + Sync);

/// One row of the registry, or one that was made of such a row and a parameter. They are compared by identity: there is
/// one of each, and what a name without its parameter means equals what it means with it.
pub struct Algorithm {
    /// The name in options, manifests and messages: lower case.
    pub name: &'static str,
    /// Other names that are understood.
    pub aliases: &'static [&'static str],
    /// The name in BSD-style (`--tag`) lines, such as `SHA2-256` or `BLAKE2b-256`.
    pub tag: &'static str,
    /// Bits of the digest.
    pub bits: u32,
    /// What it is good for.
    pub class: Class,
    /// How the digest is written.
    pub text: Text,
    /// The standard or paper that defines it.
    pub source: &'static str,
    /// Makes a bank for many streams, on the best kernel that this machine runs.
    pub bank: Make,
    /// Makes a bank for streams that come one after another: the fastest for a message alone.
    pub alone: Make,
    /// Hashes a whole message without a bank: where it can, the fastest for a short one.
    pub whole: Option<fn(&[u8]) -> Digest>,
    /// How one message is hashed on several threads, where it is a tree.
    pub tree: Option<&'static dyn Tree>,
    /// How one message is cut and what is made of its leaves' digests, where it is leaves and a fold.
    pub leaves: Option<Leaves>,
    /// The size after its name, where it has one.
    pub parameter: Option<Parameter>,
    /// The digest depends on the length of the message from its first byte on: [`Bank::open_about`] should be used.
    pub wants_size: bool,
    /// How one message is cut and folded where its name and its length say so. The digest then tells nothing of the
    /// same bytes under another name, and pieces of a file have none.
    pub of_entry: Option<fn(&About<'_>) -> Folding>,
    /// A digest of its length that nothing names may be one of it.
    pub likely: bool,
    /// Clouds list digests of it in hexadecimal without a name, so it is tried last. Never one that a file can be made to
    /// fit, as a checksum can: a changed file would pass for one that a digest of another algorithm stands for. And
    /// never one that another row equals for short messages, as `dropbox` and `sha256d` do.
    pub of_cloud: bool,
    /// The key without which its digests mean nothing.
    pub key: Option<&'static Key>,
    /// What is known of its kernels, where it has lanes of its own.
    pub lanes: Option<Lanes>,
}

/// The kernels of an algorithm that has lanes: for tests, benchmarks and calibration. Everything else takes
/// [`Algorithm::bank`], which chooses for itself.
#[derive(Clone, Copy)]
pub struct Lanes {
    /// The compression function, which several algorithms may share: its name in [`Costs`].
    pub kernel: &'static str,
    /// Its place among the kernels of a calibration file.
    pub(crate) place: usize,
    /// Bytes of a block.
    pub block: usize,
    /// Makes a bank; none if the processor lacks what the plan names.
    pub bank: fn(Plan) -> Option<Box<dyn Bank>>,
    /// Whether one message runs on instructions made for the algorithm.
    pub hardware: fn() -> bool,
    /// The built-in costs of its kernel.
    pub(crate) costs: fn() -> Costs,
}

impl Lanes {
    /// Those of a kernel, with this maker of banks.
    pub(crate) const fn of<K: LaneKernel>(bank: fn(Plan) -> Option<Box<dyn Bank>>) -> Self {
        Lanes {
            kernel: K::NAME,
            place: K::PLACE,
            block: K::BLOCK,
            bank,
            hardware: || K::path(Isa::WIDEST).isa == Isa::Shani,
            costs: || K::COSTS.here(K::NAME),
        }
    }
}

/// How far a digest may be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// No practical attack is known.
    Cryptographic,
    /// Made as a cryptographic hash; collisions can be made now or soon.
    Broken,
    /// Finds accidents only.
    Checksum,
    /// A cryptographic hash cut to fewer than 128 bits: anybody can make another message with the same digest.
    Truncated,
}

impl Class {
    /// The word for it in tables and JSON.
    pub fn word(self) -> &'static str {
        match self {
            Class::Cryptographic => "cryptographic",
            Class::Broken => "broken",
            Class::Checksum => "checksum",
            Class::Truncated => "truncated",
        }
    }
}

impl Algorithm {
    /// How a message is cut and folded, where the digest is leaves and a fold and all is known that it takes.
    pub fn folding(&self, about: &About<'_>) -> Option<Folding> {
        match (self.leaves, self.of_entry) {
            (Some(shape), _) => Some(Folding::new(shape)),
            (None, Some(make)) => about.size.map(|_| make(about)),
            (None, None) => None,
        }
    }

    /// Returns whether it needs a key that was not set.
    pub fn lacks_key(&self) -> bool {
        self.key.is_some_and(|key| !key.is_set())
    }

    /// The name of the kernel that runs on this machine, for people.
    pub fn kernel(&self) -> &'static str {
        (self.bank)().kernel()
    }
}

/// The digest of one message that is all in memory.
pub fn hash(algorithm: &Algorithm, message: &[u8]) -> Digest {
    let mut bank = (algorithm.bank)();
    let slot = bank.open();
    bank.update(&[Part { slot, bytes: message, last: true }]);
    bank.close(slot)
}

impl PartialEq for Algorithm {
    fn eq(&self, other: &Self) -> bool {
        ptr::eq(self, other) || self.parameter.is_some() && self.parameter == other.parameter
    }
}

impl Eq for Algorithm {}

impl hash::Hash for Algorithm {
    fn hash<H: hash::Hasher>(&self, state: &mut H) {
        match &self.parameter {
            None => self.name.hash(state),
            Some(parameter) => parameter.hash(state),
        }
    }
}

impl fmt::Debug for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
