//! Ways to compress blocks of one message, and the choice among them.
//!
//! An algorithm has a portable path and, in files of its folder, paths that only some processors can go.

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

impl<S> Clone for Path<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for Path<S> {}

/// A way to take as many blocks of each of two messages.
#[cfg(target_arch = "x86_64")]
pub(crate) type Pair<S> = fn([&mut S; 2], [&[u8]; 2]);

/// The paths of one algorithm.
pub(crate) struct Paths<S: 'static> {
    /// Those that need particular processors, best first.
    special: &'static [Path<S>],
    /// The one that is always there.
    portable: Path<S>,
    best: OnceLock<Path<S>>,
}

impl<S> Path<S> {
    /// A path that is quick on all processors with these instructions.
    #[cfg(target_arch = "x86_64")]
    pub(crate) const fn new(isa: Isa, name: &'static str, compress: fn(&mut S, &[u8])) -> Self {
        Path { isa, name, suits: always, compress }
    }

    /// The same, where it is quick on some of them alone.
    #[cfg(target_arch = "x86_64")]
    pub(crate) const fn only_if(self, suits: fn() -> bool) -> Self {
        Path { suits, ..self }
    }

    /// The path for every processor.
    pub(crate) const fn portable(compress: fn(&mut S, &[u8])) -> Self {
        Path { isa: Isa::Portable, name: "portable", suits: always, compress }
    }
}

impl<S> Paths<S> {
    /// These (best first), and the portable one.
    pub(crate) const fn new(special: &'static [Path<S>], portable: fn(&mut S, &[u8])) -> Self {
        Paths { special, portable: Path::portable(portable), best: OnceLock::new() }
    }

    /// The best path that the machine allows, the same for the life of the process; or the portable one, if that
    /// is the limit.
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

/// For paths that are quick wherever they can be gone.
fn always() -> bool {
    true
}

/// Defines functions that check for an instruction set and then run what `$body` says, compiled for it.
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
            // SAFETY: the processor has the features: the line before makes sure.
            unsafe { compiled(state, blocks) }
        }
    )*};
}
#[cfg(target_arch = "x86_64")]
pub(crate) use compiled_for;

/// The same number. The compiler does not look through it: what is added up inside is added up before what
/// is added to the result. Left alone it adds constants last, where the next step waits for them.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[allow(unsafe_code)]
pub(crate) fn summed_first(mut number: u32) -> u32 {
    use std::arch::asm;
    // SAFETY: there is no instruction.
    unsafe { asm!("/* {0:e} */", inout(reg) number, options(pure, nomem, nostack, preserves_flags)) };
    number
}

/// The same number. The compiler does not look through it, and does not make it anew out of what it was made of.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[allow(unsafe_code)]
pub(crate) fn opaque(mut number: u64) -> u64 {
    use std::arch::asm;
    // SAFETY: there is no instruction.
    unsafe { asm!("/* {0} */", inout(reg) number, options(pure, nomem, nostack, preserves_flags)) };
    number
}

/// The same number.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(crate) fn opaque(number: u64) -> u64 {
    number
}

/// The same number.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(crate) fn summed_first(number: u32) -> u32 {
    number
}

/// Checks that every path that this processor can go gives what the portable one gives, over 0 to 40
/// blocks of the given length.
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
