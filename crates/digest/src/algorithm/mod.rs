//! An algorithm: a row of the registry.

pub(crate) mod parameter;
pub(crate) mod text;

use crate::bank::{Bank, StreamPart};
use crate::block::LaneKernel;
use crate::lanes::Plan;
use crate::lanes::costs::{Costs, here};
use crate::leaves::{Folding, Leaves};
use crate::machine::Isa;
use crate::{About, Digest, SegmentTree};
use parameter::Parameter;
use std::{fmt, hash, ptr};

pub use text::{Style, Text};

/// Makes a bank.
pub type Make = &'static (dyn Fn() -> Box<dyn Bank> + Send + Sync);

/// A row of the registry, or one made of a row and a parameter or a key. Algorithms are compared by identity: each
/// exists once, a name without its parameter is the same as with the default one, and a key makes no difference.
pub struct Algorithm {
    /// The name in options, manifests and messages: lower case.
    pub name: &'static str,
    /// Other accepted names.
    pub aliases: &'static [&'static str],
    /// The name in BSD-style (`--tag`) lines, such as `SHA2-256` or `BLAKE2b-256`.
    pub tag: &'static str,
    /// Bits of the digest.
    pub bits: u32,
    /// The security of its digests.
    pub class: Class,
    /// The notation of its digests.
    pub text: Text,
    /// The standard or paper that defines it.
    pub source: &'static str,
    /// Makes a bank for many streams, on the best kernel of this machine.
    pub bank: Make,
    /// Makes a bank for one stream after another: the fastest for a single message.
    pub alone: Make,
    /// Hashes a whole message without a bank: the fastest way for a short message, if there is one.
    pub whole: Option<fn(&[u8]) -> Digest>,
    /// The way to hash one message on several threads, if the digest is a tree.
    pub tree: Option<&'static dyn SegmentTree>,
    /// The way to cut one message and fold the digests of its leaves, if the digest is made of leaves.
    pub leaves: Option<Leaves>,
    /// The parameter after its name, if it has one.
    pub parameter: Option<Parameter>,
    /// The digest depends on the length of the message from its first byte on: use [`Bank::open_about`].
    pub wants_size: bool,
    /// The way to cut and fold one message if that depends on its name and length. The digest then can't be compared
    /// with the same bytes under another name, and pieces of a file have none.
    pub of_entry: Option<fn(&About<'_>) -> Folding>,
    /// Makes a bank of our own code for one stream, if that of `alone` is a library's whose states can't be had
    /// ([`Bank::save`]).
    pub(crate) own: Option<Make>,
    /// The output of a stream of `alone` has any length: [`Bank::extend`].
    pub extendable: bool,
    /// A digest of this length without a name may be one of this algorithm.
    pub likely: bool,
    /// Clouds list its digests in hexadecimal without a name, so it is tried last. Never set this for an algorithm
    /// whose digests can be forged, such as a checksum: a changed file would match the digest of another algorithm. Nor
    /// for one that equals another row for short messages, as `dropbox` and `sha256d` do.
    pub of_cloud: bool,
    /// The mode of the key that it needs, if it needs one.
    pub key_mode: Option<KeyMode>,
    /// Whether it needs a key that is not in it: its digests mean nothing. [`Key::algorithm`](crate::Key::algorithm)
    /// returns the algorithm with a key.
    pub lacks_key: bool,
    /// Its kernels, if it has lanes of its own.
    pub lanes: Option<Lanes>,
}

/// The kernels of an algorithm with lanes: for tests, benchmarks and calibration. All other code uses
/// [`Algorithm::bank`], which chooses by itself.
#[derive(Clone, Copy)]
pub struct Lanes {
    /// The name in [`Costs`] of the compression function, which several algorithms may share.
    pub kernel: &'static str,
    /// The position among the kernels of a calibration file.
    pub(crate) place: usize,
    /// The bytes of a block.
    pub block: usize,
    /// Makes a bank; `None` if the processor lacks a feature of the plan.
    pub bank: fn(Plan) -> Option<Box<dyn Bank>>,
    /// Returns whether one message runs on instructions made for the algorithm.
    pub hardware: fn() -> bool,
    /// Returns the built-in costs of its kernel.
    pub(crate) costs: fn() -> Costs,
}

impl Lanes {
    /// Describes the lanes of a kernel, with this maker of banks.
    pub(crate) const fn from_kernel<K: LaneKernel>(bank: fn(Plan) -> Option<Box<dyn Bank>>) -> Self {
        Lanes {
            kernel: K::COSTS[0].kernel,
            place: K::PLACE,
            block: K::BLOCK,
            bank,
            hardware: || K::path(Isa::WIDEST).isa == Isa::Shani,
            costs: || here(K::COSTS),
        }
    }
}

/// The security of a digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// No practical attack is known.
    Cryptographic,
    /// Designed as a cryptographic hash; collisions are practical now or soon.
    Broken,
    /// Detects accidental changes only.
    Checksum,
    /// A cryptographic hash cut to fewer than 128 bits: anybody can make another message with the same digest.
    Truncated,
}

impl Class {
    /// Returns whether anybody can make another message with a given digest, in seconds.
    pub fn is_forgeable(self) -> bool {
        matches!(self, Class::Checksum | Class::Truncated)
    }

    /// Returns the word for it in tables and JSON.
    pub fn word(self) -> &'static str {
        match self {
            Class::Cryptographic => "cryptographic",
            Class::Broken => "broken",
            Class::Checksum => "checksum",
            Class::Truncated => "truncated",
        }
    }
}

/// The mode of an algorithm that needs a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyMode {
    /// `blake3-keyed`: hashing with a key.
    Keyed,
    /// `blake3-derive-key`: the key is derived from a context.
    DeriveKey,
}

impl KeyMode {
    /// Returns the name of the algorithm without a size.
    pub const fn family(self) -> &'static str {
        match self {
            KeyMode::Keyed => "blake3-keyed",
            KeyMode::DeriveKey => "blake3-derive-key",
        }
    }
}

impl Algorithm {
    /// Returns the way to cut and fold a message, if the digest is made of leaves and all inputs are known.
    pub fn folding(&self, about: &About<'_>) -> Option<Folding> {
        match (self.leaves, self.of_entry) {
            (Some(shape), _) => Some(Folding::new(shape)),
            (None, Some(make)) => about.size.map(|_| make(about)),
            (None, None) => None,
        }
    }

    /// Returns the name of the kernel that runs on this machine, for display.
    pub fn kernel(&self) -> &'static str {
        (self.bank)().kernel()
    }
}

/// Hashes one message in memory.
pub fn hash(algorithm: &Algorithm, message: &[u8]) -> Digest {
    let mut bank = (algorithm.bank)();
    let slot = bank.open();
    bank.update(&[StreamPart { slot, bytes: message, last: true }]);
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
