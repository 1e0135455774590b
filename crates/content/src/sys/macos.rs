//! macOS.

use std::io;

/// The policies of `sys/resource.h` that libc lacks.
mod policy {
    use libc::c_int;

    /// The policy of disk access.
    pub(super) const DISK: c_int = 0;
    /// Selects the whole process as the target of the call.
    pub(super) const PROCESS: c_int = 0;
    /// Selects the calling thread.
    pub(super) const THREAD: c_int = 1;
    /// Access that waits for all other access.
    pub(super) const THROTTLE: c_int = 3;
    /// Access that is slower than that of others where they compete.
    pub(super) const UTILITY: c_int = 4;
}

/// The lowest priority (nice 19), and throttled access to the disk, of the process.
#[allow(unsafe_code)]
pub(crate) fn give_way() -> io::Result<()> {
    // SAFETY: the call touches no memory; 0 is this process.
    check(unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, 19) })?;
    set_disk(policy::PROCESS, policy::THROTTLE)
}

/// Only access to the disk: a thread has no priority of its own that would be low and still let it progress.
pub(crate) fn hold_back() -> io::Result<()> {
    set_disk(policy::THREAD, policy::UTILITY)
}

#[allow(unsafe_code)]
fn set_disk(scope: libc::c_int, policy: libc::c_int) -> io::Result<()> {
    unsafe extern "C" {
        fn setiopolicy_np(kind: libc::c_int, scope: libc::c_int, policy: libc::c_int) -> libc::c_int;
    }
    // SAFETY: the declaration is that of `sys/resource.h`, and the call touches no memory.
    check(unsafe { setiopolicy_np(policy::DISK, scope, policy) })
}

fn check(code: libc::c_int) -> io::Result<()> {
    if code == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
