//! Parts of files mapped into memory: no copy out of the page cache, which is a third of the time of the fastest
//! hash functions.
//!
//! A mapped page that the file no longer has, or that can't be read, is a SIGBUS when it is touched. A guard
//! catches it: it puts a page of zeros there, so that whoever was reading goes on, and marks the map as broken,
//! so that nothing that was computed from it counts.
#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::ops::Deref;
use std::os::fd::AsRawFd;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Maps that may exist at a time, in the whole process. Whoever gets none reads.
const MOST: usize = 256;

/// What the guard knows of one map. Its address is zero while the slot is free, and one while it is taken and
/// not yet filled: no map is there.
struct Slot {
    start: AtomicUsize,
    length: AtomicUsize,
    broken: AtomicBool,
}

static SLOTS: [Slot; MOST] = [const {
    Slot { start: AtomicUsize::new(0), length: AtomicUsize::new(0), broken: AtomicBool::new(false) }
}; MOST];

/// What the signal did before.
static BEFORE: OnceLock<Option<Before>> = OnceLock::new();

struct Before(libc::sigaction);

// SAFETY: the structure holds a function's address, a set of signals and flags: nothing that belongs to a thread.
unsafe impl Send for Before {}
// SAFETY: as above, and nobody changes it.
unsafe impl Sync for Before {}

/// Bytes of a file, mapped.
#[derive(Debug)]
pub struct Map {
    start: *const u8,
    length: usize,
    slot: usize,
}

// SAFETY: the memory is mapped for reading, for the whole process, and unmapped only by `drop`.
unsafe impl Send for Map {}
// SAFETY: as above.
unsafe impl Sync for Map {}

impl Map {
    /// Maps bytes of a file. The offset must be a multiple of the page's size, and the bytes should be there: those
    /// behind the end come as zeros in a map that is broken.
    ///
    /// # Errors
    /// If the system refuses, or there are too many maps.
    pub(crate) fn new(file: &File, offset: u64, length: usize) -> io::Result<Map> {
        guard()?;
        let offset = libc::off64_t::try_from(offset).map_err(|_| io::ErrorKind::InvalidInput)?;
        let slot = claim().ok_or(io::ErrorKind::ResourceBusy)?;
        let flags = libc::MAP_SHARED | libc::MAP_POPULATE;
        // SAFETY: a new mapping at a place that the kernel chooses touches no memory that is in use.
        let start = unsafe {
            libc::mmap64(ptr::null_mut(), length, libc::PROT_READ, flags, file.as_raw_fd(), offset)
        };
        if start == libc::MAP_FAILED {
            let error = io::Error::last_os_error();
            SLOTS[slot].start.store(0, Ordering::Release);
            return Err(error);
        }
        SLOTS[slot].broken.store(false, Ordering::Relaxed);
        SLOTS[slot].length.store(length, Ordering::Relaxed);
        SLOTS[slot].start.store(start as usize, Ordering::Release);
        Ok(Map { start: start.cast(), length, slot })
    }

    /// Whether zeros stand for bytes that could not be had, in what was touched so far.
    pub fn is_broken(&self) -> bool {
        SLOTS[self.slot].broken.load(Ordering::Acquire)
    }
}

impl Deref for Map {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: so many bytes are mapped for reading as long as `self` lives, and the guard keeps them readable.
        // Another process may change them meanwhile. Bytes are valid whatever they are, and those who read here
        // compute digests of them: no address, length or branch that matters for memory depends on reading the same
        // byte twice.
        unsafe { std::slice::from_raw_parts(self.start, self.length) }
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        // Nobody touches the memory any more. The slot goes first: as long as the range is mapped, no other map
        // can be there, so no two slots ever hold the same address.
        SLOTS[self.slot].start.store(0, Ordering::Release);
        // SAFETY: the range was mapped by `new`, and nobody has a reference into it any more.
        unsafe { libc::munmap(self.start.cast_mut().cast(), self.length) };
    }
}

/// Takes a free slot.
fn claim() -> Option<usize> {
    let free = |slot: &Slot| slot.start.compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed).is_ok();
    SLOTS.iter().position(free)
}

/// Sets the guard up, once.
fn guard() -> io::Result<()> {
    let before = BEFORE.get_or_init(|| {
        let handler = on_fault as extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);
        let mut before = MaybeUninit::<libc::sigaction>::zeroed();
        // SAFETY: all zeros is a valid action: default, no flags, no blocked signals.
        let mut action: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
        action.sa_sigaction = handler as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART;
        // SAFETY: both structures outlive the call. The handler touches atomics that live for ever and makes system
        // calls that may be made in a handler; everything that was not a map's fault goes where it went before.
        let result = unsafe { libc::sigaction(libc::SIGBUS, &raw const action, before.as_mut_ptr()) };
        // SAFETY: the call succeeded, so it wrote the whole structure.
        (result == 0).then(|| Before(unsafe { before.assume_init() }))
    });
    if before.is_some() { Ok(()) } else { Err(io::ErrorKind::Unsupported.into()) }
}

extern "C" fn on_fault(_: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: errno is this thread's own, and the kernel hands a valid structure to the handler.
    let (errno, address) = unsafe { (*libc::__errno_location(), (*info).si_addr() as usize) };
    if !mend(address) {
        // Not ours: what was done before is done again, as the instruction is repeated.
        if let Some(Some(Before(before))) = BEFORE.get() {
            // SAFETY: the structure is the one that the kernel gave.
            unsafe { libc::sigaction(libc::SIGBUS, before, ptr::null_mut()) };
        }
    }
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = errno };
}

/// Puts a page of zeros at an address within a map; false if it is in none.
fn mend(address: usize) -> bool {
    let holds = |slot: &&Slot| {
        let start = slot.start.load(Ordering::Acquire);
        start > 1 && (start..start + slot.length.load(Ordering::Relaxed)).contains(&address)
    };
    let Some(slot) = SLOTS.iter().find(holds) else { return false };
    slot.broken.store(true, Ordering::Release);
    let page = page();
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
    // SAFETY: the page is one of a map that lives, because the thread that faulted holds a reference into it; what
    // was there could not be read.
    let put = unsafe { libc::mmap64((address & !(page - 1)) as *mut _, page, libc::PROT_READ, flags, -1, 0) };
    put != libc::MAP_FAILED
}

fn page() -> usize {
    // SAFETY: the call touches no memory, and may be made in a handler.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn file(bytes: &[u8]) -> (tempfile::TempDir, File) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let mut file = File::options().create(true).truncate(true).read(true).write(true).open(path).unwrap();
        file.write_all(bytes).unwrap();
        (folder, file)
    }

    fn paint(length: usize) -> Vec<u8> {
        (0..length).map(|index| (index % 251) as u8 | 1).collect()
    }

    #[test]
    fn a_map_has_the_files_bytes() {
        let bytes = paint(300_000);
        let (_folder, file) = file(&bytes);
        let map = Map::new(&file, 0, bytes.len()).unwrap();
        assert_eq!(&*map, &bytes[..]);
        let part = Map::new(&file, 65_536, 100_000).unwrap();
        assert_eq!(&*part, &bytes[65_536..165_536]);
        assert!(!map.is_broken() && !part.is_broken());
    }

    #[test]
    fn a_file_that_shrinks_breaks_the_map_and_nothing_else() {
        let bytes = paint(300_000);
        let (_folder, file) = file(&bytes);
        let (map, other) = (Map::new(&file, 0, bytes.len()).unwrap(), Map::new(&file, 0, 4096).unwrap());
        file.set_len(100_000).unwrap();
        assert_eq!(&map[..98_304], &bytes[..98_304]);
        assert!(!map.is_broken());
        assert!(map[102_400..].iter().all(|byte| *byte == 0));
        assert!(map.is_broken());
        assert_eq!(&*other, &bytes[..4096]);
        assert!(!other.is_broken());
    }

    #[test]
    fn threads_that_touch_the_same_missing_page_all_go_on() {
        let (_folder, file) = file(&paint(1 << 20));
        let map = Map::new(&file, 0, 1 << 20).unwrap();
        file.set_len(0).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| assert_eq!(map.iter().map(|byte| u64::from(*byte)).sum::<u64>(), 0));
            }
        });
        assert!(map.is_broken());
    }

    #[test]
    fn there_are_only_so_many_maps_and_slots_come_back() {
        let (_folder, file) = file(&paint(4096));
        let maps: Vec<_> = (0..MOST + 50).filter_map(|_| Map::new(&file, 0, 4096).ok()).collect();
        assert!(maps.len() <= MOST && maps.len() > MOST / 2);
        assert!(maps.iter().all(|map| map[0] == 1));
        drop(maps);
        assert!(Map::new(&file, 0, 4096).is_ok());
    }

    #[test]
    fn empty_and_absurd_ranges_are_refused() {
        let (_folder, file) = file(&paint(10));
        assert!(Map::new(&file, 0, 0).is_err());
        assert!(Map::new(&file, 1, 10).is_err());
        assert!(Map::new(&file, u64::MAX, 10).is_err());
        assert!(Map::new(&file, 0, 10).is_ok(), "a refusal takes no slot");
    }
}
