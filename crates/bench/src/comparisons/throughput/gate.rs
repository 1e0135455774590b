//! A gate that lets threads start their work at the same time.

use parking_lot::{Condvar, Mutex};

/// Opens when all threads have arrived, or closes permanently. A barrier of the standard library would wait forever for
/// a thread that can't be started.
pub(super) struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// The number of threads that have not arrived.
    missing: usize,
    closed: bool,
}

impl Gate {
    pub(super) fn new(threads: usize) -> Gate {
        Gate { state: Mutex::new(State { missing: threads, closed: false }), changed: Condvar::new() }
    }

    /// Waits until all threads have arrived. Returns false if the gate was closed.
    pub(super) fn pass(&self) -> bool {
        let mut state = self.state.lock();
        state.missing = state.missing.saturating_sub(1);
        self.changed.notify_all();
        self.changed.wait_while(&mut state, |state| state.missing > 0 && !state.closed);
        !state.closed
    }

    /// Lets all threads return without work.
    pub(super) fn close(&self) {
        self.state.lock().closed = true;
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn it_opens_when_all_are_there() {
        let gate = Gate::new(3);
        thread::scope(|scope| {
            let others = [(); 2].map(|()| scope.spawn(|| gate.pass()));
            assert!(gate.pass());
            assert!(others.into_iter().all(|other| other.join().unwrap()));
        });
    }

    #[test]
    fn nobody_waits_at_a_closed_gate() {
        let gate = Gate::new(3);
        thread::scope(|scope| {
            let waiting = scope.spawn(|| gate.pass());
            gate.close();
            assert!(!waiting.join().unwrap());
        });
        assert!(!gate.pass());
    }
}
