//! Code that runs before the runtime of Rust, which would put `/dev/null` into the places of closed standard streams: what is read
//! from there would look empty, and what is written there would be lost without an error.

use crate::allocator::is_exhausted;
use std::ffi::c_int;

#[allow(unsafe_code)]
#[used]
#[cfg_attr(target_os = "macos", unsafe(link_section = "__DATA,__mod_init_func"))]
#[cfg_attr(not(target_os = "macos"), unsafe(link_section = ".init_array"))]
static HOLD: extern "C" fn() = hold;

extern "C" fn hold() {
    hashmill_os::hold_closed_streams();
    // SAFETY: the handler calls what a handler may call.
    #[allow(unsafe_code)]
    unsafe {
        libc::signal(libc::SIGABRT, tell_exhausted as extern "C" fn(c_int) as libc::sighandler_t)
    };
}

/// Ends the process with the code of a failure if it aborts because memory could not be had. After any other abort the
/// system ends it as ever.
extern "C" fn tell_exhausted(_: c_int) {
    const TEXT: &[u8] =
        b"hashmill: the memory that is needed can't be had: the run ended early (-m SIZE takes less)\n";
    if is_exhausted() {
        // SAFETY: both calls may be made by handlers, and the bytes are ours.
        #[allow(unsafe_code)]
        unsafe {
            libc::write(libc::STDERR_FILENO, TEXT.as_ptr().cast(), TEXT.len());
            libc::_exit(2)
        }
    }
}
