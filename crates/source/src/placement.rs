//! The position of a file's bytes on the disk, and reading bytes into memory before they are needed.
#![allow(unsafe_code)]

use crate::Reader;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

/// `FS_IOC_FIEMAP` of Linux's `include/uapi/linux/fs.h`: `_IOWR('f', 11, struct fiemap)`.
const FIEMAP: u32 = 0xc020_660b;

/// Flags for extents without a known or final position (`FIEMAP_EXTENT_UNKNOWN`, `_DELALLOC`).
const PLACELESS: u32 = 0x2 | 0x4;

/// Linux's `struct fiemap`, with room for one extent.
#[repr(C)]
#[derive(Default)]
struct Map {
    start: u64,
    length: u64,
    flags: u32,
    mapped: u32,
    room: u32,
    reserved: u32,
    first: Extent,
}

/// Linux's `struct fiemap_extent`.
#[repr(C)]
#[derive(Default)]
struct Extent {
    logical: u64,
    physical: u64,
    length: u64,
    reserved: [u64; 2],
    flags: u32,
    reserved_too: [u32; 3],
}

impl Reader {
    /// Returns the offset on the device of the file's first extent. Reading files in this order costs few seeks. `None`
    /// for an empty file, for one without a position yet, and if the file system does not tell; then the order of inode
    /// numbers is the next best.
    pub fn disk_position(&self) -> Option<u64> {
        disk_position(self.as_fd()).ok().flatten()
    }

    /// Asks the kernel to read these bytes into memory, without waiting for them. This is a hint, and it is no error if
    /// the kernel ignores it.
    pub fn will_need(&self, offset: u64, length: u64) {
        advise(self.as_fd(), offset, length, libc::POSIX_FADV_WILLNEED);
    }
}

fn disk_position(file: BorrowedFd<'_>) -> io::Result<Option<u64>> {
    let mut map = Map { length: u64::MAX, room: 1, ..Map::default() };
    // SAFETY: the descriptor is open while it is borrowed, and the structure has the kernel's layout, with room for the
    // number of extents that it states.
    let result = unsafe { libc::ioctl(file.as_raw_fd(), FIEMAP as libc::Ioctl, &raw mut map) };
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    let placed = map.mapped > 0 && map.first.flags & PLACELESS == 0;
    Ok(placed.then_some(map.first.physical))
}

fn advise(file: BorrowedFd<'_>, offset: u64, length: u64, advice: libc::c_int) {
    let (Ok(offset), Ok(length)) = (i64::try_from(offset), i64::try_from(length)) else { return };
    // SAFETY: the call touches no memory, and the descriptor is open while it is borrowed.
    unsafe { libc::posix_fadvise64(file.as_raw_fd(), offset, length, advice) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, File};

    #[test]
    fn structures_have_the_kernels_sizes() {
        // The call's number contains the size of the structure without its extents.
        assert_eq!((size_of::<Map>(), size_of::<Extent>()), (32 + 56, 56));
        assert_eq!((FIEMAP >> 16) & 0x3fff, 32);
    }

    #[test]
    fn files_that_lie_somewhere_lie_at_different_places() {
        let folder = std::env::current_exe().unwrap();
        let path = |name: &str| folder.with_file_name(format!("placement-{name}-{}", std::process::id()));
        let places = ["a", "b"].map(|name| {
            fs::write(path(name), vec![1; 64 << 10]).unwrap();
            let file = File::open(path(name)).unwrap();
            file.sync_all().unwrap();
            disk_position(file.as_fd())
        });
        match places {
            [Ok(Some(one)), Ok(Some(other))] => assert_ne!(one, other),
            [one, other] => println!("skipped: the file system does not tell places ({one:?}, {other:?})"),
        }
        ["a", "b"].iter().for_each(|name| fs::remove_file(path(name)).unwrap());
    }

    #[test]
    fn what_has_no_place_has_none() {
        let (reader, _writer) = io::pipe().unwrap();
        assert!(disk_position(reader.as_fd()).is_err());
        let path = std::env::current_exe().unwrap().with_file_name("placement-empty");
        fs::write(&path, "").unwrap();
        assert!(matches!(disk_position(File::open(&path).unwrap().as_fd()), Ok(None) | Err(_)));
        fs::remove_file(path).unwrap();
    }
}
