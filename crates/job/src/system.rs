//! System calls that the standard library lacks.

use std::io;

/// Gives this thread, and those that it starts from now on, the lowest priority (nice 19) and the idle class of disk
/// access: they run only when other processes leave the resources idle.
///
/// # Errors
/// If the system refuses.
pub fn give_way() -> io::Result<()> {
    set_priority(19, ioprio::IDLE << ioprio::CLASS_SHIFT)
}

/// Gives this thread a low priority that still lets it progress while others are busy.
///
/// # Errors
/// If the system refuses.
pub fn hold_back() -> io::Result<()> {
    set_priority(10, (ioprio::BEST_EFFORT << ioprio::CLASS_SHIFT) | ioprio::LAST)
}

#[allow(unsafe_code)]
fn set_priority(nice: libc::c_int, disk: libc::c_int) -> io::Result<()> {
    // SAFETY: neither call touches memory; 0 is the calling thread.
    let codes = unsafe {
        [
            libc::setpriority(libc::PRIO_PROCESS, 0, nice).into(),
            libc::syscall(libc::SYS_ioprio_set, ioprio::PROCESS, 0, disk),
        ]
    };
    if codes.contains(&-1) { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Numbers of Linux's `include/uapi/linux/ioprio.h`.
mod ioprio {
    /// Selects a thread as the target of the call.
    pub const PROCESS: libc::c_int = 1;
    /// The class of most threads.
    pub const BEST_EFFORT: libc::c_int = 2;
    /// The last of eight levels of that class.
    pub const LAST: libc::c_int = 7;
    /// The class of threads that use the disk only when it is idle.
    pub const IDLE: libc::c_int = 3;
    /// Bits of the data, below those of the class.
    pub const CLASS_SHIFT: u32 = 13;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(unsafe_code)]
    fn giving_way_holds_for_threads_that_follow() {
        // On a thread of its own: there is no way back.
        let thread = std::thread::spawn(|| {
            give_way().unwrap();
            std::thread::spawn(|| {
                // SAFETY: neither call touches memory.
                unsafe {
                    let nice = libc::getpriority(libc::PRIO_PROCESS, 0);
                    (nice, libc::syscall(libc::SYS_ioprio_get, ioprio::PROCESS, 0) >> ioprio::CLASS_SHIFT)
                }
            })
        });
        let found = thread.join().unwrap().join().unwrap();
        assert_eq!(found, (19, ioprio::IDLE.into()));
    }
}
