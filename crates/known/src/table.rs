//! The table of the digests of one length, and lookups in it.
//!
//! Digests are uniformly distributed, so the bits after those of the bucket predict the position of a digest in it, up
//! to a few steps. One lookup costs one access to the fences, which stay in the cache, and one to the entries. Digests
//! with another distribution are found by binary search.

use crate::bytes::prefetch;
use crate::checks::{CHECK, Checks, Mismatch};
use crate::error::Why;
use crate::layout::{Section, SectionKind, word};
use std::cmp::Ordering;
use std::ops::Range;

/// The shortest digest that an index accepts, in bytes. Shorter ones (CRC-32) collide by accident.
pub const SHORTEST: usize = 8;

/// The most steps from the guessed position before the binary search. Measured on uniform digests: more than 16 are
/// needed once in a million lookups.
const NEAR: u32 = 16;

/// The number of entries around a guess that are compared together, without an unpredictable branch: more than nine in
/// ten lookups end there.
const TOGETHER: usize = 8;

/// The longest entry in bytes for such a comparison: longer ones span too many cache lines.
const SHORT: usize = 24;

/// The number of bytes prefetched before and after a guess: most lookups end in these lines.
const REACH: usize = 48;

/// The size of a cache line in bytes.
const LINE: usize = 64;

/// The number of bytes of a bucket that are prefetched before it is verified: most have fewer.
const BUCKET: usize = 1024;

/// The number of sizes that share a checksum.
pub(crate) const SIZES: usize = 128;

/// The value of an unknown size, in the widest field.
pub(crate) const UNKNOWN_SIZE: u64 = (1 << 48) - 1;

/// The layout of a table's entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    /// The length of a digest in bytes.
    pub digest: usize,
    /// The number of leading bytes that the fences imply, which entries omit.
    pub implied: usize,
    /// The width of a detail's number in bytes.
    pub number: usize,
}

impl Shape {
    /// Returns the number of digest bytes that an entry has.
    pub fn kept(&self) -> usize {
        self.digest - self.implied
    }

    /// Returns the size of an entry in bytes.
    pub fn stride(&self) -> usize {
        self.kept() + self.number
    }

    fn is_sound(&self) -> bool {
        (SHORTEST..=hashmill_digest::MAX_BYTES).contains(&self.digest)
            && self.implied <= 2
            && self.kept() >= 8
            && self.number <= 4
    }
}

#[derive(Debug)]
pub(crate) struct DetailTable {
    pub shape: Shape,
    pub count: usize,
    entries: Range<usize>,
    fences: Range<usize>,
    /// The number of leading bits that the fences distinguish.
    bits: u32,
    /// The checksums of the entries; each bucket is a block.
    checks: Checks,
    sizes: Option<Sizes>,
}

/// The sizes of the files with a table's digests.
#[derive(Debug)]
struct Sizes {
    place: Range<usize>,
    width: usize,
    checks: Checks,
}

/// The state of one lookup in a batch.
#[derive(Clone, Copy)]
pub(crate) struct Probe<'a> {
    digest: &'a [u8],
    bucket: usize,
    low: usize,
    high: usize,
    guess: usize,
}

impl DetailTable {
    /// Creates the table of an entries section; its fences and sizes are in `all`.
    pub fn new(entries: &Section, all: &[Section]) -> Result<Self, Why> {
        let shape = Shape {
            digest: entries.digest as usize,
            implied: entries.first as usize,
            number: entries.second as usize,
        };
        let of_kind = |kind| all.iter().find(move |row| row.kind == kind && row.digest == entries.digest);
        let fences = of_kind(SectionKind::Fences).ok_or(Why::Damaged("a table without fences"))?;
        let fits = shape.is_sound()
            && entries.count <= u64::from(u32::MAX)
            && entries.length == entries.count * shape.stride() as u64
            && fences.first <= 31
            && fences.first as usize >= 8 * shape.implied
            && fences.length == 4 * ((1 << fences.first) + 1);
        if !fits {
            return Err(Why::Damaged("the shape of a table"));
        }
        let (count, buckets) = (entries.count as usize, 1 << fences.first);
        let checks = of_kind(SectionKind::Checks).ok_or(Why::Damaged("a table without checksums"))?.range();
        let sizes = of_kind(SectionKind::Sizes);
        let blocks = buckets + sizes.map_or(0, |_| count.div_ceil(SIZES));
        if checks.len() != CHECK * blocks {
            return Err(Why::Damaged("the shape of a table"));
        }
        let (first, second) = (checks.start, checks.start + CHECK * buckets);
        Ok(DetailTable {
            shape,
            count,
            entries: entries.range(),
            fences: fences.range(),
            bits: fences.first,
            checks: Checks::new(first..second, entries),
            sizes: sizes.map(|row| Sizes::new(row, count, second..checks.end)).transpose()?,
        })
    }

    /// Returns whether the fences rise from 0 to the number of entries, so that they are safe to use.
    pub fn is_fenced(&self, file: &[u8]) -> bool {
        let (mut last, mut rising) = (0, true);
        for fence in file[self.fences.clone()].chunks_exact(4) {
            let fence = word(fence, 0);
            rising &= last <= fence;
            last = fence;
        }
        rising && last as usize == self.count && word(&file[self.fences.clone()], 0) == 0
    }

    /// Returns the position of a digest of this table's length.
    pub fn find(&self, file: &[u8], digest: &[u8]) -> Result<Option<usize>, Mismatch> {
        self.search(file, self.probe(file, digest))
    }

    /// Prefetches the fences: the first step of a lookup.
    #[inline]
    pub fn approach(&self, file: &[u8], digest: &[u8]) {
        prefetch(file, self.fences.start + 4 * self.bucket(lead(digest)));
    }

    /// Reads the fences and guesses the position: the second step of a lookup.
    #[inline]
    pub fn probe<'a>(&self, file: &[u8], digest: &'a [u8]) -> Probe<'a> {
        let lead = lead(digest);
        let bucket = self.bucket(lead);
        // The fences were checked, but somebody may write to the file meanwhile, which must not lead out of bounds.
        let Range { start: low, end: high } = self.places(file, bucket);
        let within = lead << self.bits;
        let steps = (u128::from(within) * high.saturating_sub(low) as u128) >> 64;
        let guess = low + steps as usize;
        Probe { digest, bucket, low, high, guess }
    }

    /// Returns the positions of the entries of a bucket.
    #[inline]
    fn places(&self, file: &[u8], bucket: usize) -> Range<usize> {
        let at = self.fences.start + 4 * bucket;
        word(file, at) as usize..(word(file, at + 4) as usize).min(self.count)
    }

    /// Returns the bytes of entries in the file.
    #[inline]
    fn bytes_of(&self, places: Range<usize>) -> Range<usize> {
        let stride = self.shape.stride();
        self.entries.start + places.start * stride..self.entries.start + places.end * stride
    }

    /// Prefetches the entries around a guess.
    #[inline]
    pub fn fetch(&self, file: &[u8], probe: &Probe<'_>) {
        let stride = self.shape.stride();
        if !self.checks.is_verified(probe.bucket) {
            let Range { start, end } = self.bytes_of(probe.low..probe.high);
            prefetch(file, self.checks.at(probe.bucket));
            (start..end.min(start + BUCKET)).step_by(LINE).for_each(|line| prefetch(file, line));
            return;
        }
        if let Some(from) = self.around(probe) {
            let start = self.entries.start + from * stride;
            (0..TOGETHER * stride).step_by(LINE).for_each(|line| prefetch(file, start + line));
            prefetch(file, start + TOGETHER * stride - 1);
            return;
        }
        let at = self.entries.start + probe.guess * stride;
        prefetch(file, at.saturating_sub(REACH));
        prefetch(file, at + REACH);
    }

    /// Returns the first of the entries that are compared together, if any.
    #[inline]
    fn around(&self, probe: &Probe<'_>) -> Option<usize> {
        if self.shape.stride() > SHORT {
            return None;
        }
        let last = probe.high.checked_sub(TOGETHER).filter(|last| probe.low <= *last)?;
        Some(probe.guess.saturating_sub(TOGETHER / 2).clamp(probe.low, last))
    }

    /// Verifies the bucket and returns the position of the digest, if it exists: the last step of a lookup.
    #[inline]
    pub fn search(&self, file: &[u8], probe: Probe<'_>) -> Result<Option<usize>, Mismatch> {
        self.checks.verify(file, probe.bucket, self.bytes_of(probe.low..probe.high))?;
        Ok(self.place(file, probe))
    }

    #[inline]
    fn place(&self, file: &[u8], probe: Probe<'_>) -> Option<usize> {
        let entries = &file[self.entries.clone()];
        let wanted = &probe.digest[self.shape.implied..];
        let key = lead(wanted);
        let (mut low, mut high, mut at) = (probe.low, probe.high, probe.guess);
        if let Some(from) = self.around(&probe) {
            let stride = self.shape.stride();
            let part = &entries[from * stride..(from + TOGETHER) * stride];
            let below: usize =
                (0..TOGETHER).map(|place| usize::from(lead(&part[place * stride..]) < key)).sum();
            at = from + below;
            let differs = below == TOGETHER || lead(&part[below * stride..]) != key;
            match below {
                TOGETHER => low = at,
                0 if from > low && differs => high = at,
                _ if differs => return None,
                _ => {}
            }
            // Entries with the same leading bytes may be before and after this position.
            at = at.clamp(low, high.saturating_sub(1).max(low));
        }
        let mut steps = 0;
        while low < high {
            let order = self.order(entries, at, key, wanted);
            match order {
                Ordering::Equal => return Some(at),
                Ordering::Less => low = at + 1,
                Ordering::Greater => high = at,
            }
            steps += 1;
            at = match order {
                _ if steps > NEAR => low + (high - low) / 2,
                Ordering::Less => low,
                _ => high.saturating_sub(1),
            };
        }
        None
    }

    #[inline]
    fn order(&self, entries: &[u8], at: usize, key: u64, wanted: &[u8]) -> Ordering {
        let start = at * self.shape.stride();
        let entry = &entries[start..start + wanted.len()];
        lead(entry).cmp(&key).then_with(|| entry[8..].cmp(&wanted[8..]))
    }

    #[inline]
    fn bucket(&self, lead: u64) -> usize {
        // A shift by 64, with a single bucket, would overflow.
        lead.checked_shr(64 - self.bits).unwrap_or(0) as usize
    }

    /// Returns the number of an entry's detail.
    pub fn number(&self, file: &[u8], place: usize) -> u32 {
        let end = self.entries.start + (place + 1) * self.shape.stride();
        let bytes = &file[end - self.shape.number..end];
        bytes.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte))
    }

    /// Returns the size of the file with an entry's digest, if known.
    pub fn size(&self, file: &[u8], place: usize) -> Result<Option<u64>, Mismatch> {
        let Some(Sizes { place: all, width, checks }) = &self.sizes else { return Ok(None) };
        let block = place / SIZES;
        checks.verify(file, block, self.sizes_of(block, all, *width))?;
        let bytes = &file[all.start + place * width..][..*width];
        let unknown = bytes.iter().all(|byte| *byte == 0xff);
        Ok((!unknown).then(|| bytes.iter().rev().fold(0, |size, byte| size << 8 | u64::from(*byte))))
    }

    /// Returns the position of a block of sizes in the file.
    fn sizes_of(&self, block: usize, all: &Range<usize>, width: usize) -> Range<usize> {
        let end = (block + 1) * SIZES;
        all.start + block * SIZES * width..all.start + end.min(self.count) * width
    }

    /// Returns whether every block matches its checksum.
    pub fn is_checked(&self, file: &[u8], is_over: &dyn Fn() -> bool) -> bool {
        let entries = (0..1 << self.bits).all(|bucket| {
            let bytes = self.bytes_of(self.places(file, bucket));
            !is_over() && self.checks.verify_again(file, bucket, bytes).is_ok()
        });
        let sizes = self.sizes.as_ref().is_none_or(|Sizes { place, width, checks }| {
            let range = |block| self.sizes_of(block, place, *width);
            (0..self.count.div_ceil(SIZES))
                .all(|block| checks.verify_again(file, block, range(block)).is_ok())
        });
        entries && sizes
    }

    /// Returns the size of all its sections in bytes.
    pub fn bytes(&self) -> u64 {
        let sizes = self.sizes.as_ref();
        let sized = sizes.map_or(0, |sizes| sizes.place.len() + sizes.checks.bytes());
        (self.entries.len() + self.fences.len() + self.checks.bytes() + sized) as u64
    }

    /// Returns whether all entries are in the buckets of the fences and in ascending order.
    pub fn is_sorted(&self, file: &[u8], is_over: &dyn Fn() -> bool) -> bool {
        let fences = file[self.fences.clone()].chunks_exact(4).map(|fence| word(fence, 0) as usize);
        let starts: Vec<usize> = fences.map(|fence| fence.min(self.count)).collect();
        let mut buckets = starts.windows(2).enumerate();
        buckets.all(|(bucket, pair)| !is_over() && self.is_bucket(file, bucket, pair[0]..pair[1]))
    }

    fn is_bucket(&self, file: &[u8], bucket: usize, places: Range<usize>) -> bool {
        let (stride, kept) = (self.shape.stride(), self.shape.kept());
        let entries = &file[self.entries.clone()];
        let entry = |place: usize| &entries[place * stride..place * stride + kept];
        let rising = places.clone().skip(1).all(|place| entry(place - 1) < entry(place));
        let shown = self.bits - 8 * self.shape.implied as u32;
        let belongs = |place: usize| {
            let shown_bits = lead(entry(place)).checked_shr(64 - shown).unwrap_or(0);
            shown_bits == bucket as u64 & ((1 << shown) - 1)
        };
        rising && places.clone().all(belongs)
    }
}

impl Sizes {
    /// Creates a table of this many sizes, with checksums at this position.
    fn new(row: &Section, count: usize, checks: Range<usize>) -> Result<Self, Why> {
        let width = row.first as usize;
        let fits = (1..=6).contains(&width) && row.length == (count * width) as u64;
        let sizes = || Sizes { place: row.range(), width, checks: Checks::new(checks, row) };
        fits.then(sizes).ok_or(Why::Damaged("the shape of a table"))
    }
}

/// Returns the first eight bytes as a number with the same order.
#[inline]
pub(crate) fn lead(bytes: &[u8]) -> u64 {
    let mut first = [0; 8];
    first.copy_from_slice(&bytes[..8]);
    u64::from_be_bytes(first)
}
