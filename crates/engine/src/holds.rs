//! Buffers that readers fill and workers empty. Their number bounds how far readers get ahead.

use hashloom_source::AlignedBytes;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A fixed number of buffers of one size.
#[derive(Debug)]
pub(crate) struct Holds {
    count: usize,
    size: usize,
    state: Mutex<State>,
    returned: Condvar,
}

#[derive(Debug)]
struct State {
    free: Vec<AlignedBytes>,
    /// Buffers that nobody has asked for yet.
    unmade: usize,
    stopped: bool,
}

impl Holds {
    pub(crate) fn new(count: usize, size: usize) -> Self {
        let state = State { free: Vec::new(), unmade: count, stopped: false };
        Holds { count, size, state: Mutex::new(state), returned: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether there are any at all.
    pub(crate) fn exist(&self) -> bool {
        self.count > 0
    }

    /// A buffer, once there is one, and how long that took; none when the run is over.
    pub(crate) fn take(&self) -> Option<(AlignedBytes, Duration)> {
        let mut state = self.lock();
        let mut start = None;
        while state.free.is_empty() && state.unmade == 0 && !state.stopped {
            start.get_or_insert_with(Instant::now);
            state = self.returned.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.stopped {
            return None;
        }
        let waited = start.map_or(Duration::ZERO, |start| start.elapsed());
        let buffer = state.free.pop().unwrap_or_else(|| {
            state.unmade -= 1;
            AlignedBytes::zeroed(self.size)
        });
        Some((buffer, waited))
    }

    pub(crate) fn give(&self, buffer: AlignedBytes) {
        self.lock().free.push(buffer);
        self.returned.notify_one();
    }

    /// Nobody gets a buffer any more.
    pub(crate) fn stop(&self) {
        self.lock().stopped = true;
        self.returned.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::thread;

    #[test]
    fn there_are_only_so_many() {
        let holds = Arc::new(Holds::new(2, 10));
        let (first, _) = holds.take().unwrap();
        let (_second, _) = holds.take().unwrap();
        let waiter = thread::spawn({
            let holds = Arc::clone(&holds);
            move || holds.take().map(|(buffer, _)| buffer.len())
        });
        holds.give(first);
        assert_eq!(waiter.join().unwrap(), Some(10));
    }

    #[test]
    fn the_end_wakes_those_who_wait() {
        let holds = Arc::new(Holds::new(0, 10));
        let waiter = thread::spawn({
            let holds = Arc::clone(&holds);
            move || holds.take().is_none()
        });
        holds.stop();
        assert!(waiter.join().unwrap());
    }
}
