//! SHA-2 with schedules made ahead and the rounds in vector registers, two words of the state in each: `[a, e]`, `[b, f]`,
//! `[c, g]`, `[d, h]`. With AVX-512 a function of three words is one instruction, and one rotation turns each word of
//! a pair by its own number of bits. A round is then 12 instructions for the units, of which five wait for each other;
//! in general registers it is 22. SHA-512 gains a tenth (Cascade Lake, 2026-11-22), and SHA-256 nothing: there its units for
//! vectors take two of these instructions at a time, and the schedule's as well.
//!
//! Only where vector rotations and exchanges of lanes take one cycle: [`crate::machine::quick_rotations`].

/// The makings of a hash in pairs: its type, the module with its functions, word, constants, function for single blocks, and
/// rotations: of the schedule, then of `a` and `e`.
macro_rules! sha2_pairs {
    ($name:ident: $word:ident, $splat:ident, $set:ident, $get_low:ident, $add:ident, $mask_add:ident, $rotate:ident,
     $logic:ident, $high:expr, $low:ident, $constants:path, $single:path,
     $near:literal $near2:literal $near3:literal, $far:literal $far2:literal $far3:literal,
     $a:literal $a2:literal $a3:literal, $e:literal $e2:literal $e3:literal) => {
        /// The rounds in vector registers.
        struct $name;

        impl $name {
            /// The words of a state in pairs.
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2")]
            fn pairs(state: &[$word; 8]) -> [__m128i; 4] {
                let [a, b, c, d, e, f, g, h] = state.map($word::cast_signed);
                [$set(e, a), $set(f, b), $set(g, c), $set(h, d)]
            }

            /// The words of the pairs.
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2")]
            fn words(pairs: &[__m128i; 4]) -> [$word; 8] {
                let mut words = [0; 8];
                for i in 0..4 {
                    words[i] = $get_low(pairs[i]).cast_unsigned();
                    words[i + 4] = $get_low($high(pairs[i])).cast_unsigned();
                }
                words
            }
        }

        impl $crate::ahead::Ahead for $name {
            type Word = $word;
            type State = [__m128i; 4];
            const ROUNDS: usize = $constants.len();
            const STEP: usize = 16;
            const CONSTANTS: &'static [$word] = &$constants;

            #[inline(always)]
            fn expand<R: $crate::ahead::rows::Row<Word = $word>>(window: &[R; 16], at: usize) -> R {
                let old = |age: usize| window[(at + 16 - age) % 16];
                let near = old(2).rotate($near).xor(old(2).rotate($near2)).xor(old(2).shift($near3));
                let far = old(15).rotate($far).xor(old(15).rotate($far2)).xor(old(15).shift($far3));
                near.add(old(7)).add(far).add(old(16))
            }

            #[inline(always)]
            unsafe fn rounds<const STRIDE: usize>(pairs: &mut [__m128i; 4], _: usize, words: *const $word) {
                let [mut ae, mut bf, mut cg, mut dh] = *pairs;
                // The compiler would make two instructions of a choice that it knows.
                let second = std::hint::black_box(2);
                macro_rules! round {
                    ($i:literal) => {
                        // SAFETY: the caller's promise.
                        unsafe {
                            let word = words.byte_add(STRIDE * $i).read().cast_signed();
                            let sum = $add(dh, $splat(word));
                            let turned = $logic::<0x96>(
                                $rotate(ae, $set($e, $a)),
                                $rotate(ae, $set($e2, $a2)),
                                $rotate(ae, $set($e3, $a3)),
                            );
                            let (majority, choice) = ($logic::<0xe8>(ae, bf, cg), $logic::<0xca>(ae, bf, cg));
                            // What is added to `a` at the end, and all that makes the new `e` but `d`.
                            let both = $add(turned, $mask_add(majority, second, choice, sum));
                            let new = $add($high(both), $low(both, dh));
                            (ae, bf, cg, dh) = (new, ae, bf, cg);
                        }
                    };
                }
                round!(0);
                round!(1);
                round!(2);
                round!(3);
                round!(4);
                round!(5);
                round!(6);
                round!(7);
                round!(8);
                round!(9);
                round!(10);
                round!(11);
                round!(12);
                round!(13);
                round!(14);
                round!(15);
                *pairs = [ae, bf, cg, dh];
            }

            #[inline(always)]
            fn add(pairs: &mut [__m128i; 4], before: &[__m128i; 4]) {
                for i in 0..4 {
                    // SAFETY: the caller is compiled for the features.
                    pairs[i] = unsafe { $add(pairs[i], before[i]) };
                }
            }

            #[inline(always)]
            fn compress_rest(pairs: &mut [__m128i; 4], blocks: &[u8]) {
                // SAFETY: the caller is compiled for the features.
                unsafe {
                    let mut state = $name::words(pairs);
                    $single(&mut state, blocks);
                    *pairs = $name::pairs(&state);
                }
            }
        }
    };
}
pub(crate) use sha2_pairs;
