//! Single-stream kernels for particular processors, and the choice among them.
//!
//! An algorithm owns its portable code and a [`Choice`]; the ways that only some processors can go are
//! listed here, best first. Kernels for many streams at once do not belong here.

#[cfg(target_arch = "x86_64")]
mod ahead;
#[cfg(target_arch = "x86_64")]
mod rows;
#[cfg(target_arch = "x86_64")]
mod x86_bmi;
#[cfg(target_arch = "x86_64")]
mod x86_keccak;
#[cfg(target_arch = "x86_64")]
mod x86_md5;
#[cfg(target_arch = "x86_64")]
mod x86_rounds;
#[cfg(target_arch = "x86_64")]
mod x86_sha;

#[cfg(target_arch = "x86_64")]
#[path = "x86.rs"]
mod paths;
#[cfg(not(target_arch = "x86_64"))]
#[path = "other.rs"]
mod paths;

pub(crate) use paths::{KECCAK, MD5, RIPEMD160, SHA1, SHA256, SHA512, SM3, settled, sha256_pair};

use crate::machine::{Isa, Machine};
use std::sync::OnceLock;

/// One way to take whole blocks of a message into a state.
pub(crate) struct Path<S: 'static> {
    /// What the processor must have.
    pub isa: Isa,
    /// For people.
    pub name: &'static str,
    /// Whether it is quick on this processor, which has the instructions.
    pub suits: fn() -> bool,
    /// Takes the blocks: a multiple of the algorithm's block length.
    pub compress: fn(&mut S, &[u8]),
}

/// A way to take as many blocks of each of two messages.
pub(crate) type Pair<S> = fn([&mut S; 2], [&[u8]; 2]);

/// The ways of one algorithm, and the one that is taken in this process.
pub(crate) struct Choice<S: 'static> {
    /// Ways that need particular processors, best first.
    special: &'static [Path<S>],
    /// The way that is always there.
    portable: Path<S>,
    chosen: OnceLock<&'static Path<S>>,
}

impl<S> Choice<S> {
    /// A choice between these ways (best first) and the portable one.
    pub const fn new(special: &'static [Path<S>], portable: fn(&mut S, &[u8])) -> Self {
        let portable = Path { isa: Isa::Portable, name: "portable", suits: always, compress: portable };
        Choice { special, portable, chosen: OnceLock::new() }
    }

    /// The best way that the machine allows: the same for the life of the process.
    pub fn best(&'static self) -> &'static Path<S> {
        self.chosen.get_or_init(|| {
            let machine = Machine::detect();
            self.all().find(|path| machine.allows(path.isa) && (path.suits)()).unwrap_or(&self.portable)
        })
    }

    /// Every way, best first, whether or not this processor can go it.
    pub fn all(&'static self) -> impl Iterator<Item = &'static Path<S>> {
        self.special.iter().chain([&self.portable])
    }
}

/// For ways that are quick wherever they can be gone.
fn always() -> bool {
    true
}

/// Checks that every way that this processor can go gives what the portable one gives, over 0 to 40
/// blocks of the given length.
#[cfg(test)]
pub(crate) fn assert_paths_agree<S>(choice: &'static Choice<S>, start: S, block: usize)
where
    S: Clone + PartialEq + std::fmt::Debug,
{
    let message: Vec<u8> = (0..40 * block).map(|i| ((i * i + 7 * i) % 251) as u8).collect();
    for path in choice.all().filter(|path| path.isa.present()) {
        for blocks in 0..=40 {
            let (mut got, mut expected) = (start.clone(), start.clone());
            (path.compress)(&mut got, &message[..blocks * block]);
            (choice.portable.compress)(&mut expected, &message[..blocks * block]);
            assert_eq!(got, expected, "{}, {blocks} blocks", path.name);
        }
    }
}
