//! The addresses of all maps, for the handler of faults. If bytes of a map are missing, the handler puts zeros there and
//! notes the position, so that the reader can continue and discard its result.

use crate::sys;
use parking_lot::Mutex;
use std::io;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// The value of [`Region::missing`] if no page is missing.
const NOTHING: usize = usize::MAX;

/// The addresses of a map. Regions are never freed, because the handler may be reading them, but reused.
#[derive(Debug)]
pub(crate) struct Region {
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

/// Guards a map; must be dropped before the map.
#[derive(Debug)]
pub(crate) struct Watch(&'static Region);

impl Watch {
    /// Starts guarding these mapped bytes.
    pub(crate) fn over(bytes: &[u8]) -> io::Result<Self> {
        sys::install()?;
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

    /// Notes that the page at this offset is missing. Must be called before zeros are there, so that any reader of zeros
    /// finds it noted.
    pub(crate) fn note(&self, offset: usize) {
        self.missing.fetch_min(offset, Ordering::SeqCst);
    }

    /// Returns the addresses of its map; `None` if it is unused or changing, which a map that is being read never is.
    fn addresses(&self) -> Option<(usize, usize)> {
        let version = self.version.load(Ordering::SeqCst);
        let (start, end) = (self.start.load(Ordering::SeqCst), self.end.load(Ordering::SeqCst));
        let steady = version.is_multiple_of(2) && self.version.load(Ordering::SeqCst) == version;
        (steady && end > 0).then_some((start, end))
    }
}

/// Returns the map whose pages, of so many bytes, have an address, with the addresses where it starts and ends. Handlers of
/// faults may call it.
pub(crate) fn region_at(address: usize, page: usize) -> Option<(&'static Region, (usize, usize))> {
    let hit = |(start, end): (usize, usize)| (start..end.next_multiple_of(page)).contains(&address);
    regions().find_map(|region| region.addresses().filter(|at| hit(*at)).map(|at| (region, at)))
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
