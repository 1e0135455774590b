//! Reads media bytes on all cores. Any thread decompresses batches of chunks; each consumer takes them in order, on any
//! free thread.
//!
//! A digest is a chain: each batch waits for the one before. So a thread first serves the consumer that is furthest
//! behind, and decompresses only when no consumer has a batch to take; no thread has a fixed kind of work. Buffers are
//! reused; a full ring of them stops decompression.

use super::chunk::{Batch, ReadBatch, Scratch};
use crate::error::ChunkProblem;
use crate::ewf::table::most_stored;
use crate::image::Image;
use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::io;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use std::thread;

/// Media bytes that follow those of the previous part.
#[derive(Debug, Clone, Copy)]
pub struct MediaPart<'a> {
    /// The offset in the media.
    pub offset: u64,
    /// The bytes; zeros if they could not be read.
    pub bytes: &'a [u8],
}

/// Takes the media bytes in order.
pub trait Consumer: Send {
    /// Takes the next bytes. Called on any thread, but never on two at once.
    ///
    /// # Errors
    /// An error ends the run.
    fn take(&mut self, part: &MediaPart<'_>) -> io::Result<()>;
}

impl<F: FnMut(&MediaPart<'_>) -> io::Result<()> + Send> Consumer for F {
    fn take(&mut self, part: &MediaPart<'_>) -> io::Result<()> {
        self(part)
    }
}

/// The resources of a run.
#[derive(Debug, Clone, Copy)]
pub struct Resources {
    /// The number of threads, including the caller's.
    pub threads: usize,
    /// Bytes of buffers for all threads together. The minimum is one thread with a chunk and its stored bytes.
    pub memory: u64,
}

impl Default for Resources {
    /// Returns all cores of the machine and 256 MiB.
    fn default() -> Self {
        Resources { threads: thread::available_parallelism().map_or(1, usize::from), memory: 256 << 20 }
    }
}

/// A callback with the number of media bytes done; it returns whether to go on.
pub type Progress<'a> = &'a (dyn Fn(u64) -> ControlFlow<()> + Sync);

/// The chunks to read, and the way to read them.
pub(crate) struct ImageRead<'a> {
    pub(crate) image: &'a Image,
    /// Ascending ranges of chunks.
    pub(crate) chunks: Vec<Range<u64>>,
    /// The assumed end of the media.
    pub(crate) end: u64,
    pub(crate) means: Resources,
    pub(crate) progress: Progress<'a>,
}

/// The result of a run.
#[derive(Debug, Default)]
pub struct PipelineSummary {
    /// Bytes of the media that the consumers received.
    pub bytes: u64,
    /// Bytes of the last chunk past the end of the media.
    pub beyond: u64,
    /// Chunks that could not be read completely and were partly zeros, in order. Similar neighbours are joined.
    pub findings: Vec<crate::Finding>,
    /// The number of further findings that were not kept.
    pub omitted: u64,
    /// The caller stopped the run.
    pub interrupted: bool,
    /// Comparisons with the stored digests of the media, if all media bytes were readable.
    pub claims: Vec<crate::ClaimCheck>,
}

/// The size of a batch, unless chunks are larger: handing it over (some microseconds) costs nothing beside hashing it
/// (most of a millisecond), and it is still in a cache when it is taken.
const BATCH: u64 = 512 << 10;

/// The division of the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shape {
    threads: usize,
    batch: u64,
    /// The number of buffers, each of one batch.
    buffers: usize,
}

impl Shape {
    fn new(means: Resources, chunk_size: u64) -> Shape {
        let batch = (BATCH / chunk_size).max(1);
        let spare =
            |threads: u64, batch: u64| means.memory.checked_sub(threads * most_stored(batch * chunk_size));
        let fitting = |threads: u64, batch: u64| {
            let buffers = spare(threads, batch)? / (batch * chunk_size);
            (buffers > threads).then_some((threads, batch, buffers))
        };
        let wanted = means.threads.max(1) as u64;
        let smaller = (1..=wanted).rev().map(|threads| (threads, 1));
        let mut choices = std::iter::once((wanted, batch)).chain(smaller);
        let (threads, batch, buffers) =
            choices.find_map(|(threads, batch)| fitting(threads, batch)).unwrap_or((1, 1, 1));
        // More buffers would only push bytes out of the caches.
        let buffers = buffers.min(4 * threads + 8);
        Shape { threads: threads as usize, batch, buffers: buffers as usize }
    }
}

/// Passes the media bytes to the consumers.
pub(crate) fn run(job: &ImageRead<'_>, consumers: Vec<&mut dyn Consumer>) -> io::Result<PipelineSummary> {
    let shape = Shape::new(job.means, job.image.chunk_size);
    let seats = consumers.into_iter().map(|consumer| Seat { consumer: Some(consumer), next: 0 }).collect();
    let line = Line { job, shape, state: Mutex::new(State::new(job, seats)), changed: Condvar::new() };
    thread::scope(|scope| {
        let line = &line;
        // If the system can't start all threads, the run is only slower.
        let start = |_| thread::Builder::new().spawn_scoped(scope, || line.work()).ok();
        (1..shape.threads).map_while(start).for_each(drop);
        line.work();
    });
    line.state.into_inner().finish()
}

struct Line<'a, 'c> {
    job: &'a ImageRead<'a>,
    shape: Shape,
    state: Mutex<State<'c>>,
    changed: Condvar,
}

struct State<'c> {
    seats: Vec<Seat<'c>>,
    /// Batches that are being read or taken, in order.
    held: VecDeque<WaitingParts>,
    /// The number of the first held batch.
    first: u64,
    /// The ranges still to be read.
    ranges: VecDeque<Range<u64>>,
    free: Vec<Box<[u8]>>,
    made: usize,
    summary: PipelineSummary,
    findings: crate::finding::Findings,
    failed: Option<io::Error>,
    over: bool,
}

struct Seat<'c> {
    /// `None` while it takes a batch.
    consumer: Option<&'c mut dyn Consumer>,
    next: u64,
}

struct WaitingParts {
    filled: Option<Arc<Filled>>,
    uses_left: usize,
}

struct Filled {
    bytes: Box<[u8]>,
    offset: u64,
    outcome: ReadBatch,
}

enum Step<'c> {
    Take(usize, &'c mut dyn Consumer, Arc<Filled>),
    Read(u64, Range<u64>, Box<[u8]>),
    Wait,
    End,
}

/// Ends the run for all threads if its holder panics.
struct Alarm<'l, 'a, 'c>(&'l Line<'a, 'c>);

impl Drop for Alarm<'_, '_, '_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.state.lock().over = true;
            self.0.changed.notify_all();
        }
    }
}

impl Line<'_, '_> {
    fn work(&self) {
        let _alarm = Alarm(self);
        let stored = most_stored(self.shape.batch * self.job.image.chunk_size);
        let mut scratch = Scratch::with_room(stored as usize);
        let mut state = self.state.lock();
        loop {
            match state.step(self) {
                Step::End => return,
                Step::Wait => self.changed.wait(&mut state),
                Step::Take(seat, consumer, filled) => {
                    drop(state);
                    let length = filled.outcome.length;
                    let taken =
                        consumer.take(&MediaPart { offset: filled.offset, bytes: &filled.bytes[..length] });
                    state = self.state.lock();
                    state.taken(seat, consumer, filled, taken);
                    state.retire(self.job);
                    self.changed.notify_all();
                }
                Step::Read(number, chunks, mut bytes) => {
                    drop(state);
                    let offset = chunks.start * self.job.image.chunk_size;
                    let mut outcome = ReadBatch::default();
                    let batch = Batch { chunks, end: self.job.end };
                    self.job.image.read_batch(&batch, &mut scratch, &mut bytes, &mut outcome);
                    state = self.state.lock();
                    state.arrived(number, Filled { bytes, offset, outcome });
                    state.retire(self.job);
                    self.changed.notify_all();
                }
            }
        }
    }
}

impl<'c> State<'c> {
    fn new(job: &ImageRead<'_>, seats: Vec<Seat<'c>>) -> Self {
        State {
            seats,
            held: VecDeque::new(),
            first: 0,
            ranges: job.chunks.iter().filter(|range| !range.is_empty()).cloned().collect(),
            free: Vec::new(),
            made: 0,
            summary: PipelineSummary::default(),
            findings: crate::finding::Findings::default(),
            failed: None,
            over: false,
        }
    }

    fn step(&mut self, line: &Line<'_, 'c>) -> Step<'c> {
        if self.over || (self.ranges.is_empty() && self.held.is_empty()) {
            return Step::End;
        }
        self.take_step().or_else(|| self.read_step(line)).unwrap_or(Step::Wait)
    }

    /// Chooses the consumer that is furthest behind among those with a batch to take.
    fn take_step(&mut self) -> Option<Step<'c>> {
        let ready = |seat: &Seat<'_>| seat.consumer.is_some() && self.filled(seat.next).is_some();
        let seats = self.seats.iter().enumerate().filter(|(_, seat)| ready(seat));
        let (index, seat) = seats.min_by_key(|(_, seat)| seat.next)?;
        let filled = Arc::clone(self.filled(seat.next)?);
        let consumer = self.seats[index].consumer.take()?;
        Some(Step::Take(index, consumer, filled))
    }

    fn filled(&self, number: u64) -> Option<&Arc<Filled>> {
        self.held.get(number.checked_sub(self.first)? as usize)?.filled.as_ref()
    }

    fn read_step(&mut self, line: &Line<'_, 'c>) -> Option<Step<'c>> {
        let range = self.ranges.front_mut()?;
        let bytes = match self.free.pop() {
            Some(bytes) => bytes,
            None if self.made < line.shape.buffers => {
                self.made += 1;
                vec![0; (line.shape.batch * line.job.image.chunk_size) as usize].into()
            }
            None => return None,
        };
        let chunks = range.start..range.end.min(range.start + line.shape.batch);
        range.start = chunks.end;
        if range.is_empty() {
            self.ranges.pop_front();
        }
        let number = self.first + self.held.len() as u64;
        self.held.push_back(WaitingParts { filled: None, uses_left: self.seats.len() });
        Some(Step::Read(number, chunks, bytes))
    }

    fn arrived(&mut self, number: u64, filled: Filled) {
        let at = (number - self.first) as usize;
        self.held[at].filled = Some(Arc::new(filled));
    }

    fn taken(
        &mut self,
        seat: usize,
        consumer: &'c mut dyn Consumer,
        filled: Arc<Filled>,
        taken: io::Result<()>,
    ) {
        drop(filled);
        let at = (self.seats[seat].next - self.first) as usize;
        self.held[at].uses_left -= 1;
        self.seats[seat].consumer = Some(consumer);
        self.seats[seat].next += 1;
        if let Err(error) = taken {
            self.failed = self.failed.take().or(Some(error));
            self.over = true;
        }
    }

    /// Reclaims the buffers of batches that all consumers have taken.
    fn retire(&mut self, job: &ImageRead<'_>) {
        while self.held.front().is_some_and(|held| held.uses_left == 0 && held.filled.is_some()) {
            let filled = self.held.pop_front().and_then(|held| held.filled).and_then(Arc::into_inner);
            self.first += 1;
            let Some(filled) = filled else { continue };
            self.summary.bytes += filled.outcome.length as u64;
            self.summary.beyond = filled.outcome.beyond as u64;
            self.findings.extend(filled.outcome.problems.into_iter().map(ChunkProblem::into));
            self.free.push(filled.bytes);
            if (job.progress)(self.summary.bytes).is_break() {
                self.summary.interrupted = true;
                self.over = true;
            }
        }
    }

    fn finish(mut self) -> io::Result<PipelineSummary> {
        (self.summary.findings, self.summary.omitted) = self.findings.into_parts();
        match self.failed {
            Some(error) => Err(error),
            None => Ok(self.summary),
        }
    }
}

/// Passes all media bytes to one consumer in order, decompressing chunks on all threads meanwhile. Unreadable bytes
/// become zeros and are listed in the summary.
///
/// # Errors
/// The consumer's error.
pub fn stream(image: &Image, means: Resources, consumer: &mut dyn Consumer) -> io::Result<PipelineSummary> {
    stream_to(image, means, vec![consumer])
}

/// Like [`stream`], for several consumers, which take the bytes side by side.
///
/// # Errors
/// A consumer's error.
pub fn stream_to(
    image: &Image,
    means: Resources,
    consumers: Vec<&mut dyn Consumer>,
) -> io::Result<PipelineSummary> {
    let chunks = std::iter::once(0..image.chunk_count()).collect();
    let progress = &|_| ControlFlow::Continue(());
    run(&ImageRead { image, chunks, end: image.media_size, means, progress }, consumers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_never_exceeded_above_the_least() {
        for chunk_size in [512, 32 << 10, 1 << 20, 16 << 20, 128 << 20] {
            for memory in [0, 1 << 20, 8 << 20, 100 << 20, 256 << 20, 4 << 30] {
                for threads in [1, 2, 64] {
                    let shape = Shape::new(Resources { threads, memory }, chunk_size);
                    let batch = shape.batch * chunk_size;
                    let used = shape.threads as u64 * most_stored(batch) + shape.buffers as u64 * batch;
                    let least = most_stored(chunk_size) + chunk_size;
                    assert!(used <= memory.max(least), "{shape:?} of {memory} for {chunk_size}");
                }
            }
        }
    }
}
