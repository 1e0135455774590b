//! How far a run is, on standard error while it goes on; and the heartbeat that flushes the output.

use crate::amount::{bytes, grouped, span};
use crate::level::is_quiet;
use crate::options::report::Progress;
use crate::output::Output;
use crate::pace::{Pace, Work};
use crate::{message, status, system};
use hashloom_engine::Live;
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// A line on a terminal is drawn again this often.
const DRAW: Duration = Duration::from_millis(100);
/// The output is flushed, and a line written to what is no terminal, this often.
const BEAT: Duration = Duration::from_secs(1);
/// Turns while a run is alive, whatever its numbers do.
const WHEEL: [char; 4] = ['|', '/', '-', '\\'];

/// A thread that shows progress and flushes the output, until it is dropped.
pub struct Heartbeat {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// What is said of a run: parts from left to right, each with its rank. Where a terminal is too narrow, those of the
/// highest ranks are left out first.
#[derive(Debug, Default)]
pub struct Line(Vec<(u8, String)>);

#[derive(Clone, Copy)]
enum Display {
    Status,
    Lines,
    Nothing,
}

impl Heartbeat {
    /// Starts it.
    pub fn start(progress: Progress, live: Arc<Live>, output: Output) -> Heartbeat {
        Heartbeat::beat(progress, of_live(live), flushed(output))
    }

    /// Shows the progress of a run of the engine that writes nothing as it goes on.
    pub fn of(progress: Progress, live: Arc<Live>) -> Heartbeat {
        Heartbeat::beside(progress, of_live(live))
    }

    /// Shows that something is read that nobody counts (a list, say): how many bytes this process has read since.
    pub fn reading(progress: Progress, what: &str) -> Heartbeat {
        let (before, what) = (system::bytes_read(), what.to_string());
        Heartbeat::beside(progress, move |elapsed| {
            let read = system::bytes_read().zip(before).map(|(now, before)| now.saturating_sub(before));
            let line = Line::default().with(0, &what);
            let line =
                read.into_iter().fold(line, |line, read| line.with(1, format!("{} read", bytes(read))));
            line.with(2, span(elapsed))
        })
    }

    /// Shows that something goes on that nobody can count, and for how long.
    pub fn working(progress: Progress, what: &str, output: Output) -> Heartbeat {
        let what = what.to_string();
        let line = move |elapsed| Line::default().with(0, &what).with(1, span(elapsed));
        Heartbeat::beat(progress, line, flushed(output))
    }

    /// Shows the progress of what has no output to flush.
    pub fn beside(progress: Progress, line: impl FnMut(Duration) -> Line + Send + 'static) -> Heartbeat {
        Heartbeat::beat(progress, line, || {})
    }

    fn beat(
        progress: Progress,
        mut line: impl FnMut(Duration) -> Line + Send + 'static,
        flush: impl Fn() + Send + 'static,
    ) -> Heartbeat {
        let (stop, stopped) = mpsc::channel();
        let display = display(progress);
        let beat = move || {
            let (start, mut last) = (Instant::now(), Instant::now());
            for turn in 0.. {
                if stopped.recv_timeout(DRAW) != Err(RecvTimeoutError::Timeout) {
                    break;
                }
                let due = last.elapsed() >= BEAT;
                if due {
                    last = Instant::now();
                    flush();
                }
                match display {
                    Display::Status => status::draw(&line(start.elapsed()).drawn(turn)),
                    Display::Lines if due => message::say(line(start.elapsed()).whole()),
                    Display::Lines | Display::Nothing => {}
                }
            }
            if matches!(display, Display::Status) {
                status::erase();
            }
        };
        // Without a thread there is no progress to see, and all is written at the end.
        let thread = thread::Builder::new().name("heartbeat".into()).spawn(beat).ok();
        Heartbeat { stop: Some(stop), thread }
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the display is no failure of the run.
            let _ = thread.join();
        }
    }
}

/// Does something that nobody counts, and shows meanwhile that it goes on.
pub fn reading<R>(progress: Progress, what: &str, work: impl FnOnce() -> R) -> R {
    let heartbeat = Heartbeat::reading(progress, what);
    let done = work();
    drop(heartbeat);
    done
}

/// Whether somebody looks at standard error who would want to see progress.
pub fn is_watched(progress: Progress) -> bool {
    !matches!(display(progress), Display::Nothing)
}

fn display(progress: Progress) -> Display {
    match (progress, io::stderr().is_terminal()) {
        (Progress::Never, _) | (Progress::Auto, false) => Display::Nothing,
        (Progress::Auto, true) if is_quiet() => Display::Nothing,
        (Progress::Always, false) => Display::Lines,
        (_, true) => Display::Status,
    }
}

impl Line {
    /// The line with one more part.
    #[must_use]
    pub fn with(mut self, rank: u8, text: impl Into<String>) -> Line {
        self.0.push((rank, text.into()));
        self
    }

    fn whole(&self) -> String {
        self.of_ranks(u8::MAX)
    }

    /// As a terminal shows it, behind a wheel that turns.
    fn drawn(&self, turn: usize) -> String {
        let wheel = WHEEL[turn % WHEEL.len()];
        format!("{wheel} {}", self.within(status::room().saturating_sub(2)))
    }

    /// As much of it as has room.
    fn within(&self, room: usize) -> String {
        let ranks = self.0.iter().map(|(rank, _)| *rank).max().unwrap_or(0);
        let mut lines = (0..=ranks).rev().map(|most| self.of_ranks(most));
        let fits = |line: &String| line.chars().count() <= room;
        lines.clone().find(fits).or_else(|| lines.next_back()).unwrap_or_default()
    }

    fn of_ranks(&self, most: u8) -> String {
        let parts = self.0.iter().filter(|(rank, _)| *rank <= most).map(|(_, text)| text.as_str());
        parts.collect::<Vec<_>>().join(", ")
    }
}

/// Flushes an output.
fn flushed(output: Output) -> impl Fn() + Send + 'static {
    move || {
        // The writing thread meets the same error and names it.
        let _ = output.clone().flush();
    }
}

fn of_live(live: Arc<Live>) -> impl FnMut(Duration) -> Line + Send + 'static {
    let mut pace = Pace::default();
    move |elapsed| {
        pace.note(elapsed, done(&live));
        line(&live, &mut pace)
    }
}

fn done(live: &Live) -> Work {
    Work { bytes: live.bytes_done.load(Relaxed), files: live.files_done.load(Relaxed) }
}

/// "1.20 GB of 3.40 GB, 12 of 345 files, 1.10 GB/s, 2 s left".
fn line(live: &Live, pace: &mut Pace) -> Line {
    let Work { bytes: read, files } = done(live);
    // What is done was met, even where nobody said so: sizes may not be known, and files may be read twice.
    let met = live.bytes_met.load(Relaxed).max(read);
    let files_met = live.files_met.load(Relaxed).max(files);
    let walked = live.walked.load(Relaxed);
    // While the walk goes on the totals only grow.
    let more = if walked { "" } else { "+" };
    let left = pace.told(Work { bytes: met - read, files: files_met - files }).filter(|_| walked);
    let line = Line::default()
        .with(0, format!("{} of {}{more}", bytes(read), bytes(met)))
        .with(3, format!("{} of {}{more} files", grouped(files), grouped(files_met)))
        .with(1, format!("{}/s", bytes(pace.bytes() as u64)));
    left.into_iter().fold(line, |line, left| line.with(2, format!("{} left", span(left))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn live(numbers: [u64; 4]) -> Live {
        let live = Live::default();
        let counters = [&live.bytes_done, &live.bytes_met, &live.files_done, &live.files_met];
        counters.into_iter().zip(numbers).for_each(|(counter, value)| Live::add(counter, value));
        live
    }

    fn at(live: &Live, seconds: u64) -> Line {
        let mut pace = Pace::default();
        pace.note(Duration::from_secs(seconds), done(live));
        line(live, &mut pace)
    }

    #[test]
    fn the_line_tells_bytes_files_rate_and_time_left() {
        let live = live([2_000_000_000, 6_000_000_000, 2, 6]);
        assert_eq!(at(&live, 2).whole(), "2.00 GB of 6.00 GB+, 2 of 6+ files, 1.00 GB/s");
        live.walked.store(true, Relaxed);
        assert_eq!(at(&live, 2).whole(), "2.00 GB of 6.00 GB, 2 of 6 files, 1.00 GB/s, 4 s left");
    }

    #[test]
    fn no_total_is_less_than_what_is_done() {
        let live = live([500, 300, 20, 16]);
        live.walked.store(true, Relaxed);
        assert_eq!(at(&live, 1).whole(), "500 B of 500 B, 20 of 20 files, 500 B/s");
    }

    #[test]
    fn a_narrow_terminal_gets_what_matters_most() {
        let live = live([2_000_000_000, 6_000_000_000, 12_345, 67_890]);
        live.walked.store(true, Relaxed);
        let line = at(&live, 2);
        assert_eq!(line.within(70), line.whole());
        assert_eq!(line.within(45), "2.00 GB of 6.00 GB, 1.00 GB/s, 9 s left");
        assert_eq!(line.within(33), "2.00 GB of 6.00 GB, 1.00 GB/s");
        assert_eq!(line.within(5), "2.00 GB of 6.00 GB");
    }
}
