//! Changes in an open folder, and the attributes of a copy.

use super::beneath::open_in;
use super::calls::with_c_string;
use super::facts::facts_in;
use crate::Attribute;
use crate::sys::{copy_extended, rename_new_by_system, retry_interrupted};
use std::ffi::{CString, c_int};
use std::fs::{File, FileTimes, Metadata, Permissions};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

/// Whether the system has calls for an open folder and a name in it.
pub const HAS_CALLS_IN_FOLDERS: bool = true;

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

pub fn open_now_in(folder: &File, name: &[u8]) -> io::Result<File> {
    open_in(folder, name, libc::O_RDONLY | libc::O_NONBLOCK)
}

pub fn open_to_change_in(folder: &File, name: &[u8]) -> io::Result<File> {
    open_in(folder, name, libc::O_RDWR | libc::O_NONBLOCK)
}

pub fn open_folder_in(folder: &File, name: &[u8]) -> io::Result<File> {
    open_in(folder, name, libc::O_RDONLY | libc::O_DIRECTORY | libc::O_NONBLOCK)
}

#[allow(unsafe_code)]
pub fn create_folder_in(folder: &File, name: &[u8]) -> io::Result<()> {
    let name = CString::new(name)?;
    // SAFETY: the name is a C string that outlives the call.
    retry_interrupted(|| unsafe { libc::mkdirat(folder.as_raw_fd(), name.as_ptr(), 0o777) }).map(drop)
}

#[allow(unsafe_code)]
pub fn make_link_in(target: &Path, folder: &File, name: &[u8]) -> io::Result<()> {
    let (target, name) = (CString::new(target.as_os_str().as_bytes())?, CString::new(name)?);
    // SAFETY: target and name are C strings that outlive the call.
    retry_interrupted(|| unsafe { libc::symlinkat(target.as_ptr(), folder.as_raw_fd(), name.as_ptr()) })
        .map(drop)
}

#[allow(unsafe_code)]
pub fn read_link_in(folder: &File, name: &[u8]) -> io::Result<PathBuf> {
    let mut text = vec![0; libc::PATH_MAX as usize];
    let length = with_c_string(name, |name| {
        // SAFETY: `name` is a C string, and `text` has room for as many bytes as the call may write.
        retry_interrupted(|| unsafe {
            libc::readlinkat(folder.as_raw_fd(), name.as_ptr(), text.as_mut_ptr().cast(), text.len()) as c_int
        })
    })?;
    text.truncate(length.unsigned_abs() as usize);
    Ok(std::ffi::OsString::from_vec(text).into())
}

#[allow(unsafe_code)]
pub fn link_in(folder: &File, name: &[u8], other: &File, second: &[u8]) -> io::Result<()> {
    let (name, second) = (CString::new(name)?, CString::new(second)?);
    let (from, to) = (folder.as_raw_fd(), other.as_raw_fd());
    // SAFETY: the names are C strings that outlive the call.
    retry_interrupted(|| unsafe { libc::linkat(from, name.as_ptr(), to, second.as_ptr(), 0) }).map(drop)
}

pub fn rename_new_in(folder: &File, from: &[u8], to: &[u8]) -> io::Result<()> {
    let refused = match rename_new_by_system(folder, from, to) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => error,
        done => return done,
    };
    // Some file systems and old kernels can't do it in one step.
    match link_in(folder, from, folder, to) {
        Ok(()) => return remove_in(folder, from),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
        Err(_) => {}
    }
    match facts_in(folder, to) {
        Err(missing) if missing.kind() == io::ErrorKind::NotFound => rename_in(folder, from, to),
        Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
        Err(_) => Err(refused),
    }
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
