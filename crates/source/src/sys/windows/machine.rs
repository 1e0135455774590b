//! The machine: its memory and its clock.

use std::time::{Duration, SystemTime, UNIX_EPOCH};
use windows_sys::Win32::System::SystemInformation::{GlobalMemoryStatusEx, MEMORYSTATUSEX};

/// Returns the memory of the machine in bytes; 0 if the system does not tell.
pub(crate) fn memory() -> u64 {
    let mut found = MEMORYSTATUSEX { dwLength: size_of::<MEMORYSTATUSEX>() as u32, ..Default::default() };
    // SAFETY: `found` has the length that it states.
    let told = unsafe { GlobalMemoryStatusEx(&raw mut found) };
    if told == 0 { 0 } else { found.ullTotalPhys }
}

/// Returns whether the address space of this process is limited. A job that limits it is noticed when memory runs out.
pub(crate) fn has_address_limit() -> bool {
    false
}

/// Returns the time since 1970 on the clock that the system uses for file times; 0 if it is before.
pub(crate) fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// Returns the longest tick of that clock.
pub(crate) fn tick() -> Duration {
    Duration::from_micros(15_625)
}
