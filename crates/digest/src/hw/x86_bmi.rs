//! Portable functions compiled with BMI1 and BMI2: `andn`, and rotations that need no copy.

#![allow(unsafe_code)]

use crate::keccak::{self, Keccak};
use crate::machine::Isa;
use crate::{ripemd160, sm3};

macro_rules! doors {
    ($($name:ident: $state:ty = $body:path;)*) => {$(
        pub(crate) fn $name(state: &mut $state, blocks: &[u8]) {
            #[target_feature(enable = "bmi1,bmi2")]
            fn door(state: &mut $state, blocks: &[u8]) {
                $body(state, blocks);
            }
            assert!(Isa::Avx2.present());
            // SAFETY: the processor has the features: the line before makes sure.
            unsafe { door(state, blocks) }
        }
    )*};
}

doors! {
    sm3: [u32; 8] = sm3::compress;
    ripemd160: [u32; 5] = ripemd160::compress;
    keccak: Keccak = keccak::absorb;
}
