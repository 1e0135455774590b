//! The page cache, which the system tells little about, and places on the disk.

use hashmill_os::retry_interrupted;
use std::ffi::{c_char, c_void};
use std::fs::File;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::os::macos::fs::MetadataExt;
use std::{io, ptr};

/// The size in bytes of the parts of a file that are mapped one after the other: whole pages, whatever their size.
const WINDOW: usize = 1 << 30;

/// The size of the smallest pages in bytes.
const SMALLEST_PAGE: usize = 4096;

/// Returns `None`: only a map of a file tells which of its pages are cached, and that costs too much.
pub(crate) fn cached_pages(_: &File, _: u64, _: u64) -> Option<(u64, u64)> {
    None
}

/// Fails: whether a read waits can't be known before.
pub(crate) fn read_without_waiting(_: &File, _: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Does nothing: pages can't be dropped from the cache one by one.
pub(crate) fn forget(_: &File, _: Range<u64>) {}

/// Asks the system to read these bytes into memory, without waiting for them.
pub(crate) fn will_need(file: &File, offset: u64, length: u64) {
    let (Ok(offset), Ok(count)) = (i64::try_from(offset), i32::try_from(length)) else { return };
    let advice = libc::radvisory { ra_offset: offset, ra_count: count };
    // SAFETY: the structure outlives the call, and the descriptor is open while `file` is borrowed.
    unsafe { libc::fcntl(file.as_raw_fd(), libc::F_RDADVISE, &raw const advice) };
}

/// Switches reads past the cache on. Returns a file to read from instead of it: none.
pub(crate) fn start_direct(file: &File) -> io::Result<Option<File>> {
    set_direct(file, true).map(|()| None)
}

/// Switches reads past the cache off.
pub(crate) fn stop_direct(file: &File) -> io::Result<()> {
    set_direct(file, false)
}

fn set_direct(file: &File, direct: bool) -> io::Result<()> {
    // SAFETY: the call touches no memory, and the descriptor is open while `file` is borrowed.
    retry_interrupted(|| unsafe { libc::fcntl(file.as_raw_fd(), libc::F_NOCACHE, i32::from(direct)) })?;
    Ok(())
}

/// Drops what is cached of a file, and returns whether all of it will come from its medium. False if the system does not tell, and
/// for files that the file system compresses: what they are unpacked from has a cache of its own.
pub(crate) fn emptied(file: &File, size: u64) -> bool {
    !is_compressed(file)
        && (0..size).step_by(WINDOW).all(|start| {
            // At most WINDOW, which fits.
            let length = (size - start).min(WINDOW as u64) as usize;
            Window::open(file, start, length).is_ok_and(|window| window.is_uncached() || window.is_emptied())
        })
}

/// Returns whether the file system compresses a file; true if it doesn't tell.
fn is_compressed(file: &File) -> bool {
    file.metadata().map_or(true, |meta| meta.st_flags() & libc::UF_COMPRESSED != 0)
}

/// A part of a file that is mapped, so that the system tells what of it is cached. Its bytes are never touched.
struct Window {
    address: *mut c_void,
    length: usize,
}

impl Window {
    fn open(file: &File, start: u64, length: usize) -> io::Result<Window> {
        let start = i64::try_from(start).map_err(|_| io::ErrorKind::InvalidInput)?;
        let (null, fd) = (ptr::null_mut(), file.as_raw_fd());
        // SAFETY: the system chooses addresses that nothing else has, and no memory is read or written through the map.
        let address = unsafe { libc::mmap(null, length, libc::PROT_READ, libc::MAP_SHARED, fd, start) };
        if address == libc::MAP_FAILED {
            Err(io::Error::last_os_error())
        } else {
            Ok(Window { address, length })
        }
    }

    /// Returns whether the system tells that no page is in its cache.
    fn is_uncached(&self) -> bool {
        let mut pages: Vec<c_char> = vec![0; self.length.div_ceil(SMALLEST_PAGE)];
        // SAFETY: the whole map is asked for, and there is room for its pages, however small they are.
        let told = unsafe { libc::mincore(self.address, self.length, pages.as_mut_ptr()) };
        told == 0 && pages.iter().all(|page| i32::from(*page) & libc::MINCORE_INCORE == 0)
    }

    /// Writes what is not written yet and drops all pages. Returns whether none is left.
    fn is_emptied(&self) -> bool {
        // SAFETY: the whole map is asked for, and nobody reads or writes through it.
        let dropped = unsafe { libc::msync(self.address, self.length, libc::MS_SYNC | libc::MS_INVALIDATE) };
        dropped == 0 && self.is_uncached()
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        // SAFETY: the map is this one's alone, and ends here.
        unsafe { libc::munmap(self.address, self.length) };
    }
}

/// Returns the offset on the device of a file's first byte.
///
/// # Errors
/// If the file system does not tell.
pub(crate) fn disk_position(file: &File) -> io::Result<Option<u64>> {
    let mut place = libc::log2phys { l2p_flags: 0, l2p_contigbytes: 1, l2p_devoffset: 0 };
    // SAFETY: the structure has room for what the call writes, and the descriptor is open while `file` is borrowed.
    retry_interrupted(|| unsafe { libc::fcntl(file.as_raw_fd(), libc::F_LOG2PHYS_EXT, &raw mut place) })?;
    // -1 stands for a hole.
    Ok(u64::try_from(place.l2p_devoffset).ok())
}
