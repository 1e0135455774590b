//! Progress on standard error during a run, and the heartbeat that flushes the output.

pub(crate) mod costs;
pub(crate) mod pace;

use crate::output::Output;
use crate::results::report::Progress;
use crate::words::amount::{bytes, grouped, span};
use crate::words::level::is_quiet;
use crate::words::{message, status};
use hashmill_engine::{Live, Total};
use hashmill_job::copy::PlaceProgress;
use hashmill_terminal::Shown;
use pace::{Left, Pace, Work};
use std::io::{self, IsTerminal, Write};
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The interval at which a line on a terminal is redrawn.
const DRAW: Duration = Duration::from_millis(100);
/// The interval at which the output is flushed, and a line is written if standard error is not a terminal.
const BEAT: Duration = Duration::from_secs(1);
/// The frames of a wheel that turns while a run is alive, even if its numbers do not change.
const WHEEL: [char; 4] = ['|', '/', '-', '\\'];

/// A thread that shows progress and flushes the output, until it is dropped.
pub struct Heartbeat {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// A line about a run: parts from left to right, each with its rank. If the terminal is too narrow, the parts with the
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
    /// Starts the thread.
    pub fn start(progress: Progress, live: Arc<Live>, output: Output) -> Heartbeat {
        Heartbeat::beat(progress, single(of_live(live)), flushed(output))
    }

    /// Shows the progress of a copy to these destinations, each on a line of its own.
    pub fn copying(
        progress: Progress,
        live: Arc<Live>,
        places: Vec<(PathBuf, Arc<PlaceProgress>)>,
        output: Output,
    ) -> Heartbeat {
        let mut reading = of_live(Arc::clone(&live));
        let lines = move |elapsed| {
            let places = places.iter().map(|(path, place)| of_place(path, place.bytes()));
            let first = match is_all_read(&live) {
                true => Line::default().with(0, "all read; copies are being written and read back"),
                false => reading(elapsed),
            };
            [first].into_iter().chain(places).collect()
        };
        Heartbeat::beat(progress, lines, flushed(output))
    }

    /// Shows the progress of a run of the engine that writes no output before its end.
    pub fn new(progress: Progress, live: Arc<Live>) -> Heartbeat {
        Heartbeat::beside(progress, of_live(live))
    }

    /// Shows how many bytes this process reads from now on, out of `total` if that is known: for work without counters
    /// (a list, for example).
    pub fn reading(progress: Progress, what: &str, total: Option<u64>) -> Heartbeat {
        let (before, what) = (hashmill_os::bytes_read(), what.to_string());
        let mut pace = Pace::default();
        Heartbeat::beside(progress, move |elapsed| {
            let read = hashmill_os::bytes_read().zip(before).map(|(now, before)| now.saturating_sub(before));
            let line = Line::default().with(0, &what);
            match (read, total) {
                // More may be read than the input alone.
                (Some(read), Some(total)) => line.and(of_bytes(read.min(total), total, elapsed, &mut pace)),
                (Some(read), None) => line.with(1, format!("{} read", bytes(read))).with(2, span(elapsed)),
                (None, _) => line.with(2, span(elapsed)),
            }
        })
    }

    /// Shows that work without counters goes on, and for how long.
    pub fn working(progress: Progress, what: &str, output: Output) -> Heartbeat {
        let what = what.to_string();
        let line = move |elapsed| Line::default().with(0, &what).with(1, span(elapsed));
        Heartbeat::beat(progress, single(line), flushed(output))
    }

    /// Shows the progress of a run without an output to flush.
    pub fn beside(progress: Progress, line: impl FnMut(Duration) -> Line + Send + 'static) -> Heartbeat {
        Heartbeat::beat(progress, single(line), || {})
    }

    fn beat(
        progress: Progress,
        mut lines: impl FnMut(Duration) -> Vec<Line> + Send + 'static,
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
                    Display::Status => status::draw(&drawn(&lines(start.elapsed()), turn)),
                    Display::Lines if due => {
                        lines(start.elapsed()).iter().for_each(|line| message::say(line.whole()));
                    }
                    Display::Lines | Display::Nothing => {}
                }
            }
            if matches!(display, Display::Status) {
                status::erase();
            }
        };
        // Without a thread there is no progress, and everything is written at the end.
        let thread = thread::Builder::new().name("heartbeat".into()).spawn(beat).ok();
        Heartbeat { stop: Some(stop), thread }
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the display must not fail the run.
            let _ = thread.join();
        }
    }
}

/// Runs work without counters, and meanwhile shows that it goes on.
pub fn reading<R>(progress: Progress, what: &str, work: impl FnOnce() -> R) -> R {
    reading_of(progress, what, None, work)
}

/// Runs work like [`reading`], with the number of bytes that it will read, if that is known.
pub fn reading_of<R>(progress: Progress, what: &str, total: Option<u64>, work: impl FnOnce() -> R) -> R {
    let heartbeat = Heartbeat::reading(progress, what, total);
    let done = work();
    drop(heartbeat);
    done
}

/// Returns the total size of these files times `times`; none if one of them is not a regular file.
pub fn bytes_of<P: AsRef<Path>>(files: &[P], times: u64) -> Option<u64> {
    let size = |file: &P| file.as_ref().metadata().ok().filter(|meta| meta.is_file()).map(|meta| meta.len());
    files.iter().map(size).sum::<Option<u64>>()?.checked_mul(times)
}

/// Returns whether progress is shown.
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
    /// Adds a part to the line.
    #[must_use]
    pub fn with(mut self, rank: u8, text: impl Into<String>) -> Line {
        self.0.push((rank, text.into()));
        self
    }

    /// Appends the parts of another line.
    #[must_use]
    fn and(mut self, other: Line) -> Line {
        self.0.extend(other.0);
        self
    }

    fn whole(&self) -> String {
        self.of_ranks(u8::MAX)
    }

    /// Returns as much of the line as fits.
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

/// Returns a function that flushes an output.
fn flushed(output: Output) -> impl Fn() + Send + 'static {
    move || {
        // The writing thread meets the same error and reports it.
        let _ = output.clone().flush();
    }
}

/// Returns lines for a terminal, the first after a wheel that turns.
fn drawn(lines: &[Line], turn: usize) -> Vec<String> {
    let room = status::room().saturating_sub(2);
    let wheels = [WHEEL[turn % WHEEL.len()]].into_iter().chain(iter::repeat(' '));
    wheels.zip(lines).map(|(wheel, line)| format!("{wheel} {}", line.within(room))).collect()
}

/// Makes a list of one line of what returns that line.
fn single(mut line: impl FnMut(Duration) -> Line) -> impl FnMut(Duration) -> Vec<Line> {
    move |elapsed| vec![line(elapsed)]
}

/// Returns whether nothing is left to be read.
fn is_all_read(live: &Live) -> bool {
    let files = live.files_done.load(Relaxed);
    let total = live.total();
    total.is_known && files > 0 && files >= total.files
}

/// Returns "disk-a: 1.20 GB written, 900 MB read back".
fn of_place(path: &Path, (written, back): (u64, u64)) -> Line {
    let line = Line::default().with(0, format!("{}: {} written", Shown::path(path), bytes(written)));
    if back > 0 { line.with(1, format!("{} read back", bytes(back))) } else { line }
}

fn of_live(live: Arc<Live>) -> impl FnMut(Duration) -> Line + Send + 'static {
    let mut pace = Pace::default();
    move |elapsed| line(&live, elapsed, &mut pace)
}

/// Returns "35 % of 3.40 GB, 12 of 345 files, 1.10 GB/s now, 900 MB/s on average, 2 s left". While the total is not
/// known: "1.20 GB of at least 3.40 GB, 12 of at least 345 files, 1.10 GB/s now, 900 MB/s on average".
fn line(live: &Live, elapsed: Duration, pace: &mut Pace) -> Line {
    let load = |counter: &AtomicU64| counter.load(Relaxed);
    let (files, kept) = (load(&live.files_done), work(load(&live.bytes_kept), load(&live.files_kept)));
    let read = work(load(&live.bytes_done), files.saturating_sub(kept.files));
    // Loaded after the counters of finished work, so that it is never less.
    let total = live.total();
    // Kept results are not read again.
    let all = work(total.bytes.saturating_sub(kept.bytes), total.files.saturating_sub(kept.files));
    pace.note(elapsed, read, all);
    let line = Line::default()
        .with(0, amount(read.bytes + kept.bytes, files, &total))
        .with(5, format!("{} of {}{} files", grouped(files), at_least(&total), grouped(total.files)))
        .and(rates(pace));
    let left = work(all.bytes.saturating_sub(read.bytes), all.files.saturating_sub(read.files));
    line.and(time_left(pace, total.is_known.then_some(left)))
}

fn work(bytes: u64, files: u64) -> Work {
    Work { bytes, files }
}

/// Returns "35 % of 3.40 GB", or "1.20 GB of at least 3.40 GB".
fn amount(done: u64, files: u64, total: &Total) -> String {
    let Total { bytes: all, .. } = *total;
    // Empty files have no bytes to count.
    let (part, of) = if all > 0 { (done, all) } else { (files, total.files) };
    match part.min(of).saturating_mul(100).checked_div(of).filter(|_| total.is_known) {
        Some(percent) => format!("{percent} % of {}", bytes(all)),
        None => format!("{} of {}{}", bytes(done), at_least(total), bytes(all)),
    }
}

fn at_least(total: &Total) -> &'static str {
    if total.is_known { "" } else { "at least " }
}

/// Returns the current and the average rate.
fn rates(pace: &Pace) -> Line {
    let rate = |rate: f64| format!("{}/s", bytes(rate as u64));
    Line::default()
        .with(2, format!("{} now", rate(pace.recent())))
        .with(4, format!("{} on average", rate(pace.overall())))
}

/// Returns the estimated remaining time, if the remaining work is known.
fn time_left(pace: &mut Pace, left: Option<Work>) -> Line {
    match left.and_then(|left| pace.left(left)) {
        Some(Left::About(time)) => Line::default().with(1, format!("{} left", span(time))),
        Some(Left::AtLeast(time)) => Line::default().with(3, format!("at least {} left", span(time))),
        None => Line::default(),
    }
}

/// Returns the line about an input that is read byte by byte.
fn of_bytes(read: u64, all: u64, elapsed: Duration, pace: &mut Pace) -> Line {
    pace.note(elapsed, work(read, 0), work(all, 0));
    let total = Total { files: 0, bytes: all, is_known: true };
    let line = Line::default().with(0, amount(read, 0, &total)).and(rates(pace));
    line.and(time_left(pace, Some(work(all - read, 0))))
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

    /// Returns the line after some seconds at a steady pace.
    fn at(live: &Live, seconds: u64) -> Line {
        let mut pace = Pace::default();
        let (bytes, files) = (live.bytes_done.load(Relaxed), live.files_done.load(Relaxed));
        for tenth in 1..seconds * 10 {
            let part = |all: u64| all * tenth / (seconds * 10);
            pace.note(Duration::from_millis(tenth * 100), work(part(bytes), part(files)), work(bytes, files));
        }
        line(live, Duration::from_secs(seconds), &mut pace)
    }

    #[test]
    fn the_line_tells_a_part_of_a_total_that_is_known_and_else_at_least() {
        let live = live([2_000_000_000, 6_000_000_000, 2, 6]);
        let rates = "1.00 GB/s now, 1.00 GB/s on average";
        assert_eq!(
            at(&live, 2).whole(),
            format!("2.00 GB of at least 6.00 GB, 2 of at least 6 files, {rates}")
        );
        live.walked.store(true, Relaxed);
        assert_eq!(at(&live, 2).whole(), format!("33 % of 6.00 GB, 2 of 6 files, {rates}, 4 s left"));
    }

    // A regression: "3 s left" was shown for the files that the walk had met so far.
    #[test]
    fn no_time_left_is_told_while_the_walk_or_the_count_goes_on() {
        let live = live([900_000_000, 1_000_000_000, 900, 1000]);
        live.files_unsized.store(1000, Relaxed);
        live.walked.store(true, Relaxed);
        live.count.begin();
        live.count.add(Some(2_000_000_000));
        let counting = at(&live, 20).whole();
        assert!(counting.contains("of at least 2.00 GB") && !counting.contains("left"), "{counting}");
        live.count.end();
        let counted = at(&live, 20).whole();
        assert!(counted.starts_with("45 % of 2.00 GB") && counted.ends_with("s left"), "{counted}");
    }

    #[test]
    fn no_total_is_less_than_what_is_done() {
        let live = live([500, 300, 20, 16]);
        live.walked.store(true, Relaxed);
        let line = at(&live, 1).whole();
        assert!(line.starts_with("100 % of 500 B, 20 of 20 files, "), "{line}");
    }

    #[test]
    fn files_of_an_earlier_run_are_done_but_say_nothing_of_the_pace() {
        let live = Live::default();
        (0..90).for_each(|_| live.keep(1_000_000));
        live.expect([1_000_000; 10].into_iter());
        Live::add(&live.bytes_done, 4_000_000);
        Live::add(&live.files_done, 4);
        let line = line(&live, Duration::from_secs(4), &mut Pace::default()).whole();
        assert!(line.starts_with("94 % of 100 MB, 94 of 100 files, 1.00 MB/s now"), "{line}");
    }

    #[test]
    fn empty_files_are_counted_by_their_number() {
        let live = Live::default();
        live.expect([0; 8].into_iter());
        Live::add(&live.files_done, 2);
        let line = line(&live, Duration::from_secs(1), &mut Pace::default()).whole();
        assert!(line.starts_with("25 % of 0 B, 2 of 8 files"), "{line}");
    }

    #[test]
    fn a_narrow_terminal_gets_what_matters_most() {
        let live = live([2_000_000_000, 6_000_000_000, 22_630, 67_890]);
        live.walked.store(true, Relaxed);
        let line = at(&live, 2);
        assert_eq!(line.within(100), line.whole());
        assert_eq!(line.within(79), "33 % of 6.00 GB, 1.00 GB/s now, 1.00 GB/s on average, 4 s left");
        assert_eq!(line.within(45), "33 % of 6.00 GB, 1.00 GB/s now, 4 s left");
        assert_eq!(line.within(33), "33 % of 6.00 GB, 4 s left");
        assert_eq!(line.within(5), "33 % of 6.00 GB");
    }
}
