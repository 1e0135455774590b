//! Volumes: their room and numbers.

use super::calls::retry_interrupted;
use std::ffi::{CString, c_int};
use std::fs::File;
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

#[allow(unsafe_code)]
pub fn free(file: &File) -> Option<u64> {
    // SAFETY: the descriptor is open while it is borrowed, and `stat` has room for what the call writes.
    ask(|stat| unsafe { libc::fstatvfs(file.as_raw_fd(), stat) })
}

#[allow(unsafe_code)]
pub fn free_at(folder: &Path) -> Option<u64> {
    let folder = CString::new(folder.as_os_str().as_bytes()).ok()?;
    // SAFETY: `folder` is a C string that outlives the call, and `stat` has room for what the call writes.
    ask(|stat| unsafe { libc::statvfs(folder.as_ptr(), stat) })
}

#[allow(clippy::useless_conversion, clippy::unnecessary_cast, reason = "types differ between systems")]
pub fn volume_text(number: u64) -> String {
    let number = number as libc::dev_t;
    format!("{}:{}", libc::major(number), libc::minor(number))
}

#[allow(unsafe_code)]
#[allow(clippy::unnecessary_cast, reason = "types of fields differ between systems")]
fn ask(mut call: impl FnMut(*mut libc::statvfs) -> c_int) -> Option<u64> {
    let mut stat = MaybeUninit::uninit();
    retry_interrupted(|| call(stat.as_mut_ptr())).ok()?;
    // SAFETY: the call succeeded, so it wrote the whole structure.
    let stat = unsafe { stat.assume_init_ref() };
    Some((stat.f_bavail as u64).saturating_mul(stat.f_frsize as u64))
}
