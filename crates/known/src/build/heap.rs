//! Unsorted records in memory, partitioned into 256 parts by their first byte.

use crate::table::lead;

/// The largest block of records in bytes: large enough that the number of blocks is negligible.
const BLOCK: usize = 64 << 10;

const SMALL_BLOCK: usize = 4 << 10;

/// The least number of blocks in a load, so that unused space in the last blocks of the 256 parts is at most an eighth.
const BLOCKS: usize = 8 * 256;

/// Additional bytes that sorting needs for each record.
const KEY: usize = 16;

/// The size of a detail's number in a record, in bytes.
const NUMBER: usize = 4;

/// The size of a file size in a record, in bytes.
const SIZE: usize = 6;

/// The layout of a record: the digest, the number of its detail, the size if sources have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RecordLayout {
    /// The length of the digest in bytes.
    pub digest: usize,
    /// Whether records have sizes.
    pub sized: bool,
}

impl RecordLayout {
    /// Returns the length of a record in bytes.
    pub fn stride(self) -> usize {
        self.digest + NUMBER + if self.sized { SIZE } else { 0 }
    }

    /// Returns the number of a record's detail.
    pub fn number(self, record: &[u8]) -> u32 {
        crate::layout::word(record, self.digest)
    }

    /// Returns the size in a record; [`UNKNOWN_SIZE`](crate::table::UNKNOWN_SIZE) without one.
    pub fn size(self, record: &[u8]) -> u64 {
        let bytes = &record[self.digest + NUMBER..];
        if !self.sized {
            return crate::table::UNKNOWN_SIZE;
        }
        bytes.iter().rev().fold(0, |size, byte| size << 8 | u64::from(*byte))
    }

    /// Appends a record.
    pub fn write(self, digest: &[u8], number: u32, size: u64, out: &mut Vec<u8>) {
        out.extend_from_slice(digest);
        out.extend_from_slice(&number.to_le_bytes());
        if self.sized {
            out.extend_from_slice(&size.to_le_bytes()[..SIZE]);
        }
    }
}

/// Records of one layout, ordered only by their first bytes.
pub(crate) struct Heap {
    pub form: RecordLayout,
    per_block: usize,
    parts: Vec<Part>,
}

/// The records with one first byte. All blocks except the last are full.
#[derive(Default)]
struct Part {
    blocks: Vec<Vec<u8>>,
    /// The number of records that the last block has room for.
    room: usize,
}

/// The records of a part, accessed by position.
struct Records<'a> {
    form: RecordLayout,
    per_block: usize,
    blocks: &'a [Vec<u8>],
}

impl Heap {
    /// Creates a heap for loads of this many bytes.
    pub fn new(form: RecordLayout, load: usize) -> Self {
        let block = (load / BLOCKS).clamp(SMALL_BLOCK, BLOCK);
        Heap { form, per_block: block / form.stride(), parts: (0..256).map(|_| Part::default()).collect() }
    }

    /// Adds a record. Returns the memory that it needs, including sorting.
    pub fn push(&mut self, digest: &[u8], number: u32, size: u64) -> usize {
        let form = self.form;
        let part = &mut self.parts[usize::from(digest[0])];
        if part.room == 0 {
            part.blocks.push(Vec::with_capacity(self.per_block * form.stride()));
            part.room = self.per_block;
        }
        part.room -= 1;
        if let Some(block) = part.blocks.last_mut() {
            form.write(digest, number, size, block);
        }
        form.stride() + KEY
    }

    /// Passes all records in order, and frees each part after it.
    pub fn drain_sorted<E>(self, mut take: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        let mut keys = Vec::new();
        for part in self.parts {
            let records = Records { form: self.form, per_block: self.per_block, blocks: &part.blocks };
            records.sort(&mut keys);
            for (_, place) in &keys {
                take(records.get(*place))?;
            }
        }
        Ok(())
    }
}

impl Records<'_> {
    fn get(&self, place: u32) -> &[u8] {
        let (place, stride) = (place as usize, self.form.stride());
        &self.blocks[place / self.per_block][place % self.per_block * stride..][..stride]
    }

    /// Fills `keys` with the leading bytes and positions of the records, in the order of whole records.
    fn sort(&self, keys: &mut Vec<(u64, u32)>) {
        keys.clear();
        let records = self.blocks.iter().flat_map(|block| block.chunks_exact(self.form.stride()));
        keys.extend(records.zip(0..).map(|(record, place)| (lead(record), place)));
        let rest = |place: u32| &self.get(place)[8..];
        keys.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| rest(a.1).cmp(rest(b.1))));
    }
}
