//! An object that is read: in parts that are asked for ahead where it is read in order.

use crate::budget::{Budget, Share};
use crate::client::Client;
use crate::part::Part;
use crate::read::read;
use crate::reading::Reading;
use crate::runtime::runtime;
use crate::{Cause, Doing, Error, Location, Object};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Bytes of a part, from the best down to the least that is worth a request of its own. With a request in 30 ms, eight
/// of the first kind side by side fill a line of 1 GB/s.
const PARTS: [u64; 3] = [4 << 20, 1 << 20, 256 << 10];

/// Bytes of one object that may be on their way.
const AHEAD: u64 = 32 << 20;

/// Ends of parts that are remembered, to see whether reading goes on there.
const ENDS: usize = 64;

/// What reads belong to.
#[derive(Debug, Clone)]
pub(crate) struct Means {
    pub(crate) client: Arc<Client>,
    pub(crate) budget: Budget,
    pub(crate) location: Location,
}

/// An object that is read, from any thread at any offset. All its bytes come from the object that was listed: what was
/// written in its place since gives [`Cause::Changed`] or [`Cause::IgnoresConditions`].
#[derive(Debug)]
pub struct Opened {
    means: Means,
    object: Arc<Reading>,
    /// Nothing is read from here on.
    end: u64,
    window: Mutex<Window>,
}

/// Parts that are on their way, or not read to their end.
#[derive(Debug, Default)]
struct Window {
    parts: BTreeMap<u64, Arc<Part>>,
    /// Where parts ended: who reads there reads in order.
    ends: Vec<u64>,
}

impl Opened {
    pub(crate) fn new(means: Means, object: Arc<Reading>, begun: Option<Arc<Part>>) -> Opened {
        let mut window = Window { parts: BTreeMap::new(), ends: vec![0] };
        window.parts.extend(begun.map(|part| (part.range().start, part)));
        Opened { means, end: object.object.size, object, window: Mutex::new(window) }
    }

    pub(crate) fn of_range(means: Means, object: Arc<Reading>, range: Range<u64>) -> Opened {
        let window = Mutex::new(Window { parts: BTreeMap::new(), ends: vec![range.start] });
        Opened { means, end: range.end.min(object.object.size), object, window }
    }

    /// What was listed.
    pub fn object(&self) -> &Object {
        &self.object.object
    }

    /// Its version, as far as listings and answers so far named it.
    pub fn version(&self) -> Option<&str> {
        self.object.version()
    }

    /// Reads at an offset. Fewer bytes than asked for don't mean the end; no bytes do.
    ///
    /// # Errors
    /// If the bytes can't be had, or the object is not the one any more that was listed.
    pub fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, Error> {
        // Of an empty object nothing but its being there can be read.
        if offset > self.end || (offset == self.end && self.object().size > 0) || buffer.is_empty() {
            return Ok(0);
        }
        let read = match self.part(offset, buffer.len() as u64) {
            Some(part) => {
                let read = part.read(offset, buffer);
                self.let_go(&part, read.is_err());
                read
            }
            None => self.read_now(offset, buffer),
        };
        read.map_err(|(at, cause)| Error {
            location: self.means.location.with_key(&self.object().key).to_string().into(),
            doing: Doing::Read(at),
            cause,
        })
    }

    /// Reads without a part of its own: the end of an object that the buffer has room for, or where there is no memory.
    fn read_now(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, (u64, Cause)> {
        let end = self.end.min(offset + buffer.len() as u64);
        let mut filled = 0;
        let mut take = |bytes: &[u8]| {
            buffer[filled..filled + bytes.len()].copy_from_slice(bytes);
            filled += bytes.len();
            true
        };
        runtime().block_on(read(&self.means.client, &self.object, offset..end, &mut take))?;
        Ok(filled)
    }

    /// The part with this offset, if there is one or one is worth while; more are asked for behind it.
    fn part(&self, offset: u64, wanted: u64) -> Option<Arc<Part>> {
        let mut window = self.window.lock();
        let part = match window.at(offset) {
            Some(part) => part,
            None => {
                if self.end - offset <= wanted {
                    return None;
                }
                self.begin(&mut window, offset)?
            }
        };
        let mut end = part.range().end;
        while window.follows(end) && window.bytes() < AHEAD && end < self.end {
            end = match window.at(end) {
                Some(next) => next.range().end,
                None => match self.begin(&mut window, end) {
                    Some(next) => next.range().end,
                    None => break,
                },
            };
        }
        Some(part)
    }

    /// Asks for a part from here on, as long as memory allows. Where nothing was read so far it is a short one.
    fn begin(&self, window: &mut Window, start: u64) -> Option<Arc<Part>> {
        let known = window.follows(start);
        let sizes = PARTS.iter().filter(|size| known || **size == PARTS[PARTS.len() - 1]);
        let (range, share) = sizes.into_iter().find_map(|size| {
            let range = start..window.until(start, self.end.min(start + size));
            Some((range.clone(), self.share(&range)?))
        })?;
        let Means { client, .. } = &self.means;
        let part =
            Part::fetch(Arc::clone(client), Arc::clone(&self.object), range.clone(), Some(share), None);
        window.parts.insert(start, Arc::clone(&part));
        if window.ends.len() == ENDS {
            window.ends.remove(0);
        }
        window.ends.push(range.end);
        Some(part)
    }

    fn share(&self, range: &Range<u64>) -> Option<Share> {
        self.means.budget.try_take(usize::try_from(range.end - range.start).ok()?)
    }

    /// Drops a part that was read to its end, or failed: whoever reads there again asks again.
    fn let_go(&self, part: &Arc<Part>, failed: bool) {
        if failed || part.is_spent() {
            let mut window = self.window.lock();
            let start = part.range().start;
            if window.parts.get(&start).is_some_and(|kept| Arc::ptr_eq(kept, part)) {
                window.parts.remove(&start);
            }
        }
    }
}

impl Window {
    /// The part with this byte.
    fn at(&self, offset: u64) -> Option<Arc<Part>> {
        let (_, part) = self.parts.range(..=offset).next_back()?;
        // Of an empty object the part has no byte.
        let here = part.range().contains(&offset) || (offset == 0 && part.range().is_empty());
        here.then(|| Arc::clone(part))
    }

    /// Whether reading at this offset goes on where it was.
    fn follows(&self, offset: u64) -> bool {
        self.ends.contains(&offset)
    }

    /// The end of a part that begins here: at most this, and not into the next part.
    fn until(&self, start: u64, most: u64) -> u64 {
        self.parts.range(start + 1..).next().map_or(most, |(next, _)| most.min(*next))
    }

    fn bytes(&self) -> u64 {
        self.parts.values().map(|part| part.range().end - part.range().start).sum()
    }
}
