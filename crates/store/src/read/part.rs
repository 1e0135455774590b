//! A part of an object that is in flight: filled by a request, read by any thread at the same time.

use super::budget::Share;
use super::reading::Reading;
use crate::Cause;
use crate::client::Client;
use crate::client::runtime::runtime;
use crate::read::read;
use parking_lot::{Condvar, Mutex};
use std::ops::Range;
use std::sync::{Arc, Weak};
use tokio::sync::OwnedSemaphorePermit;

/// The bytes of an object in a range.
#[derive(Debug)]
pub(crate) struct ObjectPart {
    range: Range<u64>,
    state: Mutex<State>,
    more: Condvar,
    memory: Mutex<Memory>,
}

/// The memory that a part holds.
#[derive(Debug)]
pub(crate) enum Memory {
    /// None: the part exceeds the budget.
    Beyond,
    /// Memory of the shared pool.
    Spare(#[allow(dead_code, reason = "it goes back when it is dropped")] Share),
    /// The object's own memory, which it keeps for its next part.
    Own(Share),
}

#[derive(Debug, Default)]
struct State {
    bytes: Vec<u8>,
    /// How the request ended, and at which byte if it failed.
    end: Option<Result<(), (u64, Cause)>>,
    /// The number of bytes that were read out of it, and whether the last one was.
    taken: u64,
    reached: bool,
}

/// A guard that ends a part whose request ended in no other way, so that nobody waits for it.
struct Ending(Weak<ObjectPart>);

impl ObjectPart {
    /// Requests a range. Dropping the part stops the request. The turn is held until all bytes have arrived.
    pub(crate) fn fetch(
        client: Arc<Client>,
        object: Arc<Reading>,
        range: Range<u64>,
        memory: Memory,
        turn: Option<OwnedSemaphorePermit>,
    ) -> Arc<ObjectPart> {
        let (state, memory) = (Mutex::default(), Mutex::new(memory));
        let part = Arc::new(ObjectPart { range: range.clone(), state, more: Condvar::new(), memory });
        let ending = Ending(Arc::downgrade(&part));
        runtime().spawn(async move {
            let mut take = |bytes: &[u8]| ending.0.upgrade().is_some_and(|part| part.push(bytes));
            let result = read(&client, &object, range, &mut take).await;
            drop(turn);
            if let Some(part) = ending.0.upgrade() {
                part.end(result);
            }
        });
        part
    }

    pub(crate) fn range(&self) -> &Range<u64> {
        &self.range
    }

    /// Reads from an offset as many bytes as there are; waits for the first of them. None only at the end of the part.
    pub(crate) fn read(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, (u64, Cause)> {
        let skipped = (offset - self.range.start) as usize;
        let mut state = self.state.lock();
        loop {
            let there = state.bytes.get(skipped..).unwrap_or_default();
            if !there.is_empty() || buffer.is_empty() {
                let read = there.len().min(buffer.len());
                buffer[..read].copy_from_slice(&there[..read]);
                state.taken += read as u64;
                state.reached |= offset + read as u64 == self.range.end;
                return Ok(read);
            }
            if let Some(end) = &state.end {
                return end.clone().map(|()| 0);
            }
            self.more.wait(&mut state);
        }
    }

    /// Returns whether as many bytes were read as the part has, including the last one: its beginning may have been
    /// read twice.
    pub(crate) fn is_spent(&self) -> bool {
        let state = self.state.lock();
        state.reached && state.taken >= self.range.end - self.range.start
    }

    /// Gives the object's own memory back, if the part has it and no more reads will begin.
    pub(crate) fn give_back(&self) -> Option<Share> {
        match std::mem::replace(&mut *self.memory.lock(), Memory::Beyond) {
            Memory::Own(share) => Some(share),
            Memory::Spare(_) | Memory::Beyond => None,
        }
    }

    fn push(&self, bytes: &[u8]) -> bool {
        let mut state = self.state.lock();
        if state.bytes.is_empty() {
            // Memory is allocated when there is something to store.
            state.bytes.reserve_exact((self.range.end - self.range.start) as usize);
        }
        state.bytes.extend_from_slice(bytes);
        self.more.notify_all();
        true
    }

    fn end(&self, result: Result<(), (u64, Cause)>) {
        self.state.lock().end.get_or_insert(result);
        self.more.notify_all();
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        if let Some(part) = self.0.upgrade() {
            part.end(Err((part.range.start, Cause::Unsupported("the request was dropped".into()))));
        }
    }
}
