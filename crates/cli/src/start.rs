//! How the process starts and ends.
//!
//! Before `main`, the standard library reads the map of this process's memory, to tell an overflow of the stack from other
//! faults: with the C library of GNU that takes a tenth of a millisecond, of two for a small file. Here the process starts
//! without that. An overflow ends it all the same, by SIGSEGV.

#![cfg(all(target_os = "linux", target_env = "gnu", not(test)))]
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int};
use std::panic;
use std::process::{abort, exit};

/// The code of a program that panicked, as the standard library has it.
const PANICKED: u8 = 101;

/// What the C library calls. It has given the words to the standard library by then.
// SAFETY: nothing else of this name is linked, as the crate has no main of its own.
#[unsafe(no_mangle)]
extern "C" fn main(_: c_int, _: *const *const c_char) -> c_int {
    open_standard_files();
    // Who writes to a pipe that nobody reads is told by an error, and says so.
    // SAFETY: no handler is installed, and no memory is touched.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
    let code = panic::catch_unwind(super::command).unwrap_or(PANICKED);
    // Writes out what standard output still holds, too.
    exit(code.into())
}

/// Opens the standard files that are closed: else the next file that is opened takes the place of one, and gets what is
/// meant for people.
fn open_standard_files() {
    let file = |fd| libc::pollfd { fd, events: 0, revents: 0 };
    let mut files = [0, 1, 2].map(file);
    // SAFETY: the system writes to the three structures, which are ours.
    while unsafe { libc::poll(files.as_mut_ptr(), 3, 0) } == -1 {
        if std::io::Error::last_os_error().kind() != std::io::ErrorKind::Interrupted {
            // Without it nobody can say; the next that opens a file would find out.
            return;
        }
    }
    for file in files.iter().filter(|file| file.revents & libc::POLLNVAL != 0) {
        // SAFETY: the name ends with a NUL. Files are opened at the lowest free number, which is this one.
        if unsafe { libc::open(c"/dev/null".as_ptr(), libc::O_RDWR) } != file.fd {
            abort();
        }
    }
}
