//! Linux.

use std::io;

/// The lowest priority (nice 19), and the idle class of disk access.
pub(crate) fn give_way() -> io::Result<()> {
    set_priority(19, ioprio::IDLE << ioprio::CLASS_SHIFT)
}

pub(crate) fn hold_back() -> io::Result<()> {
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
    pub(super) const PROCESS: libc::c_int = 1;
    /// The class of most threads.
    pub(super) const BEST_EFFORT: libc::c_int = 2;
    /// The last of eight levels of that class.
    pub(super) const LAST: libc::c_int = 7;
    /// The class of threads that use the disk only when it is idle.
    pub(super) const IDLE: libc::c_int = 3;
    /// Bits of the data, below those of the class.
    pub(super) const CLASS_SHIFT: u32 = 13;
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
