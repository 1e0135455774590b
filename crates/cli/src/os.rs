//! System calls that the standard library lacks.

/// Returns whether this process was started with the signal ignored (`nohup`, background jobs of scripts).
#[allow(unsafe_code)]
pub fn ignored(signal: libc::c_int) -> bool {
    // SAFETY: all-zero bytes are a valid `sigaction` (the default action, an empty mask).
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: no new action is given, and the old one is written to a struct that we own.
    let code = unsafe { libc::sigaction(signal, std::ptr::null(), &mut action) };
    code == 0 && action.sa_sigaction == libc::SIG_IGN
}

/// Restores the default action of a signal. The runtime ignores SIGPIPE, for example.
#[allow(unsafe_code)]
pub fn restore(signal: libc::c_int) {
    // SAFETY: no handler is installed, and no memory is touched.
    unsafe { libc::signal(signal, libc::SIG_DFL) };
}

/// Ends this process by the default action of the signal. Returns only if that fails.
#[allow(unsafe_code)]
pub fn die_of(signal: libc::c_int) {
    restore(signal);
    // SAFETY: all-zero bytes are a valid set, which is written before it is read; the rest touches no memory.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        libc::sigaddset(&mut set, signal);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &set, std::ptr::null_mut());
        libc::raise(signal);
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

/// Returns how many bytes this process has read so far, from any source; none if the system does not say.
pub fn bytes_read() -> Option<u64> {
    let told = std::fs::read_to_string("/proc/self/io").ok()?;
    told.lines().find_map(|line| line.strip_prefix("rchar: "))?.trim().parse().ok()
}

/// Returns where the file system of a device is mounted; none if the system does not say.
pub fn mount_point(major: u32, minor: u32) -> Option<String> {
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").ok()?;
    let wanted = format!("{major}:{minor}");
    let point = mounts.lines().find_map(|line| {
        let mut fields = line.split(' ');
        (fields.nth(2)? == wanted).then(|| fields.nth(1)).flatten()
    })?;
    Some(hashloom_job::Shown(point.as_bytes()).to_string())
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
