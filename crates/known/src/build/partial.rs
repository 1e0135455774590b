//! The file of an index that is being written, section by section. It gets its name when it is complete.

use crate::error::Error;
use crate::layout::{Checksum, HEADER, SUM, aligned};
use hashmill_output::{LocalPath, Output, OutputKind, RunFiles, WriteError};
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The size in bytes and the alignment of writes. Aligned writes let the system keep the file in pages of 2 MiB, which
/// reduces the TLB misses of lookups.
const BLOCK: usize = 4 << 20;

/// The position and the checksum of a written section.
pub(crate) struct Extent {
    pub offset: u64,
    pub length: u64,
    pub sum: [u8; SUM],
}

/// An index file that is written section by section.
pub(crate) struct Partial {
    target: PathBuf,
    /// The file of the output.
    file: File,
    output: Output,
    /// The length of the file, including gathered bytes.
    end: u64,
    start: u64,
    gathered: Vec<u8>,
    sum: Checksum,
}

impl Partial {
    /// Creates a file that will become `target`.
    pub fn new(target: &Path, files: &RunFiles) -> Result<Self, Error> {
        let place = LocalPath::own(target, files);
        let output = Output::file(&place, OutputKind::Anything).map_err(failed(target, "create"))?;
        let file = output.handle().map_err(Error::io(target, "create"))?;
        let (gathered, end) = (vec![0; HEADER], HEADER as u64);
        let (target, sum) = (target.to_path_buf(), Checksum::new());
        Ok(Partial { target, file, output, end, start: end, gathered, sum })
    }

    pub fn begin(&mut self) -> Result<(), Error> {
        self.flush()?;
        self.start = aligned(self.end);
        self.gathered.resize((self.start - self.end) as usize, 0);
        self.end = self.start;
        self.flush()?;
        self.sum = Checksum::new();
        Ok(())
    }

    /// Appends to the section.
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

    pub fn finish_section(&mut self) -> Result<Extent, Error> {
        self.flush()?;
        let sum = std::mem::replace(&mut self.sum, Checksum::new()).finish();
        Ok(Extent { offset: self.start, length: self.end - self.start, sum })
    }

    /// Discards the section; it may then start again at the same place.
    pub fn discard_section(&mut self) -> Result<(), Error> {
        self.gathered.clear();
        self.end = self.start;
        let cut = self.file.set_len(self.end).and_then(|()| self.file.seek(SeekFrom::Start(self.end)));
        cut.map(drop).map_err(Error::io(&self.target, "write"))
    }

    fn flush(&mut self) -> Result<(), Error> {
        self.write(self.gathered.len())
    }

    /// Writes this many of the gathered bytes.
    fn write(&mut self, count: usize) -> Result<(), Error> {
        let bytes = &self.gathered[..count];
        self.sum.update(bytes);
        self.file.write_all(bytes).map_err(Error::io(&self.target, "write"))?;
        self.gathered.drain(..count);
        Ok(())
    }

    /// Returns the final name of the file.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Returns the length of the file so far.
    pub fn length(&self) -> u64 {
        self.end
    }

    /// Writes the header, and gives the file its name once all of it is on the disk.
    pub fn publish(mut self, header: &[u8; HEADER]) -> Result<(), Error> {
        self.flush()?;
        let start = self.file.seek(SeekFrom::Start(0));
        start.and_then(|_| self.file.write_all(header)).map_err(Error::io(&self.target, "write"))?;
        self.output.finish().map_err(failed(&self.target, "create"))
    }
}

/// Adds the path and the operation to an error of an output.
fn failed(path: &Path, deed: &'static str) -> impl FnOnce(WriteError) -> Error {
    move |error| Error::io(path, deed)(error.into_cause())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_that_was_put_in_its_place_does_not_get_the_name() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("a.hmk");
        let partial = Partial::new(&target, &RunFiles::default()).unwrap();
        let path = partial.output.place().unwrap();
        fs::rename(&path, folder.path().join("away")).unwrap();
        fs::write(&path, "forged").unwrap();
        let error = partial.publish(&[0; HEADER]).unwrap_err().to_string();
        assert!(error.contains("somebody else put another file"), "{error}");
        assert!(!target.exists());
    }

    #[test]
    #[cfg(unix)]
    fn a_leftover_file_is_removed_and_a_pipe_of_such_a_name_is_not_waited_for() {
        use std::os::unix::fs::MetadataExt;
        let folder = tempfile::tempdir().unwrap();
        let (target, at) = (folder.path().join("a.hmk"), |name: &str| folder.path().join(name));
        let (pipe, left) =
            (at(".a.hmk.hashmill-partial-aaaaaaaaaaaa"), at(".a.hmk.hashmill-partial-bbbbbbbbbbbb"));
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        fs::write(&left, "half").unwrap();
        let partial = Partial::new(&target, &RunFiles::default()).unwrap();
        let place = partial.output.place().unwrap();
        assert_eq!(place.metadata().unwrap().mode() & 0o777, 0o600);
        let second = Partial::new(&target, &RunFiles::default()).unwrap();
        assert!(pipe.symlink_metadata().is_ok() && !left.exists() && place.exists());
        drop((partial, second));
        assert!(!place.exists());
    }
}
