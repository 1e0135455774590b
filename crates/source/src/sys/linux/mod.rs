//! Linux. Each system call is the C library's function of that name, so that preloaded libraries can intercept it.
#![allow(unsafe_code)]

mod calls;
mod clock;
mod device;
mod file_system;
mod page_cache;
mod placement;
#[path = "../short_path.rs"]
mod short_path;
#[path = "../unix.rs"]
mod unix;

/// Whether a direct read gets nothing that was in the page cache before.
pub(crate) const DIRECT_IS_FRESH: bool = true;
pub(crate) const HAS_ATTRIBUTES: bool = false;
pub(crate) const HAS_STREAMS: bool = false;
pub(crate) const HAS_PLACEHOLDERS: bool = false;

pub(crate) use clock::{now, tick};
pub(crate) use device::{DeviceTables, device_number};
pub(crate) use file_system::{
    maps_well, maps_well_as, pretends_sizes, tells_holes, tells_identities, tells_inodes,
};
pub(crate) use page_cache::{
    cached_pages, emptied, forget, read_without_waiting, start_direct, stop_direct, will_need,
};
pub(crate) use placement::disk_position;
#[cfg(test)]
pub(crate) use unix::file_of_pipe;
pub(crate) use unix::{
    Alarm, Directory, has_address_limit, memory, open, open_below, position, read_link, segment, stat,
    stat_in, stat_open, stdin, streams,
};
