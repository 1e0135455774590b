//! The file of an index before it has its name: written beside its place, renamed into it when whole.

use crate::error::Error;
use crate::layout::{Checksum, HEADER, SUM, aligned};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Bytes that are written at once, to places that are multiples of it: then the system can hold the file in
/// pages of 2 MiB, and look-ups miss its address tables less.
const BLOCK: usize = 4 << 20;

/// What names of unfinished files end in.
const SUFFIX: &str = ".hashloom-partial";

/// A name beside `target` for an unfinished or temporary file of this process.
pub(crate) fn beside(target: &Path, what: &str) -> PathBuf {
    let mut name = OsString::from(target.file_name().unwrap_or(OsStr::new("index")));
    name.push(format!(".{}{what}{SUFFIX}", std::process::id()));
    target.with_file_name(name)
}

/// Removes what builds of `target` left behind that were killed. A file that is locked has a living owner.
pub(crate) fn sweep(target: &Path) {
    let Some(name) = target.file_name() else { return };
    let folder = folder(target);
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if is_left_over(entry.file_name().as_encoded_bytes(), name.as_encoded_bytes()) {
            let path = entry.path();
            let unowned = File::open(&path).is_ok_and(|file| file.try_lock().is_ok());
            if unowned {
                let _ = fs::remove_file(path);
            }
        }
    }
}

/// Whether a file is called `target.DIGITS….hashloom-partial`.
fn is_left_over(name: &[u8], target: &[u8]) -> bool {
    let rest = name.strip_prefix(target).and_then(|rest| rest.strip_prefix(b"."));
    let owner = rest.and_then(|rest| rest.strip_suffix(SUFFIX.as_bytes()));
    owner.is_some_and(|owner| owner.first().is_some_and(u8::is_ascii_digit))
}

fn folder(target: &Path) -> &Path {
    target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Where a section was written.
pub(crate) struct Extent {
    pub offset: u64,
    pub length: u64,
    pub sum: [u8; SUM],
}

/// An index file that is being written, section after section.
pub(crate) struct Partial {
    target: PathBuf,
    path: PathBuf,
    file: File,
    /// Bytes of the file, gathered ones included.
    end: u64,
    start: u64,
    gathered: Vec<u8>,
    sum: Checksum,
    renamed: bool,
}

impl Partial {
    /// Starts a file that will be `target`.
    pub fn new(target: &Path) -> Result<Self, Error> {
        let path = beside(target, "");
        let file = File::create(&path).map_err(Error::io(target, "create"))?;
        file.try_lock().map_err(|locked| Error::io(&path, "lock")(locked.into()))?;
        let (gathered, end) = (vec![0; HEADER], HEADER as u64);
        let (target, sum) = (target.to_path_buf(), Checksum::new());
        Ok(Partial { target, path, file, end, start: end, gathered, sum, renamed: false })
    }

    /// Starts a section.
    pub fn begin(&mut self) -> Result<(), Error> {
        self.flush()?;
        self.start = aligned(self.end);
        self.gathered.resize((self.start - self.end) as usize, 0);
        self.end = self.start;
        self.flush()?;
        self.sum = Checksum::new();
        Ok(())
    }

    /// Adds to the section.
    #[inline]
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.gathered.extend_from_slice(bytes);
        self.end += bytes.len() as u64;
        if self.gathered.len() < BLOCK {
            return Ok(());
        }
        let written = self.end - self.gathered.len() as u64;
        let whole = self.end / BLOCK as u64 * BLOCK as u64 - written;
        self.write(whole as usize)
    }

    /// Ends the section.
    pub fn finish_section(&mut self) -> Result<Extent, Error> {
        self.flush()?;
        let sum = std::mem::replace(&mut self.sum, Checksum::new()).finish();
        Ok(Extent { offset: self.start, length: self.end - self.start, sum })
    }

    /// Throws the section away; it may then begin again at the same place.
    pub fn discard_section(&mut self) -> Result<(), Error> {
        self.gathered.clear();
        self.end = self.start;
        let cut = self.file.set_len(self.end).and_then(|()| self.file.seek(SeekFrom::Start(self.end)));
        cut.map(drop).map_err(Error::io(&self.path, "write"))
    }

    fn flush(&mut self) -> Result<(), Error> {
        self.write(self.gathered.len())
    }

    /// Writes so many of the gathered bytes.
    fn write(&mut self, count: usize) -> Result<(), Error> {
        let bytes = &self.gathered[..count];
        self.sum.update(bytes);
        self.file.write_all(bytes).map_err(Error::io(&self.path, "write"))?;
        self.gathered.drain(..count);
        Ok(())
    }

    /// The name that the file will have.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Bytes of the file so far.
    pub fn length(&self) -> u64 {
        self.end
    }

    /// Writes the header, sees to it that all is on disk, and gives the file its name.
    pub fn publish(mut self, header: &[u8; HEADER]) -> Result<(), Error> {
        self.flush()?;
        let start = self.file.seek(SeekFrom::Start(0));
        start.and_then(|_| self.file.write_all(header)).map_err(Error::io(&self.path, "write"))?;
        self.file.sync_all().map_err(Error::io(&self.path, "write"))?;
        fs::rename(&self.path, &self.target).map_err(Error::io(&self.target, "create"))?;
        self.renamed = true;
        // The name is durable once its folder is; a system that can't sync folders does without.
        let _ = File::open(folder(&self.target)).and_then(|folder| folder.sync_all());
        Ok(())
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if !self.renamed {
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_partial_files_of_the_target_are_left_overs() {
        assert!(is_left_over(b"a.hlk.12.hashloom-partial", b"a.hlk"));
        assert!(is_left_over(b"a.hlk.12-20.hashloom-partial", b"a.hlk"));
        assert!(!is_left_over(b"b.hlk.12.hashloom-partial", b"a.hlk"));
        assert!(!is_left_over(b"a.hlk", b"a.hlk"));
        assert!(!is_left_over(b"a.hlk.old.hashloom-partial", b"a.hlk"));
    }
}
