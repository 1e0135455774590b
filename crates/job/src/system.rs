//! System calls that the standard library lacks.

use std::fs::File;
use std::io;
use std::os::fd::IntoRawFd;
use std::sync::OnceLock;

/// The lock of a file, as other processes that want it see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lock {
    /// This process has the lock until it closes the file.
    Taken,
    /// The file system has no locks.
    Unsupported,
}

/// Locks a file for this process, unless another process has locked it.
///
/// # Errors
/// `WouldBlock` if another process has it.
pub fn lock(file: &File) -> io::Result<Lock> {
    loop {
        let error = match file.try_lock() {
            Ok(()) => return Ok(Lock::Taken),
            Err(error) => io::Error::from(error),
        };
        match error.kind() {
            io::ErrorKind::Interrupted => {}
            io::ErrorKind::Unsupported => return Ok(Lock::Unsupported),
            _ if is_unsupported(&error) => return Ok(Lock::Unsupported),
            _ => return Err(error),
        }
    }
}

/// Returns whether an error means that there are no locks: the lock manager of an NFS server is not running, an NFS
/// server makes locks of ranges and gives none for files that can't be written (`EBADF`), or the file system does not
/// support locks.
fn is_unsupported(error: &io::Error) -> bool {
    let none = [libc::ENOLCK, libc::EOPNOTSUPP, libc::ENOSYS, libc::EINVAL, libc::EBADF];
    error.raw_os_error().is_some_and(|code| none.contains(&code))
}

/// Asks the file system whether all of a file could be written. NFS and FUSE may report an error only when a descriptor
/// is closed, where the standard library ignores errors: so a duplicate is closed. The file stays open and locked.
///
/// # Errors
/// If something could not be written.
#[allow(unsafe_code)]
pub fn settle(file: &File) -> io::Result<()> {
    let second = match file.try_clone() {
        // No descriptor is left for the duplicate.
        Err(error) if matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE)) => return Ok(()),
        second => second?,
    };
    // SAFETY: the descriptor is owned here, and given up by this call.
    if unsafe { libc::close(second.into_raw_fd()) } == 0 {
        return Ok(());
    }
    match io::Error::last_os_error() {
        // The descriptor is closed nevertheless.
        error if error.kind() == io::ErrorKind::Interrupted => Ok(()),
        error => Err(error),
    }
}

/// Returns the permissions that new files of this process don't get.
#[allow(unsafe_code)]
pub fn umask() -> u32 {
    static MASK: OnceLock<u32> = OnceLock::new();
    *MASK.get_or_init(|| {
        // SAFETY: `umask` touches no memory. The mask can only be read by setting it: a file that another thread makes
        // in between is for its owner alone, which is safe.
        unsafe {
            let mask = libc::umask(0o077);
            libc::umask(mask);
            // Wider than the system's type on some systems, never narrower.
            #[allow(clippy::useless_conversion)]
            mask.into()
        }
    })
}

/// Returns the effective user of this process, who owns the files that it makes.
pub fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

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
