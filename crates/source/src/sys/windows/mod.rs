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

/// Whether a direct read gets nothing that was in the page cache before. What a file system keeps in its own tables comes out of their
/// cache: NTFS, files of some hundred bytes.
pub(crate) const DIRECT_IS_FRESH: bool = true;
pub(crate) const HAS_ATTRIBUTES: bool = true;
pub(crate) const HAS_STREAMS: bool = true;
pub(crate) const HAS_PLACEHOLDERS: bool = true;

pub(crate) use device::{DeviceTables, device_number, tells_identities, tells_inodes};
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
use windows_sys::Wdk::Storage::FileSystem::FILE_NO_INTERMEDIATE_BUFFERING;

/// Returns whether the sizes of files are unreliable there. No file system of Windows makes files up as they are read.
pub(crate) fn pretends_sizes(_: &File) -> bool {
    false
}

/// Returns whether files there may be mapped: no, as the system does not tell what is in its cache.
pub(crate) fn maps_well(_: &File) -> bool {
    false
}

/// Returns whether holes that are told there are zeros.
pub(crate) fn tells_holes(_: &File) -> bool {
    true
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

/// Drops nothing, and returns false: the system does not tell what is in its cache.
pub(crate) fn emptied(_: &File, _: u64) -> bool {
    false
}

/// Opens a file once more, to be read past the cache: only opening decides that.
pub(crate) fn start_direct(file: &File) -> io::Result<Option<File>> {
    opening::open_again(file, FILE_NO_INTERMEDIATE_BUFFERING).map(Some)
}

/// Does nothing: the file that was opened first is read through the cache.
pub(crate) fn stop_direct(_: &File) -> io::Result<()> {
    Ok(())
}
