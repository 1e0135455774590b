//! Processor time of all programs and of this one.
#![allow(unsafe_code)]

use super::{check, duration};
use crate::load::Load;
use std::mem::zeroed;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use windows_sys::Win32::Foundation::FILETIME;
use windows_sys::Win32::System::Threading::GetSystemTimes;

/// Nanoseconds that finished children have used, which the system does not add up.
static CHILDREN: AtomicU64 = AtomicU64::new(0);

/// Returns the processor time of this process so far.
pub(crate) fn processor_time() -> Option<Duration> {
    hashmill_os::usage().ok().map(|usage| usage.user + usage.system)
}

/// Counts the processor time of a child that has ended.
pub(super) fn add_child(used: Duration) {
    CHILDREN.fetch_add(used.as_nanos() as u64, Ordering::Relaxed);
}

/// Returns the processor time so far. The host of a virtual machine does not tell what it took.
pub(crate) fn load() -> Option<Load> {
    // SAFETY: the structures contain numbers only, so all-zero bytes are valid ones.
    let [mut idle, mut kernel, mut user]: [FILETIME; 3] = unsafe { zeroed() };
    // SAFETY: the call writes to structures that we own.
    check(unsafe { GetSystemTimes(&raw mut idle, &raw mut kernel, &raw mut user) }).ok()?;
    // The time of the kernel includes that without work.
    let busy = (duration(kernel) + duration(user)).saturating_sub(duration(idle));
    let own = processor_time()? + Duration::from_nanos(CHILDREN.load(Ordering::Relaxed));
    Some(Load { busy: busy.as_secs_f64(), own: own.as_secs_f64(), stolen: 0.0 })
}
