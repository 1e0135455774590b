//! The system calls that the standard library lacks.

use crate::warning::{Warning, warn};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::sync::{Once, OnceLock};

/// What came of asking for a lock that nobody else has.
#[derive(Debug)]
pub enum Lock {
    /// This process has it.
    Taken,
    /// The file system has no locks, or its server has none to give.
    Unsupported(io::Error),
}

/// Takes the file's lock for this process, if nobody has it.
///
/// # Errors
/// `WouldBlock` if another process has it.
#[allow(unsafe_code)]
pub fn lock(file: &File) -> io::Result<Lock> {
    loop {
        // SAFETY: `flock` takes a descriptor, open here for the whole call, and touches no memory.
        let code = unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) };
        if code == 0 {
            return Ok(Lock::Taken);
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return refused(error);
        }
    }
}

/// What a refusal means. NFS, which makes locks of ranges of them, has none for what can't be written to (`EBADF`).
fn refused(error: io::Error) -> io::Result<Lock> {
    match error.raw_os_error() {
        Some(libc::ENOLCK | libc::EOPNOTSUPP | libc::ENOSYS | libc::EINVAL | libc::EBADF) => {
            Ok(Lock::Unsupported(error))
        }
        _ => Err(error),
    }
}

/// As [`lock`], but goes on where there are no locks, and warns of that once.
///
/// # Errors
/// As [`lock`].
pub fn lock_if_possible(file: &File, path: &Path) -> io::Result<()> {
    static WARNED: Once = Once::new();
    if let Lock::Unsupported(why) = lock(file)? {
        WARNED.call_once(|| warn(&Warning::NoLocks { path, why: &why }));
    }
    Ok(())
}

/// The permissions that new files of this process don't get.
#[allow(unsafe_code)]
pub fn umask() -> u32 {
    static MASK: OnceLock<u32> = OnceLock::new();
    *MASK.get_or_init(|| {
        // SAFETY: `umask` touches no memory. It can only be asked by setting it: what another thread makes in
        // between is for its owner alone, which is on the safe side.
        unsafe {
            let mask = libc::umask(0o077);
            libc::umask(mask);
            // Wider than the system's type on some systems, never narrower.
            #[allow(clippy::useless_conversion)]
            mask.into()
        }
    })
}

/// The user as whom this process makes files.
pub fn user() -> u32 {
    nix::unistd::geteuid().as_raw()
}

/// Gives this thread, and those that it starts from now on, the lowest priority (nice 19) and the idle class of
/// disk access: they run when nobody else wants to.
///
/// # Errors
/// If the system refuses.
#[allow(unsafe_code)]
pub fn give_way() -> io::Result<()> {
    // SAFETY: neither call touches memory; 0 is the calling thread.
    let codes = unsafe {
        [
            libc::setpriority(libc::PRIO_PROCESS, 0, 19).into(),
            libc::syscall(libc::SYS_ioprio_set, ioprio::PROCESS, 0, ioprio::IDLE << ioprio::CLASS_SHIFT),
        ]
    };
    if codes.contains(&-1) { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Numbers of Linux's `include/uapi/linux/ioprio.h`.
mod ioprio {
    /// "Who" is a thread.
    pub const PROCESS: libc::c_int = 1;
    /// The class of those who get the disk when it is idle.
    pub const IDLE: libc::c_int = 3;
    /// The class stands above the data.
    pub const CLASS_SHIFT: u32 = 13;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_system_without_locks_is_no_other_run() {
        let of = |number| refused(io::Error::from_raw_os_error(number));
        assert!(matches!(of(libc::ENOLCK), Ok(Lock::Unsupported(_))));
        assert!(matches!(of(libc::EOPNOTSUPP), Ok(Lock::Unsupported(_))));
        assert!(of(libc::EWOULDBLOCK).is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock));
        assert!(of(libc::EIO).is_err());
    }

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
