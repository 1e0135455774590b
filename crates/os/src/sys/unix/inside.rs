//! Changes in an open folder, and the attributes of a copy.

use crate::Attribute;
use crate::sys::{copy_extended, retry_interrupted};
use std::ffi::CString;
use std::fs::{File, FileTimes, Metadata, Permissions};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::Path;

/// The bits with which a program runs as its owner or its group.
const RUNS_AS_OWNER: u32 = 0o6000;

#[allow(unsafe_code)]
pub fn create_in(folder: &File, name: &[u8]) -> io::Result<File> {
    let name = CString::new(name)?;
    let flags = libc::O_RDWR | libc::O_CREAT | libc::O_EXCL | libc::O_NOFOLLOW | libc::O_CLOEXEC;
    // SAFETY: the name is a C string that outlives the call, which gets the mode that it reads.
    let fd = retry_interrupted(|| unsafe { libc::openat(folder.as_raw_fd(), name.as_ptr(), flags, 0o600) })?;
    // SAFETY: the descriptor is new and has no other owner.
    Ok(unsafe { File::from_raw_fd(fd) })
}

#[allow(unsafe_code)]
pub fn link_in(folder: &File, name: &[u8], second: &[u8]) -> io::Result<()> {
    let (name, second, fd) = (CString::new(name)?, CString::new(second)?, folder.as_raw_fd());
    // SAFETY: the names are C strings that outlive the call.
    retry_interrupted(|| unsafe { libc::linkat(fd, name.as_ptr(), fd, second.as_ptr(), 0) }).map(drop)
}

#[allow(unsafe_code)]
pub fn rename_in(folder: &File, from: &[u8], to: &[u8]) -> io::Result<()> {
    let (from, to, fd) = (CString::new(from)?, CString::new(to)?, folder.as_raw_fd());
    // SAFETY: the names are C strings that outlive the call.
    retry_interrupted(|| unsafe { libc::renameat(fd, from.as_ptr(), fd, to.as_ptr()) }).map(drop)
}

#[allow(unsafe_code)]
pub fn remove_in(folder: &File, name: &[u8]) -> io::Result<()> {
    let name = CString::new(name)?;
    // SAFETY: the name is a C string that outlives the call.
    retry_interrupted(|| unsafe { libc::unlinkat(folder.as_raw_fd(), name.as_ptr(), 0) }).map(drop)
}

#[allow(unsafe_code)]
pub fn sync_in(folder: &File) -> io::Result<()> {
    let flags = libc::O_RDONLY | libc::O_DIRECTORY | libc::O_CLOEXEC;
    // SAFETY: the name is a C string, and without O_CREAT no mode is read.
    let fd = retry_interrupted(|| unsafe { libc::openat(folder.as_raw_fd(), c".".as_ptr(), flags) })?;
    // SAFETY: the descriptor is new and has no other owner.
    unsafe { File::from_raw_fd(fd) }.sync_all()
}

pub fn make_link(target: &Path, place: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, place)
}

pub fn copy_attributes(from: &File, to: &File) -> io::Result<Vec<Attribute>> {
    let meta = from.metadata()?;
    let mut refused = Vec::new();
    let is_owned = gives_owner(&meta, to)?;
    if !is_owned {
        refused.push(Attribute::Owner);
    }
    // A change of the owner takes bits and some attributes away: so it comes first.
    if !copy_extended(from, to) {
        refused.push(Attribute::Extended);
    }
    let mode = meta.mode() & 0o7777 & if is_owned { !0 } else { !RUNS_AS_OWNER };
    match to.set_permissions(Permissions::from_mode(mode)) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {}
        done => done?,
    }
    let (accessed, modified) = (meta.accessed()?, meta.modified()?);
    to.set_times(FileTimes::new().set_accessed(accessed).set_modified(modified))?;
    // Some file systems take what they can't keep.
    let kept = to.metadata()?;
    if kept.mode() & 0o7777 != mode {
        refused.push(Attribute::Permissions);
    }
    if kept.modified()? != modified {
        refused.push(Attribute::Times);
    }
    Ok(refused)
}

/// Gives a file this owner and this group, and returns whether it has them.
fn gives_owner(meta: &Metadata, to: &File) -> io::Result<bool> {
    let has = |to: &File| to.metadata().map(|is| (is.uid(), is.gid()) == (meta.uid(), meta.gid()));
    if has(to)? {
        return Ok(true);
    }
    if fchown(to, Some(meta.uid()), Some(meta.gid())).is_err() {
        // A user may give files to groups of his own. Whether that succeeded shows below.
        let _ = fchown(to, None, Some(meta.gid()));
    }
    has(to)
}
