//! Names of signatures: `M.sig` is the first signature of OpenSSH of M, as ssh-keygen writes it, `M.2.sig` the next
//! signer's; `M.minisig`, `M.2.minisig` those of minisign.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The ending of a signature of OpenSSH.
pub const SSH: &str = "sig";
/// The ending of a signature of minisign.
pub const MINI: &str = "minisig";
/// The most signers of a format that are looked for.
pub const MOST: usize = 99;

/// The name of the signature with this number, from 1.
pub fn numbered(file: &Path, ending: &str, number: usize) -> PathBuf {
    match number {
        1 => with(file, ending),
        _ => with(file, &format!("{number}.{ending}")),
    }
}

/// Returns the name of a file's time stamp.
pub fn stamp(file: &Path) -> PathBuf {
    with(file, "tsr")
}

/// A file's name with an ending behind it.
pub fn with(file: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(file.as_os_str());
    name.push(".");
    name.push(ending);
    name.into()
}

/// The signatures that are there.
pub fn all(file: &Path) -> Vec<PathBuf> {
    let of = |ending| (1..=MOST).map(move |number| numbered(file, ending, number));
    of(SSH).chain(of(MINI)).filter(|path| path.symlink_metadata().is_ok()).collect()
}
