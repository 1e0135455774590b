//! Streams that may have to be waited for, and an alarm that ends the wait.

use super::calls::handle;
use hashmill_os::Stream;
use std::fs::File;
use std::io;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use windows_sys::Win32::Foundation::WAIT_TIMEOUT;
use windows_sys::Win32::Storage::FileSystem::{FILE_TYPE_CHAR, FILE_TYPE_PIPE, GetFileType};
use windows_sys::Win32::System::Pipes::PeekNamedPipe;
use windows_sys::Win32::System::Threading::{Sleep, WaitForSingleObject};

/// Milliseconds between two looks at a stream: nothing on Windows waits for a pipe and something else.
const PAUSE: u32 = 10;

/// An alarm that wakes all threads that wait for a stream.
#[derive(Debug)]
pub(crate) struct Alarm(AtomicBool);

impl Alarm {
    pub(crate) fn new() -> io::Result<Alarm> {
        Ok(Alarm(AtomicBool::new(false)))
    }

    /// Ends all waits, now and later.
    pub(crate) fn ring(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Waits until a stream has data or is at its end; returns false if the alarm rang. A stream that can't be waited for
    /// is one to read.
    pub(crate) fn wait(&self, stream: &File) -> bool {
        // SAFETY: the call takes an open handle and touches no memory.
        let kind = unsafe { GetFileType(handle(stream)) };
        loop {
            if self.0.load(Ordering::SeqCst) {
                return false;
            }
            let is_ready = match kind {
                FILE_TYPE_PIPE => is_pipe_ready(stream),
                // SAFETY: the handle is open while `stream` is borrowed.
                FILE_TYPE_CHAR => unsafe { WaitForSingleObject(handle(stream), PAUSE) != WAIT_TIMEOUT },
                _ => true,
            };
            if is_ready {
                return true;
            }
        }
    }
}

/// Returns whether a pipe has data or is at its end; if not, after a pause.
fn is_pipe_ready(pipe: &File) -> bool {
    let mut there = 0;
    let none = ptr::null_mut();
    // SAFETY: the handle is open, and the only place to write to is a number of ours.
    let asked =
        unsafe { PeekNamedPipe(handle(pipe), none, 0, ptr::null_mut(), &raw mut there, ptr::null_mut()) };
    let is_ready = asked == 0 || there > 0;
    if !is_ready {
        // SAFETY: only waits.
        unsafe { Sleep(PAUSE) };
    }
    is_ready
}

/// Opens standard input once more.
pub(crate) fn stdin() -> io::Result<File> {
    hashmill_os::standard(Stream::Input)
}

/// Returns the reading end of a pipe as a file.
#[cfg(test)]
pub(crate) fn file_of_pipe(reader: io::PipeReader) -> File {
    File::from(std::os::windows::io::OwnedHandle::from(reader))
}
