//! SHA-512 with schedules made ahead.

#![allow(unsafe_code)]

use super::constants::K;
use super::x86_pairs::compress_pairs;
use super::{Compress, single};
use crate::algorithms::schedule::compress;
use crate::algorithms::schedule::rows::{Avx2x4, Avx512x4, Avx512x8Long};
use crate::algorithms::schedule::sha2::sha2_ahead;
use crate::machine::path::compiled_for;

sha2_ahead!(Compress: u64, sha512, K, single::compress, 19 61 6, 1 8 7);

compiled_for! { Avx2, "avx2,bmi1,bmi2":
    /// For processors with AVX2, BMI1 and BMI2.
    pub(super) avx2([u64; 8]) = compress::<Compress, Avx2x4, 32>;
}
compiled_for! { Avx512, "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2":
    /// For processors with AVX-512, which has instructions for rotations and for functions of three words.
    pub(super) avx512([u64; 8]) = compress::<Compress, Avx512x4, 32>;
    /// With registers of 512 bits.
    pub(super) avx512_wide([u64; 8]) = compress::<Compress, Avx512x8Long, 64>;
    /// With the rounds in vector registers.
    pub(super) avx512_pairs([u64; 8]) = compress_pairs;
}
