//! Output of the new manifest, complete or not at all.

use super::event::{ConvertEvent, Teller};
use super::loss::{check_name, losses, strip};
use super::source::RecordSource;
use super::survey::Survey;
use crate::error::{ConvertError, Error};
use crate::manifest_writer::{self, ManifestWriter};
use crate::misfit::Misfit;
use crate::notice::Notice;
use hashmill_content::output::{Output, To, replaces};
use hashmill_digest::Algorithm;
use hashmill_engine::Cancel;
use hashmill_lists::kinds;
use hashmill_manifest::case::End;
use hashmill_manifest::format::{Format, format_of_name};
use hashmill_os::names;

/// The default for the bytes of records in memory.
const MEMORY: usize = 256 << 20;

/// The manifest to write.
pub struct Target {
    /// The output.
    pub to: To,
    /// The format; by default that of the output's name.
    pub format: Option<&'static Format>,
    /// The algorithm of digests whose algorithm nothing names.
    pub algorithm: Option<&'static Algorithm>,
    /// Whether to leave out what the format can't represent; otherwise nothing is written if something would be lost.
    pub lossy: bool,
    /// The maximum number of bytes of records in memory.
    pub memory: usize,
}

impl Target {
    /// Makes a target that refuses losses, with default settings.
    pub fn new(to: To) -> Target {
        Target { to, format: None, algorithm: None, lossy: false, memory: MEMORY }
    }

    /// Returns the format that was asked for or that the output's name implies, if any.
    ///
    /// # Errors
    /// If hashmill can't write the format.
    pub fn format(&self) -> Result<Option<&'static Format>, Misfit> {
        if self.format.is_some() {
            return Ok(self.format);
        }
        let Some(path) = self.to.path() else { return Ok(None) };
        match format_of_name(&names::path_bytes(path)) {
            Some(format) if format.writer.is_none() => Err(Misfit::NoWriter(format)),
            found => Ok(found),
        }
    }

    /// Refuses a conversion that would lose something, or state a guess as a fact.
    pub(crate) fn check(
        &self,
        survey: &Survey,
        format: &'static Format,
        teller: &Teller<'_>,
    ) -> Result<(), Error> {
        if let Some((manifest, named)) = survey.guess.as_ref().filter(|_| format.carries.algorithm) {
            let (manifest, likeliest) = (manifest.clone(), named.algorithm);
            return Err(ConvertError::Guessed { manifest, likeliest, format: format.name }.into());
        }
        if survey.records > 0 {
            Misfit::check_needs(format, &survey.algorithms)?;
        }
        let losses = losses(survey, format, self.to.path());
        if !losses.is_empty() && !self.lossy {
            return Err(ConvertError::Lossy(losses).into());
        }
        check_name(&survey.algorithms, format, self.to.path())?;
        if !losses.is_empty() {
            teller.tell(ConvertEvent::LeftOut(&losses));
        }
        Ok(())
    }

    /// Returns whether what was written can be thrown away, to begin again.
    pub(crate) fn can_begin_again(&self) -> bool {
        self.to.file().is_some_and(replaces)
    }

    /// Opens the output.
    ///
    /// # Errors
    /// If the format doesn't fit the output, or it can't be written.
    pub(crate) fn open(&self, format: &'static Format) -> Result<Output, Error> {
        manifest_writer::fits(format, self.to.file())?;
        Ok(self.to.open(kinds::MANIFEST)?)
    }
}

/// An output in progress.
pub(crate) struct Written<'a, 't> {
    pub(crate) output: &'a Output,
    pub(crate) memory: usize,
    pub(crate) format: &'static Format,
    pub(crate) survey: &'a Survey,
    pub(crate) cancel: &'a Cancel,
    pub(crate) teller: &'a Teller<'t>,
}

impl Written<'_, '_> {
    /// Writes the records and the end of the case data. Returns the number of records that the format can't represent,
    /// or `None` if cancelled. The output is removed unless the call succeeds.
    ///
    /// # Errors
    /// If records can't be read or written.
    pub(crate) fn write(
        &self,
        records: &mut dyn RecordSource,
        end: Option<&End>,
    ) -> Result<Option<u64>, Error> {
        let done = self.all(records, end);
        if !matches!(done, Ok(Some(_))) {
            self.output.discard();
        }
        done
    }

    fn all(&self, records: &mut dyn RecordSource, end: Option<&End>) -> Result<Option<u64>, Error> {
        let (layout, output) = (self.survey.layout(self.format), self.output.clone());
        let mut writer = ManifestWriter::begin_within(self.memory, self.format, layout, output)?;
        let mut emptied = 0;
        while let Some(record) = records.next() {
            if self.is_over() {
                return Ok(None);
            }
            let mut record = record?;
            let has_digests = !record.digests.is_empty();
            if strip(&mut record, self.format) {
                writer.write(&record, &mut |refusal| {
                    self.teller.tell(ConvertEvent::Notice(Notice::Refused(refusal)));
                })?;
            } else if has_digests && record.digests.is_empty() {
                emptied += 1;
            }
            records.give_back(record);
        }
        if emptied > 0 {
            self.teller.tell(ConvertEvent::Emptied(emptied, self.format));
        }
        self.teller.release();
        if self.is_over() {
            return Ok(None);
        }
        if let Some(end) = end.filter(|_| self.format.carries.case) {
            writer.conclude(end)?;
        }
        Ok(Some(writer.end()?))
    }

    fn is_over(&self) -> bool {
        self.cancel.is_set() || self.teller.is_stopped()
    }
}
