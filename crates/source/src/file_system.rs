//! What depends on the type of a file system. Numbers that the C library does not name are from Linux's
//! `include/uapi/linux/magic.h` or from the file system's own source.

use crate::sys;
use std::os::fd::BorrowedFd;

/// File systems whose files are made as they are read, with sizes of zero or of one page.
const PRETENDERS: [u32; 16] = [
    libc::PROC_SUPER_MAGIC as u32,
    libc::SYSFS_MAGIC as u32,
    libc::CGROUP_SUPER_MAGIC as u32,
    libc::CGROUP2_SUPER_MAGIC as u32,
    libc::DEBUGFS_MAGIC as u32,
    libc::TRACEFS_MAGIC as u32,
    libc::SECURITYFS_MAGIC as u32,
    libc::SELINUX_MAGIC as u32,
    libc::SMACK_MAGIC as u32,
    libc::BPF_FS_MAGIC as u32,
    0x4249_4e4d, // binfmt_misc
    libc::RDTGROUP_SUPER_MAGIC as u32,
    0x6265_6570, // configfs
    0xde5e_81e4, // efivarfs
    0x6165_676c, // pstore
    0x6573_5543, // fusectl
];

/// File systems whose listings have the inode numbers that `stat` has. Overlays and FUSE are not among
/// them.
const TRUE_LISTINGS: [u32; 7] = [
    libc::EXT4_SUPER_MAGIC as u32,
    libc::XFS_SUPER_MAGIC as u32,
    libc::BTRFS_SUPER_MAGIC as u32,
    libc::TMPFS_MAGIC as u32,
    libc::F2FS_SUPER_MAGIC as u32,
    libc::NFS_SUPER_MAGIC as u32,
    0x2fc1_2fc1, // ZFS
];

/// File systems of this machine that keep their files in the page cache, whose files don't vanish under a map. Not
/// among them: network file systems and FUSE, overlays, which may have these below, and ZFS, which keeps files elsewhere and
/// copies them to be mapped.
const MAPPED: [(u32, &str); 10] = [
    (libc::EXT4_SUPER_MAGIC as u32, "ext4"),
    (libc::EXT4_SUPER_MAGIC as u32, "ext3"),
    (libc::EXT4_SUPER_MAGIC as u32, "ext2"),
    (libc::XFS_SUPER_MAGIC as u32, "xfs"),
    (libc::BTRFS_SUPER_MAGIC as u32, "btrfs"),
    (libc::TMPFS_MAGIC as u32, "tmpfs"),
    (libc::F2FS_SUPER_MAGIC as u32, "f2fs"),
    (0xe0f5_e1e2, "erofs"),
    (0x7371_7368, "squashfs"),
    (0xca45_1a4e, "bcachefs"),
];

/// Whether the sizes of files are not true there. Unknown counts as no: a size that does not fit is then
/// a failure, which is the safe side.
pub(crate) fn pretends_sizes(file: BorrowedFd<'_>) -> bool {
    is_one_of(file, &PRETENDERS)
}

/// Whether listings tell inode numbers that can be relied on. Unknown counts as no.
pub(crate) fn tells_inodes(directory: BorrowedFd<'_>) -> bool {
    is_one_of(directory, &TRUE_LISTINGS)
}

/// Whether files there may be mapped. Unknown counts as no.
pub(crate) fn maps_well(file: BorrowedFd<'_>) -> bool {
    is_one_of(file, &MAPPED.map(|(magic, _)| magic))
}

/// Whether files on a file system of this name may be mapped. No, if it is not known.
pub(crate) fn maps_well_as(name: &str) -> bool {
    MAPPED.iter().any(|(_, other)| *other == name)
}

/// Whether files there have their pages in other files, below.
pub(crate) fn is_overlay(file: BorrowedFd<'_>) -> bool {
    is_one_of(file, &[libc::OVERLAYFS_SUPER_MAGIC as u32])
}

fn is_one_of(file: BorrowedFd<'_>, types: &[u32]) -> bool {
    sys::file_system(file).is_ok_and(|magic| types.contains(&magic))
}
