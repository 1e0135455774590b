//! An object that is being read: where it is read in order, parts are requested ahead.
//!
//! Each part is one request, and no byte is requested twice: parts stay until they are read, by any reader of the
//! object. An object that is read side by side with others has memory of its own for one part ([`Opened::prepare`]), so
//! it never has to wait for them; its share of the remaining memory holds parts that are requested ahead.

use super::budget::{Budget, Pool, Share, Turn};
use super::part::{Memory, ObjectPart};
use super::reading::Reading;
use super::whole::Whole;
use crate::client::Client;
use crate::client::runtime::runtime;
use crate::read::read;
use crate::{Cause, Doing, Error, Location, Object};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;

/// The size of a part that begins where nothing was read so far: perhaps only a little is wanted there.
const SHORT: u64 = 256 << 10;

/// Bytes of one object that may be on their way.
pub(crate) const AHEAD: u64 = 32 << 20;

/// The longest that an object waits for memory. After that it is read beyond the budget, one part at a time.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// The number of ends of parts that are remembered, to recognise reading in order.
const ENDS: usize = 64;

/// The client, the budget and the limits that reads use.
#[derive(Debug)]
pub(crate) struct ReadContext {
    pub(crate) client: Arc<Client>,
    pub(crate) budget: Budget,
    pub(crate) location: Location,
}

/// An object that can be read from any thread at any offset. All its bytes come from the object that was listed:
/// content that was written in its place since gives [`Cause::Changed`] or [`Cause::IgnoresConditions`]. Clones read
/// the same bytes.
#[derive(Debug, Clone)]
pub struct Opened(Arc<Source>);

#[derive(Debug)]
struct Source {
    means: Arc<ReadContext>,
    object: Arc<Reading>,
    /// Only bytes of this range are read.
    range: Range<u64>,
    /// Where reading is expected to begin.
    start: AtomicU64,
    window: Mutex<Window>,
    /// The stream of the whole object, where the server sends no parts.
    whole: Option<Whole>,
}

/// Parts that are in flight, or not yet read to their end.
#[derive(Debug, Default)]
struct Window {
    parts: BTreeMap<u64, Arc<ObjectPart>>,
    /// The ends of earlier parts: a read that begins there is reading in order.
    ends: Vec<u64>,
    /// Whether anything was requested.
    begun: bool,
    /// It was prepared, so it counts among those that are read until its end; and its own memory, while no part has
    /// that.
    prepared: bool,
    turn: Option<Turn>,
    own: Option<Share>,
}

impl Opened {
    pub(crate) fn new(means: Arc<ReadContext>, object: Object) -> Opened {
        let all = 0..object.size;
        Opened::of_range(means, object, all)
    }

    pub(crate) fn of_range(means: Arc<ReadContext>, object: Object, range: Range<u64>) -> Opened {
        Opened::of_reading(means, Arc::new(Reading::new(object)), range)
    }

    /// Returns the same object for a reader of a range alone: bytes behind it are not requested ahead.
    pub fn limited_to(&self, range: Range<u64>) -> Opened {
        Opened::of_reading(Arc::clone(&self.0.means), Arc::clone(&self.0.object), range)
    }

    /// Expects no reading in order from the start on: a short part is requested where reading begins.
    pub(crate) fn anywhere(self) -> Opened {
        self.0.window.lock().ends.clear();
        self
    }

    fn of_reading(means: Arc<ReadContext>, object: Arc<Reading>, range: Range<u64>) -> Opened {
        let window = Mutex::new(Window { ends: vec![range.start], ..Window::default() });
        let range = range.start..range.end.min(object.object.size);
        let whole = object.object.delivery.is_in_order().then(Whole::default);
        let start = AtomicU64::new(range.start);
        Opened(Arc::new(Source { means, object, range, start, window, whole }))
    }

    /// Returns the object as it was listed.
    pub fn object(&self) -> &Object {
        &self.0.object.object
    }

    /// Returns its location.
    pub fn location(&self) -> Location {
        let Object { key, version, exact, .. } = self.object();
        self.0.means.location.with_key(key).with_version(version.as_deref().filter(|_| *exact))
    }

    /// Says that it will be read from this byte on. What is asked for ahead begins there.
    pub fn start_at(&self, offset: u64) {
        let source = &self.0;
        if source.range.contains(&offset) {
            source.start.store(offset, Ordering::Relaxed);
            source.window.lock().ends.push(offset);
        }
    }

    /// Returns its version, if a listing or an answer named it so far.
    pub fn version(&self) -> Option<&str> {
        self.0.object.version()
    }

    /// Reserves memory for one part and requests the first part, so that reading it in order makes progress whatever
    /// else is read. False if others have the memory; with `wait` it waits a while for that.
    pub fn prepare(&self, wait: bool) -> bool {
        let source = &self.0;
        let Some(bytes) = source.needs() else { return true };
        let budget = &source.means.budget;
        let share = match wait {
            // Another run may have the memory, and wait for this thread.
            true => runtime().block_on(async {
                tokio::time::timeout(LONGEST_WAIT, budget.reading.take(bytes)).await.ok().flatten()
            }),
            false if budget.has_room() => budget.reading.try_take(bytes),
            false => None,
        };
        if share.is_none() && !wait {
            return false;
        }
        {
            let mut window = source.window.lock();
            (window.prepared, window.turn, window.own) = (true, Some(budget.turn()), share);
        }
        // All that it takes is asked for without waiting.
        source.part(source.start(), 0);
        true
    }

    /// Requests the first part with this memory, if nothing of it was requested before.
    pub(crate) fn begin(&self, share: Share, turn: OwnedSemaphorePermit) {
        let source = &self.0;
        let mut window = source.window.lock();
        if !window.begun && source.whole.is_none() {
            let start = source.start();
            let range = start..start + source.first();
            source.fetch(&mut window, range, Memory::Spare(share), Some(turn));
        }
    }

    /// Returns the size of the first part.
    pub(crate) fn first(&self) -> u64 {
        self.0.first()
    }

    /// Returns whether any of it was requested.
    pub(crate) fn is_begun(&self) -> bool {
        self.0.window.lock().begun
    }

    /// Explains a missing or wrong object: where clients or servers may have resolved the key, that is the cause.
    fn explained(&self, cause: Cause) -> Cause {
        let is_other = matches!(cause, Cause::Changed | Cause::IgnoresConditions | Cause::NotFound);
        let may_resolve = is_other && self.0.means.client.provider.may_resolve(&self.object().key);
        if may_resolve { Cause::DotSegment } else { cause }
    }

    /// Reads at an offset. Fewer bytes than asked for don't mean the end; no bytes do.
    ///
    /// # Errors
    /// If the bytes can't be read, or the object has changed since it was listed.
    pub fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, Error> {
        let read = self.0.read_at(offset, buffer);
        read.map_err(|(at, cause)| Error {
            location: self.location().to_string().into(),
            doing: Doing::Read(at),
            cause: self.explained(cause),
        })
    }
}

impl Source {
    fn start(&self) -> u64 {
        self.start.load(Ordering::Relaxed)
    }

    fn first(&self) -> u64 {
        (self.range.end - self.start().min(self.range.end)).min(self.means.budget.part())
    }

    /// Returns the memory that reading in order needs; none if the object has it already.
    fn needs(&self) -> Option<u64> {
        let window = self.window.lock();
        let begun = window.parts.get(&self.start()).is_some_and(|part| part.range().end == self.range.end);
        let done = window.prepared || begun || self.whole.is_some();
        (!done).then(|| self.first())
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, (u64, Cause)> {
        let end = self.range.end;
        if let Some(whole) = &self.whole {
            let left = end.saturating_sub(offset).min(buffer.len() as u64) as usize;
            // At the end of a whole file one read more is made: there may be more or fewer bytes than there should be.
            let asked = if end < self.object.object.size { &mut buffer[..left] } else { buffer };
            return whole.read_at(&self.means.client, &self.object, offset, asked);
        }
        // A read of an empty object only shows that it exists.
        if offset > end || (offset == end && self.object.object.size > 0) || buffer.is_empty() {
            return Ok(0);
        }
        match self.part(offset, buffer.len() as u64) {
            Some(part) => {
                let read = part.read(offset, buffer);
                self.let_go(&part, read.is_err());
                read
            }
            None => self.read_now(offset, buffer),
        }
    }

    /// Reads without a part of its own: the end of an object that fits the buffer, or anywhere if there is no memory.
    fn read_now(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, (u64, Cause)> {
        let end = self.range.end.min(offset + buffer.len() as u64);
        let mut filled = 0;
        let mut take = |bytes: &[u8]| {
            buffer[filled..filled + bytes.len()].copy_from_slice(bytes);
            filled += bytes.len();
            true
        };
        runtime().block_on(read(&self.means.client, &self.object, offset..end, &mut take))?;
        Ok(filled)
    }

    /// Returns the part with this offset, if there is one or one is worth while; parts behind it are requested as well.
    fn part(&self, offset: u64, wanted: u64) -> Option<Arc<ObjectPart>> {
        let mut window = self.window.lock();
        let part = match window.at(offset) {
            Some(part) => part,
            None => {
                if self.range.end - offset <= wanted {
                    window.begun = true;
                    return None;
                }
                let range = self.range_from(&window, offset);
                let memory = self.memory_for(&mut window, &range)?;
                self.fetch(&mut window, range, memory, None)
            }
        };
        let Range { start, mut end } = part.range().clone();
        // Perhaps the start of a short part is all that is wanted there.
        if end - start <= SHORT && offset.saturating_add(wanted) <= start + (end - start) / 2 {
            return Some(part);
        }
        while window.follows(end) && window.bytes() < AHEAD && end < self.range.end {
            end = match window.at(end) {
                Some(next) => next.range().end,
                None => match self.ahead(&mut window, end) {
                    Some(next) => next.range().end,
                    None => break,
                },
            };
        }
        Some(part)
    }

    /// Returns the range of a part that begins here. Where nothing was read so far the part is short.
    fn range_from(&self, window: &Window, start: u64) -> Range<u64> {
        let part = self.means.budget.part();
        let size = if window.follows(start) { part } else { part.min(SHORT) };
        start..window.until(start, self.range.end.min(start + size))
    }

    /// Takes memory for a part that is needed now. If reading continues in order, it is requested even without memory,
    /// unless other parts of this object wait to be read.
    fn memory_for(&self, window: &mut Window, range: &Range<u64>) -> Option<Memory> {
        if let Some(own) = window.own.take() {
            return Some(Memory::Own(own));
        }
        if let Some(share) = self.pool(window).0.try_take(range.end - range.start) {
            return Some(Memory::Spare(share));
        }
        (window.follows(range.start) && window.parts.is_empty()).then_some(Memory::Beyond)
    }

    /// Requests a part ahead, with the object's own memory or within its share of the budget.
    fn ahead(&self, window: &mut Window, start: u64) -> Option<Arc<ObjectPart>> {
        let range = self.range_from(window, start);
        let bytes = range.end - range.start;
        let memory = match (window.own.take(), self.pool(window)) {
            (Some(own), _) => Memory::Own(own),
            (None, (_, most)) if window.bytes() + bytes > most => return None,
            (None, (pool, _)) => Memory::Spare(pool.try_take(bytes)?),
        };
        Some(self.fetch(window, range, memory, None))
    }

    /// Returns the pool that its parts take memory from, and the object's limit there.
    fn pool(&self, window: &Window) -> (&Pool, u64) {
        let budget = &self.means.budget;
        match window.prepared {
            true => (&budget.reading, budget.fair()),
            false => (&budget.ahead, budget.ahead.bytes() as u64 / 2),
        }
    }

    fn fetch(
        &self,
        window: &mut Window,
        range: Range<u64>,
        memory: Memory,
        turn: Option<OwnedSemaphorePermit>,
    ) -> Arc<ObjectPart> {
        let (client, object) = (Arc::clone(&self.means.client), Arc::clone(&self.object));
        let part = ObjectPart::fetch(client, object, range.clone(), memory, turn);
        window.begun = true;
        window.parts.insert(range.start, Arc::clone(&part));
        if window.ends.len() == ENDS {
            window.ends.remove(0);
        }
        window.ends.push(range.end);
        part
    }

    /// Drops a part that was read to its end, or failed: another read there sends a new request.
    fn let_go(&self, part: &Arc<ObjectPart>, failed: bool) {
        if !failed && !part.is_spent() {
            return;
        }
        let mut window = self.window.lock();
        let start = part.range().start;
        if window.parts.get(&start).is_some_and(|kept| Arc::ptr_eq(kept, part)) {
            window.parts.remove(&start);
            let own = part.give_back();
            // Behind the last part it is of no use.
            match part.range().end < self.range.end {
                true => window.own = own.or(window.own.take()),
                false => (window.own, window.turn) = (None, None),
            }
        }
    }
}

impl Window {
    /// Returns the part with this byte.
    fn at(&self, offset: u64) -> Option<Arc<ObjectPart>> {
        let (_, part) = self.parts.range(..=offset).next_back()?;
        // The part of an empty object has no byte.
        let here = part.range().contains(&offset) || (offset == 0 && part.range().is_empty());
        here.then(|| Arc::clone(part))
    }

    /// Returns whether a read at this offset continues reading in order.
    fn follows(&self, offset: u64) -> bool {
        self.ends.contains(&offset)
    }

    /// Returns the end of a part that begins here: at most this far, and not into the next part.
    fn until(&self, start: u64, most: u64) -> u64 {
        self.parts.range(start + 1..).next().map_or(most, |(next, _)| most.min(*next))
    }

    fn bytes(&self) -> u64 {
        self.parts.values().map(|part| part.range().end - part.range().start).sum()
    }
}
