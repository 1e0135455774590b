//! Scans that can't be stopped: those of regular expressions without any fixed text. boreal tries these at each byte, and
//! looks at no clock meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

/// The most scans that go on although nobody waits for them any more.
pub const MAX_ABANDONED: usize = 4;

/// Runs each scan on a thread of its own, and abandons it when its time is over.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// The scans that nobody waits for any more.
    abandoned: Arc<AtomicUsize>,
}

/// The end of a watched call.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Watched<T> {
    Done(T),
    /// The time was over, or too many calls are abandoned.
    TimedOut,
    /// The call panicked, or no thread could be started.
    Broken,
}

impl Watch {
    /// Runs a call, and waits for it for this long.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        limit: Duration,
        call: impl FnOnce() -> T + Send + 'static,
    ) -> Watched<T> {
        if self.abandoned.load(Ordering::Relaxed) >= MAX_ABANDONED {
            return Watched::TimedOut;
        }
        let (sender, receiver) = sync_channel(0);
        let abandoned = Arc::clone(&self.abandoned);
        let started = thread::Builder::new().spawn(move || {
            // Nobody takes the result if the call was abandoned.
            if sender.send(call()).is_err() {
                abandoned.fetch_sub(1, Ordering::Relaxed);
            }
        });
        if started.is_err() {
            return Watched::Broken;
        }
        match receiver.recv_timeout(limit) {
            Ok(done) => Watched::Done(done),
            Err(RecvTimeoutError::Disconnected) => Watched::Broken,
            Err(RecvTimeoutError::Timeout) => {
                self.abandoned.fetch_add(1, Ordering::Relaxed);
                Watched::TimedOut
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn a_few_calls_are_abandoned_and_then_no_more_begun() {
        let watch = Watch::default();
        let long = Duration::from_secs(600);
        assert_eq!(watch.run(long, || true), Watched::Done(true));
        let mut gates = Vec::new();
        for _ in 0..MAX_ABANDONED {
            let (gate, wait) = channel::<()>();
            gates.push(gate);
            let ended = watch.run(Duration::from_millis(1), move || wait.recv().is_ok());
            assert_eq!(ended, Watched::TimedOut);
        }
        assert_eq!(watch.run(long, || true), Watched::TimedOut);
        drop(gates);
        while watch.abandoned.load(Ordering::Relaxed) > 0 {
            thread::yield_now();
        }
        assert_eq!(watch.run(long, || true), Watched::Done(true));
    }
}
