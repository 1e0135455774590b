//! Export of the media of an image as raw bytes.

use super::live::Progress;
use crate::error::Error;
use crate::output::To;
use crate::output::{self, Output, replaces};
use hashmill_engine::flow::Flow;
use hashmill_engine::{Cancel, Live};
use hashmill_image::{Image, PipelineSummary, ProblemKind, Resources, export, export_sparse};
use std::fs::File;
use std::sync::Arc;
use std::{error, fmt, io};

/// The number of zeros that may always be written for missing data where the output can't have holes: some seconds of
/// work.
const FEW: u64 = 1 << 30;

/// The settings of an export.
pub struct Export {
    /// The destination. A file has holes for zeros, and gets its name once it is complete.
    pub to: To,
    /// Whether to start even if there is less room than the media may take, because zeros take none, and to keep the
    /// output even if the system could not read all of the image.
    pub force: bool,
    /// Threads and memory to use.
    pub resources: Resources,
    /// Ends the job soon after it is set.
    pub cancel: Cancel,
}

/// The result of an export.
#[derive(Debug)]
pub struct Exported {
    /// The bytes that were read.
    pub summary: PipelineSummary,
    /// Whether the output has its name. An output that has zeros only because the system could not read something is
    /// not kept unless that was requested: the data might be readable another time, and the zeros would look like those
    /// of the media.
    pub written: bool,
}

/// A step of an export.
#[derive(Debug)]
#[non_exhaustive]
pub enum ExportEvent<'a> {
    /// The output is open, and reading of the media begins. The counters are updated from now on.
    Reading(&'a Arc<Live>, &'a Output),
    /// All media were read.
    AllRead,
}

/// The reason why an export does not begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExportRefusal {
    /// The output can't have holes, and much of the media is missing in the image.
    Missing {
        /// The number of bytes that the media should have.
        size: u64,
        /// The number of bytes that are in the image.
        held: u64,
    },
    /// There is too little free space.
    Room {
        /// The number of bytes that the media may take.
        held: u64,
        /// The number of free bytes.
        free: u64,
    },
}

impl fmt::Display for ExportRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExportRefusal::Missing { size, held } => {
                write!(f, "the image should have {size} bytes, but only {held} are in it")
            }
            ExportRefusal::Room { held, free } => {
                write!(f, "the media may take {held} bytes, but only {free} are free")
            }
        }
    }
}

impl error::Error for ExportRefusal {}

impl Export {
    /// Writes the media of an image, with zeros for damaged or missing parts. If the export fails or is interrupted,
    /// the output is removed.
    ///
    /// # Errors
    /// If the output can't be written, or the export should not even begin ([`ExportRefusal`]).
    pub fn run(
        self,
        image: &Image,
        observer: &mut dyn FnMut(ExportEvent<'_>) -> Flow,
    ) -> Result<Exported, Error> {
        let sparse = self.to.file().is_some_and(replaces);
        let output = match &self.to {
            To::Stream(output) => output.clone(),
            To::File(place) => output::create(place, output::OutputKind::Anything)?,
        };
        let done = self.write(image, &output, sparse, observer);
        let keeps = |summary: &PipelineSummary| {
            !summary.interrupted && (self.force || !sparse || !is_unread(image, summary))
        };
        let written = done.as_ref().is_ok_and(keeps);
        if written {
            output.finish()?
        } else {
            output.discard()
        }
        let summary = done.map_err(|error| output.error(error))?;
        Ok(Exported { summary, written })
    }

    fn write(
        &self,
        image: &Image,
        output: &Output,
        sparse: bool,
        observer: &mut dyn FnMut(ExportEvent<'_>) -> Flow,
    ) -> io::Result<PipelineSummary> {
        let mut file = output.handle()?;
        let refusal = match sparse {
            false => missing_refusal(image),
            true if self.force => None,
            true => room_refusal(image, &file),
        };
        if let Some(refusal) = refusal {
            return Err(io::Error::other(refusal));
        }
        let bytes = if sparse { image.held() } else { image.media_size() };
        let progress = Progress::new(self.cancel.clone(), 1, bytes);
        if observer(ExportEvent::Reading(&progress.live, output)).is_break() {
            self.cancel.set();
        }
        let (means, note) = (self.resources, |done| progress.note(done));
        let written = if sparse {
            export_sparse(image, means, &note, &file)
        } else {
            export(image, means, &note, &mut file)
        };
        let _ = observer(ExportEvent::AllRead);
        written
    }
}

/// Returns whether the system could not read something of the image, when it was opened or later.
fn is_unread(image: &Image, summary: &PipelineSummary) -> bool {
    let mut findings = image.findings().iter().chain(&summary.findings);
    findings.any(|finding| matches!(finding.kind, ProblemKind::Unreadable { .. }))
}

/// Returns the reason why an export to other than a file should not even begin: data that an image merely claims to have
/// would become zeros, and a small image can ask for exabytes of them.
fn missing_refusal(image: &Image) -> Option<ExportRefusal> {
    let size = image.media_size();
    // Zeros that a virtual disk does not store are media, and not missing.
    let missing = image.missing_media().iter().map(|span| span.count).sum::<u64>().min(size);
    let held = size - missing;
    (missing > held.max(FEW)).then_some(ExportRefusal::Missing { size, held })
}

/// Returns the reason why an export to a file should not even begin. There only existing data takes room, and data that
/// an image merely claims to have becomes a hole.
fn room_refusal(image: &Image, file: &File) -> Option<ExportRefusal> {
    let held = image.held();
    // If the system can't tell the free space, writing fails once there is none.
    let free = hashmill_os::free(file)?;
    (held > free).then_some(ExportRefusal::Room { held, free })
}
