//! The ways of x86-64 processors, best first. The order was measured (2026-11) on a processor with
//! SHA instructions and AVX-512 (Zen 4); without SHA instructions the schedules computed ahead are next.

#![allow(unsafe_code)]

use super::{Pair, Path, ahead, always, x86_bmi, x86_keccak, x86_md5, x86_sha};
use crate::keccak::Keccak;
use crate::machine::Isa::{Avx2, Avx512, Shani};
use std::arch::{asm, x86_64};

/// The same number. The compiler does not look through it: what is added up inside is added up before what
/// is added to the result. Left alone it adds constants last, where the next step waits for them.
#[inline(always)]
pub(crate) fn settled(mut number: u32) -> u32 {
    // SAFETY: there is no instruction.
    unsafe { asm!("/* {0:e} */", inout(reg) number, options(pure, nomem, nostack, preserves_flags)) };
    number
}

/// Intel's vector rotations take one cycle and its exchanges of lanes three; AMD's, up to Zen 4 at least,
/// two and five. That decides between vectors and general registers where every step waits for the last.
fn quick_rotations() -> bool {
    intel()
}

/// Intel's processors before Ice Lake run slower for a while after instructions with registers of 512 bits.
fn steady_clock() -> bool {
    !intel()
}

fn intel() -> bool {
    let leaf = x86_64::__cpuid(0);
    [leaf.ebx, leaf.edx, leaf.ecx].map(u32::to_le_bytes).as_flattened() == b"GenuineIntel"
}

pub(crate) static MD5: &[Path<[u32; 4]>] = &[Path {
    isa: Avx512,
    name: "avx512 ternary logic",
    suits: quick_rotations,
    compress: x86_md5::compress,
}];

pub(crate) static SHA1: &[Path<[u32; 5]>] = &[
    Path { isa: Shani, name: "x86 sha", suits: always, compress: x86_sha::sha1 },
    Path { isa: Avx512, name: "avx512 schedule ahead", suits: always, compress: ahead::avx512::sha1 },
    Path { isa: Avx2, name: "avx2 schedule ahead", suits: always, compress: ahead::avx2::sha1 },
];

pub(crate) static SHA256: &[Path<[u32; 8]>] = &[
    Path { isa: Shani, name: "x86 sha", suits: always, compress: x86_sha::sha256 },
    Path { isa: Avx512, name: "avx512 schedule ahead", suits: always, compress: ahead::avx512::sha256 },
    Path { isa: Avx2, name: "avx2 schedule ahead", suits: always, compress: ahead::avx2::sha256 },
];

/// SHA-256 of two messages, where the processor has instructions for it: on AMD's each of these waits four
/// cycles for the one before, and two can start in that time.
pub(crate) fn sha256_pair() -> Option<Pair<[u32; 8]>> {
    crate::machine::Isa::Shani.present().then_some(x86_sha::sha256_pair)
}

pub(crate) static SHA512: &[Path<[u64; 8]>] = &[
    Path {
        isa: Avx512,
        name: "avx512 schedule ahead x8",
        suits: steady_clock,
        compress: ahead::avx512::sha512_wide,
    },
    Path { isa: Avx512, name: "avx512 schedule ahead", suits: always, compress: ahead::avx512::sha512 },
    Path { isa: Avx2, name: "avx2 schedule ahead", suits: always, compress: ahead::avx2::sha512 },
];

pub(crate) static SM3: &[Path<[u32; 8]>] =
    &[Path { isa: Avx2, name: "bmi", suits: always, compress: x86_bmi::sm3 }];

pub(crate) static RIPEMD160: &[Path<[u32; 5]>] =
    &[Path { isa: Avx2, name: "bmi", suits: always, compress: x86_bmi::ripemd160 }];

pub(crate) static KECCAK: &[Path<Keccak>] = &[
    Path { isa: Avx512, name: "avx512 planes", suits: quick_rotations, compress: x86_keccak::planes },
    Path { isa: Avx2, name: "bmi", suits: always, compress: x86_bmi::keccak },
];
