//! Windows. Tried under wine alone, which is no NTFS: what concerns reparse points, sparse files and disks is written from
//! Microsoft's documentation.
#![allow(unsafe_code)]

mod calls;
mod device;
mod link;
mod listing;
mod machine;
mod opening;
mod ranges;
mod streams;

pub(crate) const HAS_ATTRIBUTES: bool = true;
pub(crate) const HAS_STREAMS: bool = true;
pub(crate) const HAS_PLACEHOLDERS: bool = true;

pub(crate) use device::{DeviceTables, device_number, tells_inodes};
pub(crate) use link::read_link;
pub(crate) use listing::{Directory, streams};
pub(crate) use machine::{has_address_limit, memory, now, tick};
pub(crate) use opening::{open, open_below, stat, stat_in, stat_open};
pub(crate) use ranges::{disk_position, position, segment};
#[cfg(test)]
pub(crate) use streams::file_of_pipe;
pub(crate) use streams::{Alarm, stdin};

use std::fs::File;
use std::io;
use std::ops::Range;

/// Returns whether the page cache is the only place where files there are: never, as far as this system tells.
pub(crate) fn is_in_memory(_: &File) -> bool {
    false
}

/// Returns whether the sizes of files are unreliable there. No file system of Windows makes files up as they are read.
pub(crate) fn pretends_sizes(_: &File) -> bool {
    false
}

/// Returns whether files there may be mapped: no, as the system does not tell what is in its cache.
pub(crate) fn maps_well(_: &File) -> bool {
    false
}

/// Returns whether files on a file system of this name may be mapped. See [`maps_well`].
pub(crate) fn maps_well_as(_: &str) -> bool {
    false
}

/// Returns `None`: the system does not tell what is in its cache.
pub(crate) fn cached_pages(_: &File, _: u64, _: u64) -> Option<(u64, u64)> {
    None
}

/// Fails: whether a read waits can't be known before.
pub(crate) fn read_without_waiting(_: &File, _: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Does nothing: pages can't be dropped from the cache one by one.
pub(crate) fn forget(_: &File, _: Range<u64>) {}

/// Does nothing: the system reads ahead itself.
pub(crate) fn will_need(_: &File, _: u64, _: u64) {}

/// Fails: how a file is read is decided when it is opened there.
pub(crate) fn set_direct(_: &File, _: bool) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "direct reads are not there on Windows"))
}
