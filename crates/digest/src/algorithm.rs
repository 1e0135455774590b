//! What an algorithm is: a row of the registry.

use crate::bank::{Bank, Part};
use crate::block::LaneKernel;
use crate::lanes::Plan;
use crate::lanes::costs::Costs;
use crate::machine::Isa;
use crate::{BadDigest, Digest, Tree};
use std::{fmt, hash, ptr};

/// One row of the registry. Rows are compared by identity: there is one of each.
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
    pub bank: fn() -> Box<dyn Bank>,
    /// Makes a bank for streams that come one after another: the fastest for a message alone.
    pub alone: fn() -> Box<dyn Bank>,
    /// How one message is hashed on several threads, where that is possible.
    pub tree: Option<&'static dyn Tree>,
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
}

/// The usual text of a digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Text {
    /// Lower-case hexadecimal, most significant byte first.
    Hex,
    /// An unsigned decimal number (the POSIX `cksum`).
    Decimal,
}

impl Algorithm {
    /// The name of the kernel that runs on this machine, for people.
    pub fn kernel(&self) -> &'static str {
        (self.bank)().kernel()
    }

    /// The digest in the algorithm's usual text.
    pub fn format(&self, digest: &Digest) -> String {
        match self.text {
            Text::Hex => digest.to_string(),
            Text::Decimal => {
                let value = digest.as_bytes().iter().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
                value.to_string()
            }
        }
    }

    /// Reads the algorithm's usual text, either case.
    ///
    /// # Errors
    /// [`BadDigest`] if it is not such a text or has another length.
    pub fn parse(&self, text: &[u8]) -> Result<Digest, BadDigest> {
        match self.text {
            Text::Hex => {
                let digest = Digest::from_hex(text)?;
                (digest.bits() == self.bits).then_some(digest).ok_or(BadDigest::Length(text.len()))
            }
            Text::Decimal => {
                let plain = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
                let text = plain.then(|| str::from_utf8(text).ok()).flatten().ok_or(BadDigest::Number)?;
                let value: u64 = text.parse().map_err(|_| BadDigest::Number)?;
                let bytes = value.to_be_bytes();
                let unused = 8 - (self.bits / 8) as usize;
                let fits = bytes[..unused].iter().all(|byte| *byte == 0);
                fits.then(|| Digest::new(&bytes[unused..])).ok_or(BadDigest::Number)
            }
        }
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
        ptr::eq(self, other)
    }
}

impl Eq for Algorithm {}

impl hash::Hash for Algorithm {
    fn hash<H: hash::Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl fmt::Debug for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
