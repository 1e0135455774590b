//! Programs that print credentials, with a limit on time and output. Their output is never shown, as it may be a
//! secret.

use std::fmt;
use std::io::{self, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// The time limit of a program: it may ask for a code, or open a page to sign in.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// The most bytes that it may print.
const MAX_PRINTED: u64 = 64 << 10;

/// The interval at which the end of a program is polled once it can print no more.
const LOOK: Duration = Duration::from_millis(5);

/// The reason why a program gave nothing.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It can't be started.
    Start(io::Error),
    /// It did not end in time.
    Time(Duration),
    /// It printed too much.
    TooMuch,
    /// It ended with a failure.
    End(ExitStatus),
}

/// Runs a program, and returns its output. It blocks, so it runs on a thread for blocking work.
pub(crate) async fn output(words: Vec<String>) -> Result<Vec<u8>, Failure> {
    let ran = tokio::task::spawn_blocking(move || run(&words, TIME_LIMIT)).await;
    ran.unwrap_or_else(|error| Err(Failure::Start(io::Error::other(error))))
}

fn run(words: &[String], limit: Duration) -> Result<Vec<u8>, Failure> {
    let (name, rest) = words.split_first().ok_or_else(|| Failure::Start(io::ErrorKind::NotFound.into()))?;
    let end = Instant::now() + limit;
    let mut command = Command::new(name);
    command.args(rest).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(Failure::Start)?;
    let done = finish(&mut child, end, limit);
    if done.is_err() {
        // It may have ended already.
        let _ = child.kill();
        let _ = child.wait();
    }
    done
}

/// Collects the output of a program until it ends.
fn finish(child: &mut Child, end: Instant, limit: Duration) -> Result<Vec<u8>, Failure> {
    let (sender, printed) = mpsc::channel();
    let stdout = child.stdout.take();
    // A program that it started may keep the pipe open, so this thread is not joined.
    thread::spawn(move || {
        let mut text = Vec::new();
        let read = stdout.map(|stdout| stdout.take(MAX_PRINTED + 1).read_to_end(&mut text));
        sender.send(read.unwrap_or(Ok(0)).map(|_| text))
    });
    let late = |_| Failure::Time(limit);
    let text = printed.recv_timeout(end.saturating_duration_since(Instant::now())).map_err(late)?;
    let text = text.map_err(Failure::Start)?;
    if text.len() as u64 > MAX_PRINTED {
        return Err(Failure::TooMuch);
    }
    loop {
        match child.try_wait().map_err(Failure::Start)? {
            Some(status) if status.success() => return Ok(text),
            Some(status) => return Err(Failure::End(status)),
            None if Instant::now() >= end => return Err(Failure::Time(limit)),
            None => thread::sleep(LOOK),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Start(error) => write!(f, "can't be run: {error}"),
            Failure::Time(limit) => write!(f, "did not end within {} seconds", limit.as_secs()),
            Failure::TooMuch => write!(f, "printed more than {} KiB", MAX_PRINTED >> 10),
            Failure::End(status) => write!(f, "failed ({status}): run it to see why"),
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn ran(script: &str) -> Result<Vec<u8>, Failure> {
        let words = ["sh", "-c", script].map(str::to_owned);
        run(&words, Duration::from_secs(5))
    }

    #[test]
    fn output_is_bounded_in_time_and_in_bytes() {
        assert_eq!(ran("echo s3cr3t >&2; echo '{}'").unwrap(), b"{}\n");
        assert!(matches!(ran("exec yes"), Err(Failure::TooMuch)));
        let ended = ran("echo s3cr3t; echo s3cr3t >&2; exit 3").unwrap_err();
        assert_eq!(ended.to_string(), "failed (exit status: 3): run it to see why");
        let start = Instant::now();
        let words = ["sleep", "600"].map(str::to_owned);
        assert!(matches!(run(&words, Duration::from_millis(200)), Err(Failure::Time(_))));
        // A child of the program keeps the pipe open.
        let words = ["sh", "-c", "sleep 30 & exit 0"].map(str::to_owned);
        assert!(matches!(run(&words, Duration::from_millis(200)), Err(Failure::Time(_))));
        // The program closes its output and goes on.
        let words = ["sh", "-c", "exec >&-; exec sleep 600"].map(str::to_owned);
        assert!(matches!(run(&words, Duration::from_millis(200)), Err(Failure::Time(_))));
        assert!(start.elapsed() < Duration::from_secs(20));
        assert!(matches!(run(&["/nonexistent/x".to_owned()], TIME_LIMIT), Err(Failure::Start(_))));
        assert!(matches!(run(&[], TIME_LIMIT), Err(Failure::Start(_))));
    }
}
