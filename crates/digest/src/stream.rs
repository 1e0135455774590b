//! One stream of a block hash: partial blocks are kept between parts, whole ones are compressed at once.

use crate::Digest;
use crate::bank::StreamState;
use crate::block::{BlockHash, Kernel, MAX_BLOCK, State, digest, put};
use crate::field::{Field, LONGEST_MESSAGE};
use crate::machine::Isa;

/// Bytes that were not compressed yet, at most a block.
#[derive(Clone)]
pub(crate) struct Carry {
    bytes: [u8; MAX_BLOCK],
    filled: usize,
}

impl Carry {
    /// Creates an empty carry.
    pub(crate) fn new() -> Self {
        Carry { bytes: [0; MAX_BLOCK], filled: 0 }
    }

    /// Takes bytes: passes each run of whole blocks that at least `held` bytes follow to `take`, and keeps the rest.
    #[inline(always)]
    pub(crate) fn feed(&mut self, block: usize, held: usize, mut bytes: &[u8], mut take: impl FnMut(&[u8])) {
        if self.filled > 0 {
            let wanted = bytes.len().min(block - self.filled);
            self.keep(&bytes[..wanted]);
            bytes = &bytes[wanted..];
            if self.filled < block || bytes.len() < held {
                return;
            }
            take(&self.bytes[..block]);
            self.filled = 0;
        }
        let whole = bytes.len().saturating_sub(held) / block * block;
        if whole > 0 {
            take(&bytes[..whole]);
        }
        self.keep(&bytes[whole..]);
    }

    /// Returns the kept bytes.
    pub(crate) fn rest(&self) -> &[u8] {
        &self.bytes[..self.filled]
    }

    /// Keeps more bytes: at most a block in total.
    pub(crate) fn keep(&mut self, bytes: &[u8]) {
        self.bytes[self.filled..self.filled + bytes.len()].copy_from_slice(bytes);
        self.filled += bytes.len();
    }

    /// Drops the kept bytes.
    pub(crate) fn clear(&mut self) {
        self.filled = 0;
    }

    /// Whether these are the bytes kept of a message of `total` bytes, by [`Carry::feed`] with the same numbers.
    pub(crate) fn fits(&self, block: usize, held: usize, total: u64) -> bool {
        let filled = match total % block as u64 {
            0 if held > 0 && total > 0 => block,
            rest => rest as usize,
        };
        self.filled == filled && total <= LONGEST_MESSAGE
    }
}

impl Field for Carry {
    fn put(&self, into: &mut Vec<u8>) {
        self.rest().to_vec().put(into);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        let (kept, mut carry) = (Vec::take(from)?, Carry::new());
        (kept.len() <= MAX_BLOCK).then(|| {
            carry.keep(&kept);
            carry
        })
    }
}

/// The state of a message of a [`BlockHash`], and bytes that were not compressed yet, of so many.
pub(crate) type PartialMessage<K> = (State<K>, Carry, u64);

/// Writes the state of a message; [`load`] reads it, whatever kernel goes on.
pub(crate) fn save<K: Kernel>(state: &State<K>, carry: &Carry, bytes: u64, into: &mut Vec<u8>) {
    state.as_ref().iter().for_each(|word| word.put(into));
    carry.put(into);
    bytes.put(into);
}

/// Reads the state of a message; `None` if it is none.
pub(crate) fn load<A: BlockHash>(from: &mut &[u8]) -> Option<PartialMessage<A::Kernel>> {
    let mut state = A::START;
    for word in state.as_mut() {
        *word = Field::take(from)?;
    }
    let (carry, bytes) = (Carry::take(from)?, u64::take(from)?);
    carry.fits(A::Kernel::BLOCK, A::PADDING.held(), bytes).then_some((state, carry, bytes))
}

/// The streaming hash of a [`BlockHash`].
pub(crate) struct Blocks<A: BlockHash> {
    state: State<A::Kernel>,
    compress: fn(&mut State<A::Kernel>, &[u8]),
    carry: Carry,
    bytes: u64,
}

impl<A: BlockHash> Blocks<A> {
    /// Creates a stream with another initial state.
    pub(crate) fn starting(state: State<A::Kernel>) -> Self {
        let path = A::Kernel::path(Isa::WIDEST);
        Blocks { state, compress: path.compress, carry: Carry::new(), bytes: 0 }
    }

    /// Pads the message and compresses what is left of it.
    fn end(&mut self) {
        let mut tail = [0; 2 * MAX_BLOCK];
        let rest = self.carry.rest();
        tail[..rest.len()].copy_from_slice(rest);
        let blocks = A::PADDING.apply(&mut tail, A::Kernel::BLOCK, rest.len(), self.bytes);
        A::Kernel::mark_last(&mut self.state, self.bytes);
        (self.compress)(&mut self.state, &tail[..blocks * A::Kernel::BLOCK]);
    }

    /// Writes the output of an ended message from this byte on. A block of zeros permutes the state of a sponge.
    fn squeeze(&mut self, from: u64, output: &mut [u8]) {
        let zeros = [0; MAX_BLOCK];
        let size = A::Kernel::BLOCK;
        let next = |state: &mut _| (self.compress)(state, &zeros[..size]);
        (0..from / size as u64).for_each(|_| next(&mut self.state));
        let mut block = [0; MAX_BLOCK];
        let mut skipped = (from % size as u64) as usize;
        let mut rest = output;
        while !rest.is_empty() {
            put::<A::Kernel>(&self.state, &mut block[..size]);
            let (now, later) = rest.split_at_mut(rest.len().min(size - skipped));
            now.copy_from_slice(&block[skipped..skipped + now.len()]);
            (rest, skipped) = (later, 0);
            next(&mut self.state);
        }
    }
}

impl<A: BlockHash> Clone for Blocks<A> {
    fn clone(&self) -> Self {
        Blocks { carry: self.carry.clone(), ..*self }
    }
}

impl<A: BlockHash> StreamState for Blocks<A> {
    fn new() -> Self {
        Blocks::starting(A::START)
    }

    fn update(&mut self, bytes: &[u8]) {
        self.bytes = self.bytes.wrapping_add(bytes.len() as u64);
        let (state, compress) = (&mut self.state, self.compress);
        self.carry.feed(A::Kernel::BLOCK, A::PADDING.held(), bytes, |blocks| compress(state, blocks));
    }

    fn finish(&mut self) -> Digest {
        self.end();
        digest::<A>(&self.state)
    }

    fn extend(&self, from: u64, output: &mut [u8]) -> bool {
        if A::EXTENDABLE {
            let mut ended = self.clone();
            ended.end();
            ended.squeeze(from, output);
        }
        A::EXTENDABLE
    }

    fn save(&self, into: &mut Vec<u8>) -> bool {
        save::<A::Kernel>(&self.state, &self.carry, self.bytes, into);
        true
    }

    fn load(&mut self, from: &mut &[u8]) -> Option<()> {
        (self.state, self.carry, self.bytes) = load::<A>(from)?;
        Some(())
    }

    fn kernel() -> &'static str {
        A::Kernel::path(Isa::WIDEST).name
    }
}

#[cfg(test)]
mod tests {
    use super::Carry;

    #[test]
    fn carried_bytes_come_out_once_and_in_order() {
        let message: Vec<u8> = (0..200).collect();
        for (first, held) in (0..100).flat_map(|first| [(first, 0), (first, 1)]) {
            for second in 0..100 {
                let mut carry = Carry::new();
                let mut seen = Vec::new();
                for part in [&message[..first], &message[first..first + second], &message[first + second..]] {
                    carry.feed(16, held, part, |blocks| seen.extend_from_slice(blocks));
                    assert_eq!(seen.len() % 16, 0);
                }
                assert!(carry.rest().len() >= held);
                seen.extend_from_slice(carry.rest());
                assert_eq!(seen, message);
            }
        }
    }
}
