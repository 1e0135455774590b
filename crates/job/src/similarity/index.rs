//! Indexes: digests saved for later searches.

use super::event::{SimilarityObserver, SimilaritySummary};
use super::lists::{foreign, same_family};
use super::members::{Input, SimilarityJob};
use crate::error::{Error, SimilarityError};
use hashmill_content::File as Tried;
use hashmill_content::output::{Output, OutputKind, OutputPath, create};
use hashmill_os::names;
use hashmill_similar::index::{self, Index, MAGIC, Totals, Writer};
use hashmill_similar::{Named, Similar};
use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::ops::ControlFlow;
use std::path::Path;

/// Number of bytes of an index that are read at once.
const READ: usize = 1 << 20;

/// An index in a file.
pub(super) type Saved = Index<BufReader<File>>;

/// The description of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexInfo {
    /// The algorithm of its digests.
    pub algorithm: &'static Similar,
    /// The numbers of its digests and blocks.
    pub totals: Totals,
    /// Size of the file in bytes.
    pub bytes: u64,
}

/// The kind of files that are indexes of similarity digests.
const INDEX: OutputKind = OutputKind::Other("index", |path| info(path).is_ok());

impl SimilarityJob {
    /// Saves every digest in an index. It gets this name only when it is complete.
    ///
    /// # Errors
    /// As [`SimilarityJob::each`], and if the index can't be written. No partial index is left then.
    pub fn build(
        mut self,
        place: &OutputPath,
        observer: &mut SimilarityObserver<'_>,
    ) -> Result<SimilaritySummary, Error> {
        place.check_no_directory()?;
        let output = create(place, INDEX)?;
        if let Input::Files(selection) = &mut self.input {
            selection.own.add_output(&output);
        }
        let built = self.write(&output, observer);
        match &built {
            // An index does not show that files are missing because their list could not be read, so it must not be
            // kept.
            Ok(summary) if !summary.interrupted && summary.list_problem.is_none() => output.finish()?,
            _ => output.discard(),
        }
        built
    }

    fn write(
        self,
        output: &Output,
        observer: &mut SimilarityObserver<'_>,
    ) -> Result<SimilaritySummary, Error> {
        let failed = |error| match error {
            index::Error::Io(source) => Error::Write(output.error(source)),
            index::Error::Foreign(foreign) => SimilarityError::Member(foreign).into(),
            other => SimilarityError::Save(other).into(),
        };
        let mut writer = Writer::begin(output.clone(), self.algorithm).map_err(failed)?;
        let mut wrong = None;
        let summary = self.each(observer, &mut |named: Named| {
            wrong = writer.push(named).err();
            if wrong.is_none() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        if let Some(error) = wrong {
            return Err(failed(error));
        }
        if !summary.interrupted {
            writer.end().map_err(failed)?;
        }
        Ok(summary)
    }
}

/// Reads and verifies all of an index, and returns its description.
///
/// # Errors
/// If the file is not an index, or is damaged.
pub fn info(path: &Path) -> Result<IndexInfo, Error> {
    let name = &*names::path_bytes(path);
    let file = File::open(path).map_err(Error::file(name, Tried::Open))?;
    let bytes = file.metadata().map_err(Error::file(name, Tried::Read))?.len();
    let unusable = |why: index::Error| Error::of_place(name, why);
    let mut index = Index::open(BufReader::with_capacity(READ, file)).map_err(unusable)?;
    for block in &mut index {
        block.map_err(unusable)?;
    }
    Ok(IndexInfo { algorithm: index.algorithm(), totals: index.totals(), bytes })
}

/// Opens an index with digests by this algorithm; returns `None` if the file is not an index.
///
/// # Errors
/// If it can't be read, or has digests by another algorithm.
pub(super) fn open(path: &Path, row: &Similar) -> Result<Option<Saved>, Error> {
    let Some(index) = open_any(path)? else { return Ok(None) };
    if !same_family(index.algorithm(), row) {
        return Err(foreign(&names::path_bytes(path), index.algorithm().name, row));
    }
    Ok(Some(index))
}

/// Opens an index; returns `None` if the file is not one.
///
/// # Errors
/// If it can't be read.
pub(super) fn open_any(path: &Path) -> Result<Option<Saved>, Error> {
    let name = &*names::path_bytes(path);
    if name == b"-" || !path.is_file() {
        return Ok(None);
    }
    let mut file = File::open(path).map_err(Error::file(name, Tried::Open))?;
    let mut start = [0; MAGIC.len()];
    if file.read_exact(&mut start).is_err() || start != *MAGIC {
        return Ok(None);
    }
    file.rewind().map_err(Error::file(name, Tried::Read))?;
    let index = Index::open(BufReader::with_capacity(READ, file));
    Ok(Some(index.map_err(|why| Error::of_place(name, why))?))
}
