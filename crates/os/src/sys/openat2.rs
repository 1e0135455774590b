//! Opening below a directory without following links, by `openat2`.
#![allow(unsafe_code)]

use super::unix::{open_in_steps, retry_interrupted, with_c_string};
use std::ffi::c_int;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::sync::atomic::{AtomicBool, Ordering};

/// The longest path that a system call accepts: `PATH_MAX` counts the closing NUL.
const LONGEST_PATH: usize = libc::PATH_MAX as usize - 1;

/// Set if the kernel lacks `openat2` (before Linux 5.6, or in a sandbox that blocks it).
static WITHOUT_OPENAT2: AtomicBool = AtomicBool::new(false);

/// Opens a path below a directory for reading, in one call where the kernel can. A symbolic link on the way or at the end
/// fails with `ELOOP`.
///
/// # Errors
/// If it can't be opened, or leads out by `..`.
pub fn open_beneath(start: &File, path: &[u8], flags: c_int) -> io::Result<File> {
    if path.len() > LONGEST_PATH || WITHOUT_OPENAT2.load(Ordering::Relaxed) {
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

fn openat2(start: &File, path: &[u8], flags: c_int) -> io::Result<File> {
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
        Ok(unsafe { File::from_raw_fd(fd) })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts;

    /// Either way to open below a directory.
    type Opening = fn(&File, &[u8], c_int) -> io::Result<File>;

    #[test]
    fn kernels_without_openat2_open_the_same() {
        let here = File::open(".").unwrap();
        let result = |open: Opening, path: &[u8], flags| {
            let opened = open(&here, path, flags);
            opened.map(|file| facts(&file).unwrap().id).map_err(|error| error.raw_os_error().unwrap())
        };
        for flags in [0, libc::O_NONBLOCK, libc::O_PATH | libc::O_DIRECTORY, libc::O_DIRECTORY] {
            for path in [
                &b"src/lib.rs"[..],
                b"src/",
                b"src//files/lock.rs",
                b".",
                b"src/../src/lib.rs/",
                b"nothing",
                b"src/nothing/at",
                b"src/lib.rs/at",
                b"../os",
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
        let long = [b"src/".as_slice(), &b"./".repeat(5000), b"lib.rs"].concat();
        assert!(open_beneath(&here, &long, 0).is_ok());
    }
}
