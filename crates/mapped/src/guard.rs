//! The handler for SIGBUS. If bytes of this crate's maps are missing, it maps zeros there and notes the position, so
//! that the reader can continue and discard its result. Other faults are passed to the previous handler.

use parking_lot::Mutex;
use std::io;
use std::ptr;
use std::sync::Once;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// The value of [`Region::missing`] if no page is missing.
const NOTHING: usize = usize::MAX;

/// The addresses of a map. Regions are never freed, because the handler may be reading them, but reused.
#[derive(Debug)]
struct Region {
    /// Odd while the region is changing; then no map uses it.
    version: AtomicUsize,
    start: AtomicUsize,
    /// The end of the map; 0 if the region is unused.
    end: AtomicUsize,
    /// The offset of the first missing page from the start of the map.
    missing: AtomicUsize,
    next: AtomicPtr<Region>,
}

/// The head of the list of regions.
static REGIONS: AtomicPtr<Region> = AtomicPtr::new(ptr::null_mut());

/// The unused regions. The lock is also held while a region is added.
static FREE: Mutex<Vec<&'static Region>> = Mutex::new(Vec::new());

/// The previous handler of the signal.
static BEFORE: AtomicPtr<libc::sigaction> = AtomicPtr::new(ptr::null_mut());

/// The size of a page in bytes.
static PAGE: AtomicUsize = AtomicUsize::new(0);

/// Guards a map; must be dropped before the map.
#[derive(Debug)]
pub(crate) struct Watch(&'static Region);

impl Watch {
    /// Starts guarding these mapped bytes.
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

    /// Returns the offset of the first missing page that was read, from the start of the map.
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
    /// Assigns the region to a map, or makes it unused.
    fn set(&self, start: usize, end: usize) {
        self.version.fetch_add(1, Ordering::SeqCst);
        self.start.store(start, Ordering::SeqCst);
        self.end.store(end, Ordering::SeqCst);
        self.missing.store(NOTHING, Ordering::SeqCst);
        self.version.fetch_add(1, Ordering::SeqCst);
    }

    /// Returns the addresses of its map; `None` if it is unused or changing, which a map that is being read never is.
    fn addresses(&self) -> Option<(usize, usize)> {
        let version = self.version.load(Ordering::SeqCst);
        let (start, end) = (self.start.load(Ordering::SeqCst), self.end.load(Ordering::SeqCst));
        let steady = version.is_multiple_of(2) && self.version.load(Ordering::SeqCst) == version;
        (steady && end > 0).then_some((start, end))
    }
}

fn regions() -> impl Iterator<Item = &'static Region> {
    let region = |at: &AtomicPtr<Region>| {
        // SAFETY: the list only contains leaked boxes, which are complete before they are linked.
        unsafe { at.load(Ordering::Acquire).as_ref() }
    };
    std::iter::successors(region(&REGIONS), move |before| region(&before.next))
}

/// Adds a region at the front of the list. The caller must hold the lock.
fn added() -> &'static Region {
    let region: &'static mut Region = Box::leak(Box::new(Region {
        version: AtomicUsize::new(0),
        start: AtomicUsize::new(0),
        end: AtomicUsize::new(0),
        missing: AtomicUsize::new(NOTHING),
        next: AtomicPtr::new(REGIONS.load(Ordering::Acquire)),
    }));
    REGIONS.store(region, Ordering::Release);
    // SAFETY: it is leaked, so it lives forever, and from now on it is only shared.
    unsafe { &*REGIONS.load(Ordering::Acquire) }
}

/// Installs the handler once per process.
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
    let hit = |(start, end): (usize, usize)| (start..end.next_multiple_of(page)).contains(&address);
    let found = regions().find_map(|region| region.addresses().filter(|at| hit(*at)).map(|at| (region, at)));
    match found.filter(|_| !sent) {
        Some((region, (start, end))) => {
            let first = address / page * page;
            // Set before the zeros are mapped, so that any reader of zeros finds it set.
            region.missing.fetch_min(first.saturating_sub(start), Ordering::SeqCst);
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
