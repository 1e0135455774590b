//! Running programs.
#![allow(unsafe_code)]

use super::load::add_child;
use super::{TICK, check, duration};
use crate::program::{CAPTURED, Ended, FinishedProgram};
use std::io::{self, Read};
use std::mem::zeroed;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::os::windows::process::CommandExt;
use std::process::{Child, Command};
use std::ptr::{null, null_mut};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle, sleep};
use std::time::{Duration, Instant};
use windows_sys::Win32::Foundation::{FILETIME, WAIT_OBJECT_0, WAIT_TIMEOUT};
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOBOBJECT_BASIC_ACCOUNTING_INFORMATION,
    JobObjectBasicAccountingInformation, QueryInformationJobObject, TerminateJobObject,
};
use windows_sys::Win32::System::Threading::{CREATE_NEW_PROCESS_GROUP, GetProcessTimes, WaitForSingleObject};

/// The number of bytes read from a pipe at a time.
const GULP: usize = 64 << 10;

/// The time after the end of a program in which the rest of its output is read, where a process that it started keeps the
/// pipe open.
const GRACE: Duration = Duration::from_millis(200);

/// The time between two looks at pipes after the end.
const GLANCE: Duration = Duration::from_millis(1);

/// The exit code of programs that this process ends.
const KILLED: u32 = 1;

/// A running program, in a job with all that it starts.
pub(crate) struct RunningProgram {
    /// The time just before its start.
    pub(crate) started: Instant,
    child: Child,
    /// `None` where the system refuses a job.
    job: Option<OwnedHandle>,
    pipes: [Pipe; 2],
}

/// A pipe that a thread reads, so that the program never waits for room in it.
struct Pipe {
    reader: JoinHandle<()>,
    kept: Arc<Mutex<Vec<u8>>>,
}

impl RunningProgram {
    /// Starts a program.
    pub(crate) fn start(mut command: Command) -> io::Result<RunningProgram> {
        // This process handles Ctrl-C at the terminal, and ends the program.
        command.creation_flags(CREATE_NEW_PROCESS_GROUP);
        let started = Instant::now();
        let mut child = command.spawn()?;
        // Processes that the program starts before it is in the job stay outside; loading a program takes longer than this.
        let job = job_of(&child).ok();
        let pipes = Pipe::new(child.stdout.take())
            .and_then(|stdout| Ok([stdout, Pipe::new(child.stderr.take())?]))
            .inspect_err(|_| drop(child.kill()))?;
        Ok(RunningProgram { started, child, job, pipes })
    }

    /// Waits for the end; returns whether it is there.
    pub(crate) fn wait(&mut self, most: Duration) -> io::Result<bool> {
        // SAFETY: the handle is open as long as the child is borrowed.
        match unsafe { WaitForSingleObject(self.child.as_raw_handle(), most.as_millis() as u32) } {
            WAIT_OBJECT_0 => Ok(true),
            WAIT_TIMEOUT => Ok(false),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Ends the program and all that it started.
    pub(crate) fn kill(&mut self) {
        if let Some(job) = &self.job {
            // SAFETY: the handle is open. Where the call fails, the program has ended by itself.
            unsafe { TerminateJobObject(job.as_raw_handle(), KILLED) };
        }
        // It may have ended by itself.
        let _ = self.child.kill();
    }

    /// Waits for the end of the program, which is near.
    pub(crate) fn finish(mut self) -> io::Result<FinishedProgram> {
        let status = self.child.wait()?;
        let (user, system) = self.used()?;
        add_child(user + system);
        let end = Instant::now() + GRACE;
        while self.pipes.iter().any(|pipe| !pipe.reader.is_finished()) && Instant::now() < end {
            sleep(GLANCE);
        }
        let [stdout, stderr] = self.pipes.map(Pipe::take);
        // A program always has an exit code here.
        let ended = Ended::Code(status.code().unwrap_or_default());
        let (user, system) = (user.as_secs_f64(), system.as_secs_f64());
        Ok(FinishedProgram { ended, user, system, stdout, stderr })
    }

    /// Returns user and system time of the program, and of what it started if there is a job.
    fn used(&self) -> io::Result<(Duration, Duration)> {
        // SAFETY: the structures contain numbers only, so all-zero bytes are valid ones.
        let [mut created, mut ended, mut kernel, mut user]: [FILETIME; 4] = unsafe { zeroed() };
        let process = self.child.as_raw_handle();
        // SAFETY: the handle is open, and the call writes to structures that we own.
        check(unsafe {
            GetProcessTimes(process, &raw mut created, &raw mut ended, &raw mut kernel, &raw mut user)
        })?;
        let all = self.job.as_ref().map_or((Duration::ZERO, Duration::ZERO), used_in);
        Ok((duration(user).max(all.0), duration(kernel).max(all.1)))
    }
}

/// Puts a process into a new job.
fn job_of(child: &Child) -> io::Result<OwnedHandle> {
    // SAFETY: neither attributes nor a name are given.
    let job = unsafe { CreateJobObjectW(null(), null()) };
    if job.is_null() {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the handle is new and has no other owner.
    let job = unsafe { OwnedHandle::from_raw_handle(job) };
    // SAFETY: both handles are open.
    check(unsafe { AssignProcessToJobObject(job.as_raw_handle(), child.as_raw_handle()) })?;
    Ok(job)
}

/// Returns user and system time of all processes that were in a job; zeros if the system doesn't tell.
fn used_in(job: &OwnedHandle) -> (Duration, Duration) {
    // SAFETY: the structure contains numbers only, so all-zero bytes are a valid one.
    let mut found: JOBOBJECT_BASIC_ACCOUNTING_INFORMATION = unsafe { zeroed() };
    let size = size_of_val(&found) as u32;
    let place = (&raw mut found).cast();
    // SAFETY: the handle is open, and the call writes to a structure that we own, at most its size. If it fails, zeros
    // stay.
    unsafe {
        QueryInformationJobObject(
            job.as_raw_handle(),
            JobObjectBasicAccountingInformation,
            place,
            size,
            null_mut(),
        )
    };
    let time = |ticks: i64| Duration::from_nanos(ticks.cast_unsigned().saturating_mul(TICK));
    (time(found.TotalUserTime), time(found.TotalKernelTime))
}

impl Pipe {
    fn new(source: Option<impl Read + Send + 'static>) -> io::Result<Pipe> {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let shared = Arc::clone(&kept);
        let reader = Builder::new().spawn(move || {
            if let Some(source) = source {
                read_all(source, &shared);
            }
        })?;
        Ok(Pipe { reader, kept })
    }

    fn take(self) -> Vec<u8> {
        std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Reads to the end, and keeps what there is room for.
fn read_all(mut source: impl Read, kept: &Mutex<Vec<u8>>) {
    let mut gulp = vec![0; GULP];
    while let Ok(taken @ 1..) = source.read(&mut gulp) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        let room = CAPTURED - kept.len();
        kept.extend_from_slice(&gulp[..taken.min(room)]);
    }
}

#[cfg(test)]
mod tests {
    use crate::race::{Ended, Invocation, Runner, System};
    use std::time::{Duration, Instant};

    const LONG: Duration = Duration::from_secs(60);

    fn cmd(script: &str) -> Invocation {
        Invocation::new("cmd", ["/c", script])
    }

    #[test]
    fn output_and_exit_code_are_kept() {
        let ran = System::default().run(&cmd("echo out&echo err>&2&exit 7"), LONG);
        assert_eq!((ran.stdout.as_slice(), ran.stderr.as_slice()), (&b"out\r\n"[..], &b"err\r\n"[..]));
        assert_eq!(ran.ended, Ended::Code(7));
        assert!(ran.wall > 0.0 && ran.user + ran.system >= 0.0);
    }

    #[test]
    fn one_that_hangs_is_ended() {
        let (limit, start) = (Duration::from_millis(500), Instant::now());
        let ran = System::default().run(&cmd("for /l %i in () do @rem"), limit);
        assert_eq!(ran.ended, Ended::Hung(limit));
        assert!(start.elapsed() < LONG);
    }

    #[test]
    fn one_that_is_not_there_says_so() {
        let ran = System::default().run(&Invocation::new("C:/nowhere/nothing.exe", [""; 0]), LONG);
        assert!(matches!(ran.ended, Ended::NotRun(_)), "{ran:?}");
    }
}
