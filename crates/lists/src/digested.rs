//! The digest of a list, by which results identify the list.

use crate::file_state::FileState;
use crate::listing::{ListCopy, Listing};
use hashmill_digest::hashes::copy_hashed;
use hashmill_digest::{Algorithm, Digest};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// The digest of a list. A list in a file is read a second time for its records; whether the file changed in between is
/// checked at the end.
#[derive(Debug)]
pub struct ListDigest {
    digest: Digest,
    file: Option<(PathBuf, FileState)>,
}

impl ListDigest {
    /// Computes the digest of a list. A list from a pipe is copied, as it can be read only once.
    ///
    /// # Errors
    /// If a pipe can't be read. A list that is not a file, or can't be read, has no digest.
    pub fn compute(
        list: Listing,
        path: &Path,
        algorithm: &'static Algorithm,
    ) -> io::Result<(Listing, Option<ListDigest>)> {
        if list.is_file() {
            let meta = path.metadata();
            let is_pipe = meta.as_ref().is_ok_and(|meta| !meta.is_file() && !meta.is_dir());
            if !is_pipe {
                // The same error occurs when the list is read for its records, and is reported then.
                return Ok((list, ListDigest::of_file(path, algorithm).ok()));
            }
        }
        let (mut held, list) = ListCopy::take(list)?;
        let digest = copy_hashed(held.rewound()?, &mut io::sink(), algorithm)?;
        Ok((list.with(held), Some(ListDigest { digest, file: None })))
    }

    fn of_file(path: &Path, algorithm: &'static Algorithm) -> io::Result<ListDigest> {
        let mut file = File::open(path)?;
        let was = FileState::from_file(&file)?;
        let digest = copy_hashed(&mut file, &mut io::sink(), algorithm)?;
        Ok(ListDigest { digest, file: Some((path.to_path_buf(), was)) })
    }

    /// Returns the digest, unless the file has changed since.
    pub fn get(&self) -> Option<&Digest> {
        let stayed = |(path, was): &(PathBuf, FileState)| FileState::at(path).is_ok_and(|is| is == *was);
        self.file.as_ref().is_none_or(stayed).then_some(&self.digest)
    }
}
