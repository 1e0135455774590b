//! The calls that Linux and macOS share.

use super::end::ProcessEnd;
use crate::program::{CAPTURED, Ended, FinishedProgram};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::{Pid, Signal, kill_process_group};
use rustix::time::{ClockId, clock_gettime};
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

pub(crate) use rustix::fs::sync;

/// The number of bytes read from a pipe at a time.
const GULP: usize = 64 << 10;

/// Returns the processor time of this process so far.
pub(crate) fn processor_time() -> Option<Duration> {
    clock_gettime(ClockId::ProcessCPUTime).try_into().ok()
}

/// A running program in a process group of its own.
pub(crate) struct RunningProgram {
    /// The time just before its start.
    pub(crate) started: Instant,
    child: Child,
    end: ProcessEnd,
    pipes: [Pipe; 2],
    /// The resources that earlier children have used.
    before: libc::rusage,
}

struct Pipe {
    /// `None` once it is closed.
    file: Option<OwnedFd>,
    kept: Vec<u8>,
}

impl RunningProgram {
    /// Starts a program. User and system time are the increase of the system's counters for ended children, which is
    /// correct as long as one program runs at a time.
    pub(crate) fn start(mut command: Command) -> io::Result<RunningProgram> {
        // This process handles Ctrl-C at the terminal, and ends the program.
        command.process_group(0);
        let before = children()?;
        let started = Instant::now();
        let mut child = command.spawn()?;
        match watch(&mut child) {
            Ok((end, pipes)) => Ok(RunningProgram { started, child, end, pipes, before }),
            Err(error) => {
                kill(&child);
                child.wait()?;
                Err(error)
            }
        }
    }

    /// Waits for output or the end, and keeps the output; returns whether it was the end.
    pub(crate) fn wait(&mut self, most: Duration) -> io::Result<bool> {
        let open = self.pipes.iter().filter_map(|pipe| pipe.file.as_ref());
        let mut watched: Vec<_> =
            self.end.file().into_iter().chain(open).map(|file| PollFd::new(file, PollFlags::IN)).collect();
        let most = most.min(ProcessEnd::GLANCE);
        let most = Timespec { tv_sec: 0, tv_nsec: i64::from(most.subsec_nanos()) };
        let first = match poll(&mut watched, Some(&most)) {
            Ok(_) => watched.first().is_some_and(|first| !first.revents().is_empty()),
            Err(rustix::io::Errno::INTR) => false,
            Err(error) => return Err(error.into()),
        };
        let ended = self.end.is_reached(first)?;
        for pipe in &mut self.pipes {
            pipe.take()?;
        }
        Ok(ended)
    }

    /// Ends the program and all that it started.
    pub(crate) fn kill(&mut self) {
        kill(&self.child);
    }

    /// Waits for the end of the program, which is near.
    pub(crate) fn finish(mut self) -> io::Result<FinishedProgram> {
        let status = self.child.wait()?;
        let after = children()?;
        let [stdout, stderr] = self.pipes;
        Ok(FinishedProgram {
            ended: match (status.code(), status.signal()) {
                (Some(code), _) => Ended::Code(code),
                (None, signal) => Ended::Signal(signal.unwrap_or(0)),
            },
            user: seconds(after.ru_utime) - seconds(self.before.ru_utime),
            system: seconds(after.ru_stime) - seconds(self.before.ru_stime),
            stdout: stdout.kept,
            stderr: stderr.kept,
        })
    }
}

fn kill(child: &Child) {
    // The child is not waited for yet, so its process ID is not reused; it may have ended by itself.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
}

fn watch(child: &mut Child) -> io::Result<(ProcessEnd, [Pipe; 2])> {
    let end = ProcessEnd::open(child)?;
    let stdout = Pipe::new(child.stdout.take().map(OwnedFd::from))?;
    let stderr = Pipe::new(child.stderr.take().map(OwnedFd::from))?;
    Ok((end, [stdout, stderr]))
}

/// Returns the resources that ended children have used, which `rustix` can't tell.
#[allow(unsafe_code)]
fn children() -> io::Result<libc::rusage> {
    // SAFETY: `rusage` contains numbers only, so all-zero bytes are a valid one.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the call writes to a struct that we own.
    match unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage) } {
        0 => Ok(usage),
        _ => Err(io::Error::last_os_error()),
    }
}

fn seconds(time: libc::timeval) -> f64 {
    time.tv_sec as f64 + time.tv_usec as f64 / 1e6
}

impl Pipe {
    fn new(file: Option<OwnedFd>) -> io::Result<Self> {
        if let Some(file) = &file {
            fcntl_setfl(file, fcntl_getfl(file)? | OFlags::NONBLOCK)?;
        }
        Ok(Pipe { file, kept: Vec::new() })
    }

    /// Reads everything available.
    fn take(&mut self) -> io::Result<()> {
        let mut gulp = [0; GULP];
        while let Some(file) = &self.file {
            match read(file, &mut gulp) {
                Ok(0) => self.file = None,
                Ok(taken) => {
                    let room = CAPTURED - self.kept.len();
                    self.kept.extend_from_slice(&gulp[..taken.min(room)]);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

fn read(file: &OwnedFd, gulp: &mut [u8]) -> io::Result<usize> {
    Ok(rustix::io::read(file.as_fd(), gulp)?)
}
