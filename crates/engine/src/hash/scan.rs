//! The adapter for a scanner of whole contents, which collects those that come in parts.

use super::hasher::{StreamHasher, UnorderedHasher};
use super::value::Value;
use crate::plan::scanning::{Scanning, Share};
use hashmill_digest::{About, Slot, StreamPart};
use hashmill_facts::{RuleFacts, ScanStatus};
use std::fs::File;
use std::io::{self, Write};
use std::sync::Arc;

/// Scans streams, with an object for each of them.
pub(crate) struct ScanHasher {
    scanning: Arc<Scanning>,
    streams: Vec<ScanStream>,
    free: Vec<Slot>,
}

/// The state of a stream.
enum ScanStream {
    /// No bytes came so far, of a stream whose length may be known.
    Unread(Option<u64>),
    /// A part came, and more will.
    Partial(Parts),
    Done(RuleFacts),
    /// Nothing: the slot is free, or a piece's.
    None,
}

/// The parts of a stream so far.
enum Parts {
    InMemory {
        bytes: Vec<u8>,
        share: Share,
    },
    /// In a temporary file, because the memory was taken.
    InFile {
        file: File,
        length: usize,
    },
}

impl Parts {
    /// Creates it for a stream of this length, which may turn out longer.
    fn new(scanning: &Arc<Scanning>, expected: usize) -> io::Result<Parts> {
        match scanning.take(expected) {
            Some(share) => Ok(Parts::InMemory { bytes: Vec::with_capacity(expected), share }),
            None => Ok(Parts::InFile { file: tempfile::tempfile()?, length: 0 }),
        }
    }

    fn length(&self) -> usize {
        match self {
            Parts::InMemory { bytes, .. } => bytes.len(),
            Parts::InFile { length, .. } => *length,
        }
    }

    fn push(self, part: &[u8]) -> io::Result<Parts> {
        match self {
            Parts::InMemory { mut bytes, share } if bytes.len() + part.len() <= share.bytes() => {
                bytes.extend_from_slice(part);
                Ok(Parts::InMemory { bytes, share })
            }
            // The file is longer than the system said.
            Parts::InMemory { bytes, .. } => {
                let file = Parts::InFile { file: tempfile::tempfile()?, length: 0 };
                file.push(&bytes)?.push(part)
            }
            Parts::InFile { mut file, length } => {
                file.write_all(part)?;
                Ok(Parts::InFile { file, length: length + part.len() })
            }
        }
    }

    fn scan(self, scanning: &Scanning) -> RuleFacts {
        match self {
            Parts::InMemory { bytes, .. } => scanning.scan(bytes.into()),
            Parts::InFile { file, length } => scanning.scan_file(file, length),
        }
    }
}

impl ScanStream {
    /// Returns the state after the next part.
    fn push(self, scanning: &Arc<Scanning>, part: &StreamPart<'_>) -> ScanStream {
        let longest = scanning.longest();
        let parts = match self {
            ScanStream::Unread(_) if part.last && part.bytes.len() <= longest => {
                return ScanStream::Done(scanning.scan(part.bytes.into()));
            }
            ScanStream::Unread(size) => {
                let expected = size.map_or(longest, |size| usize::try_from(size).unwrap_or(usize::MAX));
                match expected <= longest {
                    true => Parts::new(scanning, expected),
                    false => return ScanStream::unscanned(ScanStatus::TooLong),
                }
            }
            ScanStream::Partial(parts) => Ok(parts),
            ended => return ended,
        };
        let Ok(parts) = parts else { return ScanStream::unscanned(ScanStatus::Broken) };
        if parts.length() + part.bytes.len() > longest {
            return ScanStream::unscanned(ScanStatus::TooLong);
        }
        match parts.push(part.bytes) {
            Ok(parts) if part.last => ScanStream::Done(parts.scan(scanning)),
            Ok(parts) => ScanStream::Partial(parts),
            Err(_) => ScanStream::unscanned(ScanStatus::Broken),
        }
    }

    fn unscanned(status: ScanStatus) -> ScanStream {
        ScanStream::Done(RuleFacts::unscanned(status))
    }
}

impl ScanHasher {
    pub(crate) fn new(scanning: &Arc<Scanning>) -> Self {
        ScanHasher { scanning: Arc::clone(scanning), streams: Vec::new(), free: Vec::new() }
    }

    fn take(&mut self, slot: Slot) -> ScanStream {
        self.free.push(slot);
        std::mem::replace(&mut self.streams[slot.0], ScanStream::None)
    }
}

impl StreamHasher for ScanHasher {
    fn open(&mut self, about: &About<'_>) -> Slot {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.streams.push(ScanStream::None);
            Slot(self.streams.len() - 1)
        });
        // Only pieces have no path.
        let is_piece = about.path.is_empty();
        self.streams[slot.0] = if is_piece { ScanStream::None } else { ScanStream::Unread(about.size) };
        slot
    }

    fn update(&mut self, parts: &[StreamPart<'_>]) {
        for part in parts {
            let stream = std::mem::replace(&mut self.streams[part.slot.0], ScanStream::None);
            self.streams[part.slot.0] = stream.push(&self.scanning, part);
        }
    }

    fn close(&mut self, slot: Slot) -> Value {
        match self.take(slot) {
            ScanStream::Done(facts) => Value::Rules(facts),
            // No part was marked as the last one.
            ScanStream::Unread(_) => Value::Rules(self.scanning.scan([][..].into())),
            ScanStream::Partial(parts) => Value::Rules(parts.scan(&self.scanning)),
            ScanStream::None => Value::None,
        }
    }

    fn abandon(&mut self, slot: Slot) {
        self.take(slot);
    }
}

/// Takes the chunks of a stream that is too long to be scanned.
pub(crate) struct TooLong;

impl UnorderedHasher for TooLong {
    fn update(&self, _: u64, _: u64, _: &[u8]) {}

    fn finish(&self) -> Value {
        Value::Rules(RuleFacts::unscanned(ScanStatus::TooLong))
    }
}
