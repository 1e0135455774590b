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

/// File systems whose files are this machine's own.
const LOCAL: [u32; 6] = [
    libc::EXT4_SUPER_MAGIC as u32,
    libc::XFS_SUPER_MAGIC as u32,
    libc::BTRFS_SUPER_MAGIC as u32,
    libc::TMPFS_MAGIC as u32,
    libc::F2FS_SUPER_MAGIC as u32,
    libc::OVERLAYFS_SUPER_MAGIC as u32,
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

/// Whether files there are this machine's own, so that their pages come and go with its page cache and nothing
/// else. Unknown counts as no.
pub(crate) fn is_local(file: BorrowedFd<'_>) -> bool {
    is_one_of(file, &LOCAL)
}

/// Whether files there have their pages in other files, below.
pub(crate) fn is_overlay(file: BorrowedFd<'_>) -> bool {
    is_one_of(file, &[libc::OVERLAYFS_SUPER_MAGIC as u32])
}

fn is_one_of(file: BorrowedFd<'_>, types: &[u32]) -> bool {
    sys::file_system(file).is_ok_and(|magic| types.contains(&magic))
}
