//! If a mapped file is cut short, reading after its new end raises SIGBUS, which would end the program. For maps of
//! this crate, the handler maps zeros there and sets a mark, so that the look-up ends and its answer is discarded.
//! Other faults go to the earlier handler.

use parking_lot::Mutex;
use std::io;
use std::ptr;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};

/// The addresses of a map. Regions are never freed, as the handler may be looking at them, but used again.
struct Region {
    start: AtomicUsize,
    /// Where it ends; 0 while nobody uses it.
    end: AtomicUsize,
    faulted: AtomicBool,
    next: AtomicPtr<Region>,
}

/// The first of all regions.
static REGIONS: AtomicPtr<Region> = AtomicPtr::new(ptr::null_mut());

/// Held by who takes a region or gives it back.
static TAKING: Mutex<()> = Mutex::new(());

/// Who handled the signal before.
static BEFORE: AtomicPtr<libc::sigaction> = AtomicPtr::new(ptr::null_mut());

/// Bytes of a page of the system.
static PAGE: AtomicUsize = AtomicUsize::new(0);

/// Watches over a map, as long as it lives; must be dropped before the map.
pub struct Watch(&'static Region);

impl Watch {
    /// Watches over these bytes, which are mapped.
    pub fn over(bytes: &[u8]) -> io::Result<Self> {
        install()?;
        let start = bytes.as_ptr() as usize;
        let _taking = TAKING.lock();
        let free = regions().find(|region| region.end.load(Ordering::SeqCst) == 0);
        let region = free.unwrap_or_else(added);
        region.faulted.store(false, Ordering::SeqCst);
        region.start.store(start, Ordering::SeqCst);
        region.end.store(start + bytes.len(), Ordering::SeqCst);
        Ok(Watch(region))
    }

    /// Whether a missing part of it was read.
    pub fn has_faulted(&self) -> bool {
        self.0.faulted.load(Ordering::Relaxed)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.end.store(0, Ordering::SeqCst);
    }
}

fn regions() -> impl Iterator<Item = &'static Region> {
    let region = |at: &AtomicPtr<Region>| {
        // SAFETY: the list holds leaked boxes only, and none before it is whole.
        unsafe { at.load(Ordering::Acquire).as_ref() }
    };
    std::iter::successors(region(&REGIONS), move |before| region(&before.next))
}

/// A new region, at the front of the list. The caller holds the lock.
fn added() -> &'static Region {
    let region: &'static mut Region = Box::leak(Box::new(Region {
        start: AtomicUsize::new(0),
        end: AtomicUsize::new(0),
        faulted: AtomicBool::new(false),
        next: AtomicPtr::new(REGIONS.load(Ordering::Acquire)),
    }));
    REGIONS.store(region, Ordering::Release);
    // SAFETY: it was leaked, so it lives for ever, and from now on it is shared only.
    unsafe { &*REGIONS.load(Ordering::Acquire) }
}

/// Installs the handler, once for the program.
fn install() -> io::Result<()> {
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
    // SAFETY: asks for a number.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    // SAFETY: all zeros are a valid value of this plain structure of C.
    let (mut ours, mut before) = unsafe { std::mem::zeroed::<(libc::sigaction, libc::sigaction)>() };
    // SAFETY: asks for the handler, and writes to a structure of ours.
    if unsafe { libc::sigaction(libc::SIGBUS, ptr::null(), &mut before) } != 0 {
        return Err(io::Error::last_os_error());
    }
    BEFORE.store(Box::leak(Box::new(before)), Ordering::Release);
    PAGE.store(usize::try_from(page).unwrap_or(0), Ordering::Release);
    ours.sa_sigaction =
        handle as extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) as usize;
    ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
    // SAFETY: the handler has the form that SA_SIGINFO asks for, and does nothing but what a handler may.
    match unsafe { libc::sigaction(libc::SIGBUS, &ours, ptr::null_mut()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// May do what is safe in a handler only: atomics, and calls of the system.
extern "C" fn handle(signal: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the system hands over a valid structure; for a fault it has an address.
    let (address, sent) = unsafe { ((*info).si_addr() as usize, (*info).si_code <= 0) };
    let fault = |region: &&Region| {
        let (start, end) = (region.start.load(Ordering::SeqCst), region.end.load(Ordering::SeqCst));
        // Some systems tell the page only.
        let page = PAGE.load(Ordering::Acquire).max(1);
        (start..end.next_multiple_of(page)).contains(&address) && end > 0
    };
    match regions().find(fault).filter(|_| !sent) {
        Some(region) if put_zeros(region, address) => region.faulted.store(true, Ordering::SeqCst),
        _ => pass_on(signal, sent),
    }
}

/// Puts zeros in the place of a map, from the page of an address to the map's end.
fn put_zeros(region: &Region, address: usize) -> bool {
    let page = PAGE.load(Ordering::Acquire);
    let start = address / page * page;
    let length = region.end.load(Ordering::SeqCst).saturating_sub(start);
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
    // SAFETY: the range lies within a map of ours that lives, as its region is in use, and that is read only;
    // what is put there is as readable and, like any content of a file, valid.
    let put = unsafe { libc::mmap(start as *mut libc::c_void, length, libc::PROT_READ, flags, -1, 0) };
    put != libc::MAP_FAILED
}

/// Passes a foreign fault to the earlier handler: it happens again at once.
fn pass_on(signal: libc::c_int, sent: bool) {
    // SAFETY: what is stored is a leaked structure that the system filled in; both calls may be made here.
    unsafe {
        libc::sigaction(signal, BEFORE.load(Ordering::Acquire), ptr::null_mut());
        if sent {
            libc::raise(signal);
        }
    }
}
