//! Copies that are read back when everything is written: what is known of each waits in a temporary file. A
//! [`Spool`](hashmill_lists::entries::spool::Spool) can't be read by the threads of the engine.

use hashmill_digest::{Algorithm, Digest};
use hashmill_manifest::{Named, Record};
use hashmill_os::names::path_to_try;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::PathBuf;

/// Copies that have their names, with what was read from their sources.
pub(super) struct Later {
    file: BufWriter<File>,
    algorithms: Vec<&'static Algorithm>,
}

/// A copy that has its name.
pub(super) struct Late {
    pub(super) path: PathBuf,
    /// The record of its source, with the path of the copy.
    pub(super) record: Record,
    /// Whether it is a second name of another copy.
    pub(super) is_link: bool,
}

impl Later {
    /// Makes an empty list.
    ///
    /// # Errors
    /// If there is no room for temporary files.
    pub(super) fn new(algorithms: Vec<&'static Algorithm>) -> io::Result<Later> {
        Ok(Later { file: BufWriter::new(tempfile::tempfile()?), algorithms })
    }

    /// Adds a copy with this path.
    ///
    /// # Errors
    /// If it can't be written.
    pub(super) fn push(&mut self, path: &[u8], record: &Record, is_link: bool) -> io::Result<()> {
        self.file.write_all(&u64::from(is_link).to_le_bytes())?;
        self.file.write_all(&(path.len() as u64).to_le_bytes())?;
        self.file.write_all(path)?;
        self.file.write_all(&record.size.unwrap_or(0).to_le_bytes())?;
        for Named { digest, .. } in &record.digests {
            let digest = digest.to_string();
            self.file.write_all(&(digest.len() as u64).to_le_bytes())?;
            self.file.write_all(digest.as_bytes())?;
        }
        Ok(())
    }

    /// Returns the copies in the order in which they were added.
    ///
    /// # Errors
    /// If they can't be written.
    pub(super) fn read(self) -> io::Result<impl Iterator<Item = io::Result<Late>> + Send> {
        let mut file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        let length = file.stream_position()?;
        file.rewind()?;
        let mut file = BufReader::new(file.take(length));
        let algorithms = self.algorithms;
        Ok(std::iter::from_fn(move || match next(&mut file, &algorithms) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => None,
            late => Some(late),
        }))
    }
}

fn next(file: &mut impl Read, algorithms: &[&'static Algorithm]) -> io::Result<Late> {
    let is_link = number(file)? > 0;
    let path = bytes(file)?;
    let size = number(file)?;
    let digests = algorithms.iter().map(|algorithm| {
        let digest = Digest::from_hex(&bytes(file)?).map_err(io::Error::other)?;
        Ok(Named { algorithm, digest, guessed: false })
    });
    let digests = digests.collect::<io::Result<Vec<_>>>()?;
    let record = Record::hashed(path.into(), Some(size), digests);
    Ok(Late { path: path_to_try(&record.path).into_owned(), record, is_link })
}

/// Reads bytes behind their number.
fn bytes(file: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(number(file)?).map_err(io::Error::other)?];
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn number(file: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    file.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}
