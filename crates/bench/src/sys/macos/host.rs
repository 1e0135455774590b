//! The machine, by `sysctl(3)` and `statfs(2)`.
#![allow(unsafe_code)]

use crate::host::Storage;
use std::ffi::{CStr, CString, c_char, c_void};
use std::mem::zeroed;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::null_mut;

/// The most bytes of a value.
const MAX_VALUE: usize = 256;

/// Returns the name of the processor; empty if unknown.
pub(crate) fn cpu_model() -> String {
    text(c"machdep.cpu.brand_string")
}

/// Returns the version of the kernel.
pub(crate) fn version() -> String {
    text(c"kern.osrelease")
}

/// Returns the memory of the machine in bytes.
pub(crate) fn memory() -> Option<u64> {
    value(c"hw.memsize")?.first_chunk().map(|bytes| u64::from_ne_bytes(*bytes))
}

/// Returns `None`: the clock frequency has no governor.
pub(crate) fn governor() -> Option<String> {
    None
}

/// Returns the release of the system; empty if unknown.
pub(crate) fn release() -> String {
    format!("macOS {}", text(c"kern.osproductversion")).trim_end().to_string()
}

/// Returns the storage of a folder.
pub(crate) fn storage(folder: &Path) -> Option<Storage> {
    let path = CString::new(folder.as_os_str().as_bytes()).ok()?;
    // SAFETY: the structure contains numbers only, so all-zero bytes are a valid one.
    let mut found: libc::statfs = unsafe { zeroed() };
    // SAFETY: the path ends in NUL, and the call writes to a structure that we own.
    if unsafe { libc::statfs(path.as_ptr(), &raw mut found) } != 0 {
        return None;
    }
    Some(Storage {
        file_system: until_nul(&found.f_fstypename),
        source: until_nul(&found.f_mntfromname),
        medium: None,
    })
}

fn until_nul(text: &[c_char]) -> String {
    let bytes: Vec<u8> =
        text.iter().map(|letter| letter.cast_unsigned()).take_while(|byte| *byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn text(name: &CStr) -> String {
    let bytes = value(name).unwrap_or_default();
    String::from_utf8_lossy(&bytes).trim_end_matches('\0').to_string()
}

fn value(name: &CStr) -> Option<Vec<u8>> {
    let mut found = vec![0_u8; MAX_VALUE];
    let mut length = found.len();
    let place = found.as_mut_ptr().cast::<c_void>();
    // SAFETY: the name ends in NUL, and the call writes to the buffer, at most its length; nothing is set.
    let answer = unsafe { libc::sysctlbyname(name.as_ptr(), place, &raw mut length, null_mut(), 0) };
    found.truncate(length);
    (answer == 0).then_some(found)
}
