//! The handler for SIGBUS. For maps of this crate it maps zeros where bytes are missing and notes the place, so that the
//! reader goes on and its result is discarded. Other faults go to the earlier handler.

use parking_lot::Mutex;
use std::io;
use std::ptr;
use std::sync::Once;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// [`Region::missing`] of a map of which nothing is.
const NOTHING: usize = usize::MAX;

/// The addresses of a map. Regions are never freed, as the handler may be looking at them, but used again.
#[derive(Debug)]
struct Region {
    /// Odd while the region changes hands: then it is no map that anybody reads.
    version: AtomicUsize,
    start: AtomicUsize,
    /// Where it ends; 0 while nobody uses it.
    end: AtomicUsize,
    /// Where the first page lies that was not there, from the start of the map.
    missing: AtomicUsize,
    next: AtomicPtr<Region>,
}

/// The first of all regions.
static REGIONS: AtomicPtr<Region> = AtomicPtr::new(ptr::null_mut());

/// Those that nobody uses. Held by who adds one.
static FREE: Mutex<Vec<&'static Region>> = Mutex::new(Vec::new());

/// Who handled the signal before.
static BEFORE: AtomicPtr<libc::sigaction> = AtomicPtr::new(ptr::null_mut());

/// Bytes of a page of the system.
static PAGE: AtomicUsize = AtomicUsize::new(0);

/// Watches over a map, as long as it lives; must be dropped before the map.
#[derive(Debug)]
pub(crate) struct Watch(&'static Region);

impl Watch {
    /// Watches over these bytes, which are mapped.
    pub(crate) fn over(bytes: &[u8]) -> io::Result<Self> {
        install()?;
        let start = bytes.as_ptr() as usize;
        let region = {
            let mut free = FREE.lock();
            free.pop().unwrap_or_else(added)
        };
        region.set(start, start + bytes.len());
        Ok(Watch(region))
    }

    /// Where the first page lies that was read and was not there, from the start of the map.
    pub(crate) fn missing(&self) -> Option<usize> {
        Some(self.0.missing.load(Ordering::SeqCst)).filter(|&place| place != NOTHING)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.set(0, 0);
        FREE.lock().push(self.0);
    }
}

impl Region {
    /// Gives it to a map, or to nobody.
    fn set(&self, start: usize, end: usize) {
        self.version.fetch_add(1, Ordering::SeqCst);
        self.start.store(start, Ordering::SeqCst);
        self.end.store(end, Ordering::SeqCst);
        self.missing.store(NOTHING, Ordering::SeqCst);
        self.version.fetch_add(1, Ordering::SeqCst);
    }

    /// The addresses of its map. `None` if nobody uses it, or if it changes hands meanwhile: a map that is being read
    /// does not.
    fn addresses(&self) -> Option<(usize, usize)> {
        let version = self.version.load(Ordering::SeqCst);
        let (start, end) = (self.start.load(Ordering::SeqCst), self.end.load(Ordering::SeqCst));
        let steady = version.is_multiple_of(2) && self.version.load(Ordering::SeqCst) == version;
        (steady && end > 0).then_some((start, end))
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
        version: AtomicUsize::new(0),
        start: AtomicUsize::new(0),
        end: AtomicUsize::new(0),
        missing: AtomicUsize::new(NOTHING),
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
    // Some systems tell the page only.
    let page = PAGE.load(Ordering::Acquire).max(1);
    let hit = |(start, end): (usize, usize)| (start..end.next_multiple_of(page)).contains(&address);
    let found = regions().find_map(|region| region.addresses().filter(|at| hit(*at)).map(|at| (region, at)));
    match found.filter(|_| !sent) {
        Some((region, (start, end))) => {
            let first = address / page * page;
            // Before the zeros are there: who reads them must find it set.
            region.missing.fetch_min(first.saturating_sub(start), Ordering::SeqCst);
            if !put_zeros(first, end) {
                pass_on(signal, sent);
            }
        }
        None => pass_on(signal, sent),
    }
}

/// Puts zeros in the place of a map, from a page to the map's end.
fn put_zeros(first: usize, end: usize) -> bool {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
    let length = end.saturating_sub(first);
    // SAFETY: the range lies within a map of ours that lives, as a read of it is under way, and that is read only; what
    // is put there is as readable and, like any content of a file, valid.
    let put = unsafe { libc::mmap(first as *mut libc::c_void, length, libc::PROT_READ, flags, -1, 0) };
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
