//! Signatures and the time stamp (`M.tsr`) that lie beside a file.

pub use crate::signatures::name::{all, stamp};

use super::name::{MAX_SIGNERS, MINI, SSH, numbered};
use crate::error::Error;
use crate::error::SignatureError;
use crate::kinds;
use hashmill_content::File as Tried;
use hashmill_content::output::{OutputKind, WriteError};
use hashmill_os::{Links, names, open_now, open_to_read};
use hashmill_sign::{Format, KeyId, Message, PublicKey, Signature};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The kind of files that are signatures of OpenSSH, minisign or sigstore.
pub const SIGNATURE: OutputKind = OutputKind::Other("signature", is_signature);

fn is_signature(path: &Path) -> bool {
    let parsed = bytes(path).is_ok_and(|bytes| Signature::parse(&bytes).is_ok());
    parsed || kinds::is_bundle(path)
}

/// Returns the path of the signature with this number, from 1.
pub fn name(file: &Path, format: Format, number: usize) -> PathBuf {
    let ending = match format {
        Format::Ssh => SSH,
        Format::Mini => MINI,
    };
    numbered(file, ending, number)
}

/// Returns the path for a key's signature of a message: that of its last signature, or the first free one.
///
/// # Errors
/// If a file with such a name is not a signature of this message.
pub fn place(
    file: &Path,
    key: &PublicKey,
    message: &mut Message<'_>,
    is_taken: &dyn Fn(&Path) -> bool,
) -> Result<PathBuf, Error> {
    let format = match key {
        PublicKey::Ssh(_) => Format::Ssh,
        PublicKey::Mini(_) => Format::Mini,
    };
    let names = (1..=MAX_SIGNERS).map(|number| name(file, format, number));
    for path in names.filter(|path| !is_taken(path)) {
        if path.symlink_metadata().is_err() || is_by(&path, key)? {
            return Ok(path);
        }
        if !is_good(&path, message)? {
            return Err(SignatureError::Taken { path: name_of(&path), file: name_of(file) }.into());
        }
    }
    Err(Error::of_place(name_of(file), "all names for signatures of it are taken"))
}

/// Returns whether a file is a signature that claims to be by this key.
///
/// # Errors
/// If it can't be read.
pub fn is_by(path: &Path, key: &PublicKey) -> Result<bool, Error> {
    let Ok(signature) = Signature::parse(&lying(path)?) else { return Ok(false) };
    Ok(match (&signature, key) {
        (Signature::Ssh(signature), PublicKey::Ssh(_)) => id(signature.key()) == key.id(),
        (Signature::Mini(signature), PublicKey::Mini(_)) => {
            key.to_string().ends_with(&format!(" {}", signature.number()))
        }
        _ => false,
    })
}

fn id(key: &hashmill_sign::KeyData) -> KeyId {
    PublicKey::Ssh(Box::new(key.clone())).id()
}

/// Returns whether a file is a good signature of this message, by any signer. A signature of minisign can't be verified
/// without its key: it is taken for good.
///
/// # Errors
/// If the signature or the message can't be read.
pub fn is_good(path: &Path, message: &mut Message<'_>) -> Result<bool, Error> {
    match Signature::parse(&lying(path)?) {
        Ok(Signature::Ssh(signature)) => {
            let namespace = signature.namespace().to_string();
            let checked = signature.verify(message, &namespace);
            Ok(checked.map_err(|error| WriteError::new(path, error))?.is_ok())
        }
        Ok(Signature::Mini(_)) => Ok(true),
        Err(_) => Ok(false),
    }
}

/// Reads the bytes of a signature or key, which are few.
///
/// # Errors
/// If they can't be read.
pub fn bytes(path: &Path) -> Result<Vec<u8>, Error> {
    read(path, Signature::LONGEST).map_err(Error::at(path, Tried::Read))
}

fn lying(path: &Path) -> Result<Vec<u8>, Error> {
    found(path, Signature::LONGEST).map_err(Error::at(path, Tried::Read))
}

pub(super) fn name_of(path: &Path) -> Box<[u8]> {
    names::path_bytes(path).into()
}

/// Reads a file like [`read`], if nobody typed its name: only a regular file is accepted, so that a FIFO that somebody
/// put there is not waited for.
///
/// # Errors
/// If the file can't be read, or is not a regular file.
pub fn found(path: &Path, bound: u64) -> io::Result<Vec<u8>> {
    let file = open_now(path, Links::Follow)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a regular file; move it away"));
    }
    bounded(file, bound)
}

/// Reads a file, but at most one byte more than `bound`, so that a file that is too long is noticed.
///
/// # Errors
/// If it can't be read.
pub fn read(path: &Path, bound: u64) -> io::Result<Vec<u8>> {
    bounded(open_to_read(path)?, bound)
}

fn bounded(file: File, bound: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(bound + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_those_of_the_programs() {
        let file = Path::new("dir/known.jsonl");
        assert_eq!(name(file, Format::Ssh, 1), Path::new("dir/known.jsonl.sig"));
        assert_eq!(name(file, Format::Ssh, 2), Path::new("dir/known.jsonl.2.sig"));
        assert_eq!(name(file, Format::Mini, 1), Path::new("dir/known.jsonl.minisig"));
        assert_eq!(stamp(file), Path::new("dir/known.jsonl.tsr"));
    }
}
