//! Writing the new manifest: whole, or not at all.

use super::loss::strip;
use super::options::Target;
use super::survey::Survey;
use crate::exit::Exit;
use crate::output::Output;
use crate::{message, signal};
use anyhow::Context;
use hashloom_engine::Cancel;
use hashloom_job::manifest_writer::ManifestWriter;
use hashloom_manifest::Record;
use hashloom_manifest::case::End;
use hashloom_manifest::format::{Format, Layout};
use std::path::Path;

/// A manifest that is about to be written.
pub struct Job {
    format: &'static Format,
    layout: Layout,
    memory: usize,
    output: Output,
    /// Set by signals.
    pub cancel: Cancel,
}

impl Job {
    /// Gets the output ready; signals end the job from now on.
    ///
    /// # Errors
    /// If the output cannot be made.
    pub fn new(
        target: &Target,
        format: &'static Format,
        survey: &Survey,
        output: Option<&Path>,
    ) -> anyhow::Result<Job> {
        let (cancel, output) = (Cancel::default(), target.output(output)?);
        signal::watch(cancel.clone(), output.clone())?;
        Ok(Job { format, layout: survey.layout(format), memory: target.memory(), output, cancel })
    }

    /// Writes these records, and the end of the case data. Without success nothing of it stays.
    ///
    /// # Errors
    /// If records can't be read, or not be written.
    pub fn write(
        &self,
        records: &mut dyn Iterator<Item = anyhow::Result<Record>>,
        end: Option<&End>,
    ) -> anyhow::Result<Exit> {
        let done = self.all(records, end);
        if !done.as_ref().is_ok_and(|exit| *exit != Exit::Interrupted) {
            self.output.discard();
        }
        done
    }

    fn all(
        &self,
        records: &mut dyn Iterator<Item = anyhow::Result<Record>>,
        end: Option<&End>,
    ) -> anyhow::Result<Exit> {
        let (layout, output) = (self.layout.clone(), self.output.clone());
        let writer = ManifestWriter::begin_within(self.memory, self.format, layout, output);
        let mut writer = writer.context("hashloom does not write this format")??;
        for record in records {
            if self.cancel.is_set() {
                return Ok(Exit::Interrupted);
            }
            if let Some(record) = strip(record?, self.format) {
                writer.write(&record, &mut message::refused)?;
            }
        }
        if self.cancel.is_set() {
            return Ok(Exit::Interrupted);
        }
        if let Some(end) = end.filter(|_| self.format.carries.case) {
            writer.conclude(end)?;
        }
        Ok(Exit::Failed.when(writer.end()? > 0))
    }
}
