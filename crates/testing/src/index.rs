//! Forged indexes of known digests with valid checksums, as an attacker would make them.

use hashmill_digest::{crc32c, find, hash};
use std::ops::Range;

/// The length of the header in bytes.
pub const HEADER: usize = 8192;

/// The length of a checksum in bytes.
const SUM: usize = 16;

// The kinds of sections: see `docs/known-format.md`.
const ENTRIES: u32 = 3;
const FENCES: u32 = 4;
const SIZES: u32 = 5;
const CHECKS: u32 = 6;

/// The number of sizes that share a checksum.
const BLOCK: usize = 128;

/// Corrects all checksums of an index that can be found; returns false if it is too short for any.
pub fn seal(file: &mut [u8]) -> bool {
    if file.len() < HEADER {
        return false;
    }
    let rows = (32..HEADER - SUM - 63).step_by(64);
    let (checks_rows, others): (Vec<_>, Vec<_>) = rows.clone().partition(|row| word(file, *row) == CHECKS);
    others.into_iter().for_each(|row| sum(file, row));
    for row in checks_rows {
        let of_kind = |kind| {
            let is_same =
                |other: &usize| word(file, *other) == kind && word(file, *other + 4) == word(file, row + 4);
            rows.clone().find(is_same)
        };
        if let (Some(entries), Some(fences)) = (of_kind(ENTRIES), of_kind(FENCES)) {
            let checks = checks(file, entries, fences, of_kind(SIZES));
            let place = range(file, row);
            file[place]
                .chunks_exact_mut(4)
                .zip(checks)
                .for_each(|(at, check)| at.copy_from_slice(&check.to_le_bytes()));
        }
        sum(file, row);
    }
    let sum = checksum(&file[..HEADER - SUM]);
    file[HEADER - SUM..HEADER].copy_from_slice(&sum);
    true
}

/// Corrects the checksum of a section.
fn sum(file: &mut [u8], row: usize) {
    let sum = checksum(&file[range(file, row)]);
    file[row + 40..row + 40 + SUM].copy_from_slice(&sum);
}

/// Returns the checksums of the blocks of a table.
fn checks(file: &[u8], entries: usize, fences: usize, sizes: Option<usize>) -> Vec<u32> {
    let digest = word(file, entries + 4).saturating_sub(word(file, entries + 32));
    let stride = digest.saturating_add(word(file, entries + 36)) as usize;
    let starts: Vec<usize> =
        file[range(file, fences)].chunks_exact(4).map(|fence| word(fence, 0) as usize).collect();
    if !starts.is_sorted() {
        return Vec::new();
    }
    let buckets =
        starts.windows(2).map(|pair| pair[0].saturating_mul(stride)..pair[1].saturating_mul(stride));
    let mut checks = bound(file, entries, buckets);
    if let Some(sizes) = sizes {
        let block = BLOCK * word(file, sizes + 32).clamp(1, 6) as usize;
        let end = range(file, sizes).len();
        checks.extend(bound(file, sizes, (0..end).step_by(block).map(|start| start..end.min(start + block))));
    }
    checks
}

/// Returns the checksums of a section's blocks, which depend on their position and on the section.
fn bound(file: &[u8], row: usize, blocks: impl Iterator<Item = Range<usize>>) -> Vec<u32> {
    let (bytes, mask) = (&file[range(file, row)], word(file, row + 40));
    let crc = |block: Range<usize>| crc32c(bytes.get(block).unwrap_or_default());
    blocks.zip(0..).map(|(block, number)| crc(block) ^ number ^ mask).collect()
}

/// Returns the range of a section; empty if it is outside the file.
fn range(file: &[u8], row: usize) -> Range<usize> {
    let long = |at| u64::from(word(file, at)) | u64::from(word(file, at + 4)) << 32;
    let (start, length) = (long(row + 8) as usize, long(row + 16) as usize);
    let range = start..start.saturating_add(length);
    if file.get(range.clone()).is_some() { range } else { 0..0 }
}

fn checksum(bytes: &[u8]) -> [u8; SUM] {
    let xxh128 = find("xxh128").expect("an algorithm");
    let mut sum = [0; SUM];
    sum.copy_from_slice(hash(xxh128, bytes).as_bytes());
    sum
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}
