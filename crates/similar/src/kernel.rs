//! Code compiled for several instruction sets. The only `unsafe` of this crate.
//!
//! Code is written once, without intrinsics, and compiled for several instruction sets: [`Features::run`] runs it with
//! one of them. For example, set bits are counted by one instruction for 64 bytes, or for 8, or without one.

#[cfg(target_arch = "x86_64")]
use hashmill_digest::{Isa, Machine};
use std::sync::LazyLock;

/// Instructions that this processor supports: only created by [`Features::best`] and [`Features::available`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Features(Level);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    /// AVX-512 with population counts of 64-bit words.
    Avx512,
    /// AVX2 and the scalar population count.
    Avx2,
    /// The baseline of the architecture.
    Plain,
}

static BEST: LazyLock<Features> = LazyLock::new(|| Features::available()[0]);

impl Features {
    /// Returns the best supported instructions.
    pub(crate) fn best() -> Self {
        *BEST
    }

    /// Returns all supported instructions, best first.
    pub(crate) fn available() -> Vec<Self> {
        let levels = [Level::Avx512, Level::Avx2, Level::Plain];
        levels.into_iter().filter(|level| level.is_present()).map(Features).collect()
    }

    /// Runs a closure, compiled with these instructions. The closure and the functions it calls need
    /// `#[inline(always)]`: code that is not inlined is not compiled again.
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
            // SAFETY: a value of this level is only made after `is_present` saw all of these features.
            Level::Avx512 => unsafe { avx512(work) },
            // SAFETY: as above.
            Level::Avx2 => unsafe { avx2(work) },
            Level::Plain => work(),
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    pub(crate) fn run<R>(self, work: impl FnOnce() -> R) -> R {
        work()
    }
}

/// Returns the name of the instructions used for comparisons.
pub fn kernel() -> &'static str {
    match Features::best().0 {
        Level::Avx512 => "avx512",
        Level::Avx2 => "avx2",
        Level::Plain => "portable",
    }
}

/// The number of bytes that a [`Table`] looks up at once.
pub(crate) const LOOKUPS: usize = 64;

/// A byte-to-byte table on a processor that looks up 64 bytes at once.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(crate) struct Table {
    rows: [std::arch::x86_64::__m512i; 4],
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
impl Table {
    /// Runs a closure with the table in registers, compiled with the required instructions; returns `None` if this
    /// processor lacks them. The closure needs `#[inline(always)]`.
    #[inline]
    pub(crate) fn with<R>(bytes: &[u8; 256], work: impl FnOnce(Table) -> R) -> Option<R> {
        use std::arch::is_x86_feature_detected as has;
        #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
        fn vbmi<R>(bytes: &[u8; 256], work: impl FnOnce(Table) -> R) -> R {
            let row = |i: usize| bytes[LOOKUPS * i..].first_chunk().map_or([0; LOOKUPS], |row| *row);
            work(Table { rows: [vector(row(0)), vector(row(1)), vector(row(2)), vector(row(3))] })
        }
        let lookups = has!("avx512vbmi") && has!("avx512vbmi2") && has!("popcnt");
        let present = lookups && Machine::detect().allows(Isa::Avx512);
        // SAFETY: all of the features were seen: the instruction set has the others.
        present.then(|| unsafe { vbmi(bytes, work) })
    }

    /// Returns the table's byte for each of the bytes.
    #[inline(always)]
    pub(crate) fn get(self, places: [u8; LOOKUPS]) -> [u8; LOOKUPS] {
        use std::arch::x86_64::{_mm512_mask_blend_epi8, _mm512_movepi8_mask, _mm512_permutex2var_epi8};
        let [a, b, c, d] = self.rows;
        let places = vector(places);
        // SAFETY: a table is only made in `with`, where the features were seen.
        let found = unsafe {
            let (low, high) =
                (_mm512_permutex2var_epi8(a, places, b), _mm512_permutex2var_epi8(c, places, d));
            _mm512_mask_blend_epi8(_mm512_movepi8_mask(places), low, high)
        };
        bytes(found)
    }

    /// Returns those of the bytes with a table entry below 128, packed together, and their number.
    #[inline(always)]
    pub(crate) fn low(self, places: [u8; LOOKUPS]) -> ([u8; LOOKUPS], usize) {
        use std::arch::x86_64::{_mm512_maskz_compress_epi8, _mm512_movepi8_mask};
        let found = vector(self.get(places));
        // SAFETY: as in `get`.
        let low = unsafe { !_mm512_movepi8_mask(found) };
        // SAFETY: as in `get`.
        let together = unsafe { _mm512_maskz_compress_epi8(low, vector(places)) };
        (bytes(together), low.count_ones() as usize)
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
#[inline(always)]
fn bytes(vector: std::arch::x86_64::__m512i) -> [u8; LOOKUPS] {
    // SAFETY: both are 64 bytes, and every value of them is valid.
    unsafe { std::mem::transmute(vector) }
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
#[inline(always)]
fn vector(bytes: [u8; LOOKUPS]) -> std::arch::x86_64::__m512i {
    // SAFETY: both are 64 bytes, and every value of them is valid.
    unsafe { std::mem::transmute(bytes) }
}

/// A byte-to-byte table, which does not exist here: other processors look bytes up one by one.
#[cfg(not(target_arch = "x86_64"))]
#[derive(Clone, Copy)]
pub(crate) enum Table {}

#[cfg(not(target_arch = "x86_64"))]
impl Table {
    /// Returns `None`: the processor has no such instructions.
    pub(crate) fn with<R>(_: &[u8; 256], _: impl FnOnce(Table) -> R) -> Option<R> {
        None
    }

    /// Never called.
    pub(crate) fn get(self, _: [u8; LOOKUPS]) -> [u8; LOOKUPS] {
        match self {}
    }

    /// Never called.
    pub(crate) fn low(self, _: [u8; LOOKUPS]) -> ([u8; LOOKUPS], usize) {
        match self {}
    }
}

impl Level {
    #[cfg(target_arch = "x86_64")]
    fn is_present(self) -> bool {
        use std::arch::is_x86_feature_detected as has;
        let (machine, counts) = (Machine::detect(), has!("popcnt") && has!("lzcnt"));
        match self {
            Level::Avx512 => counts && has!("avx512vpopcntdq") && machine.allows(Isa::Avx512),
            Level::Avx2 => counts && machine.allows(Isa::Avx2),
            Level::Plain => true,
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn is_present(self) -> bool {
        self == Level::Plain
    }
}
