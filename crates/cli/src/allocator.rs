//! The allocator of the program, which notes that memory could not be had. The runtime aborts then, unless the caller can do
//! without.

use std::alloc::{GlobalAlloc, Layout};
use std::sync::atomic::{AtomicBool, Ordering};

static IS_EXHAUSTED: AtomicBool = AtomicBool::new(false);

/// An allocator that notes its failures.
pub struct Noting<A>(pub A);

/// Returns whether memory could not be had.
#[cfg_attr(not(unix), expect(dead_code, reason = "only handlers of signals ask"))]
pub fn is_exhausted() -> bool {
    IS_EXHAUSTED.load(Ordering::Relaxed)
}

fn noted(memory: *mut u8) -> *mut u8 {
    if memory.is_null() {
        IS_EXHAUSTED.store(true, Ordering::Relaxed);
    }
    memory
}

// SAFETY: each call is passed on as it is.
#[allow(unsafe_code)]
unsafe impl<A: GlobalAlloc> GlobalAlloc for Noting<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        noted(unsafe { self.0.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        noted(unsafe { self.0.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as the caller promises.
        noted(unsafe { self.0.realloc(memory, layout, size) })
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { self.0.dealloc(memory, layout) }
    }
}
