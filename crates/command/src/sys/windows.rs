//! Windows.

use std::ffi::OsString;
use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::park;
use windows_sys::Win32::Globalization::CP_UTF8;
use windows_sys::Win32::System::Console::{
    CTRL_BREAK_EVENT, CTRL_C_EVENT, ENABLE_VIRTUAL_TERMINAL_PROCESSING, GetConsoleMode, GetConsoleOutputCP,
    GetStdHandle, STD_ERROR_HANDLE, STD_HANDLE, STD_OUTPUT_HANDLE, SetConsoleCtrlHandler, SetConsoleMode,
    SetConsoleOutputCP,
};
use windows_sys::core::BOOL;

/// The receiver of Ctrl-C; the handler of the system can't have it as an argument.
static SENDER: Mutex<Option<Sender<()>>> = Mutex::new(None);

/// The code page of the console before this process; 0 if it wasn't changed.
static CODE_PAGE: AtomicU32 = AtomicU32::new(0);

/// Ctrl-C, Ctrl-Break, and the ends of the window, of the session and of the system, which end a run in good order.
pub struct Interrupts(Receiver<()>);

impl Interrupts {
    /// Catches them from now on.
    ///
    /// # Errors
    /// If the system refuses the handler.
    #[allow(unsafe_code)]
    pub fn catch() -> io::Result<Interrupts> {
        let (sender, receiver) = channel();
        *SENDER.lock().unwrap_or_else(|broken| broken.into_inner()) = Some(sender);
        // SAFETY: the handler is a function of this process, which stays as long as it does.
        match unsafe { SetConsoleCtrlHandler(Some(interrupted), 1) } {
            0 => Err(io::Error::last_os_error()),
            _ => Ok(Interrupts(receiver)),
        }
    }

    /// Waits for the next one, and returns whether there was one.
    pub fn wait(&mut self) -> bool {
        self.0.recv().is_ok()
    }
}

/// Passes an event on; the system calls it in a thread of its own. After other events than Ctrl-C and Ctrl-Break the
/// system ends the process when this returns, so it doesn't.
#[allow(unsafe_code)]
extern "system" fn interrupted(event: u32) -> BOOL {
    let sent = match SENDER.lock().unwrap_or_else(|broken| broken.into_inner()).as_ref() {
        Some(sender) => sender.send(()).is_ok(),
        None => false,
    };
    while sent && !matches!(event, CTRL_C_EVENT | CTRL_BREAK_EVENT) {
        park();
    }
    sent.into()
}

/// Does nothing: writing to a pipe without a reader is an error here, never a signal.
pub fn die_without_reader() {}

/// Does nothing, see [`die_without_reader`].
pub fn die_of_pipe() {}

/// Does nothing: only memory limits the number of open files.
pub fn raise_open_files() {}

/// Returns whether standard error is a console that obeys control sequences.
pub fn has_screen() -> bool {
    obeys(STD_ERROR_HANDLE)
}

/// Returns whether the console at standard output obeys control sequences; no variable says so.
pub fn obeys_sequences(_: impl Fn(&str) -> Option<OsString>) -> bool {
    obeys(STD_OUTPUT_HANDLE)
}

/// Lets the console of a standard stream obey control sequences (since Windows 10), and returns whether it does.
#[allow(unsafe_code)]
fn obeys(stream: STD_HANDLE) -> bool {
    let mut mode = 0;
    // SAFETY: the calls write to a number that we own; a handle that is closed or no console is an error to them.
    unsafe {
        let console = GetStdHandle(stream);
        GetConsoleMode(console, &raw mut mode) != 0
            && (mode & ENABLE_VIRTUAL_TERMINAL_PROCESSING != 0
                || SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0)
    }
}

/// A console that shows UTF-8, until it is dropped.
pub struct Console;

impl Console {
    /// Tells the console, if there is one, that UTF-8 is written to it.
    #[allow(unsafe_code)]
    pub fn begin() -> Console {
        // SAFETY: the calls take and return numbers.
        unsafe {
            let before = GetConsoleOutputCP();
            if before != 0 && before != CP_UTF8 && SetConsoleOutputCP(CP_UTF8) != 0 {
                CODE_PAGE.store(before, Ordering::Relaxed);
            }
        }
        Console
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        end_console();
    }
}

/// Gives the console back the code page that it had.
#[allow(unsafe_code)]
pub fn end_console() {
    let before = CODE_PAGE.swap(0, Ordering::Relaxed);
    if before != 0 {
        // SAFETY: the call takes and returns numbers.
        unsafe { SetConsoleOutputCP(before) };
    }
}
