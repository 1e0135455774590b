//! Signing what a command writes. A manifest and its signature have names of their own and can't change together,
//! so: the signature is made of the whole manifest while that has no name yet, old signatures go, the manifest
//! gets its name, and then its signature. At no moment is there a manifest with another's signature.

use super::beside;
use crate::error::Error;
use crate::error::SignatureError;
use crate::output::{Output, OutputPath, WriteError};
use hashloom_sign::ssh::{FILE, Moment};
use hashloom_sign::{Format, Message, Signer};
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Keys that are ready, and the file that they will sign.
pub struct Signing {
    signers: Vec<Signer>,
    file: PathBuf,
}

/// Signatures that are whole but for their names.
#[derive(Default)]
pub struct Staged(Vec<Output>);

impl Signing {
    /// These keys are to sign this file, which is still to be written.
    ///
    /// # Errors
    /// If the file has signatures by others, which would be of the old one.
    pub fn prepare(signers: Vec<Signer>, file: &Path) -> Result<Signing, Error> {
        for path in beside::all(file) {
            let mut own = false;
            for signer in &signers {
                own |= beside::is_by(&path, &signer.public())?;
            }
            if !own {
                return Err(SignatureError::Foreign(beside::name_of(&path)).into());
            }
        }
        Ok(Signing { signers, file: file.to_path_buf() })
    }

    /// Signs what was written, and removes the signatures of what is to be replaced.
    ///
    /// # Errors
    /// If a key does not sign, or a signature can't be written. The old signatures are gone nevertheless.
    pub fn stage(&mut self, output: &Output) -> Result<Staged, Error> {
        let staged = self.sign(output);
        for old in beside::all(&self.file) {
            match fs::remove_file(&old) {
                Err(error) if error.kind() != ErrorKind::NotFound => Err(WriteError::of(&old, error))?,
                _ => {}
            }
        }
        staged
    }

    fn sign(&mut self, output: &Output) -> Result<Staged, Error> {
        let mut written = output.reread().map_err(|error| output.error(error))?;
        let mut message = Message::new(&mut written);
        let mut staged = Staged::default();
        let (mut ssh, mut mini) = (0, 0);
        for signer in &mut self.signers {
            let number = match signer.format() {
                Format::Ssh => &mut ssh,
                Format::Mini => &mut mini,
            };
            *number += 1;
            let path = beside::name(&self.file, signer.format(), *number);
            let signature = sign(signer, &mut message, FILE, &self.file)?;
            staged.0.push(write(Output::replacing(&OutputPath::own(&path), beside::SIGNATURE)?, &signature)?);
        }
        Ok(staged)
    }
}

impl Staged {
    /// Gives the signatures their names.
    ///
    /// # Errors
    /// If that fails.
    pub fn finish(self) -> Result<(), WriteError> {
        self.0.iter().try_for_each(Output::finish)
    }
}

/// One signature of a message that lies in a file of this name.
///
/// # Errors
/// If the key does not sign.
pub fn sign(
    signer: &mut Signer,
    message: &mut Message<'_>,
    namespace: &str,
    file: &Path,
) -> Result<Vec<u8>, SignatureError> {
    let comment = comment(file);
    let signature = signer.sign(message, namespace, &comment);
    signature.map_err(|why| SignatureError::Sign { file: beside::name_of(file), why: Box::new(why) })
}

/// Writes a signature, which gets its name later.
///
/// # Errors
/// If it can't be written.
pub fn write(mut output: Output, signature: &[u8]) -> Result<Output, WriteError> {
    let done = output.write_all(signature).and_then(|()| output.flush());
    done.map_err(|error| output.error(error))?;
    Ok(output)
}

/// Signatures of what was there before, which don't fit any more.
pub fn stale(file: &Path) -> Vec<PathBuf> {
    let all = beside::all(file);
    // Where the file can't be read, nothing is known of its signatures.
    let Some(mut source) = File::open(file).ok().filter(|_| !all.is_empty()) else { return Vec::new() };
    let mut message = Message::new(&mut source);
    all.into_iter().filter(|path| !beside::is_good(path, &mut message).unwrap_or(true)).collect()
}

/// What signatures of minisign say besides, as minisign writes it: when, and which file, if its name is a line.
fn comment(file: &Path) -> String {
    let now = Moment::now().as_second();
    let name = file.file_name().and_then(|name| name.to_str());
    match name.filter(|name| !name.contains(char::is_control) && name.trim() == *name) {
        Some(name) => format!("timestamp:{now}\tfile:{name}\thashed"),
        None => format!("timestamp:{now}\thashed"),
    }
}
