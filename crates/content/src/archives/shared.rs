//! The bytes of an object that is hashed and decoded at the same time. Whoever comes to a byte first fetches it, and it is
//! kept for the other: no byte is fetched twice while neither is ahead by more than the memory for that.
//!
//! The faster one waits for the slower. If the other makes no progress, perhaps because it waits itself for what the
//! waiting thread would do next, it is left behind, and fetches the rest again.

use hashmill_source::{Bytes, EntryContent, Meta};
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The longest that one waits for the other to make progress.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// The size up to which an object is fetched as a whole before anybody looks into it.
const SMALL: u64 = 1 << 20;

/// The bytes that are fetched at a time for that.
const PART: usize = 256 << 10;

/// A reader of the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Hashing,
    Decoding,
}

/// Bytes with two readers.
#[derive(Debug)]
pub(super) struct SharedBytes {
    bytes: Box<dyn Bytes>,
    /// The most bytes that are kept.
    most: usize,
    state: Mutex<State>,
    moved: Condvar,
}

#[derive(Debug)]
struct State {
    kept: VecDeque<u8>,
    /// The offset of the first byte that is kept.
    start: u64,
    is_fetching: bool,
    /// Whether the faster one waits.
    is_paced: bool,
    hashing: Progress,
    decoding: Progress,
}

#[derive(Debug, Clone, Copy, Default)]
struct Progress {
    /// The offset up to which it has read.
    at: u64,
    /// Before it begins, it may look at the first bytes again and again.
    has_begun: bool,
    /// It has ended, or fetches what it reads itself.
    has_left: bool,
}

/// The way to the next bytes.
enum NextRead {
    Kept,
    Fetch,
    /// Without the other reader.
    Apart,
    Wait,
}

impl SharedBytes {
    /// Creates those of an object. `most` bytes are kept; `is_paced` says whether one reader may wait for the other.
    pub(super) fn new(bytes: Box<dyn Bytes>, most: usize, is_paced: bool) -> Arc<SharedBytes> {
        let [hashing, decoding] = [Progress::default(); 2];
        let state =
            State { kept: VecDeque::new(), start: 0, is_fetching: false, is_paced, hashing, decoding };
        Arc::new(SharedBytes { bytes, most, state: Mutex::new(state), moved: Condvar::new() })
    }

    /// Returns the metadata of the object.
    pub(super) fn meta(&self) -> io::Result<Meta> {
        self.bytes.meta()
    }

    /// Fetches the whole object if it is small: whoever looks into it reads its end, too.
    pub(super) fn fill_if_small(&self) {
        let size = self.meta().map_or(0, |meta| meta.size);
        let (mut at, mut buffer) = (0, vec![0; PART]);
        while size <= SMALL.min(self.most as u64) && at < size {
            match self.read(Side::Decoding, at, &mut buffer) {
                Ok(read @ 1..) => at += read as u64,
                // A reader that needs them tells what can't be read.
                Ok(0) | Err(_) => return,
            }
        }
    }

    /// Notes that a reader goes from the start to the end from now on.
    fn begin(&self, side: Side) {
        self.state.lock().of(side).has_begun = true;
    }

    /// Notes that a reader needs nothing more that is kept.
    pub(super) fn leave(&self, side: Side) {
        self.state.lock().leave(side);
        self.moved.notify_all();
    }

    /// From now on no reader waits for the other.
    pub(super) fn end_pace(&self) {
        self.state.lock().is_paced = false;
        self.moved.notify_all();
    }

    /// Returns whether the hashing reader may have to wait for the decoding one.
    fn waits(&self) -> bool {
        let state = self.state.lock();
        let is_longer = || self.meta().is_ok_and(|meta| meta.size > self.most as u64);
        state.is_paced && !state.decoding.has_left && is_longer()
    }

    /// Reads at an offset; 0 bytes mean the end.
    pub(super) fn read(&self, side: Side, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut state = self.state.lock();
        loop {
            match state.next_read(side, offset, self.most) {
                NextRead::Kept => {
                    let read = state.copy(side, offset, buffer);
                    self.moved.notify_all();
                    return Ok(read);
                }
                NextRead::Apart => {
                    drop(state);
                    self.moved.notify_all();
                    return self.bytes.read_at(offset, buffer);
                }
                NextRead::Wait => self.wait(&mut state, side),
                NextRead::Fetch => break,
            }
        }
        let length = buffer.len().min(self.most - state.kept.len().min(self.most));
        state.is_fetching = true;
        drop(state);
        let read = self.bytes.read_at(offset, &mut buffer[..length]);
        let mut state = self.state.lock();
        state.is_fetching = false;
        if let Ok(read) = read {
            state.keep(side, &buffer[..read]);
        }
        self.moved.notify_all();
        read
    }

    /// Waits until the other reader has fetched bytes, or read some.
    fn wait(&self, state: &mut MutexGuard<'_, State>, side: Side) {
        if state.is_fetching {
            return self.moved.wait(state);
        }
        let (other, deadline) = (side.other(), Instant::now() + LONGEST_WAIT);
        let before = state.of(other).at;
        while state.is_paced && !state.of(other).has_left && state.of(other).at == before {
            if self.moved.wait_until(state, deadline).timed_out() {
                state.leave(other);
            }
        }
    }

    /// Calls a function with the bytes and the offset up to which they were fetched, while nobody fetches any.
    fn pausing<T>(&self, call: impl FnOnce(&dyn Bytes, u64) -> T) -> T {
        let mut state = self.state.lock();
        while state.is_fetching {
            self.moved.wait(&mut state);
        }
        state.is_fetching = true;
        let end = if state.hashing.has_left { 0 } else { state.end() };
        drop(state);
        let result = call(&*self.bytes, end);
        self.state.lock().is_fetching = false;
        self.moved.notify_all();
        result
    }
}

impl Side {
    fn other(self) -> Side {
        match self {
            Side::Hashing => Side::Decoding,
            Side::Decoding => Side::Hashing,
        }
    }
}

impl State {
    fn of(&mut self, side: Side) -> &mut Progress {
        match side {
            Side::Hashing => &mut self.hashing,
            Side::Decoding => &mut self.decoding,
        }
    }

    fn end(&self) -> u64 {
        self.start + self.kept.len() as u64
    }

    /// Returns the way to the bytes at an offset. Readers that are too far behind, or go elsewhere, leave.
    fn next_read(&mut self, side: Side, offset: u64, most: usize) -> NextRead {
        let (end, own, other) = (self.end(), *self.of(side), *self.of(side.other()));
        if own.has_left {
            return NextRead::Apart;
        }
        if (self.start..end).contains(&offset) {
            return NextRead::Kept;
        }
        if offset != end {
            if own.has_begun {
                self.leave(side);
            }
            return NextRead::Apart;
        }
        if self.is_fetching {
            return NextRead::Wait;
        }
        if self.kept.len() < most {
            return NextRead::Fetch;
        }
        if !own.has_begun {
            self.leave(side);
            return NextRead::Apart;
        }
        // The hashing reader begins soon.
        if self.is_paced && (other.has_begun || side == Side::Decoding) {
            return NextRead::Wait;
        }
        self.leave(side.other());
        NextRead::Fetch
    }

    /// Copies bytes that are kept.
    fn copy(&mut self, side: Side, offset: u64, buffer: &mut [u8]) -> usize {
        let from = (offset - self.start) as usize;
        let length = buffer.len().min(self.kept.len() - from);
        let (first, second) = self.kept.as_slices();
        let of_first = first.get(from..).unwrap_or_default();
        let of_second = &second[from.saturating_sub(first.len())..];
        let middle = length.min(of_first.len());
        buffer[..middle].copy_from_slice(&of_first[..middle]);
        buffer[middle..length].copy_from_slice(&of_second[..length - middle]);
        self.passed(side, offset + length as u64);
        length
    }

    /// Keeps bytes that a reader has fetched.
    fn keep(&mut self, side: Side, bytes: &[u8]) {
        self.kept.extend(bytes);
        self.passed(side, self.end());
    }

    /// Notes how far a reader has come.
    fn passed(&mut self, side: Side, at: u64) {
        let own = self.of(side);
        if own.has_begun {
            own.at = at;
        }
        self.let_go();
    }

    fn leave(&mut self, side: Side) {
        self.of(side).has_left = true;
        self.let_go();
    }

    /// Drops the bytes that no reader needs.
    fn let_go(&mut self) {
        let stays = [self.hashing, self.decoding].into_iter().filter(|side| !side.has_left);
        let needed = stays.map(|side| side.at).min().unwrap_or(self.end());
        let past = needed.saturating_sub(self.start).min(self.kept.len() as u64);
        self.kept.drain(..past as usize);
        self.start += past;
        if self.kept.is_empty() && (self.hashing.has_left || self.decoding.has_left) {
            self.kept = VecDeque::new();
        }
    }
}

/// The decoding reader, which has begun; it leaves with this value.
pub(super) struct DecodingSide(Arc<SharedBytes>);

impl DecodingSide {
    /// Begins to decode.
    pub(super) fn begin(shared: Arc<SharedBytes>) -> DecodingSide {
        shared.begin(Side::Decoding);
        DecodingSide(shared)
    }
}

impl Drop for DecodingSide {
    fn drop(&mut self) {
        self.0.leave(Side::Decoding);
    }
}

/// The content of an object that is an archive, for the one who hashes it.
#[derive(Debug)]
pub(super) struct HashedContent {
    content: Arc<dyn EntryContent>,
    side: Arc<HashingSide>,
}

/// The hashing reader; it leaves when neither the entry nor a reader of it is left.
#[derive(Debug)]
struct HashingSide(Arc<SharedBytes>);

/// The object, while it is hashed.
#[derive(Debug)]
struct Hashing {
    content: Arc<dyn EntryContent>,
    side: Arc<HashingSide>,
}

impl HashedContent {
    /// Creates that of the content with these bytes.
    pub(super) fn new(content: Arc<dyn EntryContent>, shared: Arc<SharedBytes>) -> HashedContent {
        HashedContent { content, side: Arc::new(HashingSide(shared)) }
    }
}

impl Drop for HashingSide {
    fn drop(&mut self) {
        self.0.leave(Side::Hashing);
    }
}

impl EntryContent for HashedContent {
    fn open(&self) -> io::Result<Box<dyn Bytes>> {
        let hashing = self.side.0.state.lock().hashing;
        if hashing.has_begun || hashing.has_left {
            return self.content.open();
        }
        Ok(Box::new(Hashing { content: Arc::clone(&self.content), side: Arc::clone(&self.side) }))
    }

    fn place(&self) -> Option<Box<[u8]>> {
        self.content.place()
    }

    fn behind(&self) -> Option<&dyn EntryContent> {
        Some(&*self.content)
    }

    fn known(&self) -> Option<Meta> {
        self.content.known()
    }

    fn start_at(&self, offset: u64) {
        if offset > 0 {
            self.side.0.leave(Side::Hashing);
        }
        self.content.start_at(offset);
    }

    fn is_remote(&self) -> bool {
        self.content.is_remote()
    }

    fn holds_walk(&self) -> bool {
        true
    }

    fn waits(&self) -> bool {
        self.side.0.waits()
    }
}

impl Bytes for Hashing {
    fn meta(&self) -> io::Result<Meta> {
        self.side.0.meta()
    }

    fn prepare(&self, wait: bool) -> bool {
        let size = self.meta().map_or(0, |meta| meta.size);
        self.side.0.pausing(|bytes, end| {
            if end > 0 {
                // The bytes that the decoder has fetched are not requested again.
                self.content.start_at(end);
            }
            end > 0 && end == size || bytes.prepare(wait)
        })
    }

    fn version(&self) -> Option<Box<str>> {
        self.side.0.bytes.version()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        if offset == 0 {
            self.side.0.begin(Side::Hashing);
        }
        self.side.0.read(Side::Hashing, offset, buffer)
    }
}

impl Drop for Hashing {
    fn drop(&mut self) {
        if self.side.0.state.lock().hashing.has_begun {
            self.side.0.leave(Side::Hashing);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archives::spooled::copy_at;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::thread;

    /// Bytes that count how many were fetched.
    #[derive(Debug, Clone)]
    struct Counted(Arc<[u8]>, Arc<AtomicU64>);

    impl Bytes for Counted {
        fn meta(&self) -> io::Result<Meta> {
            let (size, mode) = (self.0.len() as u64, 0);
            Ok(Meta {
                dev: 0,
                ino: 0,
                size,
                mtime: (0, 0),
                ctime: (0, 0),
                blocks: 0,
                mode,
                attributes: 0,
                stamp: 0,
            })
        }

        fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
            let read = copy_at(&self.0, offset, buffer);
            self.1.fetch_add(read as u64, Ordering::Relaxed);
            Ok(read)
        }
    }

    fn counted(size: usize) -> Counted {
        Counted((0..size).map(|at| (at % 251) as u8).collect(), Arc::default())
    }

    /// Reads to the end in parts of this many bytes.
    fn all(shared: &SharedBytes, side: Side, part: usize) -> Vec<u8> {
        let (mut read, mut buffer) = (Vec::new(), vec![0; part]);
        loop {
            match shared.read(side, read.len() as u64, &mut buffer).unwrap() {
                0 => return read,
                more => read.extend_from_slice(&buffer[..more]),
            }
        }
    }

    fn both_begin(shared: &SharedBytes) {
        shared.begin(Side::Hashing);
        shared.begin(Side::Decoding);
    }

    #[test]
    fn two_readers_fetch_every_byte_once() {
        for (most, parts) in [(1000, (7, 300)), (64, (64, 1)), (100_000, (1000, 1)), (50, (1000, 1000))] {
            let bytes = counted(20_000);
            let shared = SharedBytes::new(Box::new(bytes.clone()), most, true);
            // Looking at the start does not count.
            assert_eq!(shared.read(Side::Decoding, 0, &mut [0; 10]).unwrap(), 10);
            assert_eq!(shared.read(Side::Decoding, 0, &mut [0; 10]).unwrap(), 10);
            both_begin(&shared);
            let decoding = thread::spawn({
                let shared = Arc::clone(&shared);
                move || all(&shared, Side::Decoding, parts.0)
            });
            assert!(all(&shared, Side::Hashing, parts.1) == *bytes.0);
            assert!(decoding.join().unwrap() == *bytes.0);
            assert_eq!(bytes.1.load(Ordering::Relaxed), 20_000, "{most} {parts:?}");
        }
    }

    #[test]
    fn nobody_waits_for_one_that_has_left_or_not_begun() {
        for (decoder_leaves, times) in [(true, 1), (false, 2)] {
            let bytes = counted(20_000);
            let shared = SharedBytes::new(Box::new(bytes.clone()), 1000, true);
            shared.begin(Side::Hashing);
            if decoder_leaves {
                drop(DecodingSide::begin(Arc::clone(&shared)));
            }
            assert!(all(&shared, Side::Hashing, 300) == *bytes.0);
            if !decoder_leaves {
                shared.begin(Side::Decoding);
                assert!(all(&shared, Side::Decoding, 300) == *bytes.0);
            }
            assert_eq!(bytes.1.load(Ordering::Relaxed), times * 20_000);
            assert!(shared.state.lock().kept.capacity() == 0, "what nobody needs is not kept");
        }
    }

    #[test]
    fn the_decoder_waits_until_hashing_begins() {
        let bytes = counted(20_000);
        let shared = SharedBytes::new(Box::new(bytes.clone()), 1000, true);
        let decoding = thread::spawn({
            let side = DecodingSide::begin(Arc::clone(&shared));
            move || all(&side.0, Side::Decoding, 300)
        });
        while shared.state.lock().decoding.at < 1000 {
            thread::yield_now();
        }
        shared.begin(Side::Hashing);
        assert!(all(&shared, Side::Hashing, 300) == *bytes.0);
        assert!(decoding.join().unwrap() == *bytes.0);
        assert_eq!(bytes.1.load(Ordering::Relaxed), 20_000);
    }

    #[test]
    fn without_a_pace_the_slower_one_fetches_the_rest_itself() {
        let bytes = counted(20_000);
        let shared = SharedBytes::new(Box::new(bytes.clone()), 1000, false);
        both_begin(&shared);
        assert!(!shared.waits());
        for side in [Side::Hashing, Side::Decoding] {
            assert!(all(&shared, side, 300) == *bytes.0);
        }
        assert_eq!(bytes.1.load(Ordering::Relaxed), 40_000);
    }

    #[test]
    fn one_that_goes_elsewhere_leaves() {
        let bytes = counted(5000);
        let shared = SharedBytes::new(Box::new(bytes.clone()), 1000, true);
        both_begin(&shared);
        assert_eq!(shared.read(Side::Decoding, 4000, &mut [0; 10]).unwrap(), 10);
        assert!(!shared.waits());
        assert!(all(&shared, Side::Hashing, 999) == *bytes.0);
    }
}
