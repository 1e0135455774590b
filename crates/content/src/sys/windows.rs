//! Windows.

use std::io;
use windows_sys::Win32::Foundation::ERROR_PROCESS_MODE_ALREADY_BACKGROUND;
use windows_sys::Win32::System::Threading::{
    GetCurrentProcess, GetCurrentThread, IDLE_PRIORITY_CLASS, PROCESS_MODE_BACKGROUND_BEGIN,
    SetPriorityClass, SetThreadPriority, THREAD_PRIORITY_BELOW_NORMAL,
};
use windows_sys::core::BOOL;

/// The idle class of the process, and background mode, in which access to disks and memory give way, too.
#[allow(unsafe_code)]
pub(crate) fn give_way() -> io::Result<()> {
    // SAFETY: the calls touch no memory; the handle stands for this process.
    check(unsafe { SetPriorityClass(GetCurrentProcess(), IDLE_PRIORITY_CLASS) })?;
    // SAFETY: as above.
    match check(unsafe { SetPriorityClass(GetCurrentProcess(), PROCESS_MODE_BACKGROUND_BEGIN) }) {
        // It is in that mode already.
        Err(error) if error.raw_os_error() == Some(ERROR_PROCESS_MODE_ALREADY_BACKGROUND as i32) => Ok(()),
        done => done,
    }
}

/// Only the processor: in background mode, a thread may not progress while others are busy.
#[allow(unsafe_code)]
pub(crate) fn hold_back() -> io::Result<()> {
    // SAFETY: the calls touch no memory; the handle stands for this thread.
    check(unsafe { SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_BELOW_NORMAL) })
}

fn check(answer: BOOL) -> io::Result<()> {
    if answer == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
