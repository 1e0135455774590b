//! System calls of Linux that the standard library lacks. Each uses the C library's function of that name, so that
//! preloaded libraries can intercept it.
#![allow(unsafe_code)]

use crate::Meta;
use crate::path::{LONGEST, ShortPath};
use std::ffi::{CStr, CString, c_int};
use std::fs::File;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, IntoRawFd, OwnedFd, RawFd};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{io, ptr};

/// How to treat a symbolic link at the end of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Links {
    /// The target of the link is used.
    Follow,
    /// The link itself is used.
    Stay,
}

/// Opens a path for reading, without changing the access time where that is allowed.
pub(crate) fn open_quietly(path: &[u8], flags: c_int) -> io::Result<OwnedFd> {
    let short = ShortPath::open(path)?;
    match open(&short, flags | libc::O_NOATIME) {
        // Only the owner of a file may use O_NOATIME.
        Err(error) if error.raw_os_error() == Some(libc::EPERM) => open(&short, flags),
        result => result,
    }
}

/// Set if the kernel lacks `openat2` (before Linux 5.6, or in a sandbox that blocks it).
static WITHOUT_OPENAT2: AtomicBool = AtomicBool::new(false);

/// Opens a path below a directory for reading, like [`open_quietly`]. A symbolic link on the way or at the end fails
/// with `ELOOP`.
pub(crate) fn open_below(start: BorrowedFd<'_>, path: &[u8], flags: c_int) -> io::Result<OwnedFd> {
    // `openat2` rejects flags without effect.
    let quiet = if flags & libc::O_PATH == 0 { libc::O_NOATIME } else { 0 };
    match open_beneath(start, path, flags | quiet) {
        // Only the owner of a file may use O_NOATIME.
        Err(error) if error.raw_os_error() == Some(libc::EPERM) => open_beneath(start, path, flags),
        result => result,
    }
}

fn open_beneath(start: BorrowedFd<'_>, path: &[u8], flags: c_int) -> io::Result<OwnedFd> {
    if path.len() > LONGEST || WITHOUT_OPENAT2.load(Ordering::Relaxed) {
        return open_in_steps(start, path, flags);
    }
    let refused = match openat2(start, path, flags) {
        Err(error) if matches!(error.raw_os_error(), Some(libc::ENOSYS | libc::EPERM)) => error,
        result => return result,
    };
    // Sandboxes that don't know the call reject it with EPERM, which a file may also cause: if the older calls can open
    // it, it was the sandbox.
    match open_in_steps(start, path, flags) {
        Err(error) if error.raw_os_error() == refused.raw_os_error() => Err(error),
        result => {
            WITHOUT_OPENAT2.store(true, Ordering::Relaxed);
            result
        }
    }
}

fn openat2(start: BorrowedFd<'_>, path: &[u8], flags: c_int) -> io::Result<OwnedFd> {
    // SAFETY: all zeros are a valid value of this plain structure of C.
    let mut how: libc::open_how = unsafe { std::mem::zeroed() };
    how.flags = u64::from((flags | libc::O_RDONLY | libc::O_CLOEXEC).cast_unsigned());
    how.resolve = libc::RESOLVE_BENEATH | libc::RESOLVE_NO_SYMLINKS;
    with_c_string(path, |path| {
        // The C library has no function for it.
        // SAFETY: `path` is a C string and `how` a structure of the given size; both outlive the call.
        let call = || unsafe {
            let size = size_of::<libc::open_how>();
            libc::syscall(libc::SYS_openat2, start.as_raw_fd(), path.as_ptr(), &raw const how, size) as c_int
        };
        let fd = retry_interrupted(call)?;
        // SAFETY: the descriptor is new and has no other owner.
        Ok(unsafe { OwnedFd::from_raw_fd(fd) })
    })
}

/// Does the same as `openat2` by opening one directory after the other.
fn open_in_steps(start: BorrowedFd<'_>, path: &[u8], flags: c_int) -> io::Result<OwnedFd> {
    let mut names = path.split(|&byte| byte == b'/').filter(|name| !name.is_empty()).peekable();
    let mut at: Option<OwnedFd> = None;
    while let Some(name) = names.next() {
        let is_last = names.peek().is_none();
        let flags = if is_last { flags } else { libc::O_PATH | libc::O_DIRECTORY };
        let next = open_name(at.as_ref().map_or(start, AsFd::as_fd), name, flags)?;
        if is_last {
            return Ok(next);
        }
        at = Some(next);
    }
    Err(io::Error::from_raw_os_error(libc::ENOENT))
}

/// Opens an entry of a directory that is not a symbolic link.
fn open_name(directory: BorrowedFd<'_>, name: &[u8], flags: c_int) -> io::Result<OwnedFd> {
    if name == b".." {
        return Err(io::Error::from_raw_os_error(libc::EXDEV));
    }
    let flags = flags | libc::O_RDONLY | libc::O_CLOEXEC | libc::O_NOFOLLOW;
    with_c_string(name, |name| {
        // SAFETY: `name` is a C string that outlives the call, and without O_CREAT no mode is read.
        let opened =
            retry_interrupted(|| unsafe { libc::openat64(directory.as_raw_fd(), name.as_ptr(), flags) });
        match opened {
            // SAFETY: the descriptor is new and has no other owner.
            Ok(fd) => Ok(unsafe { OwnedFd::from_raw_fd(fd) }),
            // O_DIRECTORY returns this for a link.
            Err(error) if error.raw_os_error() == Some(libc::ENOTDIR) => {
                let is_link = stat_in(directory, name, Links::Stay).is_ok_and(|meta| meta.is_link());
                Err(if is_link { io::Error::from_raw_os_error(libc::ELOOP) } else { error })
            }
            Err(error) => Err(error),
        }
    })
}

/// Reads the target of a symbolic link in a directory.
pub(crate) fn read_link(directory: BorrowedFd<'_>, name: &CStr) -> io::Result<Vec<u8>> {
    let mut text = vec![0; libc::PATH_MAX as usize];
    // SAFETY: `name` is a C string, and `text` has room for as many bytes as the call may write.
    let call = || unsafe {
        libc::readlinkat(directory.as_raw_fd(), name.as_ptr(), text.as_mut_ptr().cast(), text.len()) as c_int
    };
    let length = retry_interrupted(call)?;
    text.truncate(length.unsigned_abs() as usize);
    Ok(text)
}

pub(crate) fn open(short: &ShortPath<'_>, flags: c_int) -> io::Result<OwnedFd> {
    let flags = flags | libc::O_RDONLY | libc::O_CLOEXEC;
    with_c_string(short.path, |path| {
        // SAFETY: `path` is a C string that outlives the call, and without O_CREAT no mode is read.
        let fd = retry_interrupted(|| unsafe { libc::openat64(start(short), path.as_ptr(), flags) })?;
        // SAFETY: the descriptor is new and has no other owner.
        Ok(unsafe { OwnedFd::from_raw_fd(fd) })
    })
}

pub(crate) fn stat(path: &[u8], links: Links) -> io::Result<Meta> {
    let short = ShortPath::open(path)?;
    with_c_string(short.path, |path| stat_at(start(&short), path, links))
}

/// Returns the metadata of an entry of an open directory.
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

pub(crate) fn stat_open(file: BorrowedFd<'_>) -> io::Result<Meta> {
    let mut stat = MaybeUninit::uninit();
    // SAFETY: the descriptor is open while it is borrowed, and `stat` has room for what the call writes.
    retry_interrupted(|| unsafe { libc::fstat64(file.as_raw_fd(), stat.as_mut_ptr()) })?;
    // SAFETY: the call succeeded, so it wrote the whole structure.
    Ok(meta(unsafe { stat.assume_init_ref() }))
}

/// Converts the structure. Field types differ between architectures, hence the casts.
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
        stamp: 0,
    }
}

/// Moves the file's own offset, which reads at offsets do not use, and returns it.
pub(crate) fn seek(file: &File, offset: u64, whence: c_int) -> io::Result<u64> {
    let offset = i64::try_from(offset).map_err(|_| io::Error::from_raw_os_error(libc::EOVERFLOW))?;
    // SAFETY: the call touches no memory, and the descriptor is open while `file` is borrowed.
    let at = unsafe { libc::lseek64(file.as_raw_fd(), offset, whence) };
    u64::try_from(at).map_err(|_| io::Error::last_os_error())
}

/// Waits until one of these has data or is at its end, and returns which of them.
pub(crate) fn wait_for<const N: usize>(files: [BorrowedFd<'_>; N]) -> io::Result<[bool; N]> {
    let mut polled =
        files.map(|file| libc::pollfd { fd: file.as_raw_fd(), events: libc::POLLIN, revents: 0 });
    // SAFETY: the system writes to the structures, which are ours; the descriptors are open while they are borrowed.
    retry_interrupted(|| unsafe { libc::poll(polled.as_mut_ptr(), N as libc::nfds_t, -1) })?;
    Ok(polled.map(|file| file.revents != 0))
}

/// Returns the kernel's number for the type of the file's file system.
pub(crate) fn file_system(file: BorrowedFd<'_>) -> io::Result<u32> {
    let mut stat = MaybeUninit::<libc::statfs64>::uninit();
    // SAFETY: the descriptor is open while it is borrowed, and `stat` has room for what the call writes.
    retry_interrupted(|| unsafe { libc::fstatfs64(file.as_raw_fd(), stat.as_mut_ptr()) })?;
    // SAFETY: the call succeeded, so it wrote the whole structure.
    // The numbers have 32 bits, in a field that is wider, and signed, on most architectures.
    Ok(unsafe { stat.assume_init_ref() }.f_type as u32)
}

/// Returns the size of a block device in bytes.
pub(crate) fn device_size(device: BorrowedFd<'_>) -> io::Result<u64> {
    /// `BLKGETSIZE64` of Linux's `include/uapi/linux/fs.h`; its type is `size_t`, but 64 bits are written.
    const SIZE64: libc::Ioctl = libc::_IOR::<usize>(0x12, 114);
    let mut size = 0_u64;
    // SAFETY: the descriptor is open while it is borrowed, and `size` has room for what the call writes.
    retry_interrupted(|| unsafe { libc::ioctl(device.as_raw_fd(), SIZE64, &raw mut size) })?;
    Ok(size)
}

/// Switches direct reads of an open file on or off.
pub(crate) fn set_direct(file: BorrowedFd<'_>, direct: bool) -> io::Result<()> {
    // SAFETY: the call touches no memory, and the descriptor is open while it is borrowed.
    let flags = retry_interrupted(|| unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GETFL) })?;
    let flags = if direct { flags | libc::O_DIRECT } else { flags & !libc::O_DIRECT };
    // SAFETY: likewise.
    retry_interrupted(|| unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETFL, flags) })?;
    Ok(())
}

/// Drops the clean pages of a range from the page cache. This is a hint, and it is no error if the system ignores it.
pub(crate) fn forget(file: BorrowedFd<'_>, range: Range<u64>) {
    let length = range.end.saturating_sub(range.start);
    let (Ok(offset), Ok(length)) = (i64::try_from(range.start), i64::try_from(length)) else { return };
    // SAFETY: the call touches no memory, and the descriptor is open while it is borrowed.
    unsafe { libc::posix_fadvise64(file.as_raw_fd(), offset, length, libc::POSIX_FADV_DONTNEED) };
}

/// Returns whether the address space of this process is limited (`RLIMIT_AS`), checked once.
pub(crate) fn has_address_limit() -> bool {
    static LIMITED: OnceLock<bool> = OnceLock::new();
    *LIMITED.get_or_init(|| {
        let mut limit = libc::rlimit64 { rlim_cur: libc::RLIM64_INFINITY, rlim_max: libc::RLIM64_INFINITY };
        // SAFETY: `limit` has room for what the call writes.
        let asked = unsafe { libc::getrlimit64(libc::RLIMIT_AS, &raw mut limit) };
        asked == 0 && limit.rlim_cur != libc::RLIM64_INFINITY
    })
}

/// Returns the time since 1970 on the clock that the kernel uses for file times.
pub(crate) fn coarse_time() -> io::Result<Duration> {
    let mut time = MaybeUninit::uninit();
    // SAFETY: `time` has room for what the call writes.
    retry_interrupted(|| unsafe { libc::clock_gettime(libc::CLOCK_REALTIME_COARSE, time.as_mut_ptr()) })?;
    // SAFETY: the call succeeded, so it wrote the whole structure.
    Ok(duration(unsafe { time.assume_init_ref() }))
}

/// Returns the resolution of [`coarse_time`], queried once; 10 ms, the longest of any kernel, if unavailable.
pub(crate) fn coarse_tick() -> Duration {
    static TICK: OnceLock<Duration> = OnceLock::new();
    *TICK.get_or_init(|| {
        let mut tick = MaybeUninit::uninit();
        // SAFETY: `tick` has room for what the call writes.
        let asked = unsafe { libc::clock_getres(libc::CLOCK_REALTIME_COARSE, tick.as_mut_ptr()) };
        // SAFETY: as asked, the call wrote the whole structure.
        if asked == 0 { duration(unsafe { tick.assume_init_ref() }) } else { Duration::from_millis(10) }
    })
}

#[allow(clippy::unnecessary_cast, reason = "types of fields differ between architectures")]
fn duration(time: &libc::timespec) -> Duration {
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), time.tv_nsec as u32)
}

/// Returns the memory of the machine in bytes.
pub(crate) fn memory() -> u64 {
    // SAFETY: the calls touch no memory.
    let (pages, page) = unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    u64::try_from(pages).unwrap_or(0).saturating_mul(u64::try_from(page).unwrap_or(0))
}

/// An entry of a directory, from the listing.
pub(crate) struct Listed<'a> {
    pub(crate) directory: BorrowedFd<'a>,
    pub(crate) name: &'a CStr,
    /// `DT_REG` and so on, or `DT_UNKNOWN`.
    pub(crate) d_type: u8,
    /// The inode number, where the file system reports it correctly.
    pub(crate) ino: u64,
}

/// An open directory stream.
pub(crate) struct Directory(ptr::NonNull<libc::DIR>);

impl Directory {
    /// Takes ownership of an open directory.
    pub(crate) fn new(directory: OwnedFd) -> io::Result<Directory> {
        let stream = loop {
            // SAFETY: the descriptor is open and owned here.
            let stream = ptr::NonNull::new(unsafe { libc::fdopendir(directory.as_raw_fd()) });
            let Some(stream) = stream else {
                // It queries the type of the directory, which can be interrupted.
                let error = io::Error::last_os_error();
                if error.kind() == io::ErrorKind::Interrupted {
                    continue;
                }
                return Err(error);
            };
            break stream;
        };
        // The stream owns the descriptor from here on.
        let _ = directory.into_raw_fd();
        Ok(Directory(stream))
    }

    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        // SAFETY: the stream is open as long as `self` lives, and so is its descriptor.
        unsafe { BorrowedFd::borrow_raw(libc::dirfd(self.0.as_ptr())) }
    }

    /// Returns the next entry, skipping `.` and `..`.
    pub(crate) fn next(&mut self) -> io::Result<Option<Listed<'_>>> {
        loop {
            // SAFETY: errno is this thread's own.
            unsafe { *libc::__errno_location() = 0 };
            // SAFETY: the stream is open, and borrowing `self` mutably keeps others from it.
            let entry = unsafe { libc::readdir64(self.0.as_ptr()) };
            if entry.is_null() {
                let error = io::Error::last_os_error();
                match error.raw_os_error() {
                    Some(0) => return Ok(None),
                    // File systems over networks or in user space can be interrupted. The stream stays at its position.
                    Some(libc::EINTR) => continue,
                    _ => return Err(error),
                }
            }
            // SAFETY: the entry is valid until the next call, which the borrow prevents, and its name ends in NUL. Only
            // fields are borrowed: the structure may be shorter than its type.
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
        // An error of closing does not matter: a listing is read, not written. (The standard library panics here.)
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

/// Calls a function with the bytes as a C string. Most are short enough for the stack.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Either way to open below a directory.
    type Opening = fn(BorrowedFd<'_>, &[u8], c_int) -> io::Result<OwnedFd>;

    #[test]
    fn kernels_without_openat2_open_the_same() {
        let here = File::open(".").unwrap();
        let result = |open: Opening, path: &[u8], flags| {
            let opened = open(here.as_fd(), path, flags);
            opened
                .map(|file| stat_open(file.as_fd()).unwrap().ino)
                .map_err(|error| error.raw_os_error().unwrap())
        };
        for flags in [0, libc::O_NONBLOCK, libc::O_PATH | libc::O_DIRECTORY, libc::O_DIRECTORY] {
            for path in [
                &b"src/sys.rs"[..],
                b"src/",
                b"src//ahead/lister_pool.rs",
                b".",
                b"src/../src/sys.rs/",
                b"nothing",
                b"src/nothing/at",
                b"src/sys.rs/at",
                b"../source",
            ] {
                let shown = String::from_utf8_lossy(path);
                let wanted = result(openat2, path, flags);
                let steps = result(open_in_steps, path, flags);
                if path.windows(2).any(|dots| dots == b"..") {
                    assert_eq!(steps, Err(libc::EXDEV), "{shown}");
                } else {
                    assert_eq!(steps, wanted, "{shown} {flags:o}");
                }
            }
        }
    }

    #[test]
    fn long_paths_open_below_a_directory() {
        let here = File::open(".").unwrap();
        let long = [b"src/".as_slice(), &b"./".repeat(5000), b"sys.rs"].concat();
        assert!(open_below(here.as_fd(), &long, 0).is_ok());
    }
}
