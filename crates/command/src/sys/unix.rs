//! Linux and macOS.

use std::ffi::{OsString, c_int};
use std::io::{self, Read};
use std::os::fd::IntoRawFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

/// Whether a signal came that nobody has waited for yet.
static IS_PENDING: AtomicBool = AtomicBool::new(false);
/// The descriptor to which the handler of signals writes.
static WAKER: AtomicI32 = AtomicI32::new(-1);

/// The signals that end a run in good order, as bytes from their handler.
pub struct Interrupts(UnixStream);

impl Interrupts {
    /// Catches SIGINT, SIGTERM and SIGHUP from now on, but for those that were ignored when this process was started.
    ///
    /// # Errors
    /// If the system refuses the handlers.
    pub fn catch() -> io::Result<Interrupts> {
        let (woken, waker) = UnixStream::pair()?;
        WAKER.store(waker.into_raw_fd(), Ordering::Release);
        let caught = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];
        caught.into_iter().filter(|signal| !is_ignored(*signal)).try_for_each(handle)?;
        Ok(Interrupts(woken))
    }

    /// Waits for the next one, and returns whether there was one.
    pub fn wait(&mut self) -> bool {
        let has_come = self.0.read_exact(&mut [0]).is_ok();
        IS_PENDING.store(false, Ordering::Release);
        has_come
    }
}

/// Lets [`wake`] handle a signal.
#[allow(unsafe_code)]
fn handle(signal: c_int) -> io::Result<()> {
    // SAFETY: all-zero bytes are a valid `sigaction` (the default action, an empty mask).
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = wake as extern "C" fn(c_int) as libc::sighandler_t;
    action.sa_flags = libc::SA_RESTART;
    // SAFETY: the handler calls what a handler may call, and the old action is not asked for.
    match unsafe { libc::sigaction(signal, &action, std::ptr::null_mut()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Writes a byte, unless one is there. The call neither waits nor fails, as its socket is empty, so that it leaves the error
/// number of the interrupted code alone.
#[allow(unsafe_code)]
extern "C" fn wake(_: c_int) {
    if !IS_PENDING.swap(true, Ordering::AcqRel) {
        // SAFETY: `write` may be called by handlers, reads one byte of ours, and the descriptor is never closed.
        unsafe { libc::write(WAKER.load(Ordering::Acquire), [0_u8].as_ptr().cast(), 1) };
    }
}

/// Returns whether this process was started with the signal ignored (`nohup`, background jobs of scripts).
#[allow(unsafe_code)]
fn is_ignored(signal: c_int) -> bool {
    // SAFETY: all-zero bytes are a valid `sigaction` (the default action, an empty mask).
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: no new action is given, and the old one is written to a struct that we own.
    let code = unsafe { libc::sigaction(signal, std::ptr::null(), &mut action) };
    code == 0 && action.sa_sigaction == libc::SIG_IGN
}

/// Lets SIGPIPE end this process, as it does programs in C. Rust's runtime ignores it.
#[allow(unsafe_code)]
pub fn die_without_reader() {
    // SAFETY: no handler is installed, and no memory is touched.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
}

/// Ends this process by SIGPIPE. Returns only if that fails.
#[allow(unsafe_code)]
pub fn die_of_pipe() {
    die_without_reader();
    // SAFETY: all-zero bytes are a valid set, which is written before it is read; the rest touches no memory.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        libc::sigaddset(&mut set, libc::SIGPIPE);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &set, std::ptr::null_mut());
        libc::raise(libc::SIGPIPE);
    }
}

/// Raises the limit on open files to the maximum that the system allows.
#[allow(unsafe_code)]
pub fn raise_open_files() {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `getrlimit` writes to a struct that we own, `setrlimit` reads it.
    unsafe {
        if libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) == 0 && limit.rlim_cur < limit.rlim_max {
            limit.rlim_cur = limit.rlim_max;
            // If that is refused, fewer files are open at a time.
            libc::setrlimit(libc::RLIMIT_NOFILE, &limit);
        }
    }
}

/// Returns whether this process may draw on the terminal at standard error: it is not in the background, and no pager
/// or editor uses the screen (those read each key at once instead of lines).
#[allow(unsafe_code)]
pub fn has_screen() -> bool {
    // SAFETY: all-zero bytes are a valid `termios`: it holds integers only.
    let mut modes: libc::termios = unsafe { std::mem::zeroed() };
    // SAFETY: the call writes to a struct that we own; the others touch no memory.
    let (told, group, own) = unsafe { (libc::tcgetattr(2, &mut modes), libc::tcgetpgrp(2), libc::getpgrp()) };
    // The owner of another session's terminal is unknown.
    (told != 0 || modes.c_lflag & libc::ICANON != 0) && (group == own || group == -1)
}

/// Returns whether the terminal obeys control sequences, by the variable that names its type.
pub fn obeys_sequences(variable: impl Fn(&str) -> Option<OsString>) -> bool {
    variable("TERM").is_some_and(|term| !term.is_empty() && term != "dumb")
}

/// A terminal that shows UTF-8 as it is.
pub struct Console;

impl Console {
    /// Does nothing: terminals show UTF-8.
    pub fn begin() -> Console {
        Console
    }
}

/// Does nothing, see [`Console::begin`].
pub fn end_console() {}
