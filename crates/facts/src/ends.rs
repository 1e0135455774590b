//! The first and the last bytes of a stream, from which its type is decided.

use crate::content::{ContentType, recognise};
use crate::limits::END_BYTES;
use crate::pronom::{Pronom, Signatures};
use std::sync::Arc;

/// The first and the last bytes of a stream.
#[derive(Debug, Clone)]
pub struct Ends {
    head: Vec<u8>,
    tail: Tail,
    /// The bytes so far.
    bytes: u64,
}

/// The last bytes.
#[derive(Debug, Clone)]
enum Tail {
    /// Those from an offset on, of a stream whose length is known: nothing is copied before.
    From { start: u64, bytes: Vec<u8> },
    /// The last so far, of a stream without a known length: up to twice as many as are kept.
    Last(Vec<u8>),
}

impl Ends {
    /// Creates it for a stream, whose length may be known.
    pub fn new(size: Option<u64>) -> Ends {
        let tail = match size {
            Some(size) => Tail::From { start: size.saturating_sub(END_BYTES as u64), bytes: Vec::new() },
            None => Tail::Last(Vec::new()),
        };
        Ends { head: Vec::new(), tail, bytes: 0 }
    }

    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        let missing = (END_BYTES - self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..missing]);
        let offset = self.bytes;
        self.bytes += bytes.len() as u64;
        match &mut self.tail {
            Tail::From { start, bytes: tail } => {
                let before = usize::try_from(start.saturating_sub(offset)).unwrap_or(usize::MAX);
                let Some(last) = bytes.get(before..) else { return };
                keep_last(tail, last);
            }
            Tail::Last(tail) => keep_last(tail, bytes),
        }
    }

    /// Returns the type of the stream, after its last byte; `None` if it is not known.
    pub fn content_type(&self) -> Option<Arc<ContentType>> {
        recognise(&self.head, self.tail(), self.bytes)
    }

    /// Returns the formats of the stream by PRONOM, after its last byte. The name may be a path.
    pub fn pronom(&self, signatures: &Signatures, name: &[u8]) -> Pronom {
        signatures.identify(&self.head, self.tail(), self.bytes, name)
    }

    fn tail(&self) -> &[u8] {
        let (Tail::From { bytes: tail, .. } | Tail::Last(tail)) = &self.tail;
        &tail[tail.len().saturating_sub(END_BYTES)..]
    }
}

/// Appends bytes, and forgets old ones before there are more than twice as many as are kept.
fn keep_last(tail: &mut Vec<u8>, bytes: &[u8]) {
    if bytes.len() >= END_BYTES {
        tail.clear();
        return tail.extend_from_slice(&bytes[bytes.len() - END_BYTES..]);
    }
    if tail.len() + bytes.len() > 2 * END_BYTES {
        tail.drain(..tail.len() - END_BYTES);
    }
    tail.extend_from_slice(bytes);
}

/// The ends of a stream of known length, whose bytes come in any order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndsAt {
    size: u64,
    head: Vec<u8>,
    tail: Vec<u8>,
}

impl EndsAt {
    /// Creates it for a stream of this length.
    pub fn new(size: u64) -> EndsAt {
        let kept = usize::try_from(size).unwrap_or(END_BYTES).min(END_BYTES);
        EndsAt { size, head: vec![0; kept], tail: vec![0; kept] }
    }

    /// Returns whether bytes at this offset are among those that are kept.
    pub fn takes(&self, offset: u64, length: usize) -> bool {
        let end = offset.saturating_add(length as u64);
        offset < self.head.len() as u64 || end > self.size - self.tail.len() as u64
    }

    /// Takes the bytes at an offset.
    pub fn put(&mut self, offset: u64, bytes: &[u8]) {
        copy(&mut self.head, 0, bytes, offset);
        let start = self.size - self.tail.len() as u64;
        copy(&mut self.tail, start, bytes, offset);
    }

    /// Returns the type of the stream, after all of its bytes; `None` if it is not known.
    pub fn content_type(&self) -> Option<Arc<ContentType>> {
        recognise(&self.head, &self.tail, self.size)
    }

    /// Returns the formats of the stream by PRONOM, after all of its bytes. The name may be a path.
    pub fn pronom(&self, signatures: &Signatures, name: &[u8]) -> Pronom {
        signatures.identify(&self.head, &self.tail, self.size, name)
    }
}

/// Copies bytes at an offset into the part of the stream that starts at `start`, as far as they belong there.
fn copy(part: &mut [u8], start: u64, bytes: &[u8], offset: u64) {
    let from = start.max(offset);
    let end = (start + part.len() as u64).min(offset.saturating_add(bytes.len() as u64));
    if from < end {
        let (to, at) = ((from - start) as usize, (from - offset) as usize);
        let length = (end - from) as usize;
        part[to..to + length].copy_from_slice(&bytes[at..at + length]);
    }
}
