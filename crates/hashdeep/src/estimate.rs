//! `-e`: the progress of a long file and the estimated remaining time, on standard error.

use crate::path::escape;
use crate::sys::{self, WIDTH};
use crate::walk::{Facts, Queue, Visited};
use hashmill_engine::Live;
use hashmill_terminal::shown;
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

const MEGABYTE: u64 = 1 << 20;

/// The maximum length of a name; longer ones are shortened in the middle.
const LONGEST_NAME: usize = WIDTH - 41;

/// Shows progress until it is dropped.
pub struct Estimate {
    /// Bytes of the finished files.
    pub finished_bytes: Arc<AtomicU64>,
    _alive: Sender<()>,
}

/// The state that the display reads.
struct View {
    queue: Queue,
    live: Arc<Live>,
    finished_bytes: Arc<AtomicU64>,
    escaped: bool,
}

/// The file that progress is shown of.
struct CurrentFile {
    /// None before the first.
    path: Option<Box<[u8]>>,
    /// The time at which it was met.
    since: Instant,
}

/// Whether characters beyond Latin-1 are escaped in names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Escaping {
    On,
    Off,
}

impl Estimate {
    /// Shows the progress of the next file to be finished, once a second.
    pub fn start(queue: Queue, live: Arc<Live>, escaping: Escaping) -> Estimate {
        let finished_bytes = Arc::new(AtomicU64::new(0));
        let (alive, ended) = channel();
        let escaped = escaping == Escaping::On;
        let view = View { queue, live, finished_bytes: Arc::clone(&finished_bytes), escaped };
        let show = move || {
            let mut current = CurrentFile { path: None, since: Instant::now() };
            while ended.recv_timeout(Duration::from_secs(1)) == Err(RecvTimeoutError::Timeout) {
                view.tick(&mut current);
            }
        };
        // Without a thread nothing is shown.
        drop(thread::Builder::new().spawn(show));
        Estimate { finished_bytes, _alive: alive }
    }

    /// Clears the line, as hashdeep does after each file and piece.
    pub fn clear() {
        let blank = " ".repeat(WIDTH);
        // If standard error is closed, the error can't be reported.
        let _ = io::stderr().write_all(format!("\r{blank}\r").as_bytes());
    }
}

impl View {
    fn tick(&self, current: &mut CurrentFile) {
        let queue = self.queue.lock();
        let Some(Visited::File(Facts { path: Some(path), size, .. })) = queue.front() else { return };
        if current.path.as_ref() != Some(path) {
            *current = CurrentFile { path: Some(path.clone()), since: Instant::now() };
            return;
        }
        let done = self.live.bytes_done.load(Ordering::Relaxed);
        let done = done.saturating_sub(self.finished_bytes.load(Ordering::Relaxed));
        let name = shorten(&sys::shown(path));
        let name = if self.escaped { escape(&name) } else { name };
        let text = progress(done, *size, current.since.elapsed());
        let name = if io::stderr().is_terminal() { shown(&name) } else { name };
        let line = [&name, &b" "[..], text.as_bytes(), b"\r\r"].concat();
        // As above.
        let _ = io::stderr().write_all(&line);
    }
}

fn shorten(name: &[u8]) -> Vec<u8> {
    if name.len() <= LONGEST_NAME {
        return name.to_vec();
    }
    let half = LONGEST_NAME / 2;
    [&name[..half], b"...", &name[name.len() - half..]].concat()
}

fn progress(done: u64, size: u64, elapsed: Duration) -> String {
    let (done_mb, size_mb) = ((done / MEGABYTE).max(1), size / MEGABYTE);
    if size_mb == 0 || size > i64::MAX as u64 - 1 {
        return format!("{done_mb}MB done. Unable to estimate remaining time.");
    }
    let elapsed = elapsed.as_secs().max(1);
    let seconds = (size / (done / elapsed).max(1)).saturating_sub(elapsed);
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{done_mb}MB of {size_mb}MB done, {hours:02}:{minutes:02}:{seconds:02} left")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_left_follows_from_the_rate_so_far() {
        let two = Duration::from_secs(2);
        assert_eq!(progress(10 * MEGABYTE, 100 * MEGABYTE, two), "10MB of 100MB done, 00:00:18 left");
        assert_eq!(progress(7, 100, two), "1MB done. Unable to estimate remaining time.");
    }

    #[test]
    fn long_names_lose_their_middle() {
        assert_eq!(shorten(&[b'x'; LONGEST_NAME]).len(), LONGEST_NAME);
        assert_eq!(shorten(&[b'x'; LONGEST_NAME + 1]).len(), LONGEST_NAME / 2 * 2 + 3);
    }
}
