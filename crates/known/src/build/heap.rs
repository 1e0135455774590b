//! Records in memory, parted by their first byte, until they are sorted.

use crate::table::lead;

/// Bytes of a block of records, about: small enough that 256 of them open for each length of digest are
/// nothing, large enough that their number is.
const BLOCK: usize = 64 << 10;

/// Bytes that sorting needs for a record besides its own.
const KEY: usize = 16;

/// Bytes of a detail's number in a record.
const NUMBER: usize = 4;

/// Bytes of a size in a record.
const SIZE: usize = 6;

/// How a record is laid out: the digest, the number of its detail, the size where sources have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Form {
    /// Bytes of the digest.
    pub digest: usize,
    /// Whether records have sizes.
    pub sized: bool,
}

impl Form {
    /// Bytes of a record.
    pub fn stride(self) -> usize {
        self.digest + NUMBER + if self.sized { SIZE } else { 0 }
    }

    /// The number of a record's detail.
    pub fn number(self, record: &[u8]) -> u32 {
        crate::layout::word(record, self.digest)
    }

    /// The size in a record; [`UNKNOWN_SIZE`](crate::table::UNKNOWN_SIZE) without one.
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

/// Records of one form, in the order of their first bytes only.
pub(crate) struct Heap {
    pub form: Form,
    parts: Vec<Part>,
}

/// The records with one first byte. All blocks but the last are full.
#[derive(Default)]
struct Part {
    blocks: Vec<Vec<u8>>,
    count: usize,
}

impl Heap {
    pub fn new(form: Form) -> Self {
        Heap { form, parts: (0..256).map(|_| Part::default()).collect() }
    }

    /// Takes a record. Says how much memory that needs, sorting included; mostly none that is new.
    pub fn push(&mut self, digest: &[u8], number: u32, size: u64) -> usize {
        let form = self.form;
        let per_block = BLOCK / form.stride();
        let part = &mut self.parts[usize::from(digest[0])];
        let mut needed = 0;
        if part.count.is_multiple_of(per_block) {
            part.blocks.push(Vec::with_capacity(per_block * form.stride()));
            needed = per_block * (form.stride() + KEY);
        }
        part.count += 1;
        if let Some(block) = part.blocks.last_mut() {
            form.write(digest, number, size, block);
        }
        needed
    }

    /// Gives all records in order, and frees each part behind it.
    pub fn drain_sorted<E>(self, mut take: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        let mut keys = Vec::new();
        for part in self.parts {
            part.sort(self.form, &mut keys);
            for (_, place) in &keys {
                take(part.record(self.form, *place))?;
            }
        }
        Ok(())
    }
}

impl Part {
    fn record(&self, form: Form, place: u32) -> &[u8] {
        let (place, stride) = (place as usize, form.stride());
        let per_block = BLOCK / stride;
        &self.blocks[place / per_block][place % per_block * stride..][..stride]
    }

    /// Fills `keys` with the leading bytes and places of the records, in the order of whole records.
    fn sort(&self, form: Form, keys: &mut Vec<(u64, u32)>) {
        keys.clear();
        let records = self.blocks.iter().flat_map(|block| block.chunks_exact(form.stride()));
        keys.extend(records.zip(0..).map(|(record, place)| (lead(record), place)));
        let rest = |place: u32| &self.record(form, place)[8..];
        keys.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| rest(a.1).cmp(rest(b.1))));
    }
}
