//! The clock of file times.

use hashmill_os::retry_interrupted;
use std::io;
use std::mem::MaybeUninit;
use std::sync::OnceLock;
use std::time::Duration;

/// Returns the time since 1970 on the clock that the kernel uses for file times; 0 if there is none.
pub(crate) fn now() -> Duration {
    coarse_time().unwrap_or_default()
}

fn coarse_time() -> io::Result<Duration> {
    let mut time = MaybeUninit::uninit();
    // SAFETY: `time` has room for what the call writes.
    retry_interrupted(|| unsafe { libc::clock_gettime(libc::CLOCK_REALTIME_COARSE, time.as_mut_ptr()) })?;
    // SAFETY: the call succeeded, so it wrote the whole structure.
    Ok(duration(unsafe { time.assume_init_ref() }))
}

/// Returns the resolution of [`now`], queried once; 10 ms, the longest of any kernel, if unavailable.
pub(crate) fn tick() -> Duration {
    static TICK: OnceLock<Duration> = OnceLock::new();
    *TICK.get_or_init(|| {
        let mut tick = MaybeUninit::uninit();
        // SAFETY: `tick` has room for what the call writes.
        let asked = unsafe { libc::clock_getres(libc::CLOCK_REALTIME_COARSE, tick.as_mut_ptr()) };
        // SAFETY: as asked, the call wrote the whole structure.
        if asked == 0 { duration(unsafe { tick.assume_init_ref() }) } else { Duration::from_millis(10) }
    })
}

#[allow(clippy::unnecessary_cast, reason = "types of fields differ between architectures")]
fn duration(time: &libc::timespec) -> Duration {
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), time.tv_nsec as u32)
}
