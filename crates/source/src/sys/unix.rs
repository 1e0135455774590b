//! System calls of Linux and macOS that the standard library lacks. Each uses the C library's function of that name, so that
//! preloaded libraries can intercept it.

use super::calls::{self, QUIET};
use super::short_path::ShortPath;
use crate::holes::Segment;
use crate::meta::listed::{EntryType, Listed};
use crate::meta::skip::Skip;
use crate::meta::{Meta, mode};
use crate::opening::Want;
use hashmill_os::names::into_path_bytes;
use hashmill_os::{
    FolderEntry, FolderStream, Links, Stream, open_beneath, read_link_in, retry_interrupted, standard,
    with_c_string,
};
use std::ffi::{CStr, c_int};
use std::fs::File;
use std::io::{self, PipeReader, PipeWriter};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, RawFd};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Opens a path for reading, without changing the access time where that is allowed.
pub(crate) fn open(path: &[u8], want: Want, links: Links) -> io::Result<File> {
    let short = ShortPath::open(path)?;
    let flags = calls::flags(want) | if links == Links::Stay { libc::O_NOFOLLOW } else { 0 };
    quietly(want, |quiet| open_short(&short, flags | quiet))
}

/// Opens a path below a directory for reading, like [`open`]. A symbolic link on the way or at the end fails with `ELOOP`.
pub(crate) fn open_below(start: &File, path: &[u8], want: Want) -> io::Result<File> {
    quietly(want, |quiet| open_beneath(start, path, calls::flags(want) | quiet))
}

/// Opens with the flag that leaves the access time alone, or else without it.
fn quietly(want: Want, open: impl Fn(c_int) -> io::Result<File>) -> io::Result<File> {
    // A path that is not read keeps its access time, and some calls reject flags without effect.
    let quiet = if want == Want::Lookup { 0 } else { QUIET };
    match open(quiet) {
        // Only the owner of a file may use it.
        Err(error) if quiet != 0 && error.raw_os_error() == Some(libc::EPERM) => open(0),
        result => result,
    }
}

/// Reads the target of a symbolic link in a directory.
pub(crate) fn read_link(directory: &File, name: &[u8]) -> io::Result<Vec<u8>> {
    read_link_in(directory, name).map(into_path_bytes)
}

pub(super) fn open_short(short: &ShortPath<'_>, flags: c_int) -> io::Result<File> {
    let flags = flags | libc::O_RDONLY | libc::O_CLOEXEC;
    with_c_string(short.path, |path| {
        // SAFETY: `path` is a C string that outlives the call, and without O_CREAT no mode is read.
        let fd = retry_interrupted(|| unsafe { calls::openat(start(short), path.as_ptr(), flags) })?;
        // SAFETY: the descriptor is new and has no other owner.
        Ok(unsafe { File::from_raw_fd(fd) })
    })
}

/// Returns the metadata of the file at a path.
pub(crate) fn stat(path: &[u8], links: Links) -> io::Result<Meta> {
    let short = ShortPath::open(path)?;
    with_c_string(short.path, |path| stat_at(start(&short), path, links))
}

/// Returns the metadata of an entry of an open directory.
pub(crate) fn stat_in(directory: &File, name: &[u8], links: Links) -> io::Result<Meta> {
    with_c_string(name, |name| stat_at(directory.as_raw_fd(), name, links))
}

fn stat_at(start: RawFd, path: &CStr, links: Links) -> io::Result<Meta> {
    let flags = if links == Links::Stay { libc::AT_SYMLINK_NOFOLLOW } else { 0 };
    let mut stat = MaybeUninit::uninit();
    // SAFETY: `path` is a C string, and `stat` has room for what the call writes.
    retry_interrupted(|| unsafe { calls::fstatat(start, path.as_ptr(), stat.as_mut_ptr(), flags) })?;
    // SAFETY: the call succeeded, so it wrote the whole structure.
    Ok(meta(unsafe { stat.assume_init_ref() }))
}

/// Returns the metadata of an open file.
pub(crate) fn stat_open(file: &File) -> io::Result<Meta> {
    let mut stat = MaybeUninit::uninit();
    // SAFETY: the descriptor is open while `file` is borrowed, and `stat` has room for what the call writes.
    retry_interrupted(|| unsafe { calls::fstat(file.as_raw_fd(), stat.as_mut_ptr()) })?;
    // SAFETY: the call succeeded, so it wrote the whole structure.
    Ok(meta(unsafe { stat.assume_init_ref() }))
}

/// Converts the structure. Field types differ between architectures, hence the casts.
#[allow(clippy::unnecessary_cast)]
fn meta(stat: &calls::Stat) -> Meta {
    Meta {
        dev: stat.st_dev as u64,
        ino: stat.st_ino as u64,
        size: stat.st_size as u64,
        mtime: (stat.st_mtime as i64, stat.st_mtime_nsec as u32),
        ctime: (stat.st_ctime as i64, stat.st_ctime_nsec as u32),
        blocks: stat.st_blocks as u64,
        mode: stat.st_mode as u32 | if calls::is_elsewhere(stat) { mode::ELSEWHERE } else { 0 },
        attributes: 0,
        stamp: 0,
    }
}

/// Returns the file's own offset, which reads at offsets do not use.
pub(crate) fn position(file: &File) -> io::Result<u64> {
    seek(file, 0, libc::SEEK_CUR)
}

/// Returns what kind of bytes are at an offset inside a file of this size, and where they end.
pub(crate) fn segment(file: &File, offset: u64, size: u64) -> io::Result<Segment> {
    let found = seek(file, offset, libc::SEEK_DATA).and_then(|start| match start > offset {
        true => Ok(Segment::Hole { end: start.min(size) }),
        false => seek(file, offset, libc::SEEK_HOLE).map(|end| Segment::Data { end }),
    });
    match found.as_ref().map_err(io::Error::raw_os_error) {
        // No data from here on, or the file shrank, which is detected later.
        Err(Some(libc::ENXIO)) => Ok(Segment::Hole { end: size }),
        // The file system does not report holes: all is data.
        Err(Some(libc::EINVAL)) => Ok(Segment::Data { end: u64::MAX }),
        _ => found,
    }
}

/// Moves the file's own offset and returns it.
fn seek(file: &File, offset: u64, whence: c_int) -> io::Result<u64> {
    let offset = i64::try_from(offset).map_err(|_| io::Error::from_raw_os_error(libc::EOVERFLOW))?;
    // SAFETY: the call touches no memory, and the descriptor is open while `file` is borrowed.
    let at = unsafe { calls::lseek(file.as_raw_fd(), offset, whence) };
    u64::try_from(at).map_err(|_| io::Error::last_os_error())
}

/// A pipe whose writer is closed to wake all waiting threads.
#[derive(Debug)]
pub(crate) struct Alarm {
    reader: PipeReader,
    writer: Mutex<Option<PipeWriter>>,
}

impl Alarm {
    pub(crate) fn new() -> io::Result<Alarm> {
        let (reader, writer) = io::pipe()?;
        Ok(Alarm { reader, writer: Mutex::new(Some(writer)) })
    }

    /// Ends all waits, now and later.
    pub(crate) fn ring(&self) {
        drop(self.writer.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    /// Waits until a stream has data or is at its end; returns false if the alarm rang. A stream that can't be waited for
    /// is one to read.
    pub(crate) fn wait(&self, stream: &File) -> bool {
        !matches!(wait_for([stream.as_fd(), self.reader.as_fd()]), Ok([_, true]))
    }
}

/// Waits until one of these has data or is at its end, and returns which of them.
fn wait_for<const N: usize>(files: [BorrowedFd<'_>; N]) -> io::Result<[bool; N]> {
    let mut polled =
        files.map(|file| libc::pollfd { fd: file.as_raw_fd(), events: libc::POLLIN, revents: 0 });
    // SAFETY: the system writes to the structures, which are ours; the descriptors are open while they are borrowed.
    retry_interrupted(|| unsafe { libc::poll(polled.as_mut_ptr(), N as libc::nfds_t, -1) })?;
    Ok(polled.map(|file| file.revents != 0))
}

/// Returns whether the address space of this process is limited (`RLIMIT_AS`), checked once.
pub(crate) fn has_address_limit() -> bool {
    static LIMITED: OnceLock<bool> = OnceLock::new();
    *LIMITED.get_or_init(|| {
        let mut limit = calls::Limit { rlim_cur: calls::INFINITY, rlim_max: calls::INFINITY };
        // SAFETY: `limit` has room for what the call writes.
        let asked = unsafe { calls::getrlimit(libc::RLIMIT_AS, &raw mut limit) };
        asked == 0 && limit.rlim_cur != calls::INFINITY
    })
}

/// Returns the memory of the machine in bytes.
pub(crate) fn memory() -> u64 {
    // SAFETY: the calls touch no memory.
    let (pages, page) = unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    u64::try_from(pages).unwrap_or(0).saturating_mul(u64::try_from(page).unwrap_or(0))
}

/// An open directory stream.
pub(crate) struct Directory(FolderStream);

impl Directory {
    /// Takes ownership of an open directory.
    pub(crate) fn new(directory: File) -> io::Result<Directory> {
        FolderStream::new(directory).map(Directory)
    }

    /// Returns the directory itself, only for lookups in it.
    pub(crate) fn file(&self) -> &File {
        self.0.folder()
    }

    /// Returns the next entry, skipping `.` and `..`.
    pub(crate) fn next(&mut self) -> io::Result<Option<Listed<'_>>> {
        Ok(self.0.next()?.map(|FolderEntry { folder, name, kind, number }| Listed {
            directory: folder,
            name: name.to_bytes(),
            kind: entry_type(kind),
            ino: number,
        }))
    }
}

/// Returns none: files have no streams beside their content.
pub(crate) fn streams(_: &File, _: &[u8]) -> io::Result<Vec<Vec<u8>>> {
    Ok(Vec::new())
}

/// Returns the type of an entry, if the listing tells it.
fn entry_type(d_type: u8) -> EntryType {
    match d_type {
        libc::DT_REG => EntryType::File,
        libc::DT_DIR => EntryType::Directory,
        libc::DT_LNK => EntryType::Link,
        libc::DT_FIFO => EntryType::Special(Skip::Fifo),
        libc::DT_SOCK => EntryType::Special(Skip::Socket),
        libc::DT_CHR | libc::DT_BLK => EntryType::Special(Skip::Device),
        _ => EntryType::Unknown,
    }
}

/// Returns the reading end of a pipe as a file.
#[cfg(test)]
pub(crate) fn file_of_pipe(reader: PipeReader) -> File {
    File::from(std::os::fd::OwnedFd::from(reader))
}

/// Opens standard input once more.
pub(crate) fn stdin() -> io::Result<File> {
    standard(Stream::Input)
}

fn start(short: &ShortPath<'_>) -> RawFd {
    short.start.as_ref().map_or(libc::AT_FDCWD, AsRawFd::as_raw_fd)
}
