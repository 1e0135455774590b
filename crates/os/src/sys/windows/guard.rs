//! Owners of what calls allocate.

use std::ffi::c_void;
use windows_sys::Win32::Foundation::LocalFree;

/// Memory that a call allocated, freed when it is dropped.
pub(super) struct Local(*mut c_void);

impl Local {
    /// Takes what a call allocated with `LocalAlloc`.
    ///
    /// # Safety
    /// Nobody else may free it.
    #[allow(unsafe_code)]
    pub(super) unsafe fn new(memory: *mut c_void) -> Local {
        Local(memory)
    }

    /// Returns the address, which is valid as long as `self` lives.
    pub(super) fn get(&self) -> *mut c_void {
        self.0
    }
}

#[allow(unsafe_code)]
impl Drop for Local {
    fn drop(&mut self) {
        // SAFETY: by the contract of `new` it is ours; null is allowed.
        unsafe { LocalFree(self.0) };
    }
}
