//! RIPEMD-160: Dobbertin, Bosselaers, Preneel, "RIPEMD-160: a strengthened version of RIPEMD" (1996).

mod single;

use crate::block::{BlockHash, LaneKernel, Padding, kernel};
use crate::lanes::costs::{Costs, costs};
use crate::lanes::vector::{Vector, unroll};
use crate::machine::Isa;
#[cfg(target_arch = "x86_64")]
use crate::machine::path::Path;

pub(crate) struct Ripemd160;

impl BlockHash for Ripemd160 {
    type Kernel = Compress;
    const PADDING: Padding = Padding::LITTLE64;
    const BYTES: usize = 20;
    const START: [u32; 5] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
}

#[cfg(target_arch = "x86_64")]
crate::machine::path::compiled_for! { Avx2, "bmi1,bmi2":
    /// With `andn`, and rotations that need no copy.
    bmi([u32; 5]) = single::compress;
}

kernel! {
    /// Appendix A: two lines of 80 steps over one block.
    u32, 5 by 16, Little;
    best: [
        #[cfg(target_arch = "x86_64")]
        Path::new(Isa::Avx2, "bmi", bmi),
    ];
    always: single::compress
}

impl LaneKernel for Compress {
    const PLACE: usize = 5;
    const COSTS: [Costs; 2] = costs! { "ripemd160":
        with_avx512: alone 135, hardware 135, Portable [136, 211], Neon [235, 427], Sse41 [235, 0],
            Avx2 [178, 0], Avx512 [205, 396];
        up_to_avx2: alone 120, hardware 120, Portable [155, 297], Neon [286, 519], Sse41 [286, 0],
            Avx2 [184, 0];
    };
    const PAIRS: &'static [Isa] = &[Isa::Portable, Isa::Neon, Isa::Avx512];

    #[inline(always)]
    fn compress<V: Vector<Word = u32>>(simd: V::Simd, state: &mut [V; 5], block: &mut [V; 16]) {
        let mut left = *state;
        let mut right = *state;
        macro_rules! step {
            ($line:ident, $round:literal, $i:ident, $f:expr, $tables:ident) => {
                let [a, b, c, d, e] = $line;
                let word = block[const { $tables.word[$round][$i] }];
                let sum = (a + V::splat(simd, $tables.add[$round]) + word) + $f(b, c, d);
                $line = [e, sum.rotl($tables.shift[$round][$i]) + e, b, c.rotl(10), d];
            };
        }
        macro_rules! round {
            ($round:literal, $left:ident, $right:ident) => {
                unroll!(i in 0..16 {
                    step!(left, $round, i, $left, LEFT);
                    step!(right, $round, i, $right, RIGHT);
                });
            };
        }
        round!(0, f0, f4);
        round!(1, f1, f3);
        round!(2, f2, f2);
        round!(3, f3, f1);
        round!(4, f4, f0);
        let [a, b, c, d, e] = *state;
        *state = [
            b + left[2] + right[3],
            c + left[3] + right[4],
            d + left[4] + right[0],
            e + left[0] + right[1],
            a + left[1] + right[2],
        ];
    }
}

#[inline(always)]
fn f0<V: Vector>(x: V, y: V, z: V) -> V {
    x.xor3(y, z)
}

#[inline(always)]
fn f1<V: Vector>(x: V, y: V, z: V) -> V {
    x.choose(y, z)
}

#[inline(always)]
fn f2<V: Vector>(x: V, y: V, z: V) -> V {
    z.xor_or_not(x, y)
}

#[inline(always)]
fn f3<V: Vector>(x: V, y: V, z: V) -> V {
    z.choose(x, y)
}

#[inline(always)]
fn f4<V: Vector>(x: V, y: V, z: V) -> V {
    x.xor_or_not(y, z)
}

/// The differences between the two lines: the order of words, the rotations, the constants.
struct Tables {
    word: [[usize; 16]; 5],
    shift: [[u32; 16]; 5],
    add: [u32; 5],
}

const LEFT: Tables = Tables {
    word: [
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
        [7, 4, 13, 1, 10, 6, 15, 3, 12, 0, 9, 5, 2, 14, 11, 8],
        [3, 10, 14, 4, 9, 15, 8, 1, 2, 7, 0, 6, 13, 11, 5, 12],
        [1, 9, 11, 10, 0, 8, 12, 4, 13, 3, 7, 15, 14, 5, 6, 2],
        [4, 0, 5, 9, 7, 12, 2, 10, 14, 1, 3, 8, 11, 6, 15, 13],
    ],
    shift: [
        [11, 14, 15, 12, 5, 8, 7, 9, 11, 13, 14, 15, 6, 7, 9, 8],
        [7, 6, 8, 13, 11, 9, 7, 15, 7, 12, 15, 9, 11, 7, 13, 12],
        [11, 13, 6, 7, 14, 9, 13, 15, 14, 8, 13, 6, 5, 12, 7, 5],
        [11, 12, 14, 15, 14, 15, 9, 8, 9, 14, 5, 6, 8, 6, 5, 12],
        [9, 15, 5, 11, 6, 8, 13, 12, 5, 12, 13, 14, 11, 8, 5, 6],
    ],
    add: [0x0000_0000, 0x5a82_7999, 0x6ed9_eba1, 0x8f1b_bcdc, 0xa953_fd4e],
};

const RIGHT: Tables = Tables {
    word: [
        [5, 14, 7, 0, 9, 2, 11, 4, 13, 6, 15, 8, 1, 10, 3, 12],
        [6, 11, 3, 7, 0, 13, 5, 10, 14, 15, 8, 12, 4, 9, 1, 2],
        [15, 5, 1, 3, 7, 14, 6, 9, 11, 8, 12, 2, 10, 0, 4, 13],
        [8, 6, 4, 1, 3, 11, 15, 0, 5, 12, 2, 13, 9, 7, 10, 14],
        [12, 15, 10, 4, 1, 5, 8, 7, 6, 2, 13, 14, 0, 3, 9, 11],
    ],
    shift: [
        [8, 9, 9, 11, 13, 15, 15, 5, 7, 7, 8, 11, 14, 14, 12, 6],
        [9, 13, 15, 7, 12, 8, 9, 11, 7, 7, 12, 7, 6, 15, 13, 11],
        [9, 7, 15, 11, 8, 6, 6, 14, 12, 13, 5, 14, 13, 13, 7, 5],
        [15, 5, 8, 11, 14, 14, 6, 14, 6, 9, 12, 9, 12, 5, 15, 8],
        [8, 5, 12, 9, 12, 5, 14, 6, 8, 13, 6, 5, 15, 13, 11, 11],
    ],
    add: [0x50a2_8be6, 0x5c4d_d124, 0x6d70_3ef3, 0x7a6d_76e9, 0x0000_0000],
};
