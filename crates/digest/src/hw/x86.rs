//! The ways of x86-64 processors, best first. The order was measured (2026-11) on a processor with
//! SHA instructions and AVX-512; without SHA instructions the schedules computed ahead are next.

use super::{Path, ahead, x86_keccak, x86_md5, x86_sha};
use crate::keccak::Keccak;
use crate::machine::Isa::{Avx2, Avx512, Shani};

pub(crate) static MD5: &[Path<[u32; 4]>] =
    &[Path { isa: Avx512, name: "avx512 ternary logic", compress: x86_md5::compress }];

pub(crate) static SHA1: &[Path<[u32; 5]>] = &[
    Path { isa: Shani, name: "x86 sha", compress: x86_sha::sha1 },
    Path { isa: Avx512, name: "avx512 schedule ahead", compress: ahead::avx512::sha1 },
    Path { isa: Avx2, name: "avx2 schedule ahead", compress: ahead::avx2::sha1 },
];

pub(crate) static SHA256: &[Path<[u32; 8]>] = &[
    Path { isa: Shani, name: "x86 sha", compress: x86_sha::sha256 },
    Path { isa: Avx512, name: "avx512 schedule ahead", compress: ahead::avx512::sha256 },
    Path { isa: Avx2, name: "avx2 schedule ahead", compress: ahead::avx2::sha256 },
];

pub(crate) static SHA512: &[Path<[u64; 8]>] = &[
    Path { isa: Avx512, name: "avx512 schedule ahead", compress: ahead::avx512::sha512 },
    Path { isa: Avx2, name: "avx2 schedule ahead", compress: ahead::avx2::sha512 },
];

pub(crate) static SM3: &[Path<[u32; 8]>] = &[
    Path { isa: Avx512, name: "avx512 schedule ahead", compress: ahead::avx512::sm3 },
    Path { isa: Avx2, name: "avx2 schedule ahead", compress: ahead::avx2::sm3 },
];

pub(crate) static RIPEMD160: &[Path<[u32; 5]>] =
    &[Path { isa: Avx2, name: "bmi", compress: ahead::avx2::ripemd160 }];

pub(crate) static KECCAK: &[Path<Keccak>] = &[
    Path { isa: Avx512, name: "avx512 planes", compress: x86_keccak::planes },
    Path { isa: Avx2, name: "bmi", compress: x86_keccak::bmi },
];
