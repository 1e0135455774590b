//! How far a run is, on standard error while it goes on; and the heartbeat that flushes the output.

use crate::message;
use crate::options::report::Progress;
use crate::output::Output;
use crate::pace::{Pace, Work};
use hashloom_engine::Live;
use indicatif::{BinaryBytes, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
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

/// A thread that shows progress and flushes the output, until it is dropped.
pub struct Heartbeat {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

enum Display {
    Bar(ProgressBar),
    Lines,
    Nothing,
}

impl Heartbeat {
    /// Starts it.
    pub fn start(progress: Progress, live: Arc<Live>, output: Output) -> Heartbeat {
        let flush = move || {
            // The writing thread meets the same error and names it.
            let _ = output.clone().flush();
        };
        let mut pace = Pace::default();
        let line = move |elapsed| {
            pace.note(elapsed, done(&live));
            line(&live, &pace)
        };
        Heartbeat::beat(progress, line, flush)
    }

    /// Shows the progress of a run of the engine that writes nothing as it goes on.
    pub fn of(progress: Progress, live: Arc<Live>) -> Heartbeat {
        let mut pace = Pace::default();
        Heartbeat::beside(progress, move |elapsed| {
            pace.note(elapsed, done(&live));
            line(&live, &pace)
        })
    }

    /// Shows the progress of what has no output to flush.
    pub fn beside(progress: Progress, line: impl FnMut(Duration) -> String + Send + 'static) -> Heartbeat {
        Heartbeat::beat(progress, line, || {})
    }

    fn beat(
        progress: Progress,
        mut line: impl FnMut(Duration) -> String + Send + 'static,
        flush: impl Fn() + Send + 'static,
    ) -> Heartbeat {
        let (stop, stopped) = mpsc::channel();
        let display = display(progress);
        let beat = move || {
            let (start, mut last) = (Instant::now(), Instant::now());
            while stopped.recv_timeout(DRAW) == Err(RecvTimeoutError::Timeout) {
                let due = last.elapsed() >= BEAT;
                if due {
                    last = Instant::now();
                    flush();
                }
                display.show(|| line(start.elapsed()), due);
            }
            display.clear();
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

fn display(progress: Progress) -> Display {
    match (progress, io::stderr().is_terminal()) {
        (Progress::Never, _) | (Progress::Auto, false) => Display::Nothing,
        (Progress::Always, false) => Display::Lines,
        (_, true) => {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            bar.set_style(ProgressStyle::with_template("{msg}").unwrap_or(ProgressStyle::default_bar()));
            message::above(&bar);
            Display::Bar(bar)
        }
    }
}

impl Display {
    fn show(&self, mut line: impl FnMut() -> String, due: bool) {
        match self {
            Display::Bar(bar) => {
                bar.set_message(line());
                bar.tick();
            }
            Display::Lines if due => message::say(line()),
            Display::Lines | Display::Nothing => {}
        }
    }

    fn clear(&self) {
        if let Display::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

fn done(live: &Live) -> Work {
    Work { bytes: live.bytes_done.load(Relaxed), files: live.files_done.load(Relaxed) }
}

/// "1.20 GiB of 3.40 GiB, 12 of 345 files, 1.10 GiB/s, 2 seconds left".
fn line(live: &Live, pace: &Pace) -> String {
    let Work { bytes, files } = done(live);
    let (met, files_met) = (live.bytes_met.load(Relaxed), live.files_met.load(Relaxed));
    let walked = live.walked.load(Relaxed);
    // While the walk goes on the totals only grow.
    let more = if walked { "" } else { "+" };
    let left = Work { bytes: met.saturating_sub(bytes), files: files_met.saturating_sub(files) };
    let left = pace.left(left).filter(|_| walked);
    let left = left.map_or(String::new(), |left| format!(", {} left", HumanDuration(left)));
    format!(
        "{} of {}{more}, {files} of {files_met}{more} files, {}/s{left}",
        BinaryBytes(bytes),
        BinaryBytes(met.max(bytes)),
        BinaryBytes(pace.bytes() as u64),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_bytes_files_rate_and_time_left() {
        let live = Live::default();
        for (counter, value) in [
            (&live.bytes_done, 1 << 30),
            (&live.bytes_met, 3 << 30),
            (&live.files_done, 2),
            (&live.files_met, 6),
        ] {
            Live::add(counter, value);
        }
        let mut pace = Pace::default();
        pace.note(Duration::from_secs(1), done(&live));
        let text = line(&live, &pace);
        assert_eq!(text, "1.00 GiB of 3.00 GiB+, 2 of 6+ files, 1.00 GiB/s");
        live.walked.store(true, Relaxed);
        let text = line(&live, &pace);
        assert_eq!(text, "1.00 GiB of 3.00 GiB, 2 of 6 files, 1.00 GiB/s, 2 seconds left");
    }
}
