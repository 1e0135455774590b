//! Calls with a time limit. A system call that hangs, for example because a server is dead, can't be stopped, but its
//! thread can be abandoned.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;
use std::{fmt, io, thread};

/// The most calls that may hang at the same time. Each keeps a thread.
const HANGING: usize = 1024;

/// The stack size of a helper, in bytes. It makes one system call at a time, so it needs little.
const STACK: usize = 128 << 10;

static HANGING_NOW: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// The idle helper of this thread.
    static IDLE: RefCell<Option<Helper>> = const { RefCell::new(None) };
}

type Task = Box<dyn FnOnce() + Send>;

/// A thread that makes calls for another one.
struct Helper {
    jobs: Sender<Task>,
    /// Set when nothing waits for its call any more.
    abandoned: Arc<AtomicBool>,
}

/// The reason why a call with a time limit gave no answer.
#[derive(Debug)]
enum NoAnswer {
    Late(Duration),
    TooMany,
    NoThread(io::Error),
}

/// A sign of life from a call that does many things, each of which may take the whole limit.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pulse(Arc<AtomicU64>);

impl Pulse {
    /// Signals that one more thing is done.
    pub(crate) fn beat(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn beats(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Makes the call on another thread and waits for it until the limit.
///
/// # Errors
/// [`io::ErrorKind::TimedOut`] if it does not return in time. Its thread is then abandoned, with everything that it
/// holds.
pub(crate) fn with_limit<T: Send + 'static>(
    limit: Duration,
    call: impl FnOnce() -> T + Send + 'static,
) -> io::Result<T> {
    while_alive(limit, &Pulse::default(), call)
}

/// Makes the call on another thread and waits until it gives no sign of life for the time of the limit.
///
/// # Errors
/// As [`with_limit`].
pub(crate) fn while_alive<T: Send + 'static>(
    limit: Duration,
    pulse: &Pulse,
    call: impl FnOnce() -> T + Send + 'static,
) -> io::Result<T> {
    let helper = IDLE.take().map_or_else(Helper::start, Ok)?;
    let (sender, answer) = mpsc::sync_channel(1);
    let job = move || {
        // If nothing waits, the result is dropped here, which closes files.
        let _ = sender.send(call());
    };
    let panicked = || io::Error::other("the call panicked");
    helper.jobs.send(Box::new(job)).map_err(|_| panicked())?;
    loop {
        let beats = pulse.beats();
        match answer.recv_timeout(limit) {
            Ok(value) => {
                IDLE.set(Some(helper));
                return Ok(value);
            }
            Err(RecvTimeoutError::Timeout) if pulse.beats() != beats => {}
            Err(RecvTimeoutError::Timeout) => {
                helper.leave();
                return Err(io::Error::new(io::ErrorKind::TimedOut, NoAnswer::Late(limit)));
            }
            Err(RecvTimeoutError::Disconnected) => return Err(panicked()),
        }
    }
}

impl Helper {
    fn start() -> io::Result<Helper> {
        if HANGING_NOW.load(Ordering::Relaxed) >= HANGING {
            return Err(io::Error::new(io::ErrorKind::TimedOut, NoAnswer::TooMany));
        }
        let (jobs, coming) = mpsc::channel::<Task>();
        let abandoned = Arc::new(AtomicBool::new(false));
        let helper = Helper { jobs, abandoned: Arc::clone(&abandoned) };
        let started = thread::Builder::new().name("deadline".into()).stack_size(STACK).spawn(move || {
            coming.into_iter().for_each(|job| job());
            if abandoned.load(Ordering::Acquire) {
                HANGING_NOW.fetch_sub(1, Ordering::Relaxed);
            }
        });
        let none = |error: io::Error| io::Error::new(error.kind(), NoAnswer::NoThread(error));
        started.map(|_| helper).map_err(none)
    }

    /// Abandons the helper with its call. It ends when the call returns.
    fn leave(self) {
        HANGING_NOW.fetch_add(1, Ordering::Relaxed);
        self.abandoned.store(true, Ordering::Release);
    }
}

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoAnswer::Late(limit) => write!(f, "no answer within {limit:?}"),
            NoAnswer::NoThread(error) => {
                write!(f, "not tried: cannot start a thread for the time limit: {error}")
            }
            NoAnswer::TooMany => write!(f, "not tried: {HANGING} earlier calls still wait for an answer"),
        }
    }
}

impl std::error::Error for NoAnswer {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::sync_channel;
    use std::time::Instant;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn answers_come_back_from_one_helper() {
        let first = with_limit(LONG, || thread::current().id()).unwrap();
        assert_ne!(first, thread::current().id());
        for number in 0..100 {
            assert_eq!(with_limit(LONG, move || (number, thread::current().id())).unwrap(), (number, first));
        }
    }

    #[test]
    #[ignore = "campaign: takes long"]
    fn a_call_that_gets_on_may_take_its_time() {
        // A busy machine may delay the helper's beats for a while.
        let limit = Duration::from_secs(3);
        let pulse = Pulse::default();
        let beating = pulse.clone();
        let answer = while_alive(limit, &pulse, move || {
            let start = Instant::now();
            while start.elapsed() < 2 * limit {
                beating.beat();
                thread::sleep(Duration::from_millis(1));
            }
            7
        });
        assert_eq!(answer.unwrap(), 7);
    }

    #[test]
    fn a_call_that_hangs_is_left_behind() {
        let (release, held) = sync_channel::<()>(0);
        let (ended, end) = sync_channel(1);
        let start = Instant::now();
        let error = with_limit(Duration::from_millis(30), move || {
            let _ = held.recv();
            let _ = ended.send(());
        });
        let error = error.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert_eq!(error.to_string(), "no answer within 30ms");
        assert!(start.elapsed() < LONG);
        assert_eq!(with_limit(LONG, || 7).unwrap(), 7, "the next call has a new helper");
        drop(release);
        end.recv_timeout(LONG).expect("the helper goes on when its call does");
    }
}
