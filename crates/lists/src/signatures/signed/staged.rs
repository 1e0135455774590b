//! Signing of outputs. A manifest and its signature are separate files and can't change together. So the complete
//! manifest is signed while it has no name yet, old signatures are removed, the manifest gets its name, and then its
//! signature gets its name. At no moment does a manifest have the signature of another.

use super::beside;
use crate::error::Error;
use crate::error::SignatureError;
use hashmill_content::output::{Output, OutputPath, WriteError, create_derived};
use hashmill_sign::ssh::{FILE, Moment};
use hashmill_sign::{Format, Message, Signer};
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Keys that are ready, and the file that they will sign.
pub struct Signing {
    signers: Vec<Signer>,
    file: PathBuf,
}

/// Complete signatures that wait for their names.
#[derive(Default)]
pub struct Staged(Vec<Output>);

impl Signing {
    /// Prepares these keys to sign a file that has yet to be written.
    ///
    /// # Errors
    /// If the file has signatures by others, which would belong to the old content.
    pub fn prepare(signers: Vec<Signer>, file: &Path) -> Result<Signing, Error> {
        let mut signing = Signing { signers, file: PathBuf::new() };
        signing.turn_to(file)?;
        Ok(signing)
    }

    /// Lets the keys sign another file next.
    ///
    /// # Errors
    /// As [`Signing::prepare`].
    pub fn turn_to(&mut self, file: &Path) -> Result<(), Error> {
        for path in beside::all(file) {
            let mut own = false;
            for signer in &self.signers {
                own |= beside::is_by(&path, &signer.public())?;
            }
            if !own {
                return Err(SignatureError::Foreign(beside::name_of(&path)).into());
            }
        }
        self.file = file.to_path_buf();
        Ok(())
    }

    /// Signs the output, and removes the signatures of the file that it will replace.
    ///
    /// # Errors
    /// If a key does not sign, or a signature can't be written. The old signatures are gone nevertheless.
    pub fn stage(&mut self, output: &Output) -> Result<Staged, Error> {
        let staged = self.sign(output);
        for old in beside::all(&self.file) {
            match fs::remove_file(&old) {
                Err(error) if error.kind() != ErrorKind::NotFound => Err(WriteError::new(&old, error))?,
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
            let place = OutputPath::own(&path, &output.files());
            staged.0.push(write(create_derived(&place, beside::SIGNATURE)?, &signature)?);
        }
        Ok(staged)
    }
}

impl Staged {
    /// Gives the signatures their names.
    ///
    /// # Errors
    /// If a file can't be renamed.
    pub fn finish(self) -> Result<(), WriteError> {
        self.0.iter().try_for_each(Output::finish)
    }
}

/// Makes a signature of a message from a file with this name.
///
/// # Errors
/// If the key does not sign.
pub fn sign(
    signer: &mut Signer,
    message: &mut Message<'_>,
    namespace: &str,
    file: &Path,
) -> Result<Vec<u8>, Error> {
    let comment = comment(file);
    let signature = signer.sign(message, namespace, &comment);
    signature.map_err(|why| Error::of_place(beside::name_of(file), why))
}

/// Writes a signature that gets its name later.
///
/// # Errors
/// If it can't be written.
pub fn write(mut output: Output, signature: &[u8]) -> Result<Output, WriteError> {
    let done = output.write_all(signature).and_then(|()| output.flush());
    done.map_err(|error| output.error(error))?;
    Ok(output)
}

/// Returns the signatures beside a file that don't fit it any more.
pub fn stale(file: &Path) -> Vec<PathBuf> {
    let all = beside::all(file);
    // If the file can't be read, its signatures can't be verified.
    let Some(mut source) = File::open(file).ok().filter(|_| !all.is_empty()) else { return Vec::new() };
    let mut message = Message::new(&mut source);
    all.into_iter().filter(|path| !beside::is_good(path, &mut message).unwrap_or(true)).collect()
}

/// Returns the trusted comment of a minisign signature, as minisign writes it: the time, and the file's name if it has
/// no control characters.
fn comment(file: &Path) -> String {
    let now = Moment::now().as_second();
    let name = file.file_name().and_then(|name| name.to_str());
    match name.filter(|name| !name.contains(char::is_control) && name.trim() == *name) {
        Some(name) => format!("timestamp:{now}\tfile:{name}\thashed"),
        None => format!("timestamp:{now}\thashed"),
    }
}
