//! Volumes and devices: their room, and how they are called.

use crate::sys;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// Whether the disks of this system are block devices, so that no character device is one.
pub const DISKS_ARE_BLOCKS: bool = sys::DISKS_ARE_BLOCKS;

/// Returns the number of bytes that this user can still write to the volume of an open file; none if the system doesn't
/// tell.
pub fn free(file: &File) -> Option<u64> {
    sys::free(file)
}

/// Returns the number of bytes that this user can still write to the volume of a folder, likewise.
pub fn free_at(folder: &Path) -> Option<u64> {
    sys::free_at(folder)
}

/// Returns the folder where a volume is mounted, by its number in [`FileId`](crate::FileId); none if the system doesn't
/// tell.
pub fn mount_point(number: u64) -> Option<PathBuf> {
    sys::mount_point(number)
}

/// Returns the number of a volume as the system writes it: `8:1` on Linux.
pub fn volume_text(number: u64) -> String {
    sys::volume_text(number)
}

/// Returns the size of a block device in bytes.
///
/// # Errors
/// If it is not a block device.
pub fn device_size(device: &File) -> io::Result<u64> {
    sys::device_size(device)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_told_for_folders_and_files() {
        let folder = tempfile::tempdir().unwrap();
        assert!(free_at(folder.path()).is_some());
        assert!(free(&File::create(folder.path().join("file")).unwrap()).is_some());
        assert_eq!(free_at(&folder.path().join("none")), None);
    }

    #[test]
    fn a_file_is_not_a_device() {
        assert!(device_size(&tempfile::tempfile().unwrap()).is_err());
    }
}
