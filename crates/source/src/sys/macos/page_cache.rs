//! The page cache, which the system tells little about, and places on the disk.

use hashloom_os::retry_interrupted;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::fd::AsRawFd;

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

/// Switches reads past the cache on or off.
pub(crate) fn set_direct(file: &File, direct: bool) -> io::Result<()> {
    // SAFETY: the call touches no memory, and the descriptor is open while `file` is borrowed.
    retry_interrupted(|| unsafe { libc::fcntl(file.as_raw_fd(), libc::F_NOCACHE, i32::from(direct)) })?;
    Ok(())
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
