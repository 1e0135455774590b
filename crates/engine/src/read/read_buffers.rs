//! Buffers that readers fill and workers empty. Their number bounds how far readers get ahead.

use hashmill_source::AlignedBytes;
use parking_lot::{Condvar, Mutex};
use std::time::{Duration, Instant};

/// A fixed number of buffers of one size.
#[derive(Debug)]
pub(crate) struct ReadBuffers {
    count: usize,
    size: usize,
    state: Mutex<State>,
    returned: Condvar,
}

#[derive(Debug)]
struct State {
    free: Vec<AlignedBytes>,
    /// Buffers that were not allocated yet.
    unmade: usize,
    stopped: bool,
}

impl ReadBuffers {
    pub(crate) fn new(count: usize, size: usize) -> Self {
        let state = State { free: Vec::new(), unmade: count, stopped: false };
        ReadBuffers { count, size, state: Mutex::new(state), returned: Condvar::new() }
    }

    pub(crate) fn exist(&self) -> bool {
        self.count > 0
    }

    /// Waits for a buffer. Returns it and the time spent waiting; `None` when the run is over.
    pub(crate) fn take(&self) -> Option<(AlignedBytes, Duration)> {
        let mut state = self.state.lock();
        let mut start = None;
        while state.free.is_empty() && state.unmade == 0 && !state.stopped {
            start.get_or_insert_with(Instant::now);
            self.returned.wait(&mut state);
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
        self.state.lock().free.push(buffer);
        self.returned.notify_one();
    }

    /// Ends the run: no thread gets a buffer.
    pub(crate) fn stop(&self) {
        self.state.lock().stopped = true;
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
        let buffers = Arc::new(ReadBuffers::new(2, 10));
        let (first, _) = buffers.take().unwrap();
        let (_second, _) = buffers.take().unwrap();
        let waiter = thread::spawn({
            let buffers = Arc::clone(&buffers);
            move || buffers.take().map(|(buffer, _)| buffer.len())
        });
        buffers.give(first);
        assert_eq!(waiter.join().unwrap(), Some(10));
    }

    #[test]
    fn the_end_wakes_those_who_wait() {
        let buffers = Arc::new(ReadBuffers::new(0, 10));
        let waiter = thread::spawn({
            let buffers = Arc::clone(&buffers);
            move || buffers.take().is_none()
        });
        buffers.stop();
        assert!(waiter.join().unwrap());
    }
}
