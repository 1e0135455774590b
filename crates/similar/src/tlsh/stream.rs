//! The digest of a stream: six hashes of three bytes for each window of five, counted in buckets.
//!
//! The hash of three bytes a, b, c is `P[P[P[salt] ^ a] ^ b] ^ c]` for a permutation `P`. The last step is skipped for
//! every window: as `P` is a permutation, its inputs can be counted instead, and the buckets are permuted at the end.
//! The first step of all six hashes (and of the checksum) depends on one byte only and is a single lookup.

use super::tables::{LENGTHS, PEARSON};
use crate::digest::tlsh::{TlshDigest, TlshForm};
use crate::kernel::{LOOKUPS, Table};
use crate::likeness::{Likeness, Refusal};

/// The minimum length of a stream, in bytes.
pub const MINIMUM: u64 = 50;
/// The maximum length, in bytes.
const MAXIMUM: u64 = LENGTHS[LENGTHS.len() - 1] as u64;
/// The length of a window in bytes.
const WINDOW: usize = 5;
/// The number of buckets in the digest.
const BUCKETS: usize = 128;

/// The salts of the six hashes and of the checksum.
const SALTS: [u8; 7] = [2, 3, 5, 7, 11, 13, 0];
/// `P[P[salt] ^ a]` of each salt for each byte `a`, the first in the lowest byte.
static FIRST: [u64; 256] = first();
/// The hashes with the byte before the newest as their second byte, those with the one before it, those with the third.
const SECOND: [u64; 3] = [0x01_00_01_00_00_01_01, 0x00_00_00_01_01_00_00, 0x00_01_00_00_00_00_00];

const fn first() -> [u64; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut hash = 0;
        while hash < SALTS.len() {
            let salted = PEARSON[SALTS[hash] as usize];
            table[byte] |= (PEARSON[(salted ^ byte as u8) as usize] as u64) << (8 * hash);
            hash += 1;
        }
        byte += 1;
    }
    table
}

/// The hash of a stream.
pub(crate) struct TlshStream {
    form: TlshForm,
    /// The number of times that each byte would have been mapped to its bucket.
    counts: [u32; 256],
    checksum: u8,
    length: u64,
    /// The last bytes, at most four.
    tail: Vec<u8>,
}

impl TlshStream {
    pub(crate) fn new(form: TlshForm) -> Self {
        TlshStream { form, counts: [0; 256], checksum: 0, length: 0, tail: Vec::with_capacity(2 * WINDOW) }
    }

    /// Counts every window of the bytes.
    fn windows(&mut self, bytes: &[u8]) {
        let many = bytes.len().saturating_sub(WINDOW - 1) / LOOKUPS * LOOKUPS;
        let taken = Table::with(
            &PEARSON,
            #[inline(always)]
            |pearson| self.many_windows(&bytes[..bytes.len().min(many + WINDOW - 1)], pearson),
        );
        self.each_window(if taken.is_some() && many > 0 { &bytes[many..] } else { bytes });
    }

    /// Counts windows 64 at a time, up to a multiple of 64.
    #[inline(always)]
    fn many_windows(&mut self, bytes: &[u8], pearson: Table) {
        for start in (0..bytes.len().saturating_sub(WINDOW - 1)).step_by(LOOKUPS) {
            let at = |back: usize| -> [u8; LOOKUPS] {
                bytes[start + WINDOW - 1 - back..].first_chunk().copied().unwrap_or([0; LOOKUPS])
            };
            let (a, b, c, d, e) = (at(0), at(1), at(2), at(3), at(4));
            macro_rules! pairs {
                ($salt:literal, $second:ident) => {
                    pearson.get(both(pearson.get(both(a, [PEARSON[$salt]; LOOKUPS])), $second))
                };
            }
            let mut places = Places { bytes: [0; 7 * LOOKUPS], count: 0 };
            places.add(pearson.low(both(pairs!(2, b), c)));
            places.add(pearson.low(both(pairs!(3, b), d)));
            places.add(pearson.low(both(pairs!(5, c), d)));
            places.add(pearson.low(both(pairs!(7, c), e)));
            places.add(pearson.low(both(pairs!(11, b), e)));
            places.add(pearson.low(both(pairs!(13, d), e)));
            self.count(&places, &pairs!(0, b));
        }
    }

    /// Counts positions. The checksum waits for a lookup at every byte, and counting uses that time.
    #[inline(always)]
    fn count(&mut self, places: &Places, sums: &[u8; LOOKUPS]) {
        let mut checksum = usize::from(self.checksum);
        let mut count = |place: &u8| {
            let count = &mut self.counts[usize::from(*place)];
            *count = count.wrapping_add(1);
        };
        let mut threes = places.bytes[..places.count].chunks_exact(3);
        for sum in sums {
            threes.next().unwrap_or_default().iter().for_each(&mut count);
            checksum = usize::from(PEARSON[(usize::from(*sum) ^ checksum) % 256]);
        }
        threes.by_ref().flatten().for_each(&mut count);
        threes.remainder().iter().for_each(&mut count);
        self.checksum = checksum as u8;
    }

    /// Counts windows one by one.
    fn each_window(&mut self, bytes: &[u8]) {
        let pearson = |byte: u64| PEARSON[usize::from(byte as u8)];
        let (counts, mut checksum) = (&mut self.counts, self.checksum);
        let mut count = |byte: u8| {
            let count = &mut counts[usize::from(byte)];
            *count = count.wrapping_add(1);
        };
        for window in bytes.windows(WINDOW) {
            let &[e, d, c, b, a] = window else { continue };
            let [second, third, fourth] = [b, c, d].map(u64::from);
            let hashes =
                FIRST[usize::from(a)] ^ (second * SECOND[0]) ^ (third * SECOND[1]) ^ (fourth * SECOND[2]);
            count(pearson(hashes) ^ c);
            count(pearson(hashes >> 8) ^ d);
            count(pearson(hashes >> 16) ^ d);
            count(pearson(hashes >> 24) ^ e);
            count(pearson(hashes >> 32) ^ e);
            count(pearson(hashes >> 40) ^ e);
            checksum = PEARSON[usize::from(pearson(hashes >> 48) ^ checksum)];
        }
        self.checksum = checksum;
    }

    /// Returns the counts of the buckets in the digest.
    fn buckets(&self) -> [u32; BUCKETS] {
        let mut buckets = [0; 256];
        for (count, bucket) in self.counts.iter().zip(PEARSON) {
            buckets[usize::from(bucket)] = *count;
        }
        std::array::from_fn(|i| buckets[i])
    }
}

impl Likeness for TlshStream {
    fn update(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        let mut seam = std::mem::take(&mut self.tail);
        seam.extend_from_slice(&bytes[..bytes.len().min(WINDOW - 1)]);
        self.windows(&seam);
        if bytes.len() >= WINDOW - 1 {
            self.windows(bytes);
            seam.clear();
            seam.extend_from_slice(&bytes[bytes.len() - (WINDOW - 1)..]);
        } else {
            seam.drain(..seam.len().saturating_sub(WINDOW - 1));
        }
        self.tail = seam;
    }

    fn finish(&mut self) -> Result<crate::LikenessDigest, Refusal> {
        if self.length < MINIMUM {
            return Err(Refusal::TooSmall { minimum: MINIMUM });
        }
        if self.length > MAXIMUM {
            return Err(Refusal::TooLarge { maximum: MAXIMUM });
        }
        let buckets = self.buckets();
        if buckets.iter().filter(|count| **count > 0).count() <= BUCKETS / 2 {
            return Err(Refusal::TooPlain);
        }
        let quartiles = quartiles(buckets);
        let ratio = |quartile: u32| (u64::from(quartile) * 100 / u64::from(quartiles[2]) % 16) as u8;
        Ok(crate::LikenessDigest::Tlsh(TlshDigest {
            form: self.form,
            checksum: self.checksum,
            length: LENGTHS.partition_point(|top| u64::from(*top) < self.length) as u8,
            ratios: [ratio(quartiles[0]), ratio(quartiles[1])],
            code: code(&buckets, quartiles),
        }))
    }
}

/// Positions to be counted, of 64 windows. Buckets outside the digest are skipped.
struct Places {
    /// Has room for 64 more than the maximum number of positions.
    bytes: [u8; 7 * LOOKUPS],
    count: usize,
}

impl Places {
    #[inline(always)]
    fn add(&mut self, (places, count): ([u8; LOOKUPS], usize)) {
        self.bytes[self.count..self.count + LOOKUPS].copy_from_slice(&places);
        self.count += count;
    }
}

/// Returns the XOR of each byte with its counterpart.
#[inline(always)]
fn both(mut a: [u8; LOOKUPS], b: [u8; LOOKUPS]) -> [u8; LOOKUPS] {
    for i in 0..LOOKUPS {
        a[i] ^= b[i];
    }
    a
}

/// Returns the counts below which a quarter, a half and three quarters of the buckets lie. More than half of the
/// buckets are not empty, so the third is not 0.
fn quartiles(mut buckets: [u32; BUCKETS]) -> [u32; 3] {
    buckets.sort_unstable();
    [1, 2, 3].map(|quarter: usize| buckets[quarter * BUCKETS / 4 - 1])
}

fn code(buckets: &[u32; BUCKETS], quartiles: [u32; 3]) -> [u8; 32] {
    let quarter = |count: u32| quartiles.iter().filter(|quartile| **quartile < count).count() as u8;
    let mut code = [0; 32];
    for (byte, buckets) in code.iter_mut().zip(buckets.chunks_exact(4)) {
        *byte = buckets.iter().rev().fold(0, |byte, count| byte << 2 | quarter(*count));
    }
    code
}
