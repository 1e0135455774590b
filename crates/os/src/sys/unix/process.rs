//! The process, its user and its machine.

use super::calls::retry_interrupted;
use crate::Usage;
use crate::host::folder_of;
use crate::sys::{INFINITY, Limit, PEAK_UNIT, getrlimit};
use std::io;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

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

#[allow(unsafe_code)]
pub fn user_number() -> Option<u32> {
    // SAFETY: it takes nothing, touches no memory, and can't fail.
    Some(unsafe { libc::geteuid() })
}

#[allow(unsafe_code)]
pub fn usage() -> io::Result<Usage> {
    // SAFETY: `rusage` contains numbers only, so all-zero bytes are a valid one.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the call writes to a struct that we own.
    retry_interrupted(|| unsafe { libc::getrusage(libc::RUSAGE_SELF, &raw mut usage) })?;
    let count = |number| u64::try_from(number).unwrap_or(0);
    Ok(Usage {
        user: duration(usage.ru_utime),
        system: duration(usage.ru_stime),
        peak: count(usage.ru_maxrss).saturating_mul(PEAK_UNIT),
        minor_faults: count(usage.ru_minflt),
        major_faults: count(usage.ru_majflt),
        swaps: count(usage.ru_nswap),
        reads: count(usage.ru_inblock),
        writes: count(usage.ru_oublock),
    })
}

#[allow(unsafe_code)]
pub fn most_open() -> Option<u64> {
    let mut limit = Limit { rlim_cur: INFINITY, rlim_max: INFINITY };
    // SAFETY: `limit` has room for what the call writes.
    retry_interrupted(|| unsafe { getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) }).ok()?;
    (limit.rlim_cur != INFINITY).then_some(limit.rlim_cur)
}

fn duration(time: libc::timeval) -> Duration {
    let (seconds, micros) = (u64::try_from(time.tv_sec), u64::try_from(time.tv_usec));
    Duration::from_secs(seconds.unwrap_or(0)) + Duration::from_micros(micros.unwrap_or(0))
}

pub fn home() -> Option<PathBuf> {
    folder_of("HOME")
}

pub fn states() -> Option<PathBuf> {
    folder_of("XDG_STATE_HOME").or_else(|| Some(home()?.join(".local/state")))
}

pub fn settings() -> Option<PathBuf> {
    folder_of("XDG_CONFIG_HOME").or_else(|| Some(home()?.join(".config")))
}
