//! Portable functions compiled for wider processors: the schedules of several blocks of one message go
//! into vector registers, the rounds use `andn` and `rorx`. There is no code here but the doors.
//!
//! The AVX-512 doors keep to registers of 256 bits: they gain the rotations, and processors that slow
//! down for 512 bits do not.

#![allow(unsafe_code)]

/// Functions that check once for the features and then run the portable code compiled with them.
macro_rules! doors {
    ($isa:expr, $features:literal, { $($name:ident: $state:ty = $body:expr;)* }) => {
        $(
            pub(crate) fn $name(state: &mut $state, blocks: &[u8]) {
                #[target_feature(enable = $features)]
                fn door(state: &mut $state, blocks: &[u8]) {
                    $body(state, blocks);
                }
                assert!($isa.present());
                // SAFETY: the processor has the features: the line before makes sure.
                unsafe { door(state, blocks) }
            }
        )*
    };
}

/// For processors with AVX2, BMI1 and BMI2.
pub(crate) mod avx2 {
    use super::super::rows::{Avx2x4, Avx2x8};
    use crate::machine::Isa;
    use crate::{ripemd160, sha1, sha256, sha512, sm3};

    doors!(Isa::Avx2, "avx2,bmi1,bmi2", {
        sha1: [u32; 5] = sha1::compress::<Avx2x8, 8>;
        sha256: [u32; 8] = sha256::compress::<Avx2x8, 8>;
        sha512: [u64; 8] = sha512::compress::<Avx2x4, 4>;
        sm3: [u32; 8] = sm3::compress::<Avx2x8, 8>;
        ripemd160: [u32; 5] = ripemd160::compress;
    });
}

/// For processors with AVX-512, which have instructions that rotate and that combine three words.
pub(crate) mod avx512 {
    use super::super::rows::{Avx512x4, Avx512x8};
    use crate::machine::Isa;
    use crate::{sha1, sha256, sha512, sm3};

    doors!(Isa::Avx512, "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2", {
        sha1: [u32; 5] = sha1::compress::<Avx512x8, 8>;
        sha256: [u32; 8] = sha256::compress::<Avx512x8, 8>;
        sha512: [u64; 8] = sha512::compress::<Avx512x4, 4>;
        sm3: [u32; 8] = sm3::compress::<Avx512x8, 8>;
    });
}
