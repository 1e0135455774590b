//! Maps of Linux and macOS, and the handler for SIGBUS. Faults that are not of this crate's maps are passed to the
//! previous handler.

use crate::guard::region_at;
use memmap2::{Mmap, MmapOptions};
use std::fs::File;
use std::io;
use std::ptr;
use std::sync::Once;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// The previous handler of the signal.
static BEFORE: AtomicPtr<libc::sigaction> = AtomicPtr::new(ptr::null_mut());

/// The size of a page in bytes.
static PAGE: AtomicUsize = AtomicUsize::new(0);

/// A mapped file without a guard.
#[derive(Debug)]
pub(crate) struct Map(pub(super) Mmap);

impl Map {
    /// Maps the first `length` bytes of a file.
    pub(crate) fn of(file: &File, length: usize) -> io::Result<Map> {
        // SAFETY: the map is read only, and is read by plain loads of bytes, of which every pattern is valid. No address
        // or length is derived from a byte that is read twice. Where bytes are missing, the guard maps zeros.
        Ok(Map(unsafe { MmapOptions::new().len(length).map(file)? }))
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Installs the handler once per process.
pub(crate) fn install() -> io::Result<()> {
    static ONCE: Once = Once::new();
    let mut failed = None;
    ONCE.call_once(|| failed = set().err());
    match (failed, PAGE.load(Ordering::Acquire)) {
        (Some(error), _) => Err(error),
        (None, 0) => Err(io::ErrorKind::Unsupported.into()),
        _ => Ok(()),
    }
}

fn set() -> io::Result<()> {
    // SAFETY: only queries a number.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    // SAFETY: all zeros are a valid value of this plain structure of C.
    let (mut ours, mut before) = unsafe { std::mem::zeroed::<(libc::sigaction, libc::sigaction)>() };
    // SAFETY: queries the handler, and writes to a structure of ours.
    if unsafe { libc::sigaction(libc::SIGBUS, ptr::null(), &mut before) } != 0 {
        return Err(io::Error::last_os_error());
    }
    BEFORE.store(Box::leak(Box::new(before)), Ordering::Release);
    PAGE.store(usize::try_from(page).unwrap_or(0), Ordering::Release);
    ours.sa_sigaction =
        handle as extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) as usize;
    ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
    // SAFETY: the handler has the signature that SA_SIGINFO requires, and only does what a handler may do.
    match unsafe { libc::sigaction(libc::SIGBUS, &ours, ptr::null_mut()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Handles the signal. It may only do what is safe in a handler: atomics and system calls.
extern "C" fn handle(signal: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the system hands over a valid structure; for a fault it has an address.
    let (address, sent) = unsafe { ((*info).si_addr() as usize, (*info).si_code <= 0) };
    // Some systems only report the page.
    let page = PAGE.load(Ordering::Acquire).max(1);
    match region_at(address, page).filter(|_| !sent) {
        Some((region, (start, end))) => {
            let first = address / page * page;
            region.note(first.saturating_sub(start));
            if !put_zeros(first, end) {
                pass_on(signal, sent);
            }
        }
        None => pass_on(signal, sent),
    }
}

/// Replaces a map by zeros from a page to the map's end.
fn put_zeros(first: usize, end: usize) -> bool {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
    let length = end.saturating_sub(first);
    // SAFETY: the range lies within a live map of this crate, because a read of it faulted, and that map is read-only;
    // the new pages are readable, and zeros are as valid as any content of a file.
    let put = unsafe { libc::mmap(first as *mut libc::c_void, length, libc::PROT_READ, flags, -1, 0) };
    put != libc::MAP_FAILED
}

/// Passes a foreign fault to the previous handler: the fault is repeated at once.
fn pass_on(signal: libc::c_int, sent: bool) {
    // SAFETY: the stored pointer is a leaked structure that the system filled in; both calls are allowed in a handler.
    unsafe {
        libc::sigaction(signal, BEFORE.load(Ordering::Acquire), ptr::null_mut());
        if sent {
            libc::raise(signal);
        }
    }
}
