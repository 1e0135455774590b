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
/// The first line of an armoured signature of OpenPGP.
const ARMOR_BEGIN: &[u8] = b"-----BEGIN PGP SIGNATURE-----";
/// The most bytes of the signatures of OpenPGP in a file.
const MAX_SIGNATURE_BYTES: u64 = 64 << 10;
/// Limit of signers for each format.
pub const MAX_SIGNERS: usize = 99;

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
    let of = |ending| (1..=MAX_SIGNERS).map(move |number| numbered(file, ending, number));
    of(SSH).chain(of(MINI)).filter(|path| path.symlink_metadata().is_ok()).collect()
}

/// Returns the existing files that have the names of OpenPGP's signatures of a file, and consist of signatures.
pub fn openpgp(file: &Path) -> Vec<PathBuf> {
    let is_one = |path: &PathBuf| {
        let mut bytes = Vec::new();
        let opened = open_now(path, Links::Follow)
            .ok()
            .filter(|file| file.metadata().is_ok_and(|meta| meta.is_file()));
        let read = opened.map(|file| file.take(MAX_SIGNATURE_BYTES + 1).read_to_end(&mut bytes));
        read.is_some_and(|read| read.is_ok_and(|read| read as u64 <= MAX_SIGNATURE_BYTES))
            && is_only_openpgp(&bytes)
    };
    PGP.iter().map(|ending| with(file, ending)).filter(is_one).collect()
}

/// Returns whether bytes are signatures of OpenPGP and nothing else, as far as their frame tells: anything could follow one
/// that only begins like that.
fn is_only_openpgp(bytes: &[u8]) -> bool {
    let Some(text) = bytes.strip_prefix(ARMOR_BEGIN) else { return is_only_packets(bytes) };
    let is_armor = |line: &[u8]| {
        let is_header = line.windows(2).any(|pair| pair == b": ");
        is_header || line.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(byte))
    };
    let inner = text.trim_ascii_end().strip_suffix(b"-----END PGP SIGNATURE-----");
    inner.is_some_and(|inner| inner.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).all(is_armor))
}

/// Returns whether bytes are signature packets, in the old or new form (RFC 9580, 4.2).
fn is_only_packets(mut bytes: &[u8]) -> bool {
    let is_any = !bytes.is_empty();
    while !bytes.is_empty() {
        let (header, length) = match *bytes {
            [0x88, length, ..] => (2, usize::from(length)),
            [0x89, a, b, ..] => (3, usize::from(u16::from_be_bytes([a, b]))),
            [0x8a, a, b, c, d, ..] | [0xc2, 255, a, b, c, d, ..] => {
                let header = if bytes[0] == 0x8a { 5 } else { 6 };
                (header, u32::from_be_bytes([a, b, c, d]) as usize)
            }
            [0xc2, length @ 0..192, ..] => (2, usize::from(length)),
            [0xc2, a @ 192..224, b, ..] => (3, (usize::from(a) - 192) * 256 + usize::from(b) + 192),
            _ => return false,
        };
        let Some(rest) = bytes.get(header..).and_then(|rest| rest.get(length..)) else { return false };
        bytes = rest;
    }
    is_any
}

/// Returns whether bytes look like a detached signature of OpenPGP: it begins with a signature packet, in the old or
/// new form (RFC 9580, 4.2), or with its own armour.
pub fn is_openpgp(bytes: &[u8]) -> bool {
    matches!(bytes, [0x88 | 0x89 | 0x8a | 0xc2, ..]) || bytes.starts_with(ARMOR_BEGIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_a_signature_is_none() {
        let armor =
            b"-----BEGIN PGP SIGNATURE-----\nVersion: x\n\niQ==\n=aaaa\n-----END PGP SIGNATURE-----\n";
        let one = [&[0x89, 0, 2, 4, 0][..], &[0xc2, 1, 4], &[0x88, 0], &[0xc2, 192, 0], &[7; 192]].concat();
        for whole in [&armor[..], &one, &one[..5], b"\x8a\0\0\0\x01x", b"\xc2\xff\0\0\0\x01x"] {
            assert!(is_only_openpgp(whole), "{whole:?}");
            assert!(!is_only_openpgp(&[whole, b"#!/bin/sh"].concat()));
            assert!(!is_only_openpgp(&whole[..whole.len() - 2]));
        }
        let script = b"-----BEGIN PGP SIGNATURE-----\nrm -rf $HOME\n-----END PGP SIGNATURE-----\n";
        assert!(!is_only_openpgp(script) && !is_only_openpgp(b""));
    }
}
