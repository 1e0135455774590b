//! The position of a file's bytes on the disk.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

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

/// Returns the offset on the device of a file's first extent. See [`Reader::disk_position`](crate::Reader::disk_position).
///
/// # Errors
/// If the file system does not tell.
pub(crate) fn disk_position(file: &File) -> io::Result<Option<u64>> {
    let mut map = Map { length: u64::MAX, room: 1, ..Map::default() };
    // SAFETY: the descriptor is open while `file` is borrowed, and the structure has the kernel's layout, with room for the
    // number of extents that it states.
    let result = unsafe { libc::ioctl(file.as_raw_fd(), FIEMAP as libc::Ioctl, &raw mut map) };
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    let placed = map.mapped > 0 && map.first.flags & PLACELESS == 0;
    Ok(placed.then_some(map.first.physical))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

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
            disk_position(&file)
        });
        match places {
            [Ok(Some(one)), Ok(Some(other))] => assert_ne!(one, other),
            _ => hashmill_testing::not_possible("telling places on the disk"),
        }
        ["a", "b"].iter().for_each(|name| fs::remove_file(path(name)).unwrap());
    }

    #[test]
    fn what_has_no_place_has_none() {
        let (reader, _writer) = io::pipe().unwrap();
        assert!(disk_position(&File::from(std::os::fd::OwnedFd::from(reader))).is_err());
        let path = std::env::current_exe().unwrap().with_file_name("placement-empty");
        fs::write(&path, "").unwrap();
        assert!(matches!(disk_position(&File::open(&path).unwrap()), Ok(None) | Err(_)));
        fs::remove_file(path).unwrap();
    }
}
