//! QuickXorHash of OneDrive and SharePoint: byte i is XORed into 160 bits at bit 11 i, modulo 160; then the length into
//! the last 64.
//!
//! Microsoft, "Code Snippets: QuickXorHash Algorithm". It is linear, so ranges are hashed separately and XORed.

use crate::Digest;
use crate::bank::StreamState;
use crate::field::{LONGEST_MESSAGE, saved};
use crate::tree::{Node, SegmentTree};

/// The bytes after which shifts repeat: all bytes of one column have the same shift.
const COLUMNS: usize = 160;

const BYTES: usize = 20;

/// The bits from one byte's shift to the next one's.
const SHIFT: usize = 11;

/// Small, since joining costs next to nothing.
const SEGMENT: u64 = 64 << 10;

#[derive(Clone)]
pub(crate) struct QuickXor {
    /// The XOR of each column.
    columns: [u8; COLUMNS],
    bytes: u64,
}

impl QuickXor {
    /// Creates a hash of a range at this offset of its message.
    fn at(offset: u64) -> Self {
        QuickXor { columns: [0; COLUMNS], bytes: offset }
    }

    /// Returns the value of the bytes taken, without a length.
    fn value(&self) -> [u8; BYTES] {
        let mut value = [0; BYTES];
        for (column, byte) in self.columns.iter().enumerate() {
            let (at, bit) = (column * SHIFT / 8 % BYTES, column * SHIFT % 8);
            let shifted = u16::from(*byte) << bit;
            value[at] ^= shifted as u8;
            value[(at + 1) % BYTES] ^= (shifted >> 8) as u8;
        }
        value
    }
}

impl StreamState for QuickXor {
    fn new() -> Self {
        QuickXor::at(0)
    }

    fn update(&mut self, bytes: &[u8]) {
        let start = (self.bytes % COLUMNS as u64) as usize;
        self.bytes += bytes.len() as u64;
        let (head, rest) = bytes.split_at(((COLUMNS - start) % COLUMNS).min(bytes.len()));
        xor(&mut self.columns[start..], head);
        let (rows, tail) = rest.as_chunks::<COLUMNS>();
        rows.iter().for_each(|row| xor(&mut self.columns, row));
        xor(&mut self.columns, tail);
    }

    fn finish(&mut self) -> Digest {
        digest(self.value(), self.bytes)
    }

    saved!(columns, bytes; this: this.bytes <= LONGEST_MESSAGE);

    fn kernel() -> &'static str {
        "portable"
    }
}

#[inline]
fn xor(columns: &mut [u8], bytes: &[u8]) {
    columns.iter_mut().zip(bytes).for_each(|(column, byte)| *column ^= byte);
}

fn digest(mut value: [u8; BYTES], bytes: u64) -> Digest {
    xor(&mut value[BYTES - 8..], &bytes.to_le_bytes());
    Digest::new(&value)
}

/// Ranges that are joined by XOR.
pub(crate) struct QuickXorTree;

impl SegmentTree for QuickXorTree {
    fn segment_bytes(&self) -> u64 {
        SEGMENT
    }

    fn leaf(&self, offset: u64, bytes: &[u8]) -> Node {
        let mut range = QuickXor::at(offset);
        range.update(bytes);
        let mut value = [0; 32];
        value[..BYTES].copy_from_slice(&range.value());
        Node { value, bytes: bytes.len() as u64 }
    }

    fn parent(&self, left: &Node, right: &Node) -> Node {
        let mut value = left.value;
        xor(&mut value, &right.value);
        Node { value, bytes: left.bytes + right.bytes }
    }

    fn join(&self, nodes: &[Node]) -> Digest {
        let empty = Node { value: [0; 32], bytes: 0 };
        let all = nodes.iter().fold(empty, |all, node| self.parent(&all, node));
        let mut value = [0; BYTES];
        value.copy_from_slice(&all.value[..BYTES]);
        digest(value, all.bytes)
    }
}
