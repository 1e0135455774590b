//! macOS. It has never run here: it only compiles.

mod unix;

use std::borrow::Cow;
use std::ffi::{CStr, CString, OsString, c_int, c_ulong};
use std::fs::File;
use std::io;
use std::os::darwin::fs::MetadataExt;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

pub use libc::{
    RLIM_INFINITY as INFINITY, fstat, fstatat, getrlimit, openat, readdir, rlimit as Limit, stat as Stat,
};
pub use unix::*;
pub use unix::{FolderEntry, FolderStream, open_in_steps as open_beneath, retry_interrupted, with_c_string};

/// The flags for opening a folder for lookups in it.
pub const LOOKUP: c_int = libc::O_DIRECTORY;

/// Errors of damaged media.
pub const DAMAGE: [i32; 2] = [libc::EIO, libc::EILSEQ];

pub const DISKS_ARE_BLOCKS: bool = false;

/// `SF_DATALESS` of macOS's `sys/stat.h`.
const DATALESS: u32 = 0x4000_0000;

/// The unit of `ru_maxrss` in bytes.
const PEAK_UNIT: u64 = 1;

/// The most bytes that `getentropy` gives at a time.
const MOST_RANDOM: usize = 256;

/// The most bytes of a host's name.
const LONGEST_HOST: usize = 256;

pub fn word(number: i32) -> Cow<'static, str> {
    unix::common_name(number)
        .or_else(|| own_name(number))
        .map_or_else(|| format!("errno-{number}").into(), Cow::Borrowed)
}

/// Returns the name of an error that only this system has.
fn own_name(number: i32) -> Option<&'static str> {
    unix::names!(number, EREMOTE ENOLINK ENOATTR ENEEDAUTH EAUTH EDEVERR EPWROFF)
}

/// Returns true: the C library tells each error of a listing.
pub fn ends(_: &File) -> io::Result<bool> {
    Ok(true)
}

#[allow(unsafe_code)]
fn errno() -> *mut c_int {
    // SAFETY: the call returns the address of this thread's number.
    unsafe { libc::__error() }
}

/// Returns whether a file is dataless: its content is in a cloud.
pub fn is_elsewhere(stat: &Stat) -> bool {
    stat.st_flags & DATALESS != 0
}

#[allow(unsafe_code)]
pub fn path_of(file: &File) -> Option<PathBuf> {
    let mut path = vec![0_u8; libc::PATH_MAX as usize];
    // SAFETY: the descriptor is open while it is borrowed, and the buffer has the length that the call relies on.
    unix::retry_interrupted(|| unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GETPATH, path.as_mut_ptr()) })
        .ok()?;
    path.truncate(path.iter().position(|byte| *byte == 0)?);
    Some(OsString::from_vec(path).into())
}

pub fn sync_many(files: &[&File]) -> Vec<io::Result<()>> {
    files.iter().map(|file| file.sync_all()).collect()
}

/// macOS counts only what disks gave.
pub fn bytes_read() -> Option<u64> {
    None
}

pub fn mount_point(_: u64) -> Option<PathBuf> {
    None
}

#[allow(unsafe_code)]
pub fn device_size(device: &File) -> io::Result<u64> {
    /// `DKIOCGETBLOCKSIZE` and `DKIOCGETBLOCKCOUNT` of macOS's `sys/disk.h`.
    const BLOCK_SIZE: c_ulong = 0x4004_6418;
    const BLOCK_COUNT: c_ulong = 0x4008_6419;
    let (mut size, mut count) = (0_u32, 0_u64);
    // SAFETY: the descriptor is open while it is borrowed, and `size` has room for what the call writes.
    unix::retry_interrupted(|| unsafe { libc::ioctl(device.as_raw_fd(), BLOCK_SIZE, &raw mut size) })?;
    // SAFETY: likewise, for `count`.
    unix::retry_interrupted(|| unsafe { libc::ioctl(device.as_raw_fd(), BLOCK_COUNT, &raw mut count) })?;
    Ok(count.saturating_mul(size.into()))
}

#[allow(unsafe_code)]
pub fn random(buffer: &mut [u8]) -> io::Result<()> {
    for part in buffer.chunks_mut(MOST_RANDOM) {
        // SAFETY: the call writes to the part, exactly its length.
        unix::retry_interrupted(|| unsafe { libc::getentropy(part.as_mut_ptr().cast(), part.len()) })?;
    }
    Ok(())
}

#[allow(unsafe_code)]
pub fn host_name() -> Vec<u8> {
    let mut name = vec![0_u8; LONGEST_HOST];
    // SAFETY: the call writes to the buffer, at most its length.
    let asked = unsafe { libc::gethostname(name.as_mut_ptr().cast(), name.len()) };
    let end = name.iter().position(|&byte| byte == 0).unwrap_or(name.len());
    name.truncate(if asked == 0 { end } else { 0 });
    name
}

#[allow(unsafe_code)]
pub fn exchange_in(folder: &File, one: &[u8], other: &[u8]) -> io::Result<()> {
    let (one, other, fd) = (CString::new(one)?, CString::new(other)?, folder.as_raw_fd());
    // SAFETY: the names are C strings that outlive the call.
    let call = || unsafe { libc::renameatx_np(fd, one.as_ptr(), fd, other.as_ptr(), libc::RENAME_SWAP) };
    unix::retry_interrupted(call).map(drop)
}

/// Renames a file in a folder to a name that nothing has.
#[allow(unsafe_code)]
pub fn rename_new_by_system(folder: &File, from: &[u8], to: &[u8]) -> io::Result<()> {
    let (from, to, fd) = (CString::new(from)?, CString::new(to)?, folder.as_raw_fd());
    // SAFETY: the names are C strings that outlive the call.
    let call = || unsafe { libc::renameatx_np(fd, from.as_ptr(), fd, to.as_ptr(), libc::RENAME_EXCL) };
    unix::retry_interrupted(call).map(drop)
}

/// Copies all extended attributes and the list of access rights, and returns whether the system took them.
#[allow(unsafe_code)]
pub fn copy_extended(from: &File, to: &File) -> bool {
    let flags = libc::COPYFILE_ACL | libc::COPYFILE_XATTR;
    // SAFETY: both descriptors are open, and the call needs no state.
    unsafe { libc::fcopyfile(from.as_raw_fd(), to.as_raw_fd(), std::ptr::null_mut(), flags) == 0 }
}

/// User, group and mode of a file, and names and values of its extended attributes.
pub type Attributes = ((u32, u32, u32), Vec<(Vec<u8>, Vec<u8>)>);

#[allow(unsafe_code)]
pub fn attributes_in(folder: &File, name: &[u8]) -> io::Result<Attributes> {
    let name = CString::new(name)?;
    let flags = libc::O_RDONLY | libc::O_SYMLINK | libc::O_NONBLOCK | libc::O_CLOEXEC;
    // SAFETY: the name is a C string that outlives the call, and without O_CREAT no mode is read.
    let fd = unix::retry_interrupted(|| unsafe { libc::openat(folder.as_raw_fd(), name.as_ptr(), flags) })?;
    // SAFETY: the descriptor is new and has no other owner.
    attributes(&unsafe { File::from_raw_fd(fd) })
}

pub fn attributes(file: &File) -> io::Result<Attributes> {
    let names = extended_names(file)?;
    let names = names.split_inclusive(|byte| *byte == 0);
    let mut extended = Vec::new();
    for name in names.filter_map(|name| CStr::from_bytes_with_nul(name).ok()) {
        match extended_value(file, name) {
            Ok(value) => extended.push((name.to_bytes().to_vec(), value)),
            Err(error) if error.raw_os_error() == Some(libc::ENOATTR) => {}
            Err(error) => return Err(error),
        }
    }
    let meta = file.metadata()?;
    Ok(((meta.st_uid(), meta.st_gid(), meta.st_mode()), extended))
}

/// The most bytes of a list of names, and of a value.
const MOST_EXTENDED: usize = 1 << 20;

/// Returns the names of extended attributes, each with a zero at its end; none on a file system without them.
#[allow(unsafe_code)]
fn extended_names(file: &File) -> io::Result<Vec<u8>> {
    let mut names = vec![0_u8; MOST_EXTENDED];
    // SAFETY: the buffer has room for as many bytes as the call may write.
    let listed = unix::retry_interrupted(|| unsafe {
        libc::flistxattr(file.as_raw_fd(), names.as_mut_ptr().cast(), names.len(), 0) as c_int
    });
    match listed {
        Err(error) if error.raw_os_error() == Some(libc::ENOTSUP) => Ok(Vec::new()),
        listed => {
            names.truncate(listed?.unsigned_abs() as usize);
            Ok(names)
        }
    }
}

#[allow(unsafe_code)]
fn extended_value(file: &File, name: &CStr) -> io::Result<Vec<u8>> {
    let mut value = vec![0_u8; MOST_EXTENDED];
    let (fd, room) = (file.as_raw_fd(), value.len());
    // SAFETY: the name is a C string, and the buffer has room for as many bytes as the call may write.
    let length = unix::retry_interrupted(|| unsafe {
        libc::fgetxattr(fd, name.as_ptr(), value.as_mut_ptr().cast(), room, 0, 0) as c_int
    })?;
    value.truncate(length.unsigned_abs() as usize);
    Ok(value)
}
