//! Banks: the states of one algorithm for all open streams.
//!
//! One virtual call hashes a whole batch of parts of many streams, so that a kernel can fill its lanes; one stream is a
//! batch of one. [`Serial`] makes a bank of any streaming hash.

pub(crate) mod after;

use crate::machine::{Isa, Machine};
use crate::{About, Digest};

/// The identifier of an open stream of a [`Bank`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slot(pub usize);

/// The next bytes of one stream.
#[derive(Debug, Clone, Copy)]
pub struct StreamPart<'a> {
    /// The stream.
    pub slot: Slot,
    /// The bytes; may be empty.
    pub bytes: &'a [u8],
    /// No more bytes follow. The stream must then be closed, and takes no further parts.
    pub last: bool,
}

/// The cost of a byte in nanoseconds, on the machine that was measured: only ratios matter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    /// For one stream on its fastest kernel.
    pub alone: f64,
    /// With all lanes full. It may be higher than alone, since all other lanes advance, too.
    pub beside: f64,
}

/// Hashes any number of streams side by side.
///
/// A stream is opened, fed any number of parts, of which the last is marked, and closed. A batch may contain several
/// parts of one stream; they are taken in the batch's order.
pub trait Bank: Send {
    /// Opens a stream. Slots of closed streams are reused.
    fn open(&mut self) -> Slot;

    /// Opens a stream with known properties. Only algorithms that depend on them ([`crate::Algorithm::wants_size`]) use
    /// these.
    fn open_about(&mut self, _about: &About<'_>) -> Slot {
        self.open()
    }

    /// Hashes the parts. It is fastest if the batch has parts of at least [`Bank::lanes`] streams, of similar lengths,
    /// each of several blocks.
    fn update(&mut self, batch: &[StreamPart<'_>]);

    /// Hashes whole messages and writes their digests one after another to `digests`. Does not affect open streams.
    ///
    /// # Panics
    /// If `digests` does not have exactly the bytes of all digests.
    fn digest_all(&mut self, messages: &[&[u8]], digests: &mut [u8]) {
        let open: Vec<_> = messages.iter().map(|bytes| (self.open(), *bytes)).collect();
        let parts: Vec<_> =
            open.iter().map(|(slot, bytes)| StreamPart { slot: *slot, bytes, last: true }).collect();
        self.update(&parts);
        lay_out(open.into_iter().map(|(slot, _)| self.close(slot)), digests);
    }

    /// Returns the digest of a stream after its last part, and frees the slot.
    fn close(&mut self, slot: Slot) -> Digest;

    /// Like [`Bank::close`], but also returns the kept digests of leaves, one after another, if the bank keeps them
    /// ([`crate::leaves::keeping`]).
    fn close_kept(&mut self, slot: Slot) -> (Digest, Option<Box<[u8]>>) {
        (self.close(slot), None)
    }

    /// Writes the output of a stream so far from its byte `from` on, and returns whether its algorithm has output of
    /// any length (an extendable-output function). The stream goes on.
    fn extend(&self, _slot: Slot, _from: u64, _output: &mut [u8]) -> bool {
        false
    }

    /// Drops a stream before its end.
    fn abandon(&mut self, slot: Slot);

    /// Returns the digest of the bytes that an open stream was given so far. The stream continues.
    fn peek(&self, slot: Slot) -> Digest {
        let mut copy = self.fork(slot);
        copy.update(&[StreamPart { slot: Slot(0), bytes: &[], last: true }]);
        copy.close(Slot(0))
    }

    /// Copies an open stream into a new bank, where it continues in the first slot (`Slot(0)`), independently of the
    /// original.
    fn fork(&self, slot: Slot) -> Box<dyn Bank>;

    /// Returns the state of an open stream, with which another bank of the algorithm goes on ([`Bank::restore`]), also
    /// on another kernel and in another process. `None` if the state can't be had.
    fn save(&self, _slot: Slot) -> Option<Vec<u8>> {
        None
    }

    /// Opens a stream with a state that [`Bank::save`] returned. `None` if it is none of this algorithm.
    fn restore(&mut self, _state: &[u8]) -> Option<Slot> {
        None
    }

    /// Returns how many streams this bank hashes in the time of one.
    fn lanes(&self) -> usize {
        1
    }

    /// Returns the speed of a stream. By default it is high, and no higher beside others.
    fn pace(&self) -> Pace {
        Pace { alone: 0.5, beside: 0.5 }
    }

    /// Returns the number of blocks hashed so far, and of blocks that the same registers could have hashed in that
    /// time: how full the lanes were. Zeros if the bank has no lanes.
    fn occupancy(&self) -> (u64, u64) {
        (0, 0)
    }

    /// Returns the name of the kernel, for display: `openssl-style x86 sha`, `avx512 x16`, `portable`.
    fn kernel(&self) -> &'static str;
}

/// A hash of one stream that takes its message in parts.
pub(crate) trait StreamState: Clone + Send + 'static {
    /// Creates the state before the first byte.
    fn new() -> Self;
    fn update(&mut self, bytes: &[u8]);
    /// Returns the digest of all bytes taken. Called once.
    fn finish(&mut self) -> Digest;
    /// Returns the digest of the bytes taken so far, and goes on.
    fn peek(&self) -> Digest {
        self.clone().finish()
    }
    /// Returns the digest of a whole message, if no byte was taken before.
    fn digest_of(mut self, message: &[u8]) -> Digest {
        self.update(message);
        self.finish()
    }
    /// Writes the output so far from its byte `from` on, as [`Bank::extend`].
    fn extend(&self, _from: u64, _output: &mut [u8]) -> bool {
        false
    }
    /// Writes the state, and returns whether it can be had, as [`Bank::save`].
    fn save(&self, _into: &mut Vec<u8>) -> bool {
        false
    }
    /// Takes a written state up, before the first byte. `None` if it is none; the stream is of no use then.
    fn load(&mut self, _from: &mut &[u8]) -> Option<()> {
        None
    }
    /// Returns the name of the implementation, for display.
    fn kernel() -> &'static str;
}

/// A stream of a library that chooses instructions by itself, without a way to limit them.
pub(crate) trait Library: StreamState {
    /// Returns the narrowest limit that allows the library's choice on this processor.
    fn picks() -> Isa;
}

/// Makes a [`Serial`] bank of the library's streams, or of ours if the library's choice is forbidden.
pub(crate) fn library_or<L: Library, Ours: StreamState>() -> Box<dyn Bank> {
    if L::picks() <= Machine::detect().limit() { serial::<L>() } else { serial::<Ours>() }
}

/// Writes digests one after another.
///
/// # Panics
/// If they don't fill the room exactly.
fn lay_out(digests: impl Iterator<Item = Digest>, mut room: &mut [u8]) {
    for digest in digests {
        let (head, tail) = room.split_at_mut(digest.as_bytes().len());
        head.copy_from_slice(digest.as_bytes());
        room = tail;
    }
    assert!(room.is_empty(), "more bytes than digests");
}

/// Hashes a whole message by a stream: what a registry row names.
pub(crate) fn whole<S: StreamState>(message: &[u8]) -> Digest {
    S::new().digest_of(message)
}

/// As [`whole`], by what [`library_or`] takes.
pub(crate) fn library_or_whole<L: Library, Ours: StreamState>(message: &[u8]) -> Digest {
    if L::picks() <= Machine::detect().limit() { whole::<L>(message) } else { whole::<Ours>(message) }
}

/// A bank that hashes its streams one after another.
pub(crate) struct Serial<S, M> {
    streams: Vec<S>,
    free: Vec<usize>,
    make: M,
}

/// Makes a [`Serial`] bank, for a registry row.
pub(crate) fn serial<S: StreamState>() -> Box<dyn Bank> {
    serial_by(S::new)
}

/// Makes a [`Serial`] bank of the streams made by `make`.
pub(crate) fn serial_by<S: StreamState>(make: impl Fn() -> S + Clone + Send + 'static) -> Box<dyn Bank> {
    Box::new(Serial { streams: Vec::new(), free: Vec::new(), make })
}

impl<S: StreamState, M: Fn() -> S + Clone + Send + 'static> Bank for Serial<S, M> {
    fn open(&mut self) -> Slot {
        let stream = (self.make)();
        let slot = self.free.pop().unwrap_or(self.streams.len());
        if slot == self.streams.len() {
            if slot == 0 {
                // Most banks have one stream ever; a vector would make room for four.
                self.streams.reserve_exact(1);
            }
            self.streams.push(stream);
        } else {
            self.streams[slot] = stream;
        }
        Slot(slot)
    }

    fn update(&mut self, batch: &[StreamPart<'_>]) {
        for part in batch {
            self.streams[part.slot.0].update(part.bytes);
        }
    }

    fn digest_all(&mut self, messages: &[&[u8]], digests: &mut [u8]) {
        lay_out(messages.iter().map(|message| (self.make)().digest_of(message)), digests);
    }

    fn peek(&self, slot: Slot) -> Digest {
        self.streams[slot.0].peek()
    }

    fn close(&mut self, slot: Slot) -> Digest {
        self.free.push(slot.0);
        self.streams[slot.0].finish()
    }

    fn extend(&self, slot: Slot, from: u64, output: &mut [u8]) -> bool {
        self.streams[slot.0].extend(from, output)
    }

    fn abandon(&mut self, slot: Slot) {
        self.free.push(slot.0);
    }

    fn fork(&self, slot: Slot) -> Box<dyn Bank> {
        let streams = vec![self.streams[slot.0].clone()];
        Box::new(Serial { streams, free: Vec::new(), make: self.make.clone() })
    }

    fn save(&self, slot: Slot) -> Option<Vec<u8>> {
        let mut state = Vec::new();
        self.streams[slot.0].save(&mut state).then_some(state)
    }

    fn restore(&mut self, mut state: &[u8]) -> Option<Slot> {
        let slot = self.open();
        let loaded = self.streams[slot.0].load(&mut state).filter(|()| state.is_empty());
        if loaded.is_none() {
            self.abandon(slot);
        }
        loaded.map(|()| slot)
    }

    fn kernel(&self) -> &'static str {
        S::kernel()
    }
}
