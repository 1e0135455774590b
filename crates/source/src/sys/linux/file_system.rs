//! Properties of types of file systems. Numbers that the C library does not name are from Linux's
//! `include/uapi/linux/magic.h` or from the source of the file system.

use hashmill_os::retry_interrupted;
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;
use std::path::Path;

/// File systems that generate files as they are read, with sizes of zero or one page.
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

/// File systems whose listings have the inode numbers that `stat` returns. Overlays and FUSE are not among them.
const TRUE_LISTINGS: [u32; 7] = [
    libc::EXT4_SUPER_MAGIC as u32,
    libc::XFS_SUPER_MAGIC as u32,
    libc::BTRFS_SUPER_MAGIC as u32,
    libc::TMPFS_MAGIC as u32,
    libc::F2FS_SUPER_MAGIC as u32,
    libc::NFS_SUPER_MAGIC as u32,
    0x2fc1_2fc1, // ZFS
];

/// Local file systems that keep their files in the page cache, where a mapped file can't vanish. Excluded are network
/// file systems and FUSE; overlays, which may have these below; and ZFS, which caches files elsewhere and copies them
/// to be mapped.
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

/// Returns whether the sizes of files are unreliable there. False if unknown: a size that does not match is then a
/// failure, which is the safe side.
pub(crate) fn pretends_sizes(file: &File) -> bool {
    is_one_of(file, &PRETENDERS)
}

/// Returns whether listings have reliable inode numbers. False if unknown.
pub(crate) fn tells_inodes(directory: &File) -> bool {
    is_one_of(directory, &TRUE_LISTINGS)
}

/// Returns whether two files in a folder never have one device and inode number, except as names of one file. False if
/// unknown: file systems in user space and some on servers make numbers up.
pub(crate) fn tells_identities(folder: &Path) -> bool {
    let is_known = |folder| tells_inodes(&folder) || maps_well(&folder) || is_overlay(&folder);
    File::open(folder).is_ok_and(is_known)
}

/// Returns whether files there may be mapped. False if unknown.
pub(crate) fn maps_well(file: &File) -> bool {
    is_one_of(file, &MAPPED.map(|(magic, _)| magic))
}

/// Returns whether holes that are told there are zeros: file systems of the kernel know their own extents, while those in
/// user space and on servers may tell of holes where bytes are. False if unknown.
pub(crate) fn tells_holes(file: &File) -> bool {
    maps_well(file)
}

/// Returns whether files on a file system of this name may be mapped. False if unknown.
pub(crate) fn maps_well_as(name: &str) -> bool {
    MAPPED.iter().any(|(_, other)| *other == name)
}

/// Returns whether the page cache is the only place where files there are.
pub(super) fn is_in_memory(file: &File) -> bool {
    is_one_of(file, &[libc::TMPFS_MAGIC as u32, 0x8584_58f6]) // ramfs
}

/// Returns whether files there have their pages in other files, below.
pub(super) fn is_overlay(file: &File) -> bool {
    is_one_of(file, &[libc::OVERLAYFS_SUPER_MAGIC as u32])
}

fn is_one_of(file: &File, types: &[u32]) -> bool {
    file_system(file).is_ok_and(|magic| types.contains(&magic))
}

/// Returns the kernel's number for the type of the file's file system.
pub(super) fn file_system(file: &File) -> io::Result<u32> {
    let mut stat = MaybeUninit::<libc::statfs64>::uninit();
    // SAFETY: the descriptor is open while `file` is borrowed, and `stat` has room for what the call writes.
    retry_interrupted(|| unsafe { libc::fstatfs64(file.as_raw_fd(), stat.as_mut_ptr()) })?;
    // SAFETY: the call succeeded, so it wrote the whole structure.
    // The numbers have 32 bits, in a field that is wider, and signed, on most architectures.
    Ok(unsafe { stat.assume_init_ref() }.f_type as u32)
}
