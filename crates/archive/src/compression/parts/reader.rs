//! The decoder that takes parts which were decoded ahead, and decodes all others itself.

use super::ahead::{AheadParts, Arrived, CHUNK, NextPart, PartList, packed};
use super::place::{DecodingPlace, Followed};
use crate::compression::decode::{Decode, Step};
use crate::compression::parted::{FilePart, Parted};
use crate::{Limits, Problem};
use hashmill_disk::Medium;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};

/// A decoder whose parts are decoded ahead.
///
/// A decoder of the whole file stands where the content is. At a boundary it passes over the next part if that
/// was decoded ahead; everything else, and all that is damaged, it decodes itself, so that nothing differs but
/// the time.
pub(super) struct PartsDecoder<D: Parted> {
    decoder: Whole<D>,
    /// The bytes that the decoder of the whole file reads.
    medium: Arc<dyn Medium>,
    place: Arc<DecodingPlace>,
    threads: Option<Threads<D>>,
    /// The part that is being taken.
    part: Option<FilePart<D::Setting>>,
    /// The content that waits.
    chunk: Vec<u8>,
    start: usize,
    /// The bytes of this part that were taken.
    taken: u64,
}

/// The decoder of the whole file.
struct Whole<D>(D);

/// The threads that decode ahead. They end when this is dropped.
struct Threads<D: Parted> {
    ahead: Arc<AheadParts<D>>,
    handles: Vec<JoinHandle<()>>,
}

impl<D: Parted> PartsDecoder<D> {
    /// Creates a decoder, and begins to decode ahead. `decoder` is that of the whole file, which has read its first header. It is
    /// returned if there is no memory or no thread.
    pub(super) fn new(
        decoder: D,
        followed: Followed,
        limits: &Limits,
        threads: usize,
        parts: PartList<D>,
    ) -> Result<PartsDecoder<D>, D> {
        let Some(ahead) = AheadParts::new(Arc::clone(&followed.medium), limits, threads, parts) else {
            return Err(decoder);
        };
        let Some(threads) = Threads::new(Arc::new(ahead), threads) else { return Err(decoder) };
        let place = Arc::clone(&followed.place);
        let medium: Arc<dyn Medium> = Arc::new(followed);
        let mut decoder = Whole(decoder);
        decoder.pass(&medium, D::FIRST, D::Passed::default());
        let threads = Some(threads);
        let chunk = Vec::new();
        Ok(PartsDecoder { decoder, medium, place, threads, part: None, chunk, start: 0, taken: 0 })
    }

    /// Copies content that waits.
    fn copy(&mut self, buffer: &mut [u8]) -> usize {
        let waiting = self.chunk.get(self.start..).unwrap_or_default();
        let count = waiting.len().min(buffer.len());
        let (now, _) = buffer.split_at_mut(count);
        now.copy_from_slice(waiting.get(..count).unwrap_or_default());
        self.start = self.start.saturating_add(count);
        count
    }

    /// Takes the next content of a part that was decoded ahead.
    fn take(&mut self, part: FilePart<D::Setting>) -> Result<(), Problem> {
        let arrived = self.threads.as_ref().map_or(Arrived::Failure, |threads| threads.ahead.arrive());
        match arrived {
            Arrived::Chunk(chunk) => {
                self.taken = self.taken.saturating_add(chunk.len() as u64);
                (self.chunk, self.start) = (chunk, 0);
            }
            Arrived::End(passed) => {
                self.decoder.pass(&self.medium, part.end, passed);
                self.part = None;
            }
            Arrived::Failure => {
                self.threads = None;
                self.part = None;
                return self.decoder.skip(self.taken);
            }
        }
        Ok(())
    }

    /// Finds the next part, if it begins here. Returns whether it does.
    fn find(&mut self) -> bool {
        let (Some(threads), Some(position)) = (&self.threads, self.decoder.0.boundary()) else {
            return false;
        };
        match threads.ahead.next_part(position) {
            NextPart::Here(part) if part.setting == self.decoder.0.setting() => {
                (self.part, self.taken) = (Some(part), 0);
                self.place.set(part.start..part.end);
                true
            }
            NextPart::Later => false,
            NextPart::Here(_) | NextPart::Nowhere => {
                self.threads = None;
                false
            }
        }
    }
}

impl<D: Parted> Decode for PartsDecoder<D> {
    fn decode(&mut self, buffer: &mut [u8]) -> Result<usize, Problem> {
        loop {
            match self.copy(buffer) {
                0 => {}
                count => return Ok(count),
            }
            if let Some(part) = self.part {
                self.take(part)?;
                continue;
            }
            if self.find() {
                continue;
            }
            match self.decoder.0.step(buffer)? {
                Step::Content(count) => {
                    // The list of parts lacks this one. Two decoders must not take the memory of one.
                    self.threads = None;
                    return Ok(count);
                }
                Step::Nothing => {}
                Step::End => return Ok(0),
            }
        }
    }
}

impl<D: Parted> Whole<D> {
    /// Goes to a boundary.
    fn pass(&mut self, medium: &Arc<dyn Medium>, position: u64, passed: D::Passed) {
        self.0.pass(packed(medium, position, medium.size()), passed);
    }

    /// Decodes content again that was decoded ahead, in the same steps.
    fn skip(&mut self, count: u64) -> Result<(), Problem> {
        let mut buffer = vec![0; if count == 0 { 0 } else { CHUNK }];
        let mut done = 0_u64;
        while done < count {
            let from = (done % CHUNK as u64) as usize;
            match self.0.step(buffer.get_mut(from..).unwrap_or_default())? {
                Step::Content(count) => done = done.saturating_add(count as u64),
                Step::Nothing => {}
                Step::End => return Err(Problem::damaged("compressed bytes changed while they were read")),
            }
        }
        Ok(())
    }
}

impl<D: Parted> Threads<D> {
    /// Starts as many threads as possible; none if not even one is.
    fn new(ahead: Arc<AheadParts<D>>, count: usize) -> Option<Threads<D>> {
        let mut threads = Threads { ahead, handles: Vec::new() };
        for _ in 0..count {
            let ahead = Arc::clone(&threads.ahead);
            ahead.add_thread();
            match Builder::new().name("decode".into()).spawn(move || ahead.work()) {
                Ok(handle) => threads.handles.push(handle),
                Err(_) => {
                    threads.ahead.remove_thread();
                    break;
                }
            }
        }
        if threads.handles.is_empty() { None } else { Some(threads) }
    }
}

impl<D: Parted> Drop for Threads<D> {
    fn drop(&mut self) {
        self.ahead.stop();
        for handle in self.handles.drain(..) {
            // A thread that panicked has told that its part failed.
            let _ = handle.join();
        }
    }
}
