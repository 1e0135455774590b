//! Ways to compress blocks of one message, and the choice among them.
//!
//! An algorithm has a portable path and, in files of its folder, paths that only some processors can run.

use crate::machine::{Isa, Machine};
use std::sync::OnceLock;

/// A way to compress whole blocks of a message.
pub(crate) struct Path<S: 'static> {
    /// The required instruction set.
    pub isa: Isa,
    /// The name for display.
    pub name: &'static str,
    /// Returns whether it is fast on this processor, which has the instructions.
    pub suits: fn() -> bool,
    /// Compresses blocks; their length is a multiple of the block length.
    pub compress: fn(&mut S, &[u8]),
}

impl<S> Clone for Path<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for Path<S> {}

/// A way to compress equally many blocks of two messages.
#[cfg(target_arch = "x86_64")]
pub(crate) type Pair<S> = fn([&mut S; 2], [&[u8]; 2]);

/// The paths of one algorithm.
pub(crate) struct Paths<S: 'static> {
    /// The paths for particular processors, best first.
    special: &'static [Path<S>],
    /// The path for every processor.
    portable: Path<S>,
    best: OnceLock<Path<S>>,
}

impl<S> Path<S> {
    /// Creates a path that is fast on all processors with these instructions.
    #[cfg(target_arch = "x86_64")]
    pub(crate) const fn new(isa: Isa, name: &'static str, compress: fn(&mut S, &[u8])) -> Self {
        Path { isa, name, suits: always, compress }
    }

    /// Restricts the path to processors on which it is fast.
    #[cfg(target_arch = "x86_64")]
    pub(crate) const fn only_if(self, suits: fn() -> bool) -> Self {
        Path { suits, ..self }
    }

    /// Creates the path for every processor.
    pub(crate) const fn portable(compress: fn(&mut S, &[u8])) -> Self {
        Path { isa: Isa::Portable, name: "portable", suits: always, compress }
    }
}

impl<S> Paths<S> {
    /// Creates paths: the special ones (best first), and the portable one.
    pub(crate) const fn new(special: &'static [Path<S>], portable: fn(&mut S, &[u8])) -> Self {
        Paths { special, portable: Path::portable(portable), best: OnceLock::new() }
    }

    /// Returns the best path that the machine allows, the same for the life of the process; or the portable one, if
    /// that is the limit.
    pub(crate) fn best(&self, limit: Isa) -> Path<S> {
        if limit == Isa::Portable {
            return self.portable;
        }
        *self.best.get_or_init(|| {
            let machine = Machine::detect();
            let quick = |path: &&Path<S>| machine.allows(path.isa) && (path.suits)();
            self.special.iter().find(quick).copied().unwrap_or(self.portable)
        })
    }
}

/// For paths that are fast on every processor that can run them.
fn always() -> bool {
    true
}

/// Defines functions that check for an instruction set and then run `$body`, compiled for it.
#[cfg(target_arch = "x86_64")]
macro_rules! compiled_for {
    ($isa:ident, $features:literal: $($(#[$doc:meta])* $vis:vis $name:ident($state:ty) = $body:expr;)*) => {$(
        $(#[$doc])*
        #[allow(unsafe_code)]
        $vis fn $name(state: &mut $state, blocks: &[u8]) {
            #[target_feature(enable = $features)]
            fn compiled(state: &mut $state, blocks: &[u8]) {
                // SAFETY: this function is compiled with the features.
                #[allow(unused_unsafe)]
                unsafe { $body(state, blocks) };
            }
            assert!($crate::machine::Isa::$isa.present());
            // SAFETY: the assertion above checks the processor's features.
            unsafe { compiled(state, blocks) }
        }
    )*};
}
#[cfg(target_arch = "x86_64")]
pub(crate) use compiled_for;

/// Returns the same number, without the compiler knowing: so the sum inside is computed before anything is added to the
/// result. Otherwise it adds constants last, where the next step waits for them.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[allow(unsafe_code)]
pub(crate) fn summed_first(mut number: u32) -> u32 {
    use std::arch::asm;
    // SAFETY: the assembly is empty.
    unsafe { asm!("/* {0:e} */", inout(reg) number, options(pure, nomem, nostack, preserves_flags)) };
    number
}

/// Returns the same number, without the compiler knowing, so it does not recompute it from its inputs.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[allow(unsafe_code)]
pub(crate) fn opaque(mut number: u64) -> u64 {
    use std::arch::asm;
    // SAFETY: the assembly is empty.
    unsafe { asm!("/* {0} */", inout(reg) number, options(pure, nomem, nostack, preserves_flags)) };
    number
}

/// Returns the same number.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(crate) fn opaque(number: u64) -> u64 {
    number
}

/// Returns the same number.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(crate) fn summed_first(number: u32) -> u32 {
    number
}

/// Checks that every path of this processor gives the same results as the portable one, for 0 to 40 blocks of the given
/// length.
#[cfg(test)]
pub(crate) fn assert_paths_agree<S>(paths: &'static Paths<S>, start: S, block: usize)
where
    S: Clone + PartialEq + std::fmt::Debug,
{
    let message: Vec<u8> = (0..40 * block).map(|i| ((i * i + 7 * i) % 251) as u8).collect();
    for path in paths.special.iter().filter(|path| path.isa.present()) {
        for blocks in 0..=40 {
            let (mut got, mut expected) = (start.clone(), start.clone());
            (path.compress)(&mut got, &message[..blocks * block]);
            (paths.portable.compress)(&mut expected, &message[..blocks * block]);
            assert_eq!(got, expected, "{}, {blocks} blocks", path.name);
        }
    }
}
