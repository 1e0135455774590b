//! Linux.

mod openat2;
mod unix;

use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::{CStr, CString, OsStr, c_int};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

pub use libc::{
    RLIM64_INFINITY as INFINITY, fstat64 as fstat, fstatat64 as fstatat, getrlimit64 as getrlimit,
    openat64 as openat, readdir64 as readdir, rlimit64 as Limit, stat64 as Stat,
};
pub use openat2::open_beneath;
pub use unix::*;
pub use unix::{FolderEntry, FolderStream, retry_interrupted, with_c_string};

/// The flags for opening a folder for lookups in it.
pub const LOOKUP: c_int = libc::O_PATH | libc::O_DIRECTORY;

/// Errors of damaged media: reads through the page cache fail with EIO, direct reads also with ENODATA (no answer from a
/// sector), EILSEQ (wrong checksum) or EREMOTEIO.
pub const DAMAGE: [i32; 4] = [libc::EIO, libc::ENODATA, libc::EILSEQ, libc::EREMOTEIO];

pub const DISKS_ARE_BLOCKS: bool = true;

/// The unit of `ru_maxrss` in bytes.
const PEAK_UNIT: u64 = 1024;

pub fn word(number: i32) -> Cow<'static, str> {
    unix::common_name(number)
        .or_else(|| own_name(number))
        .map_or_else(|| format!("errno-{number}").into(), Cow::Borrowed)
}

/// Returns the name of an error that only this system has.
fn own_name(number: i32) -> Option<&'static str> {
    unix::names!(number, EREMOTEIO ENOMEDIUM EMEDIUMTYPE ENOKEY EKEYEXPIRED EKEYREVOKED EKEYREJECTED EUCLEAN
            ENONET ENOLINK EREMOTE ECOMM EUNATCH EHWPOISON)
}

#[allow(unsafe_code)]
fn errno() -> *mut c_int {
    // SAFETY: the call returns the address of this thread's number.
    unsafe { libc::__errno_location() }
}

/// Returns whether a folder of which the C library has listed all entries has no more. The library takes ENOENT for the end,
/// too: it is an error of the file system, or the folder was removed.
#[allow(unsafe_code)]
pub fn ends(folder: &File) -> io::Result<bool> {
    // There is no room for an entry, so that EINVAL says that there is one; none is lost.
    let mut buffer = 0_u8;
    // SAFETY: the descriptor is open while it is borrowed, and the call writes no more than one byte.
    let mut list = || unsafe { libc::syscall(libc::SYS_getdents64, folder.as_raw_fd(), &raw mut buffer, 1) };
    match unix::retry_interrupted(|| list() as c_int) {
        Err(error) if error.kind() != io::ErrorKind::InvalidInput => Err(error),
        listed => Ok(listed.is_ok()),
    }
}

/// File systems that fetch files have no mark that tells.
pub fn is_elsewhere(_: &Stat) -> bool {
    false
}

pub fn path_of(file: &File) -> Option<PathBuf> {
    std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).ok()
}

pub fn bytes_read() -> Option<u64> {
    let told = std::fs::read_to_string("/proc/self/io").ok()?;
    told.lines().find_map(|line| line.strip_prefix("rchar: "))?.trim().parse().ok()
}

/// Syncs each file system once. A file is synced by itself where that fails.
#[allow(unsafe_code)]
pub fn sync_many(files: &[&File]) -> Vec<io::Result<()>> {
    let mut synced = HashMap::new();
    let sync = |file: &&File| {
        let number = file.as_raw_fd();
        // SAFETY: the descriptor is open while it is borrowed.
        let volume = || unix::retry_interrupted(|| unsafe { libc::syncfs(number) }).is_ok();
        let is_synced = *synced.entry(file.metadata()?.dev()).or_insert_with(volume);
        let written = if is_synced { written(file) } else { Err(io::ErrorKind::Unsupported.into()) };
        match written {
            Err(error)
                if matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput) =>
            {
                file.sync_all()
            }
            written => written,
        }
    };
    files.iter().map(sync).collect()
}

/// Returns the error of writing this file, which kernels before 5.8 don't return when its file system is synced.
#[allow(unsafe_code)]
fn written(file: &File) -> io::Result<()> {
    // SAFETY: the descriptor is open while it is borrowed.
    let call = || unsafe { libc::sync_file_range(file.as_raw_fd(), 0, 0, libc::SYNC_FILE_RANGE_WAIT_AFTER) };
    unix::retry_interrupted(call).map(drop)
}

pub fn mount_point(number: u64) -> Option<PathBuf> {
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").ok()?;
    let wanted = volume_text(number);
    let point = mounts.lines().find_map(|line| {
        let mut fields = line.split(' ');
        (fields.nth(2)? == wanted).then(|| fields.nth(1)).flatten()
    })?;
    Some(point.into())
}

#[allow(unsafe_code)]
pub fn device_size(device: &File) -> io::Result<u64> {
    /// `BLKGETSIZE64` of Linux's `include/uapi/linux/fs.h`; its type is `size_t`, but 64 bits are written.
    const SIZE64: libc::Ioctl = libc::_IOR::<usize>(0x12, 114);
    let mut size = 0_u64;
    // SAFETY: the descriptor is open while it is borrowed, and `size` has room for what the call writes.
    unix::retry_interrupted(|| unsafe { libc::ioctl(device.as_raw_fd(), SIZE64, &raw mut size) })?;
    Ok(size)
}

#[allow(unsafe_code)]
pub fn random(mut buffer: &mut [u8]) -> io::Result<()> {
    while !buffer.is_empty() {
        // glibc before 2.25 has no function of this name.
        // SAFETY: the call writes to the buffer, at most its length.
        let drawn = unsafe { libc::syscall(libc::SYS_getrandom, buffer.as_mut_ptr(), buffer.len(), 0) };
        match usize::try_from(drawn) {
            Ok(drawn) => buffer = &mut buffer[drawn..],
            Err(_) => match io::Error::last_os_error() {
                error if error.kind() == io::ErrorKind::Interrupted => {}
                error => return Err(error),
            },
        }
    }
    Ok(())
}

pub fn host_name() -> Vec<u8> {
    std::fs::read("/proc/sys/kernel/hostname").unwrap_or_default().trim_ascii_end().to_vec()
}

#[allow(unsafe_code)]
pub fn exchange_in(folder: &File, one: &[u8], other: &[u8]) -> io::Result<()> {
    let (one, other, fd) = (CString::new(one)?, CString::new(other)?, folder.as_raw_fd());
    // glibc before 2.28 has no function of this name.
    // SAFETY: the names are C strings that outlive the call.
    let call = || unsafe {
        libc::syscall(libc::SYS_renameat2, fd, one.as_ptr(), fd, other.as_ptr(), libc::RENAME_EXCHANGE, 0)
            as c_int
    };
    unix::retry_interrupted(call).map(drop)
}

/// Renames a file in a folder to a name that nothing has.
#[allow(unsafe_code)]
pub fn rename_new_by_system(folder: &File, from: &[u8], to: &[u8]) -> io::Result<()> {
    let (from, to, fd) = (CString::new(from)?, CString::new(to)?, folder.as_raw_fd());
    // SAFETY: the names are C strings that outlive the call.
    let call = || unsafe {
        libc::syscall(libc::SYS_renameat2, fd, from.as_ptr(), fd, to.as_ptr(), libc::RENAME_NOREPLACE, 0)
            as c_int
    };
    unix::retry_interrupted(call).map(drop)
}

/// Copies all extended attributes, and returns whether the system took them.
pub fn copy_extended(from: &File, to: &File) -> bool {
    let Ok(names) = extended_names(from) else { return false };
    let mut all = true;
    for name in c_strings(&names) {
        all &= copy_attribute(from, to, name).is_ok();
    }
    all
}

/// User, group and mode of a file, and names and values of its extended attributes.
pub type Attributes = ((u32, u32, u32), Vec<(Vec<u8>, Vec<u8>)>);

pub fn attributes(file: &File) -> io::Result<Attributes> {
    let names = extended_names(file)?;
    let extended = pairs(&names, |name| extended_value(file, name))?;
    let meta = file.metadata()?;
    Ok(((meta.uid(), meta.gid(), meta.mode()), extended))
}

#[allow(unsafe_code)]
pub fn attributes_in(folder: &File, name: &[u8]) -> io::Result<Attributes> {
    // No call takes an open folder and the name of a link in it.
    let path = [format!("/proc/self/fd/{}/", folder.as_raw_fd()).as_bytes(), name].concat();
    let meta = std::fs::symlink_metadata(OsStr::from_bytes(&path))?;
    let path = CString::new(path)?;
    // SAFETY: the path is a C string, and the buffer has room for as many bytes as the call may write.
    let names = names_by(|names| unsafe {
        libc::llistxattr(path.as_ptr(), names.as_mut_ptr().cast(), names.len()) as c_int
    })?;
    let extended = pairs(&names, |name| {
        // SAFETY: path and name are C strings, and the buffer has room for as many bytes as the call may write.
        value_by(|value| unsafe {
            libc::lgetxattr(path.as_ptr(), name.as_ptr(), value.as_mut_ptr().cast(), value.len()) as c_int
        })
    })?;
    Ok(((meta.uid(), meta.gid(), meta.mode()), extended))
}

/// The most bytes of a list of names, and of a value (`XATTR_LIST_MAX` and `XATTR_SIZE_MAX` of `include/uapi/linux/limits.h`).
const MOST_EXTENDED: usize = 65_536;

/// Splits a list of names, each with a zero at its end.
fn c_strings(names: &[u8]) -> impl Iterator<Item = &CStr> {
    names.split_inclusive(|byte| *byte == 0).filter_map(|name| CStr::from_bytes_with_nul(name).ok())
}

/// Reads the value of each name. An attribute that was removed meanwhile is left out.
fn pairs(names: &[u8], value: impl Fn(&CStr) -> io::Result<Vec<u8>>) -> io::Result<Vec<(Vec<u8>, Vec<u8>)>> {
    let mut all = Vec::new();
    for name in c_strings(names) {
        match value(name) {
            Ok(value) => all.push((name.to_bytes().to_vec(), value)),
            Err(error) if error.raw_os_error() == Some(libc::ENODATA) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(all)
}

/// Returns the names of extended attributes, each with a zero at its end; none on a file system without them.
#[allow(unsafe_code)]
fn extended_names(file: &File) -> io::Result<Vec<u8>> {
    // SAFETY: the buffer has room for as many bytes as the call may write.
    names_by(|names| unsafe {
        libc::flistxattr(file.as_raw_fd(), names.as_mut_ptr().cast(), names.len()) as c_int
    })
}

#[allow(unsafe_code)]
fn extended_value(file: &File, name: &CStr) -> io::Result<Vec<u8>> {
    // SAFETY: the name is a C string, and the buffer has room for as many bytes as the call may write.
    value_by(|value| unsafe {
        libc::fgetxattr(file.as_raw_fd(), name.as_ptr(), value.as_mut_ptr().cast(), value.len()) as c_int
    })
}

/// Lists names by a call; none on a file system without them.
fn names_by(list: impl FnMut(&mut [u8]) -> c_int) -> io::Result<Vec<u8>> {
    match value_by(list) {
        Err(error) if error.raw_os_error() == Some(libc::EOPNOTSUPP) => Ok(Vec::new()),
        listed => listed,
    }
}

/// Returns the bytes that a call writes.
fn value_by(mut get: impl FnMut(&mut [u8]) -> c_int) -> io::Result<Vec<u8>> {
    let mut value = vec![0_u8; MOST_EXTENDED];
    let length = unix::retry_interrupted(|| get(&mut value))?;
    value.truncate(length.unsigned_abs() as usize);
    Ok(value)
}

#[allow(unsafe_code)]
fn copy_attribute(from: &File, to: &File, name: &CStr) -> io::Result<()> {
    let value = extended_value(from, name)?;
    // SAFETY: the name is a C string, and so many bytes of the value are initialised.
    unix::retry_interrupted(|| unsafe {
        libc::fsetxattr(to.as_raw_fd(), name.as_ptr(), value.as_ptr().cast(), value.len(), 0)
    })
    .map(drop)
}
