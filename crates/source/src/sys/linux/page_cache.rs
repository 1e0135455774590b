//! The page cache: what is in it, and what should be.

use super::file_system::{is_in_memory, is_overlay};
use hashmill_os::retry_interrupted;
use std::fs::File;
use std::io;
use std::ops;
use std::os::fd::AsRawFd;
use std::sync::OnceLock;

/// The number of the system call, which the C library does not name yet. All architectures share it except Alpha, which
/// adds 110 to every number of that time.
const CACHESTAT: libc::c_long = 451;

/// Linux's `struct cachestat_range`.
#[repr(C)]
struct Range {
    offset: u64,
    length: u64,
}

/// Linux's `struct cachestat`: numbers of pages.
#[repr(C)]
#[derive(Default)]
struct Counts {
    cached: u64,
    dirty: u64,
    writeback: u64,
    evicted: u64,
    recently_evicted: u64,
}

/// Returns how many pages of a range are cached, and how many the range has. `None` if the kernel does not tell: before
/// Linux 6.5, in some sandboxes, for files of other users (since 6.14), and for overlays, whose pages belong to the
/// files below.
pub(crate) fn cached_pages(file: &File, offset: u64, length: u64) -> Option<(u64, u64)> {
    if length == 0 {
        // The kernel would interpret 0 as "to the end".
        return Some((0, 0));
    }
    let last = offset.checked_add(length - 1)?;
    let total = last / page() - offset / page() + 1;
    let range = Range { offset, length };
    let mut counts = Counts::default();
    // SAFETY: the descriptor is open while `file` is borrowed, and both structures have the kernel's layout and
    // outlive the call.
    let result = unsafe { libc::syscall(CACHESTAT, file.as_raw_fd(), &raw const range, &raw mut counts, 0) };
    let told = result == 0 && (counts.cached > 0 || !is_overlay(file));
    told.then(|| (counts.cached.min(total), total))
}

/// Reads one byte if that is possible without waiting, else fails with `EAGAIN`.
pub(crate) fn read_without_waiting(file: &File, offset: u64) -> io::Result<()> {
    let offset = i64::try_from(offset).map_err(|_| io::ErrorKind::InvalidInput)?;
    let mut byte = 0_u8;
    let part = libc::iovec { iov_base: (&raw mut byte).cast(), iov_len: 1 };
    // The kernel takes the offset in two halves. glibc before 2.26 has no function of this name.
    let (low, high) = (offset as libc::c_long, (offset >> 32) as libc::c_long);
    let (fd, flags) = (file.as_raw_fd(), libc::RWF_NOWAIT);
    // SAFETY: the descriptor is open while `file` is borrowed, and the one part has room for the one byte.
    let read = unsafe { libc::syscall(libc::SYS_preadv2, fd, &raw const part, 1, low, high, flags) };
    if read < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Returns the size of a page in bytes.
fn page() -> u64 {
    static PAGE: OnceLock<u64> = OnceLock::new();
    // SAFETY: the call touches no memory.
    *PAGE.get_or_init(|| u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096).max(1))
}

/// Switches direct reads of an open file on. Returns a file to read from instead of it: none.
pub(crate) fn start_direct(file: &File) -> io::Result<Option<File>> {
    set_direct(file, true).map(|()| None)
}

/// Switches direct reads of an open file off.
pub(crate) fn stop_direct(file: &File) -> io::Result<()> {
    set_direct(file, false)
}

fn set_direct(file: &File, direct: bool) -> io::Result<()> {
    // SAFETY: the call touches no memory, and the descriptor is open while `file` is borrowed.
    let flags = retry_interrupted(|| unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GETFL) })?;
    let flags = if direct { flags | libc::O_DIRECT } else { flags & !libc::O_DIRECT };
    // SAFETY: likewise.
    retry_interrupted(|| unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETFL, flags) })?;
    Ok(())
}

/// Drops what is cached of a file, and returns whether all of it will come from its medium. False if the system does not tell.
/// Pages stay that a process maps, or that are not written yet.
pub(crate) fn emptied(file: &File, size: u64) -> bool {
    let is_uncached = || cached_pages(file, 0, size).is_some_and(|(cached, _)| cached == 0);
    if is_uncached() || is_in_memory(file) {
        return true;
    }
    forget(file, 0..size);
    is_uncached()
}

/// Drops the clean pages of a range from the page cache. This is a hint, and it is no error if the system ignores it.
pub(crate) fn forget(file: &File, range: ops::Range<u64>) {
    let length = range.end.saturating_sub(range.start);
    let (Ok(offset), Ok(length)) = (i64::try_from(range.start), i64::try_from(length)) else { return };
    // SAFETY: the call touches no memory, and the descriptor is open while `file` is borrowed.
    unsafe { libc::posix_fadvise64(file.as_raw_fd(), offset, length, libc::POSIX_FADV_DONTNEED) };
}

/// Asks the kernel to read these bytes into memory, without waiting for them.
pub(crate) fn will_need(file: &File, offset: u64, length: u64) {
    let (Ok(offset), Ok(length)) = (i64::try_from(offset), i64::try_from(length)) else { return };
    // SAFETY: the call touches no memory, and the descriptor is open while `file` is borrowed.
    unsafe { libc::posix_fadvise64(file.as_raw_fd(), offset, length, libc::POSIX_FADV_WILLNEED) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cached;
    use crate::read::residency::{cached, is_resident, start_cached};
    use crate::{Entry, Origin, Reader, Reading};
    use hashmill_testing::not_possible;
    use std::fs::{self, File};
    use std::path::PathBuf;
    use std::process::Command;

    /// Creates a file on a real disk and drops its pages from the cache, if the system does that.
    fn file(name: &str, size: usize) -> (PathBuf, File) {
        let path = std::env::current_exe().unwrap().with_file_name(format!("{name}-{}", std::process::id()));
        fs::write(&path, vec![7; size]).unwrap();
        let file = File::open(&path).unwrap();
        file.sync_all().unwrap();
        // SAFETY: the call touches no memory.
        unsafe { libc::posix_fadvise64(file.as_raw_fd(), 0, 0, libc::POSIX_FADV_DONTNEED) };
        (path, file)
    }

    #[test]
    fn what_was_read_is_cached_and_asking_reads_nothing() {
        let (path, file) = file("residency", 3 << 20);
        let fd = &file;
        let Some((before, 768)) = cached_pages(fd, 0, 3 << 20) else {
            not_possible("cachestat");
            return fs::remove_file(path).unwrap();
        };
        if before == 0 {
            assert_eq!(cached(fd, 3 << 20), Cached::No);
            assert_eq!(cached_pages(fd, 0, 3 << 20), Some((0, 768)), "asking must not read");
        } else {
            not_possible("dropping pages of files");
        }
        fs::read(&path).unwrap();
        assert_eq!(cached(fd, 3 << 20), Cached::Yes);
        assert_eq!(cached_pages(fd, 0, 3 << 20), Some((768, 768)));
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn pages_are_counted_by_the_bytes_that_touch_them() {
        let (path, file) = file("residency-pages", 64 << 10);
        fs::read(&path).unwrap();
        let fd = &file;
        if cached_pages(fd, 0, 1).is_some() && page() == 4096 {
            for (offset, length, pages) in [(0, 1, 1), (4095, 2, 2), (4096, 4096, 1), (1, 8192, 3), (9, 0, 0)]
            {
                assert_eq!(cached_pages(fd, offset, length), Some((pages, pages)), "{offset} {length}");
            }
            // Nothing is cached after the end.
            assert_eq!(cached_pages(fd, 1 << 30, 4096), Some((0, 1)));
        }
        assert_eq!(cached_pages(fd, u64::MAX, 2), None);
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn without_cachestat_only_a_short_file_can_be_known_to_be_cached() {
        let (path, file) = file("residency-start", 64 << 10);
        fs::read(&path).unwrap();
        let fd = &file;
        assert!(matches!(start_cached(fd, 64 << 10), Cached::Yes | Cached::Unknown));
        assert_eq!(start_cached(fd, 1 << 30), Cached::Unknown);
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn what_is_no_regular_file_is_unknown() {
        let path = b"/dev/null".as_slice().into();
        let entry = Entry::new(path, Origin::Operand);
        let reader = Reader::open(&entry, &Reading::default()).unwrap();
        assert_eq!(reader.cached(), Cached::Unknown);
    }

    #[test]
    fn an_overlay_is_not_taken_at_its_word() {
        // The kernel counts none of an overlay's pages, wherever they are.
        let place = std::env::temp_dir().join(format!("hashmill-overlay-{}", std::process::id()));
        let below = ["low", "up", "work", "merged"].map(|name| place.join(name));
        below.iter().for_each(|directory| fs::create_dir_all(directory).unwrap());
        fs::write(below[0].join("file"), [7; 5000]).unwrap();
        let options = format!(
            "lowerdir={},upperdir={},workdir={}",
            below[0].display(),
            below[1].display(),
            below[2].display()
        );
        let mount = |arguments: &[&std::ffi::OsStr]| {
            Command::new("mount").args(arguments).output().is_ok_and(|output| output.status.success())
        };
        let merged = below[3].as_os_str();
        if mount(&[
            "-t".as_ref(),
            "overlay".as_ref(),
            "-o".as_ref(),
            options.as_ref(),
            "none".as_ref(),
            merged,
        ]) {
            let path = below[3].join("file");
            fs::read(&path).unwrap();
            let file = File::open(path).unwrap();
            assert_eq!(cached_pages(&file, 0, 5000), None);
            assert!(matches!(cached(&file, 5000), Cached::Yes | Cached::Unknown));
            drop(file);
            assert!(Command::new("umount").arg(merged).status().unwrap().success());
        } else {
            not_possible("mounting overlays");
        }
        fs::remove_dir_all(place).unwrap();
    }

    #[test]
    fn a_file_is_resident_if_no_page_is_missing() {
        let (path, file) = file("residency-all", 3 << 20);
        let fd = &file;
        fs::read(&path).unwrap();
        if cached_pages(fd, 0, 3 << 20) == Some((768, 768)) {
            assert!(is_resident(fd, 3 << 20));
            // Bytes after the end are not cached; of a long file, samples are checked.
            assert!(!is_resident(fd, 4 << 20) && !is_resident(fd, 64 << 20));
        }
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn an_empty_file_is_cached() {
        let (path, file) = file("residency-empty", 0);
        assert_eq!(cached(&file, 0), Cached::Yes);
        fs::remove_file(path).unwrap();
    }
}
