//! SHA-256 with schedules made ahead.

#![allow(unsafe_code)]

use super::constants::K;
use super::{Compress, single};
use crate::algorithms::schedule::compress;
use crate::algorithms::schedule::rows::{Avx2x8, Avx512x8};
use crate::algorithms::schedule::sha2::sha2_ahead;
use crate::machine::path::compiled_for;

sha2_ahead!(Compress: u32, sha256, K, single::compress, 17 19 10, 7 18 3);

compiled_for! { Avx2, "avx2,bmi1,bmi2":
    /// For processors with AVX2, BMI1 and BMI2.
    pub(super) avx2([u32; 8]) = compress::<Compress, Avx2x8, 32>;
}
compiled_for! { Avx512, "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2":
    /// For processors with AVX-512, which has instructions for rotations and for functions of three words.
    pub(super) avx512([u32; 8]) = compress::<Compress, Avx512x8, 32>;
}
