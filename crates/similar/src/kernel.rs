//! Doors to what only some processors can do. The only `unsafe` of this crate.
//!
//! Code is written once, without intrinsics, and made for several processors: what runs behind a door is
//! compiled with the door's instructions. Set bits of long vectors are then counted by one instruction for
//! 64 bytes, or for 8, or by none.

use std::sync::LazyLock;

/// A set of instructions that this processor has: made only by [`Isa::best`] and [`Isa::available`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Isa(Level);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "other processors have one level"))]
enum Level {
    /// AVX-512 with population counts of 64-bit words.
    Avx512,
    /// AVX2 and the scalar population count.
    Avx2,
    /// What every processor of the architecture has.
    Plain,
}

static BEST: LazyLock<Isa> = LazyLock::new(|| Isa::available()[0]);

impl Isa {
    /// The best that this processor has.
    pub(crate) fn best() -> Self {
        *BEST
    }

    /// All that this processor has, best first.
    pub(crate) fn available() -> Vec<Self> {
        let levels = [Level::Avx512, Level::Avx2, Level::Plain];
        levels.into_iter().filter(|level| level.is_present()).map(Isa).collect()
    }

    /// Runs a closure, compiled with these instructions. Mark the closure and what it calls as
    /// `#[inline(always)]`: what is not inlined is not compiled anew.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[allow(unsafe_code)]
    pub(crate) fn run<R>(self, work: impl FnOnce() -> R) -> R {
        #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vpopcntdq,avx2,bmi1,bmi2,popcnt,lzcnt")]
        fn avx512<R>(work: impl FnOnce() -> R) -> R {
            work()
        }
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
        fn avx2<R>(work: impl FnOnce() -> R) -> R {
            work()
        }
        match self.0 {
            // SAFETY: an `Isa` of this level is only made after `is_present` saw all of these features.
            Level::Avx512 => unsafe { avx512(work) },
            // SAFETY: as above.
            Level::Avx2 => unsafe { avx2(work) },
            Level::Plain => work(),
        }
    }

    /// Runs a closure.
    #[cfg(not(target_arch = "x86_64"))]
    pub(crate) fn run<R>(self, work: impl FnOnce() -> R) -> R {
        work()
    }
}

impl Level {
    #[cfg(target_arch = "x86_64")]
    fn is_present(self) -> bool {
        use std::arch::is_x86_feature_detected as has;
        let avx2 = has!("avx2") && has!("bmi1") && has!("bmi2") && has!("popcnt") && has!("lzcnt");
        let avx512 = has!("avx512f") && has!("avx512bw") && has!("avx512vl") && has!("avx512vpopcntdq");
        match self {
            Level::Avx512 => avx2 && avx512,
            Level::Avx2 => avx2,
            Level::Plain => true,
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn is_present(self) -> bool {
        self == Level::Plain
    }
}
