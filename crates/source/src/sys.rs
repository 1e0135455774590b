//! System calls of Linux that the standard library does not have. Each goes through the C library's
//! function of that name, so that preloaded libraries see it.
#![allow(unsafe_code)]

use crate::Meta;
use crate::path::ShortPath;
use std::ffi::{CStr, CString, c_int};
use std::fs::File;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, IntoRawFd, OwnedFd, RawFd};
use std::sync::OnceLock;
use std::{io, ptr};

/// What to do with a symbolic link at the end of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Links {
    /// Look at what it leads to.
    Follow,
    /// Look at the link itself.
    Stay,
}

/// Opens for reading, without changing the access time where that is allowed.
pub(crate) fn open_quietly(path: &[u8], flags: c_int) -> io::Result<OwnedFd> {
    let short = ShortPath::of(path)?;
    match open(&short, flags | libc::O_NOATIME) {
        // Only the owner of a file may ask for O_NOATIME.
        Err(error) if error.raw_os_error() == Some(libc::EPERM) => open(&short, flags),
        result => result,
    }
}

/// Opens for reading.
pub(crate) fn open(short: &ShortPath<'_>, flags: c_int) -> io::Result<OwnedFd> {
    let flags = flags | libc::O_RDONLY | libc::O_CLOEXEC;
    with_c_string(short.path, |path| {
        // SAFETY: `path` is a C string that outlives the call, and without O_CREAT no mode is read.
        let fd = retry_interrupted(|| unsafe { libc::openat64(start(short), path.as_ptr(), flags) })?;
        // SAFETY: the descriptor is new and nobody else has it.
        Ok(unsafe { OwnedFd::from_raw_fd(fd) })
    })
}

/// The metadata of what is at a path.
pub(crate) fn stat(path: &[u8], links: Links) -> io::Result<Meta> {
    let short = ShortPath::of(path)?;
    with_c_string(short.path, |path| stat_at(start(&short), path, links))
}

/// The metadata of an entry of an open directory.
pub(crate) fn stat_in(directory: BorrowedFd<'_>, name: &CStr, links: Links) -> io::Result<Meta> {
    stat_at(directory.as_raw_fd(), name, links)
}

fn stat_at(start: RawFd, path: &CStr, links: Links) -> io::Result<Meta> {
    let flags = if links == Links::Stay { libc::AT_SYMLINK_NOFOLLOW } else { 0 };
    let mut stat = MaybeUninit::uninit();
    // SAFETY: `path` is a C string, and `stat` has room for what the call writes.
    retry_interrupted(|| unsafe { libc::fstatat64(start, path.as_ptr(), stat.as_mut_ptr(), flags) })?;
    // SAFETY: the call succeeded, so it wrote the whole structure.
    Ok(meta(unsafe { stat.assume_init_ref() }))
}

/// The metadata of an open file.
pub(crate) fn stat_open(file: BorrowedFd<'_>) -> io::Result<Meta> {
    let mut stat = MaybeUninit::uninit();
    // SAFETY: the descriptor is open while it is borrowed, and `stat` has room for what the call writes.
    retry_interrupted(|| unsafe { libc::fstat64(file.as_raw_fd(), stat.as_mut_ptr()) })?;
    // SAFETY: the call succeeded, so it wrote the whole structure.
    Ok(meta(unsafe { stat.assume_init_ref() }))
}

/// Field types differ between architectures, hence the conversions.
#[allow(clippy::unnecessary_cast)]
fn meta(stat: &libc::stat64) -> Meta {
    Meta {
        dev: stat.st_dev as u64,
        ino: stat.st_ino as u64,
        size: stat.st_size as u64,
        mtime: (stat.st_mtime as i64, stat.st_mtime_nsec as u32),
        ctime: (stat.st_ctime as i64, stat.st_ctime_nsec as u32),
        blocks: stat.st_blocks as u64,
        mode: stat.st_mode as u32,
    }
}

/// Moves the file's own offset, which reading at offsets does not use, and says where it is.
pub(crate) fn seek(file: &File, offset: u64, whence: c_int) -> io::Result<u64> {
    let offset = i64::try_from(offset).map_err(|_| io::Error::from_raw_os_error(libc::EOVERFLOW))?;
    // SAFETY: the call touches no memory, and the descriptor is open while `file` is borrowed.
    let at = unsafe { libc::lseek64(file.as_raw_fd(), offset, whence) };
    u64::try_from(at).map_err(|_| io::Error::last_os_error())
}

/// The number by which the kernel names the type of the file system that the file is on.
pub(crate) fn file_system(file: BorrowedFd<'_>) -> io::Result<u32> {
    let mut stat = MaybeUninit::<libc::statfs64>::uninit();
    // SAFETY: the descriptor is open while it is borrowed, and `stat` has room for what the call writes.
    retry_interrupted(|| unsafe { libc::fstatfs64(file.as_raw_fd(), stat.as_mut_ptr()) })?;
    // SAFETY: the call succeeded, so it wrote the whole structure.
    // The numbers are 32 bits wide, in a field that is wider, and signed, on most architectures.
    Ok(unsafe { stat.assume_init_ref() }.f_type as u32)
}

/// Bytes of a block device.
pub(crate) fn device_size(device: BorrowedFd<'_>) -> io::Result<u64> {
    /// `BLKGETSIZE64` of Linux's `include/uapi/linux/fs.h`; its type is `size_t`, but 64 bits are written.
    const SIZE64: libc::Ioctl = libc::_IOR::<usize>(0x12, 114);
    let mut size = 0_u64;
    // SAFETY: the descriptor is open while it is borrowed, and `size` has room for what the call writes.
    retry_interrupted(|| unsafe { libc::ioctl(device.as_raw_fd(), SIZE64, &raw mut size) })?;
    Ok(size)
}

/// Switches an open file to reads past the page cache, or through it.
pub(crate) fn set_direct(file: BorrowedFd<'_>, direct: bool) -> io::Result<()> {
    // SAFETY: the call touches no memory, and the descriptor is open while it is borrowed.
    let flags = retry_interrupted(|| unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GETFL) })?;
    let flags = if direct { flags | libc::O_DIRECT } else { flags & !libc::O_DIRECT };
    // SAFETY: likewise.
    retry_interrupted(|| unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETFL, flags) })?;
    Ok(())
}

/// Drops the clean pages of a range from the page cache. It is a hint: if the system can't follow it, that is no error.
pub(crate) fn forget(file: BorrowedFd<'_>, range: Range<u64>) {
    let length = range.end.saturating_sub(range.start);
    let (Ok(offset), Ok(length)) = (i64::try_from(range.start), i64::try_from(length)) else { return };
    // SAFETY: the call touches no memory, and the descriptor is open while it is borrowed.
    unsafe { libc::posix_fadvise64(file.as_raw_fd(), offset, length, libc::POSIX_FADV_DONTNEED) };
}

/// Whether the address space of this process is limited (`RLIMIT_AS`). Asked once.
pub(crate) fn has_address_limit() -> bool {
    static LIMITED: OnceLock<bool> = OnceLock::new();
    *LIMITED.get_or_init(|| {
        let mut limit = libc::rlimit64 { rlim_cur: libc::RLIM64_INFINITY, rlim_max: libc::RLIM64_INFINITY };
        // SAFETY: `limit` has room for what the call writes.
        let asked = unsafe { libc::getrlimit64(libc::RLIMIT_AS, &raw mut limit) };
        asked == 0 && limit.rlim_cur != libc::RLIM64_INFINITY
    })
}

/// Bytes of memory that the machine has.
pub(crate) fn memory() -> u64 {
    // SAFETY: the calls touch no memory.
    let (pages, page) = unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    u64::try_from(pages).unwrap_or(0).saturating_mul(u64::try_from(page).unwrap_or(0))
}

/// An entry of a directory as the listing has it.
pub(crate) struct Listed<'a> {
    /// The directory.
    pub(crate) directory: BorrowedFd<'a>,
    /// The name.
    pub(crate) name: &'a CStr,
    /// `DT_REG` and so on, or `DT_UNKNOWN`.
    pub(crate) d_type: u8,
    /// The inode number, where the file system tells it truly.
    pub(crate) ino: u64,
}

/// A directory that is being listed.
pub(crate) struct Directory(ptr::NonNull<libc::DIR>);

impl Directory {
    /// Takes over an open directory.
    pub(crate) fn new(directory: OwnedFd) -> io::Result<Directory> {
        // SAFETY: the descriptor is open and owned here.
        let stream = unsafe { libc::fdopendir(directory.as_raw_fd()) };
        let stream = ptr::NonNull::new(stream).ok_or_else(io::Error::last_os_error)?;
        // The stream owns the descriptor from here on.
        let _ = directory.into_raw_fd();
        Ok(Directory(stream))
    }

    /// The open directory itself.
    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        // SAFETY: the stream is open as long as `self` lives, and so is its descriptor.
        unsafe { BorrowedFd::borrow_raw(libc::dirfd(self.0.as_ptr())) }
    }

    /// The next entry; `.` and `..` are left out.
    pub(crate) fn next(&mut self) -> io::Result<Option<Listed<'_>>> {
        loop {
            // SAFETY: errno is this thread's own.
            unsafe { *libc::__errno_location() = 0 };
            // SAFETY: the stream is open, and borrowing `self` mutably keeps others from it.
            let entry = unsafe { libc::readdir64(self.0.as_ptr()) };
            if entry.is_null() {
                let error = io::Error::last_os_error();
                return if error.raw_os_error() == Some(0) { Ok(None) } else { Err(error) };
            }
            // SAFETY: the entry stays as it is until the next call, which the borrow prevents, and its
            // name ends in NUL. Only fields are borrowed: the structure may be shorter than its type.
            let name = unsafe { CStr::from_ptr(ptr::addr_of!((*entry).d_name).cast()) };
            if name == c"." || name == c".." {
                continue;
            }
            // SAFETY: as above.
            let (d_type, ino) = unsafe { ((*entry).d_type, (*entry).d_ino) };
            return Ok(Some(Listed { directory: self.fd(), name, d_type, ino }));
        }
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        // What closing says does not matter: a listing is read, not written. (The standard library panics here.)
        // SAFETY: the stream is open and never used again.
        unsafe { libc::closedir(self.0.as_ptr()) };
    }
}

fn start(short: &ShortPath<'_>) -> RawFd {
    short.start.as_ref().map_or(libc::AT_FDCWD, AsRawFd::as_raw_fd)
}

/// Repeats a call that a signal interrupted.
fn retry_interrupted(mut call: impl FnMut() -> c_int) -> io::Result<c_int> {
    loop {
        let result = call();
        if result >= 0 {
            return Ok(result);
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

/// Calls with the bytes as a C string. Most are short enough for the stack.
fn with_c_string<T>(bytes: &[u8], call: impl FnOnce(&CStr) -> io::Result<T>) -> io::Result<T> {
    let mut short = [0; 256];
    if bytes.len() < short.len() {
        short[..bytes.len()].copy_from_slice(bytes);
        return match CStr::from_bytes_with_nul(&short[..=bytes.len()]) {
            Ok(string) => call(string),
            Err(_) => Err(io::ErrorKind::InvalidInput.into()),
        };
    }
    call(&CString::new(bytes)?)
}
