//! Calls that hash a file or a folder.

use crate::failure::Failure;
use hashmill_content::output::To;
use hashmill_content::{Selection, path_of};
use hashmill_digest::{Algorithm, Digest};
use hashmill_engine::Cancel;
use hashmill_job::account::Account;
use hashmill_job::hash::{HashEvent, HashJob, HashSummary, Manifest};
use hashmill_manifest::format::{find_format, format_of_name};
use hashmill_manifest::{Named, Record};
use hashmill_os::names;
use std::ops::ControlFlow::{Break, Continue};
use std::panic;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::{self, JoinHandle};

/// The number of results that wait for the caller. The job waits where there are more.
const MAX_WAITING: usize = 1024;

/// A file with its digests.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HashedFile {
    /// The path, which begins as the folder was named.
    pub path: PathBuf,
    /// The size in bytes.
    pub size: u64,
    /// The digests, in the order of the algorithms.
    pub digests: Vec<Named>,
}

impl HashedFile {
    fn from_record(record: &Record) -> HashedFile {
        let size = record.size.unwrap_or_default();
        HashedFile { path: path_of(&record.path), size, digests: record.digests.clone() }
    }

    /// Returns the digest by this algorithm, if it was asked for.
    pub fn digest(&self, algorithm: &Algorithm) -> Option<Digest> {
        self.digests.iter().find(|named| named.algorithm == algorithm).map(|named| named.digest)
    }
}

/// Hashes a file. As everywhere in hashmill, `-` is standard input, and a location such as `s3://bucket/key` is an
/// object (feature `stores`).
///
/// # Errors
/// If it can't be read to its end, changes meanwhile, or is no file.
pub fn hash_file(path: impl AsRef<Path>, algorithm: &'static Algorithm) -> Result<Digest, Failure> {
    let path = path.as_ref();
    let not_one = || Failure::NotOneFile(path.to_path_buf());
    if path.is_dir() {
        return Err(not_one());
    }
    let mut found = Vec::new();
    let job = HashJob::new(Selection::from_paths([path]), vec![algorithm].into());
    job.run(&mut |event| {
        found.extend(result(event));
        Continue(())
    })?;
    match found.pop() {
        Some(only) if found.is_empty() => only?.digest(algorithm).ok_or_else(not_one),
        _ => Err(not_one()),
    }
}

/// Hashes all files of a folder, also of those below it. Symbolic links, FIFOs, sockets and devices are passed over, as
/// they have no content of their own. All that can't be read is a [`Failure`] in its place.
///
/// The files come in the order of their paths, while a thread hashes those that follow; it ends when the iterator is
/// dropped.
pub fn hash_folder(folder: impl AsRef<Path>, algorithms: &[&'static Algorithm]) -> HashedFiles {
    let job = job(folder, algorithms);
    let cancel = job.as_ref().map_or_else(|_| Cancel::default(), |job| job.cancel.clone());
    let (sender, receiver) = sync_channel(MAX_WAITING);
    let thread = thread::spawn(move || -> Result<HashSummary, Failure> {
        Ok(job?.run(&mut |event| match result(event).map(|result| sender.send(result)) {
            Some(Err(_)) => Break(()),
            _ => Continue(()),
        })?)
    });
    HashedFiles { receiver: Some(receiver), thread: Some(thread), cancel, has_failed: false }
}

/// The files of [`hash_folder`], and what could not be read.
#[derive(Debug)]
pub struct HashedFiles {
    receiver: Option<Receiver<Result<HashedFile, Failure>>>,
    thread: Option<JoinHandle<Result<HashSummary, Failure>>>,
    cancel: Cancel,
    /// Whether a failure was given.
    has_failed: bool,
}

impl Iterator for HashedFiles {
    type Item = Result<HashedFile, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.receiver.as_ref().and_then(|receiver| receiver.recv().ok()).or_else(|| {
            let done = self.thread.take()?.join().unwrap_or_else(|panicked| panic::resume_unwind(panicked));
            let has_failed = self.has_failed;
            match done.map(|summary| summary.account()) {
                Err(failure) => Some(Err(failure)),
                Ok(account) if account.is_complete() || has_failed => None,
                Ok(account) => Some(Err(Failure::Incomplete(Box::new(account)))),
            }
        });
        self.has_failed |= matches!(next, Some(Err(_)));
        next
    }
}

impl Drop for HashedFiles {
    fn drop(&mut self) {
        self.cancel.set();
        self.receiver = None;
        // A panic of a job whose results nobody wants is none of the caller's.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Writes a manifest of a folder, which has its name when it is complete. Its format is that of the name's ending
/// (`.jsonl`, `.csv`, `.parquet`, …), else hashdeep's. A manifest that is there is replaced by the rules of `hashmill hash -o`.
///
/// The account says whether all was read: see [`Account::is_fine`].
///
/// # Errors
/// If the manifest can't be written.
pub fn write_manifest(
    manifest: impl AsRef<Path>,
    folder: impl AsRef<Path>,
    algorithms: &[&'static Algorithm],
) -> Result<Account, Failure> {
    let manifest = manifest.as_ref();
    let of_name = format_of_name(&names::path_bytes(manifest)).filter(|format| format.writer.is_some());
    let format = of_name.or_else(|| find_format("hashdeep")).expect("a format that is built in");
    let job = job(folder, algorithms)?;
    let summary = job.write(Manifest::new(format, To::File(manifest.into())), &mut |_| Continue(()))?;
    Ok(summary.account())
}

/// Returns the job for all files of a folder.
fn job(folder: impl AsRef<Path>, algorithms: &[&'static Algorithm]) -> Result<HashJob, Failure> {
    if algorithms.is_empty() {
        return Err(Failure::NoAlgorithm);
    }
    Ok(HashJob::new(Selection::from_paths([folder]), algorithms.to_vec().into()))
}

/// Returns the result for an entry that has content.
fn result(event: HashEvent<'_>) -> Option<Result<HashedFile, Failure>> {
    match event {
        HashEvent::Hashed(record) => Some(Ok(HashedFile::from_record(record))),
        HashEvent::Failed(error, record) => {
            let why = error.problem.to_string().into();
            Some(Err(Failure::Unreadable { path: path_of(&record.path), why }))
        }
        HashEvent::Skipped(record, why) if why.has_bytes() => {
            Some(Err(Failure::LeftOut { path: path_of(&record.path), why }))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MD5, SHA256};
    use std::fs;

    #[test]
    fn only_a_file_that_can_be_read_has_a_digest() {
        let folder = tempfile::tempdir().unwrap();
        let missing = hash_file(folder.path().join("none"), MD5);
        assert!(matches!(missing, Err(Failure::Unreadable { .. })), "{missing:?}");
        let whole = hash_file(folder.path(), MD5);
        assert!(matches!(whole, Err(Failure::NotOneFile(_))), "{whole:?}");
    }

    #[test]
    fn what_can_not_be_read_is_in_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        fs::write(place("a"), "abc").unwrap();
        let found: Vec<_> = hash_folder(place("a"), &[SHA256, MD5]).collect();
        let digests = &found[0].as_ref().unwrap().digests;
        assert_eq!(digests.iter().map(|named| named.algorithm.name).collect::<Vec<_>>(), ["sha256", "md5"]);
        let mut none = hash_folder(place("none"), &[SHA256]);
        assert!(matches!(none.next(), Some(Err(Failure::Unreadable { .. }))) && none.next().is_none());
        assert!(matches!(hash_folder(place("a"), &[]).next(), Some(Err(Failure::NoAlgorithm))));
    }

    #[test]
    fn a_job_ends_with_its_iterator() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..MAX_WAITING + 100 {
            fs::write(folder.path().join(number.to_string()), "").unwrap();
        }
        let mut files = hash_folder(folder.path(), &[MD5]);
        assert!(files.next().unwrap().is_ok());
        drop(files);
    }
}
