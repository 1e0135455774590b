//! Types of file systems and where each keeps its data.

use crate::Medium;

/// File systems in memory, or generated as they are read.
const MEMORY: [&str; 19] = [
    "tmpfs",
    "ramfs",
    "devtmpfs",
    "rootfs",
    "proc",
    "sysfs",
    "cgroup",
    "cgroup2",
    "debugfs",
    "tracefs",
    "securityfs",
    "hugetlbfs",
    "configfs",
    "pstore",
    "efivarfs",
    "bpf",
    "mqueue",
    "devpts",
    "binfmt_misc",
];

/// File systems of other machines, or of the host of a virtual machine.
const NETWORK: [&str; 26] = [
    "nfs",
    "nfs4",
    "cifs",
    "smb3",
    "smbfs",
    "ncpfs",
    "afs",
    "ceph",
    "9p",
    "virtiofs",
    "lustre",
    "gpfs",
    "beegfs",
    "orangefs",
    "pvfs2",
    "coda",
    "vboxsf",
    "fuse.sshfs",
    "fuse.rclone",
    "fuse.s3fs",
    "fuse.gcsfuse",
    "fuse.glusterfs",
    "fuse.ceph",
    "fuse.ceph-fuse",
    "fuse.curlftpfs",
    "fuse.davfs",
];

/// Unions of directories or disks that don't reveal them.
const UNION: [&str; 6] =
    ["aufs", "unionfs", "fuse.mergerfs", "fuse.unionfs", "fuse.unionfs-fuse", "mergerfs"];

/// Unions whose options name the directories below.
pub(super) const OVERLAY: [&str; 2] = ["overlay", "fuse.fuse-overlayfs"];

/// Names for the numbers that `statfs` returns, used where there is no table of mounts: those that decide the medium,
/// and the common ones. From Linux's `include/uapi/linux/magic.h`, the last ones from the sources of the file systems.
const NUMBERS: [(u32, &str); 18] = [
    (0xef53, "ext4"),
    (0x5846_5342, "xfs"),
    (0x9123_683e, "btrfs"),
    (0xf2f5_2010, "f2fs"),
    (0x4d44, "vfat"),
    (0x2011_bab0, "exfat"),
    (0x7371_7368, "squashfs"),
    (0x0102_1994, "tmpfs"),
    (0x8584_58f6, "ramfs"),
    (0x9fa0, "proc"),
    (0x6265_6572, "sysfs"),
    (0x6969, "nfs"),
    (0xff53_4d42, "cifs"),
    (0xfe53_4d42, "smb3"),
    (0x0102_1997, "9p"),
    (0x00c3_6400, "ceph"),
    (0x794c_7630, "overlay"),
    (0x2fc1_2fc1, "zfs"),
];

/// Returns the medium if the type alone decides it.
pub(super) fn medium(kind: &str) -> Option<Medium> {
    [(&MEMORY[..], Medium::Memory), (&NETWORK[..], Medium::Network), (&UNION[..], Medium::Union)]
        .into_iter()
        .find_map(|(kinds, medium)| kinds.contains(&kind).then_some(medium))
}

/// Returns the name for a number of `statfs`.
pub(super) fn name(number: u32) -> Option<&'static str> {
    NUMBERS.iter().find(|(known, _)| *known == number).map(|(_, name)| *name)
}
