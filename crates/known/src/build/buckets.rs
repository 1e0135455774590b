//! The buckets of a table that is being written: their fences and the checksums of their entries.

use hashmill_digest::{crc32c, crc32c_joined};

/// Entries are summed in batches of this many bytes, since a bucket may contain the whole table.
const GATHERED: usize = 64 << 10;

/// Fences and checksums of buckets, in order.
pub(super) struct Buckets {
    /// The number of leading bits that select a bucket.
    pub bits: u32,
    /// The number of entries before each bucket, and the total at the end.
    pub fences: Vec<u32>,
    /// The CRC-32C of the entries of each finished bucket.
    pub crcs: Vec<u32>,
    /// Entries of the last bucket that are not summed yet.
    gathered: Vec<u8>,
    /// The CRC-32C of the summed entries of the last bucket.
    crc: u32,
}

impl Buckets {
    /// Starts 2^`bits` buckets.
    pub fn new(bits: u32) -> Self {
        Buckets { bits, fences: Vec::new(), crcs: Vec::new(), gathered: Vec::new(), crc: 0 }
    }

    /// Adds an entry with these leading bits, which has `before` entries before it.
    #[inline]
    pub fn push(&mut self, lead: u64, before: u32, entry: [&[u8]; 2]) {
        let bucket = lead.checked_shr(64 - self.bits).unwrap_or(0) as usize;
        if self.fences.len() <= bucket {
            self.fences.resize(bucket + 1, before);
            self.end(bucket);
        }
        entry.iter().for_each(|part| self.gathered.extend_from_slice(part));
        if self.gathered.len() >= GATHERED {
            self.sum();
        }
    }

    /// Ends all buckets before this one.
    fn end(&mut self, bucket: usize) {
        if self.crcs.len() < bucket {
            self.sum();
            self.crcs.push(std::mem::take(&mut self.crc));
            self.crcs.resize(bucket, crc32c(&[]));
        }
    }

    fn sum(&mut self) {
        self.crc = crc32c_joined(self.crc, crc32c(&self.gathered), self.gathered.len() as u64);
        self.gathered.clear();
    }

    /// Ends all buckets of a table of this many entries.
    pub fn finish(&mut self, count: u32) {
        self.fences.resize((1 << self.bits) + 1, count);
        self.end(1 << self.bits);
    }

    /// Joins buckets in pairs until they have on average `entries` entries of `stride` bytes, but keeps the `least`
    /// bits.
    pub fn coarsen(&mut self, entries: u64, least: u32, stride: u64) {
        let count = u64::from(self.fences.last().copied().unwrap_or(0));
        while self.bits > least && count * 2 <= entries << self.bits {
            let seconds = self.fences.windows(2).skip(1).step_by(2);
            let bytes = seconds.map(|fences| u64::from(fences[1] - fences[0]) * stride);
            let pairs = self.crcs.chunks_exact(2).zip(bytes);
            self.crcs = pairs.map(|(pair, bytes)| joined(pair, bytes)).collect();
            self.fences = self.fences.iter().copied().step_by(2).collect();
            self.bits -= 1;
        }
    }
}

/// Returns the checksum of two buckets, the second of which has this many bytes.
fn joined(pair: &[u32], second_bytes: u64) -> u32 {
    if second_bytes == 0 { pair[0] } else { crc32c_joined(pair[0], pair[1], second_bytes) }
}
