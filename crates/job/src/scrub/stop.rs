//! The end of a run whose budget is used up while a long file is being read.

use hashmill_engine::Cancel;
use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

/// Ends the reading of a run, and remembers that this was no interruption.
#[derive(Debug, Clone)]
pub(super) struct Stop {
    cancel: Cancel,
    is_used_up: Arc<AtomicBool>,
    /// Held while nothing may be stopped.
    held: Arc<Mutex<()>>,
}

impl Stop {
    pub(super) fn new(cancel: &Cancel) -> Stop {
        Stop { cancel: cancel.clone(), is_used_up: Arc::default(), held: Arc::default() }
    }

    pub(super) fn stop(&self) {
        let _held = self.held.lock();
        // An interruption before is not to be forgotten.
        if !self.cancel.is_set() {
            self.is_used_up.store(true, Ordering::SeqCst);
            self.cancel.set();
        }
    }

    /// Lets nothing be stopped until the guard is dropped: a repair that is cut off would begin anew in every run.
    pub(super) fn hold(&self) -> MutexGuard<'_, ()> {
        self.held.lock()
    }

    /// Returns whether the budget ended the run.
    pub(super) fn is_used_up(&self) -> bool {
        self.is_used_up.load(Ordering::SeqCst)
    }

    /// Stops the run after a time, unless the alarm is dropped before.
    pub(super) fn after(&self, time: Duration) -> Alarm {
        let (end, ended) = channel::<()>();
        let stop = self.clone();
        // Without a thread, the run ends with the files of its last part.
        let _ = thread::Builder::new().name("budget".to_string()).spawn(move || {
            if ended.recv_timeout(time) == Err(RecvTimeoutError::Timeout) {
                stop.stop();
            }
        });
        Alarm { _end: end }
    }
}

/// Ends with what it waits for.
#[derive(Debug)]
pub(super) struct Alarm {
    _end: Sender<()>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_no_interruption() {
        let cancel = Cancel::default();
        let stop = Stop::new(&cancel);
        stop.stop();
        assert!(cancel.is_set() && stop.is_used_up());
        let cancel = Cancel::default();
        let stop = Stop::new(&cancel);
        cancel.set();
        stop.stop();
        assert!(!stop.is_used_up());
    }

    #[test]
    fn nothing_is_stopped_while_it_is_held() {
        let cancel = Cancel::default();
        let stop = Stop::new(&cancel);
        let held = stop.hold();
        let alarm = stop.after(Duration::ZERO);
        thread::sleep(Duration::from_millis(20));
        assert!(!cancel.is_set());
        drop(held);
        while !stop.is_used_up() {
            thread::yield_now();
        }
        drop(alarm);
    }

    #[test]
    fn an_alarm_that_is_dropped_stops_nothing() {
        let cancel = Cancel::default();
        let stop = Stop::new(&cancel);
        drop(stop.after(Duration::from_secs(3600)));
        assert!(!cancel.is_set());
        let _alarm = stop.after(Duration::ZERO);
        while !stop.is_used_up() {
            thread::yield_now();
        }
        assert!(cancel.is_set());
    }
}
