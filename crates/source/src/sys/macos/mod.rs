//! macOS. It links, but could not be tried.
#![allow(unsafe_code)]

mod calls;
mod device;
mod page_cache;
#[path = "../short_path.rs"]
mod short_path;
#[path = "../unix.rs"]
mod unix;

/// Whether a direct read gets nothing that was in the page cache before. `F_NOCACHE` keeps what is read out of the cache, but takes
/// what is there (XNU's `cluster_read_direct`).
pub(crate) const DIRECT_IS_FRESH: bool = false;
pub(crate) const HAS_ATTRIBUTES: bool = false;
pub(crate) const HAS_STREAMS: bool = false;
pub(crate) const HAS_PLACEHOLDERS: bool = true;

pub(crate) use device::{
    DeviceTables, device_number, maps_well, maps_well_as, tells_holes, tells_identities, tells_inodes,
};
pub(crate) use page_cache::{
    cached_pages, disk_position, emptied, forget, read_without_waiting, start_direct, stop_direct, will_need,
};
#[cfg(test)]
pub(crate) use unix::file_of_pipe;
pub(crate) use unix::{
    Alarm, Directory, has_address_limit, memory, open, open_below, position, read_link, segment, stat,
    stat_in, stat_open, stdin, streams,
};

use std::fs::File;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Returns whether the sizes of files are unreliable there. No file system of macOS makes files up as they are read.
pub(crate) fn pretends_sizes(_: &File) -> bool {
    false
}

/// Returns the time since 1970 on the clock that the system uses for file times; 0 if it is before.
pub(crate) fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// Returns the longest tick of that clock.
pub(crate) fn tick() -> Duration {
    Duration::from_millis(1)
}
