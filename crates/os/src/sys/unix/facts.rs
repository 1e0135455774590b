//! Metadata and owners of files.

use super::calls::{retry_interrupted, with_c_string};
use super::process::user_number;
use crate::sys::{Stat, fstat, fstatat, is_elsewhere};
use crate::{Access, Facts, FileKind, Links, Owner};
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The unit of `st_blocks` in bytes.
const BLOCK: u64 = 512;

/// The permissions of users other than the owner.
pub const OTHERS: u32 = 0o077;

/// The user who administers the system.
const ROOT: u32 = 0;

/// That user in messages.
pub const SYSTEM: &str = "number 0";
/// The word before the number of another user in messages.
pub const USER_NUMBER: &str = "number";

pub fn facts(file: &File) -> io::Result<Facts> {
    stat(file).map(|stat| convert(&stat))
}

pub fn facts_at(path: &Path, links: Links) -> io::Result<Facts> {
    stat_at(path, links).map(|stat| convert(&stat))
}

pub fn facts_in(folder: &File, name: &[u8]) -> io::Result<Facts> {
    stat_from(folder.as_raw_fd(), name, Links::Stay).map(|stat| convert(&stat))
}

pub fn owner(file: &File) -> io::Result<Owner> {
    stat(file).map(|stat| owner_of(&stat))
}

pub fn owned_at(path: &Path, links: Links) -> io::Result<(Facts, Owner)> {
    stat_at(path, links).map(|stat| (convert(&stat), owner_of(&stat)))
}

pub fn owned_in(folder: &File, name: &[u8]) -> io::Result<(Facts, Owner)> {
    stat_from(folder.as_raw_fd(), name, Links::Stay).map(|stat| (convert(&stat), owner_of(&stat)))
}

pub fn others_may(file: &File) -> io::Result<Access> {
    let mode = facts(file)?.mode;
    Ok(Access { read: mode & 0o044 != 0, write: mode & 0o022 != 0, everybody_writes: mode & 0o002 != 0 })
}

#[allow(unsafe_code)]
fn stat(file: &File) -> io::Result<Stat> {
    let mut stat = MaybeUninit::uninit();
    // SAFETY: the descriptor is open while `file` is borrowed, and `stat` has room for what the call writes.
    retry_interrupted(|| unsafe { fstat(file.as_raw_fd(), stat.as_mut_ptr()) })?;
    // SAFETY: the call succeeded, so it wrote the whole structure.
    Ok(unsafe { stat.assume_init() })
}

fn stat_at(path: &Path, links: Links) -> io::Result<Stat> {
    stat_from(libc::AT_FDCWD, path.as_os_str().as_bytes(), links)
}

#[allow(unsafe_code)]
fn stat_from(start: RawFd, path: &[u8], links: Links) -> io::Result<Stat> {
    let flags = if links == Links::Stay { libc::AT_SYMLINK_NOFOLLOW } else { 0 };
    let mut stat = MaybeUninit::uninit();
    with_c_string(path, |path| {
        // SAFETY: `path` is a C string, and `stat` has room for what the call writes.
        retry_interrupted(|| unsafe { fstatat(start, path.as_ptr(), stat.as_mut_ptr(), flags) })
    })?;
    // SAFETY: the call succeeded, so it wrote the whole structure.
    Ok(unsafe { stat.assume_init() })
}

/// Converts the structure. Field types differ between architectures, hence the casts.
#[allow(clippy::unnecessary_cast)]
fn convert(stat: &Stat) -> Facts {
    Facts {
        id: (stat.st_dev as u64, u128::from(stat.st_ino as u64)),
        kind: kind(stat.st_mode as u32),
        links: stat.st_nlink as u64,
        size: stat.st_size as u64,
        allocated: (stat.st_blocks as u64).saturating_mul(BLOCK),
        // The kernel keeps nanoseconds below one second.
        mtime: (stat.st_mtime as i64, stat.st_mtime_nsec as u32),
        ctime: (stat.st_ctime as i64, stat.st_ctime_nsec as u32),
        atime: (stat.st_atime as i64, stat.st_atime_nsec as u32),
        born: (0, 0),
        device: stat.st_rdev as u64,
        mode: stat.st_mode as u32,
        attributes: 0,
        elsewhere: is_elsewhere(stat),
        tag: 0,
    }
}

#[allow(clippy::unnecessary_cast)]
fn kind(mode: u32) -> FileKind {
    const FOLDER: u32 = libc::S_IFDIR as u32;
    const LINK: u32 = libc::S_IFLNK as u32;
    const FIFO: u32 = libc::S_IFIFO as u32;
    const SOCKET: u32 = libc::S_IFSOCK as u32;
    const BLOCK: u32 = libc::S_IFBLK as u32;
    const CHARACTER: u32 = libc::S_IFCHR as u32;
    match mode & libc::S_IFMT as u32 {
        FOLDER => FileKind::Folder,
        LINK => FileKind::Link,
        FIFO => FileKind::Fifo,
        SOCKET => FileKind::Socket,
        BLOCK => FileKind::Block,
        CHARACTER => FileKind::Character,
        _ => FileKind::File,
    }
}

fn owner_of(stat: &Stat) -> Owner {
    match stat.st_uid {
        own if Some(own) == user_number() => Owner::Mine,
        ROOT => Owner::System,
        other => Owner::Other(other.to_string().into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn kinds_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        symlink("/dev/null", &link).unwrap();
        let kind = |links| facts_at(&link, links).unwrap().kind;
        assert_eq!((kind(Links::Stay), kind(Links::Follow)), (FileKind::Link, FileKind::Character));
        let (reader, _writer) = io::pipe().unwrap();
        let pipe = File::from(std::os::fd::OwnedFd::from(reader));
        assert_eq!(facts(&pipe).unwrap().kind, FileKind::Fifo);
    }

    #[test]
    fn access_follows_the_mode() {
        use std::os::unix::fs::PermissionsExt;
        let file = tempfile::tempfile().unwrap();
        let cases = [
            (0o600, false, false, false),
            (0o640, true, false, false),
            (0o620, false, true, false),
            (0o602, false, true, true),
        ];
        for (mode, read, write, everybody_writes) in cases {
            file.set_permissions(fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(others_may(&file).unwrap(), Access { read, write, everybody_writes });
        }
    }

    #[test]
    fn the_system_owns_its_devices() {
        let (_, owner) = owned_at(Path::new("/dev/null"), Links::Stay).unwrap();
        assert_eq!(owner == Owner::Mine, user_number() == Some(ROOT));
    }
}
