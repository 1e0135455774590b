//! Volumes and devices: their room, and how they are called.

use crate::sys;

/// Whether the disks of this system are block devices, so that no character device is one.
pub const DISKS_ARE_BLOCKS: bool = sys::DISKS_ARE_BLOCKS;

/// Returns the number of bytes that this user can still write to the volume of an open file; none if the system doesn't
/// tell.
pub use crate::sys::free;

/// Returns the number of bytes that this user can still write to the volume of a folder, likewise.
pub use crate::sys::free_at;

/// Returns the folder where a volume is mounted, by its number in [`FileId`](crate::FileId); none if the system doesn't
/// tell.
pub use crate::sys::mount_point;

/// Returns the number of a volume as the system writes it: `8:1` on Linux.
pub use crate::sys::volume_text;

/// Returns the size of a block device in bytes.
///
/// # Errors
/// If it is not a block device.
pub use crate::sys::device_size;

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

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
