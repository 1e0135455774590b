//! MD5 (RFC 1321).

use crate::Digest;
use crate::block::{BlockHash, Blocks, Length};
use crate::hw::{self, Choice, settled};

/// The streaming hash.
pub(crate) type Md5 = Blocks<Variant, 64>;

/// RFC 1321, 3.4: the integer part of 2^32 times abs(sin(i + 1)).
pub(crate) const K: [u32; 64] = [
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
];

pub(crate) static CHOICE: Choice<[u32; 4]> = Choice::new(hw::MD5, compress);

/// MD5's start and digest.
pub(crate) struct Variant;

impl BlockHash<64> for Variant {
    type State = [u32; 4];
    const START: [u32; 4] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];
    const LENGTH: Length = Length::Little64;
    fn choice() -> &'static Choice<[u32; 4]> {
        &CHOICE
    }
    fn digest(state: &[u32; 4]) -> Digest {
        Digest::new(state.map(u32::to_le_bytes).as_flattened())
    }
}

/// The 64 steps of RFC 1321, 3.4, in order. `$step` is a macro that takes the round (0 to 3), the four
/// names, which constant, which word of the block, and the shift.
macro_rules! steps {
    ($step:ident, $a:ident $b:ident $c:ident $d:ident) => {
        steps!(16, $step, 0, $a $b $c $d, 1, 0, 7 12 17 22);
        steps!(16, $step, 1, $a $b $c $d, 5, 1, 5 9 14 20);
        steps!(16, $step, 2, $a $b $c $d, 3, 5, 4 11 16 23);
        steps!(16, $step, 3, $a $b $c $d, 7, 0, 6 10 15 21);
    };
    (16, $step:ident, $round:tt, $($name:ident)*, $by:literal, $from:literal, $($shift:literal)*) => {
        steps!(4, $step, $round, $($name)*, 0, $by, $from, $($shift)*);
        steps!(4, $step, $round, $($name)*, 4, $by, $from, $($shift)*);
        steps!(4, $step, $round, $($name)*, 8, $by, $from, $($shift)*);
        steps!(4, $step, $round, $($name)*, 12, $by, $from, $($shift)*);
    };
    (4, $step:ident, $round:tt, $a:ident $b:ident $c:ident $d:ident, $i:literal, $by:literal, $from:literal,
     $s0:literal $s1:literal $s2:literal $s3:literal) => {
        $step!($round, $a $b $c $d, 16 * $round + $i, ($by * $i + $from) % 16, $s0);
        $step!($round, $d $a $b $c, 16 * $round + $i + 1, ($by * ($i + 1) + $from) % 16, $s1);
        $step!($round, $c $d $a $b, 16 * $round + $i + 2, ($by * ($i + 2) + $from) % 16, $s2);
        $step!($round, $b $c $d $a, 16 * $round + $i + 3, ($by * ($i + 3) + $from) % 16, $s3);
    };
}
#[cfg(target_arch = "x86_64")]
pub(crate) use steps;

/// Takes blocks. Every step waits for the one before, so each function is written for the shortest way
/// from `b` to the sum; the halves of `(d & b) | (!d & c)` share no bit and are added one by one.
#[inline(always)]
pub(crate) fn compress(state: &mut [u32; 4], blocks: &[u8]) {
    let [mut a, mut b, mut c, mut d] = *state;
    for block in blocks.chunks_exact(64) {
        let start = [a, b, c, d];
        macro_rules! word {
            ($i:expr) => {
                u32::from_le_bytes([block[4 * $i], block[4 * $i + 1], block[4 * $i + 2], block[4 * $i + 3]])
            };
        }
        macro_rules! step {
            (0, $a:ident $b:ident $c:ident $d:ident, $k:expr, $i:expr, $shift:literal) => {
                step!($a $b, 0, $k, $i, (($c ^ $d) & $b) ^ $d, $shift);
            };
            (1, $a:ident $b:ident $c:ident $d:ident, $k:expr, $i:expr, $shift:literal) => {
                step!($a $b, !$d & $c, $k, $i, $d & $b, $shift);
            };
            (2, $a:ident $b:ident $c:ident $d:ident, $k:expr, $i:expr, $shift:literal) => {
                step!($a $b, 0, $k, $i, settled($c ^ $d) ^ $b, $shift);
            };
            (3, $a:ident $b:ident $c:ident $d:ident, $k:expr, $i:expr, $shift:literal) => {
                step!($a $b, 0, $k, $i, $c ^ ($b | !$d), $shift);
            };
            ($a:ident $b:ident, $early:expr, $k:expr, $i:expr, $late:expr, $shift:literal) => {
                $a = settled($a.wrapping_add(K[$k]).wrapping_add(word!($i)).wrapping_add($early));
                $a = $a.wrapping_add($late).rotate_left($shift).wrapping_add($b);
            };
        }
        steps!(step, a b c d);
        a = a.wrapping_add(start[0]);
        b = b.wrapping_add(start[1]);
        c = c.wrapping_add(start[2]);
        d = d.wrapping_add(start[3]);
    }
    *state = [a, b, c, d];
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_path_agrees() {
        crate::hw::assert_paths_agree(&super::CHOICE, <super::Variant as super::BlockHash<64>>::START, 64);
    }
}
