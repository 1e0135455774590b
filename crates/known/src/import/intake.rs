//! The sink for the records of all importers.

use super::input::{Input, Notice, Notices, Strictness};
use crate::about::BuildInput;
use crate::build::{Annotation, BuildProgress, Builder, DetailNumber};
use crate::error::{Error, Why};
use crate::{Category, Detail};
use hashmill_digest::Algorithm;
use hashmill_manifest::format::{self, Malformed};
#[cfg(any(feature = "archives", feature = "tables"))]
use hashmill_output::RunFiles;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The least memory for products: those of the largest RDS take less.
const LEAST_ROOM: u64 = 64 << 20;

/// An input that is being added to an index.
pub(crate) struct Intake<'a> {
    pub path: PathBuf,
    pub column: Option<Box<str>>,
    pub algorithm: Option<&'static Algorithm>,
    /// A copy of the input to read in its place.
    pub held: Option<Arc<File>>,
    builder: &'a mut Builder,
    strictness: Strictness,
    notices: Notices<'a>,
    category: Category,
    named: bool,
    source: BuildInput,
    /// The number of records of files that can't be looked up.
    lost: u64,
}

impl<'a> Intake<'a> {
    pub fn new(
        builder: &'a mut Builder,
        input: &Input,
        strictness: Strictness,
        notices: Notices<'a>,
    ) -> Self {
        let source = BuildInput {
            file: input.path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            set: input.set.as_deref().unwrap_or_default().to_string(),
            category: input.category.word().to_string(),
            ..BuildInput::default()
        };
        Intake {
            path: input.path.clone(),
            column: input.column.clone(),
            algorithm: input.algorithm,
            held: input.held.clone(),
            builder,
            strictness,
            notices,
            category: input.category.clone(),
            named: input.set.is_some(),
            source,
            lost: 0,
        }
    }

    /// Records a format that was recognised in the input.
    pub fn format(&mut self, name: &str) {
        let known = &mut self.source.format;
        if !known.split(", ").any(|known| known == name) {
            known.push_str(if known.is_empty() { "" } else { ", " });
            known.push_str(name);
        }
    }

    /// Names the set as the data does, unless the user named it.
    pub fn set(&mut self, name: &str) {
        if !self.named && !name.is_empty() {
            self.source.set = name.to_string();
        }
    }

    /// Names the set after a file, unless it has a name.
    pub fn take_name(&mut self, path: &Path) {
        if self.source.set.is_empty() {
            self.source.set = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        }
    }

    /// Returns the minimal detail of each digest of this input.
    pub fn detail(&self) -> Detail {
        Detail::new(self.category.clone(), &self.source.set)
    }

    /// Returns the memory limit in bytes for the products of an input and for the changes of deltas, which are kept
    /// while the input is read.
    pub fn room(&self) -> u64 {
        (self.builder.options().memory / 2).max(LEAST_ROOM)
    }

    pub fn progress(&self) -> Arc<BuildProgress> {
        Arc::clone(&self.builder.options().progress)
    }

    /// Returns the most bytes that a member of an archive may unpack to, if the user set a limit.
    #[cfg(feature = "archives")]
    pub fn unpacked(&self) -> Option<u64> {
        self.builder.options().unpacked
    }

    /// See [`Builder::number`].
    pub fn number(&mut self, detail: &Detail) -> DetailNumber {
        self.builder.number(detail)
    }

    /// See [`Builder::union`].
    pub fn union(&mut self, first: DetailNumber, others: &[DetailNumber]) -> DetailNumber {
        self.builder.union(first, others)
    }

    /// Adds the digests of one record.
    pub fn record<'d>(
        &mut self,
        digests: impl Iterator<Item = (&'static Algorithm, &'d [u8])>,
        annotation: Annotation,
    ) -> Result<(), Error> {
        self.records(digests, annotation, 1)
    }

    /// Adds digests that `count` records share.
    pub fn records<'d>(
        &mut self,
        digests: impl Iterator<Item = (&'static Algorithm, &'d [u8])>,
        annotation: Annotation,
        count: u64,
    ) -> Result<(), Error> {
        let (mut taken, mut has_any) = (false, false);
        for (algorithm, digest) in digests {
            taken |= self.builder.add_met(algorithm, digest, annotation, count)?;
            has_any = true;
        }
        match taken {
            true => self.source.records += count,
            false if has_any => self.lose(count),
            false => self.source.skipped += count,
        }
        Ok(())
    }

    /// Counts records of files without a digest that can be looked up.
    pub fn lose(&mut self, count: u64) {
        self.lost += count;
    }

    /// Counts a record that has nothing to import.
    pub fn skip(&mut self) {
        self.source.skipped += 1;
    }

    /// Reports a line that is not understood, or ends the build if lines are strict.
    pub fn malformed(&mut self, malformed: Malformed) -> Result<(), Error> {
        // An input that can't be read to its end always ends the build.
        if let format::Why::Io(source) = malformed.why {
            return Err(Error::io(&self.path, "read")(source));
        }
        if self.strictness == Strictness::Strict || malformed.is_end() {
            return Err(Error::new(&self.path, Why::Line(Box::new(malformed))));
        }
        self.source.malformed += 1;
        self.notice(Notice::Malformed(malformed));
        Ok(())
    }

    /// Reports a part that is left out, and counts it if it may be data.
    pub fn leave(&mut self, notice: Notice) {
        self.source.left_out += match &notice {
            Notice::LeftOut { why, .. } => u64::from(why.is_data()),
            Notice::Columns(columns) => columns.len() as u64,
            Notice::Lost(records) => *records,
            _ => 1,
        };
        self.notice(notice);
    }

    /// Sends a notice to the user.
    pub fn notice(&mut self, notice: Notice) {
        (self.notices)(&self.path, notice);
    }

    /// Returns the path of the index, beside which a file is unpacked.
    #[cfg(any(feature = "archives", feature = "tables"))]
    pub fn target(&self) -> &Path {
        self.builder.target()
    }

    /// Returns the unfinished files of the build.
    #[cfg(any(feature = "archives", feature = "tables"))]
    pub fn files(&self) -> &RunFiles {
        &self.builder.options().files
    }

    /// Adds the input to the index's description.
    pub fn finish(mut self) {
        if self.lost > 0 {
            self.leave(Notice::Lost(self.lost));
        }
        self.builder.note(self.source);
    }
}
