//! Maps of Windows, and the handler for in-page errors. A view can't be given up in part, so zeros take the place of all of
//! it. While a file is mapped nobody can cut it short there, so this is for disks and shares that fail.

use crate::advice::Advice;
use crate::guard::{Region, region_at};
use std::ffi::c_void;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::windows::io::AsRawHandle;
use std::ptr;
use std::slice;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use windows_sys::Win32::Foundation::{
    CloseHandle, EXCEPTION_ACCESS_VIOLATION, EXCEPTION_IN_PAGE_ERROR, INVALID_HANDLE_VALUE,
};
use windows_sys::Win32::System::Diagnostics::Debug::{
    AddVectoredExceptionHandler, EXCEPTION_CONTINUE_EXECUTION, EXCEPTION_CONTINUE_SEARCH, EXCEPTION_POINTERS,
};
use windows_sys::Win32::System::Memory::{
    CreateFileMappingW, FILE_MAP_READ, MEM_COMMIT, MEM_MAPPED, MEM_RELEASE, MEM_RESERVE,
    MEMORY_BASIC_INFORMATION, MEMORY_MAPPED_VIEW_ADDRESS, MapViewOfFile, PAGE_READONLY,
    PrefetchVirtualMemory, UnmapViewOfFile, VirtualAlloc, VirtualFree, VirtualQuery, VirtualUnlock,
    WIN32_MEMORY_RANGE_ENTRY,
};
use windows_sys::Win32::System::Threading::GetCurrentProcess;

/// The size of a page in bytes, on every processor that Rust runs on there.
const PAGE: usize = 4096;

/// Whether a handler is putting zeros in the place of a view. Others wait for it.
static IS_BUSY: AtomicBool = AtomicBool::new(false);

/// A mapped file without a guard.
#[derive(Debug)]
pub(crate) struct Map {
    start: *const c_void,
    length: usize,
}

// SAFETY: the memory is only read, until it is dropped.
unsafe impl Send for Map {}
// SAFETY: as above.
unsafe impl Sync for Map {}

impl Map {
    /// Maps the first `length` bytes of a file.
    pub(crate) fn of(file: &File, length: usize) -> io::Result<Map> {
        let (high, low) = ((length as u64 >> 32) as u32, length as u32);
        let handle = file.as_raw_handle();
        // A mapping of no file would be one of the page file.
        if handle == INVALID_HANDLE_VALUE || length == 0 {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        // SAFETY: the handle is open, and there are no other pointers.
        let mapping =
            unsafe { CreateFileMappingW(handle, ptr::null(), PAGE_READONLY, high, low, ptr::null()) };
        if mapping.is_null() {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the mapping is open and as long as this view.
        let view = unsafe { MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, length) };
        let error = io::Error::last_os_error();
        // SAFETY: it is ours, and the view holds it from now on.
        unsafe { CloseHandle(mapping) };
        if view.Value.is_null() { Err(error) } else { Ok(Map { start: view.Value, length }) }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: the view, or the zeros in its place, stays until it is dropped. It is read by plain loads of bytes, of
        // which every pattern is valid, and no address or length is derived from a byte that is read twice.
        unsafe { slice::from_raw_parts(self.start.cast(), self.length) }
    }

    pub(crate) fn advise(&self, advice: Advice) {
        if advice == Advice::WillNeed {
            self.populate(0..self.length);
        }
    }

    /// Has the pages of a range inside the map read ahead.
    pub(crate) fn populate(&self, range: Range<usize>) {
        let entry = WIN32_MEMORY_RANGE_ENTRY {
            VirtualAddress: self.bytes()[range.clone()].as_ptr().cast_mut().cast(),
            NumberOfBytes: range.len(),
        };
        // SAFETY: the range lies within the map, and the entry outlives the call.
        unsafe { PrefetchVirtualMemory(GetCurrentProcess(), 1, &entry, 0) };
    }

    /// Removes the pages of a range inside the map from the working set.
    pub(crate) fn release(&self, range: Range<usize>) {
        let part = &self.bytes()[range];
        // SAFETY: to unlock pages that are not locked takes them out of the working set, and changes no byte.
        unsafe { VirtualUnlock(part.as_ptr().cast(), part.len()) };
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        // SAFETY: nobody reads it any more, and it is given back as what it is.
        unsafe {
            if is_view(self.start) {
                UnmapViewOfFile(MEMORY_MAPPED_VIEW_ADDRESS { Value: self.start.cast_mut() });
            } else {
                VirtualFree(self.start.cast_mut(), 0, MEM_RELEASE);
            }
        }
    }
}

/// Returns whether a view of a file starts here.
fn is_view(start: *const c_void) -> bool {
    let mut about = MEMORY_BASIC_INFORMATION::default();
    // SAFETY: writes no more than the structure's size.
    unsafe { VirtualQuery(start, &mut about, size_of_val(&about)) };
    about.Type == MEM_MAPPED
}

/// Installs the handler once per process.
pub(crate) fn install() -> io::Result<()> {
    static ONCE: Once = Once::new();
    let mut handler = ptr::dangling_mut();
    // SAFETY: the handler has the signature that is wanted, and only does what a handler may do.
    ONCE.call_once(|| handler = unsafe { AddVectoredExceptionHandler(1, Some(handle)) });
    if handler.is_null() { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Handles a fault. It may only do what is safe in a handler: atomics and system calls.
unsafe extern "system" fn handle(fault: *mut EXCEPTION_POINTERS) -> i32 {
    // SAFETY: the system hands over valid structures.
    let record = unsafe { &*(*fault).ExceptionRecord };
    let (access, address) = (record.ExceptionInformation[0], record.ExceptionInformation[1]);
    let found = match record.ExceptionCode {
        EXCEPTION_IN_PAGE_ERROR => region_at(address, PAGE),
        // A read while another thread puts zeros there.
        EXCEPTION_ACCESS_VIOLATION if access == 0 => region_at(address, PAGE),
        _ => None,
    };
    let is_done = found.is_some_and(|(region, (start, end))| put_zeros(region, start, end - start));
    if is_done { EXCEPTION_CONTINUE_EXECUTION } else { EXCEPTION_CONTINUE_SEARCH }
}

/// Puts zeros in the place of a view, unless they are there. Returns whether they are.
fn put_zeros(region: &Region, start: usize, length: usize) -> bool {
    while IS_BUSY.swap(true, Ordering::Acquire) {
        std::hint::spin_loop();
    }
    let place: *mut c_void = ptr::with_exposed_provenance_mut(start);
    let is_done = !is_view(place) || {
        region.note(0);
        // SAFETY: the view is one of this crate's maps, which was read just now, and is read-only. Reads of it between
        // the two calls fault, and wait in this handler. Zeros are as valid as any content of a file.
        unsafe {
            UnmapViewOfFile(MEMORY_MAPPED_VIEW_ADDRESS { Value: place });
            VirtualAlloc(place, length, MEM_RESERVE | MEM_COMMIT, PAGE_READONLY) == place
        }
    };
    IS_BUSY.store(false, Ordering::Release);
    is_done
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mapped;
    use std::io::Write;

    #[test]
    fn zeros_take_the_place_of_a_view() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&[7; 3 * PAGE]).unwrap();
        let map = Mapped::new(&file, 3 * PAGE - 5).unwrap();
        assert!(map.iter().all(|byte| *byte == 7) && map.missing().is_none());
        let (region, (start, end)) = region_at(map.as_ptr() as usize + PAGE, PAGE).unwrap();
        for _ in 0..2 {
            assert!(put_zeros(region, start, end - start));
            assert!(map.iter().all(|byte| *byte == 0));
            assert_eq!((map.missing(), map.len()), (Some(0), 3 * PAGE - 5));
        }
    }
}
