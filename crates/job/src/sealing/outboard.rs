//! Outboards. An outboard makes it possible to verify any range of a large file without reading the rest.

use super::files::{about, name, unless_cancelled, unreadable, with_ending};
use crate::error::{Error, SealError};
use crate::kinds;
use hashmill_content::output::{OutputPath, RunFiles, create_typed_or};
use hashmill_digest::Digest;
use hashmill_engine::Cancel;
use hashmill_os::{Links, open_now, open_to_read};
use hashmill_seal::outboard::{self, CancellableFile, GROUP};
use hashmill_source::settled;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The ending of outboards.
const ENDING: &str = "obao";

/// A file to make an outboard of, and the options.
#[derive(Debug, Clone)]
pub struct Outboard {
    /// The file.
    pub file: PathBuf,
    /// Path of the outboard; `None` is FILE.obao beside the file.
    pub output: Option<OutputPath>,
    /// Whether an existing file is replaced in any case.
    pub force: bool,
    /// Number of bytes in a group, for which the outboard has 64 bytes: 1 KiB times a power of two, at most 64 MiB.
    pub group: u64,
    /// The unfinished files of the job, and the receiver of warnings about files.
    pub files: RunFiles,
    /// Ends the job soon after it is set, with [`SealError::Interrupted`].
    pub cancel: Cancel,
}

impl Outboard {
    /// Makes a job for an outboard beside this file, in groups of 16 KiB.
    pub fn new(file: &Path) -> Outboard {
        Outboard {
            file: file.to_path_buf(),
            output: None,
            force: false,
            group: GROUP,
            files: RunFiles::default(),
            cancel: Cancel::default(),
        }
    }

    /// Writes the outboard. Returns the root, which is the file's BLAKE3 digest.
    ///
    /// # Errors
    /// [`SealError::Differs`] if the file changes meanwhile; others if the file can't be read or the outboard can't be
    /// written. No partial outboard is left then.
    pub fn create(&self) -> Result<Digest, Error> {
        let path = &self.file;
        let content = open_now(path, Links::Follow).map_err(unreadable(path))?;
        if !content.metadata().map_err(unreadable(path))?.is_file() {
            return Err(SealError::NotAFile(name(path)).into());
        }
        settled(&content).map_err(unreadable(path))?;
        let place = with_ending(path, ENDING);
        let beside = OutputPath::new(&place, self.force, &self.files);
        let output = create_typed_or((self.output.as_ref(), &beside), kinds::OUTBOARD)?;
        let file = output.handle().map_err(|error| output.error(error))?;
        let stop = self.cancel.flag();
        let made = outboard::create(CancellableFile::until(&content, &stop), &file, self.group);
        if made.is_err() {
            output.discard();
        }
        let made = match made {
            Err(hashmill_seal::Error::Write(error)) => return Err(output.error(error).into()),
            made => made,
        };
        let root = made.map_err(about(path)).map_err(unless_cancelled(&self.cancel))?;
        output.finish()?;
        Ok(root)
    }
}

/// A range of a file to verify, and the options.
#[derive(Debug, Clone)]
pub struct VerifyRange {
    /// The file.
    pub file: PathBuf,
    /// Path of its outboard; `None` is FILE.obao beside the file.
    pub outboard: Option<PathBuf>,
    /// The range of bytes; `None` is all of them.
    pub range: Option<Range<u64>>,
    /// The file's BLAKE3 digest, from a trusted source.
    pub root: Digest,
    /// Ends the job soon after it is set, with [`SealError::Interrupted`].
    pub cancel: Cancel,
}

/// A range of a file that was verified with the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedRange {
    /// The verified range.
    pub range: Range<u64>,
    /// Number of bytes of the file.
    pub length: u64,
}

impl VerifyRange {
    /// Makes a job for all of this file, with the outboard beside it.
    pub fn new(file: &Path, root: Digest) -> VerifyRange {
        let (outboard, range, cancel) = Default::default();
        VerifyRange { file: file.to_path_buf(), outboard, range, root, cancel }
    }

    /// Verifies the range and the length of the file. Reads only these bytes and the last group, and only the part of the
    /// outboard that leads to them.
    ///
    /// # Errors
    /// [`SealError::Differs`] if the bytes do not fit the root; others if they can't be compared.
    pub fn run(&self) -> Result<VerifiedRange, Error> {
        let path = &self.file;
        let place = self.outboard.clone().unwrap_or_else(|| with_ending(path, ENDING));
        let content = open_to_read(path).map_err(unreadable(path))?;
        let pairs = open_to_read(&place).map_err(unreadable(&place))?;
        let length = outboard::length(&pairs).map_err(about(&place))?;
        let range = self.range.clone().unwrap_or(0..length);
        let stop = self.cancel.flag();
        let verified =
            outboard::verify(CancellableFile::until(&content, &stop), &pairs, &self.root, range.clone());
        verified.map_err(about(path)).map_err(unless_cancelled(&self.cancel))?;
        Ok(VerifiedRange { range, length })
    }
}
