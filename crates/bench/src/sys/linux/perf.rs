//! Cycles that a core executed, counted by the kernel's performance events (`perf_event_open(2)`).
#![allow(unsafe_code)]

use std::fs::File;
use std::io::Read;
use std::os::fd::FromRawFd;

/// The counter of one thread in user mode.
#[derive(Debug)]
pub struct CoreCycles(File);

/// The first 64 bytes of `struct perf_event_attr` in `include/uapi/linux/perf_event.h`, which every kernel with
/// this call accepts (`PERF_ATTR_SIZE_VER0`).
#[repr(C)]
#[derive(Default)]
struct Attributes {
    kind: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup_events: u32,
    breakpoint_type: u32,
    config1: u64,
}

/// `PERF_TYPE_HARDWARE`.
const HARDWARE: u32 = 0;
/// `PERF_COUNT_HW_CPU_CYCLES`.
const CYCLES: u64 = 0;
/// The bits `exclude_kernel` and `exclude_hv`, which unprivileged processes need to count.
const USER_ONLY: u64 = 1 << 5 | 1 << 6;
/// `PERF_FLAG_FD_CLOEXEC`.
const CLOSE_ON_EXEC: libc::c_ulong = 8;

impl CoreCycles {
    /// Starts to count for this thread; `None` if there is no such counter (many virtual machines) or it is not
    /// allowed (`kernel.perf_event_paranoid`).
    pub fn open() -> Option<CoreCycles> {
        let attributes = Attributes {
            kind: HARDWARE,
            size: size_of::<Attributes>() as u32,
            config: CYCLES,
            flags: USER_ONLY,
            ..Attributes::default()
        };
        let (this_thread, any_core, no_group) = (0, -1, -1);
        // SAFETY: the call reads the struct, which contains its own size, and writes nothing.
        let descriptor = unsafe {
            libc::syscall(
                libc::SYS_perf_event_open,
                &raw const attributes,
                this_thread,
                any_core,
                no_group,
                CLOSE_ON_EXEC,
            )
        };
        let descriptor = i32::try_from(descriptor).ok().filter(|descriptor| *descriptor >= 0)?;
        // SAFETY: the descriptor was just opened and has no other owner.
        let counter = CoreCycles(unsafe { File::from_raw_fd(descriptor) });
        // Some machines open a counter that never counts.
        counter.read().filter(|cycles| *cycles > 0).map(|_| counter)
    }

    /// Returns the cycles so far; `None` if the counter can't be read.
    pub fn read(&self) -> Option<u64> {
        let mut count = [0; 8];
        (&self.0).read_exact(&mut count).ok()?;
        Some(u64::from_ne_bytes(count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_struct_has_the_size_that_kernels_know() {
        assert_eq!(size_of::<Attributes>(), 64);
    }

    #[test]
    fn it_counts_where_it_is_there() {
        let Some(counter) = CoreCycles::open() else { return };
        let before = counter.read().unwrap();
        let sum = (0..100_000_u64).fold(0, |sum, i| std::hint::black_box(sum ^ i));
        std::hint::black_box(sum);
        assert!(counter.read().unwrap() - before > 10_000);
    }
}
