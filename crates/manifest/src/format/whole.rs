//! Formats that need random access. A stream is first copied to a temporary file.

use super::{OpenPath, Reader, Unusable};
use crate::Record;
use crate::case::Case;
use crate::format::malformed::Malformed;
use crate::format::malformed::{Bad, Why};
use hashloom_digest::Algorithm;
use hashloom_similar::Similar;
use std::fs::File;
use std::io::{self, Read};
use tempfile::TempDir;

/// Reads a stream by way of a temporary file, which goes with the reader.
///
/// # Errors
/// Of the copy, and those of `open`.
pub(super) fn spooled<'a>(
    mut input: Box<dyn Read + 'a>,
    open: OpenPath,
) -> Result<Box<dyn Reader + 'a>, Unusable> {
    let folder = folder().map_err(Unusable::Io)?;
    let path = folder.path().join("copy");
    let copied = File::create_new(&path).and_then(|mut file| io::copy(&mut input, &mut file));
    copied.map_err(Unusable::Io)?;
    let reader = open(&path)?;
    Ok(Box::new(Spooled { reader, _folder: folder }))
}

/// A folder for this user alone: SQLite takes a journal or log that is beside a database for a part of it, so nobody
/// may put one there.
fn folder() -> io::Result<TempDir> {
    let mut made = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        made.permissions(std::fs::Permissions::from_mode(0o700));
    }
    made.tempdir()
}

/// As [`spooled`], where what is wrong with the file can only be told as its first part.
pub(super) fn stream<'a>(input: Box<dyn Read + 'a>, open: OpenPath) -> Box<dyn Reader + 'a> {
    spooled(input, open).unwrap_or_else(failed)
}

/// A reader without records: it only says why there are none.
pub(super) fn failed<'a>(unusable: Unusable) -> Box<dyn Reader + 'a> {
    Box::new(FailedReader(Some(unusable)))
}

struct Spooled {
    // Fields are dropped in this order: first what reads the file.
    reader: Box<dyn Reader>,
    _folder: TempDir,
}

impl Iterator for Spooled {
    type Item = Result<Record, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        self.reader.next()
    }
}

impl Reader for Spooled {
    fn columns(&self) -> &[&'static Algorithm] {
        self.reader.columns()
    }

    fn likeness(&self) -> &[(usize, &'static Similar)] {
        self.reader.likeness()
    }

    fn case(&self) -> &Case {
        self.reader.case()
    }
}

/// A reader without records: it only reports an error.
struct FailedReader(Option<Unusable>);

impl Iterator for FailedReader {
    type Item = Result<Record, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        let why = match self.0.take()? {
            Unusable::Open(source) | Unusable::Io(source) => Why::Io(source),
            other => Why::Damaged(other.into()),
        };
        Some(Err(Bad::new("file", why).at(1)))
    }
}

impl Reader for FailedReader {}
