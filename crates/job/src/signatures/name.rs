//! Names of signatures: `M.sig` is the first signature of M by OpenSSH, as ssh-keygen names it, and `M.2.sig` is that
//! of the next signer; those of minisign are `M.minisig` and `M.2.minisig`.

use hashmill_os::{Links, open_now};
use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The ending of a signature of OpenSSH.
pub const SSH: &str = "sig";
/// The ending of a signature of minisign.
pub const MINI: &str = "minisig";
/// The endings of signatures of OpenPGP.
const PGP: [&str; 2] = ["asc", "gpg"];
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

/// Returns the existing files that have the names of OpenPGP's signatures of a file, and begin like one.
pub fn openpgp(file: &Path) -> Vec<PathBuf> {
    let begins = |path: &PathBuf| {
        let mut first = Vec::new();
        let opened = open_now(path, Links::Follow)
            .ok()
            .filter(|file| file.metadata().is_ok_and(|meta| meta.is_file()));
        opened.is_some_and(|file| file.take(64).read_to_end(&mut first).is_ok()) && is_openpgp(&first)
    };
    PGP.iter().map(|ending| with(file, ending)).filter(begins).collect()
}

/// Returns whether bytes look like a detached signature of OpenPGP: it begins with a signature packet, in the old or
/// new form (RFC 9580, 4.2), or with its own armour.
pub fn is_openpgp(bytes: &[u8]) -> bool {
    matches!(bytes, [0x88 | 0x89 | 0x8a | 0xc2, ..]) || bytes.starts_with(b"-----BEGIN PGP SIGNATURE-----")
}
