//! Names of signatures: `M.sig` is the first signature of M by OpenSSH, as ssh-keygen names it, and `M.2.sig` is that
//! of the next signer; those of minisign are `M.minisig` and `M.2.minisig`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The ending of a signature of OpenSSH.
pub const SSH: &str = "sig";
/// The ending of a signature of minisign.
pub const MINI: &str = "minisig";
/// Limit of signers for each format.
pub const MOST: usize = 99;

/// Returns the path of the signature with this number, from 1.
pub fn numbered(file: &Path, ending: &str, number: usize) -> PathBuf {
    match number {
        1 => with(file, ending),
        _ => with(file, &format!("{number}.{ending}")),
    }
}

/// Returns the path of a file's time stamp.
pub fn stamp(file: &Path) -> PathBuf {
    with(file, "tsr")
}

/// Appends a dot and an ending to a file's name.
pub fn with(file: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(file.as_os_str());
    name.push(".");
    name.push(ending);
    name.into()
}

/// Returns the existing signatures of a file.
pub fn all(file: &Path) -> Vec<PathBuf> {
    let of = |ending| (1..=MOST).map(move |number| numbered(file, ending, number));
    of(SSH).chain(of(MINI)).filter(|path| path.symlink_metadata().is_ok()).collect()
}
