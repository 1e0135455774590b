//! Real runs of programs: started without a shell in their own process group, and watched by one loop.
//!
//! The loop waits for output and for the end at the same time, so that a program with much output is never blocked, and
//! one that hangs is ended on time. User and system time are the increase of the system's counters for ended children,
//! which is correct as long as one program runs at a time.

use super::runner::{CAPTURED, Ended, Invocation, Ran, Runner};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};
use std::fs;
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The interval at which a wait checks for cancellation.
const GLANCE: Duration = Duration::from_millis(100);

/// The number of bytes read from a pipe at a time.
const GULP: usize = 64 << 10;

/// Runs programs of this machine.
#[derive(Debug, Default)]
pub struct System {
    /// Set from outside to end everything.
    pub cancel: Arc<AtomicBool>,
}

impl Runner for System {
    fn run(&mut self, invocation: &Invocation, limit: Duration) -> Ran {
        self.watched(invocation, limit).unwrap_or_else(|error| Ran {
            ended: Ended::NotRun(error.to_string()),
            wall: 0.0,
            user: 0.0,
            system: 0.0,
            stdout: Vec::new(),
            stderr: Vec::new(),
        })
    }
}

impl System {
    fn watched(&self, invocation: &Invocation, limit: Duration) -> io::Result<Ran> {
        if let Some(folder) = &invocation.outputs {
            empty(folder)?;
        }
        let before = children()?;
        let start = Instant::now();
        let mut child = command(invocation).spawn()?;
        let watched = DisturbanceMonitor::new(&mut child)
            .and_then(|mut watch| Ok((watch.until(start, limit, &self.cancel)?, start.elapsed(), watch)));
        if !matches!(watched, Ok((None, ..))) {
            // The child is not waited for yet, so its process ID is not reused; it may have ended by itself.
            let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
        }
        let status = child.wait()?;
        let (stopped, wall, watch) = watched?;
        let after = children()?;
        let (mut stdout, stderr) = watch.rest();
        if let Some(folder) = &invocation.outputs {
            collect(folder, &mut stdout)?;
        }
        let by_itself = || match (status.code(), status.signal()) {
            (Some(code), _) => Ended::Code(code),
            (None, signal) => Ended::Signal(signal.unwrap_or(0)),
        };
        Ok(Ran {
            ended: stopped.unwrap_or_else(by_itself),
            wall: wall.as_secs_f64(),
            user: seconds(after.ru_utime) - seconds(before.ru_utime),
            system: seconds(after.ru_stime) - seconds(before.ru_stime),
            stdout,
            stderr,
        })
    }
}

/// Adds the path to an error.
fn named(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

fn empty(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(named(folder, error)),
        _ => fs::create_dir(folder).map_err(|error| named(folder, error)),
    }
}

/// Appends the contents of all files in a folder.
fn collect(folder: &Path, output: &mut Vec<u8>) -> io::Result<()> {
    for entry in fs::read_dir(folder).map_err(|error| named(folder, error))? {
        let path = entry?.path();
        output.extend(fs::read(&path).map_err(|error| named(&path, error))?);
    }
    Ok(())
}

fn command(invocation: &Invocation) -> Command {
    let mut command = Command::new(&invocation.program);
    command.args(&invocation.arguments).env("LC_ALL", "C").envs(invocation.variables.iter().cloned());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // This process handles Ctrl-C at the terminal, and ends the program.
    command.process_group(0);
    if let Some(directory) = &invocation.directory {
        command.current_dir(directory);
    }
    command
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

/// A running child.
struct DisturbanceMonitor {
    /// A descriptor that becomes readable when the child ends.
    process: OwnedFd,
    pipes: [Pipe; 2],
}

struct Pipe {
    /// `None` once it is closed.
    file: Option<OwnedFd>,
    kept: Vec<u8>,
}

impl DisturbanceMonitor {
    fn new(child: &mut Child) -> io::Result<Self> {
        let process = pidfd_open(Pid::from_child(child), PidfdFlags::empty())?;
        let stdout = Pipe::new(child.stdout.take().map(OwnedFd::from))?;
        let stderr = Pipe::new(child.stderr.take().map(OwnedFd::from))?;
        Ok(DisturbanceMonitor { process, pipes: [stdout, stderr] })
    }

    /// Reads output until the child ends by itself (`None`), or must be ended.
    fn until(&mut self, start: Instant, limit: Duration, cancel: &AtomicBool) -> io::Result<Option<Ended>> {
        loop {
            if cancel.load(Ordering::Relaxed) {
                return Ok(Some(Ended::Interrupted));
            }
            let Some(left) = limit.checked_sub(start.elapsed()) else {
                return Ok(Some(Ended::Hung(limit)));
            };
            let ended = self.wait(left.min(GLANCE))?;
            for pipe in &mut self.pipes {
                pipe.take()?;
            }
            if ended {
                return Ok(None);
            }
        }
    }

    /// Waits for output or the end; returns whether it was the end.
    fn wait(&self, most: Duration) -> io::Result<bool> {
        let mut watched = vec![PollFd::new(&self.process, PollFlags::IN)];
        let open = self.pipes.iter().filter_map(|pipe| pipe.file.as_ref());
        watched.extend(open.map(|file| PollFd::new(file, PollFlags::IN)));
        let most = Timespec { tv_sec: 0, tv_nsec: i64::from(most.subsec_nanos()) };
        match poll(&mut watched, Some(&most)) {
            Ok(_) => Ok(!watched[0].revents().is_empty()),
            Err(rustix::io::Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    fn rest(self) -> (Vec<u8>, Vec<u8>) {
        let [stdout, stderr] = self.pipes;
        (stdout.kept, stderr.kept)
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    fn sh(script: &str) -> Invocation {
        Invocation::new("sh", ["-c", script])
    }

    #[test]
    fn output_and_exit_code_are_kept() {
        let ran = System::default().run(&sh("echo out; echo err >&2; exit 7"), LONG);
        assert_eq!((ran.stdout.as_slice(), ran.stderr.as_slice()), (&b"out\n"[..], &b"err\n"[..]));
        assert_eq!(ran.ended, Ended::Code(7));
        assert!(ran.wall > 0.0);
    }

    #[test]
    fn much_output_does_not_block_and_is_whole() {
        let ran = System::default().run(&sh("seq 300000; seq 300000 >&2"), LONG);
        assert_eq!(ran.ended, Ended::Code(0));
        assert_eq!(ran.stdout, ran.stderr);
        assert!(ran.stdout.ends_with(b"\n300000\n"), "{}", ran.stdout.len());
    }

    #[test]
    fn processor_time_counts_children_of_children() {
        let script = "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done";
        let ran =
            System::default().run(&Invocation::new("xargs", ["-a", "/dev/null", "sh", "-c", script]), LONG);
        assert_eq!(ran.ended, Ended::Code(0), "{ran:?}");
        assert!(ran.user + ran.system > 0.0 && ran.wall < 60.0, "{ran:?}");
    }

    #[test]
    fn files_of_its_processes_are_output_too_those_of_this_run_alone() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("outputs");
        for text in ["one", "two"] {
            let script = format!("echo {text} >{0}/$$; echo more >{0}/other", folder.display());
            let ran =
                System::default().run(&Invocation { outputs: Some(folder.clone()), ..sh(&script) }, LONG);
            let mut lines: Vec<_> = ran.stdout.split(|byte| *byte == b'\n').collect();
            lines.sort_unstable();
            assert_eq!(lines, [&b""[..], b"", b"more", text.as_bytes()][1..].to_vec(), "{ran:?}");
        }
    }

    #[test]
    fn one_that_hangs_is_ended_with_all_that_it_started() {
        let limit = Duration::from_millis(50);
        let ran = System::default().run(&sh("echo begun; sleep 600 & sleep 600"), limit);
        assert_eq!(ran.ended, Ended::Hung(limit));
        assert_eq!(ran.stdout, b"begun\n");
    }

    #[test]
    fn one_whose_children_keep_its_output_open_has_ended_all_the_same() {
        // The grandchild ends by itself.
        let ran = System::default().run(&sh("sleep 2 & echo done"), LONG);
        assert_eq!((ran.ended, ran.stdout.as_slice()), (Ended::Code(0), &b"done\n"[..]));
    }

    #[test]
    fn an_interrupt_ends_it() {
        let mut system = System::default();
        system.cancel.store(true, Ordering::Relaxed);
        assert_eq!(system.run(&sh("sleep 600"), LONG).ended, Ended::Interrupted);
    }

    #[test]
    fn one_that_is_not_there_says_so() {
        let ran = System::default().run(&Invocation::new("/nowhere/nothing", [""; 0]), LONG);
        assert!(matches!(&ran.ended, Ended::NotRun(why) if why.contains("No such file")), "{ran:?}");
        let ran = System::default().run(&sh("kill -9 $$"), LONG);
        assert_eq!(ran.ended, Ended::Signal(9));
    }
}
