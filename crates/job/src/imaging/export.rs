//! The media of an image as they were: raw bytes.

use super::live::Progress;
use crate::error::Error;
use crate::flow::Flow;
use crate::hash::To;
use crate::output::{self, Output, replaces};
use hashloom_engine::{Cancel, Live};
use hashloom_image::{Image, Kind, Resources, Summary, export, export_sparse};
use rustix::fs::fstatvfs;
use std::fs::File;
use std::sync::Arc;
use std::{error, fmt, io};

/// Zeros that may stand for what is missing wherever no hole can be: some seconds of work.
const FEW: u64 = 1 << 30;

/// Where the media of an image are written, and how.
pub struct Export {
    /// Where. A file has holes for zeros, and gets its name when it is whole.
    pub to: To,
    /// Starts even if there is less room than the media may take, as zeros take none; and keeps what is written even if
    /// the system could not read all of the image.
    pub force: bool,
    /// Threads, and bytes of memory.
    pub resources: Resources,
    /// Ends the job soon after it is set.
    pub cancel: Cancel,
}

/// The result of an export.
#[derive(Debug)]
pub struct Exported {
    /// The bytes that were read.
    pub summary: Summary,
    /// The output has its name. One that has zeros only because the system could not read something is not kept unless that
    /// was asked for: it might be read another time, and the zeros would look like those of the media.
    pub written: bool,
}

/// One step of a job.
#[derive(Debug)]
#[non_exhaustive]
pub enum ExportEvent<'a> {
    /// The output is open, and the media are about to be read. The counters go up meanwhile.
    Reading(&'a Arc<Live>, &'a Output),
    /// All was read.
    AllRead,
}

/// Why writing does not even begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExportRefusal {
    /// There are no holes in the output, and much of the media is missing in the image.
    Missing {
        /// Bytes that the media should have.
        size: u64,
        /// Bytes that are in the image.
        held: u64,
    },
    /// There is too little room.
    Room {
        /// Bytes that the media may take.
        held: u64,
        /// Bytes that are free.
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
                write!(f, "the media may take {held} bytes, and {free} are free")
            }
        }
    }
}

impl error::Error for ExportRefusal {}

impl Export {
    /// Writes the media of an image. What is damaged or missing in the image is zeros. Without success, and if it is
    /// interrupted, nothing of it stays.
    ///
    /// # Errors
    /// If the output can't be written, or writing should not even begin ([`ExportRefusal`]).
    pub fn run(
        self,
        image: &Image,
        observer: &mut dyn FnMut(ExportEvent<'_>) -> Flow,
    ) -> Result<Exported, Error> {
        let sparse = self.to.path().is_some_and(replaces);
        let output = match &self.to {
            To::Stream(output) => output.clone(),
            To::File(place) => Output::file(place, output::Kind::Anything)?,
        };
        let done = self.write(image, (&output, sparse), observer);
        let keeps =
            |summary: &Summary| !summary.interrupted && (self.force || !sparse || !is_unread(image, summary));
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
        (output, sparse): (&Output, bool),
        observer: &mut dyn FnMut(ExportEvent<'_>) -> Flow,
    ) -> io::Result<Summary> {
        let mut file = output.handle()?;
        if let Some(refusal) = refusal(image, &file, sparse, self.force) {
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

/// Whether the system could not read something of the image, as it was opened or later.
fn is_unread(image: &Image, summary: &Summary) -> bool {
    let mut findings = image.findings().iter().chain(&summary.findings);
    findings.any(|finding| matches!(finding.kind, Kind::Unreadable { .. }))
}

/// Why writing should not even begin. A file takes room for what is there alone, and what an image only says that
/// it has becomes a hole; anywhere else it would be zeros, and a small file can ask for exabytes of them.
fn refusal(image: &Image, file: &File, sparse: bool, force: bool) -> Option<ExportRefusal> {
    let (size, held) = (image.media_size(), image.held());
    if !sparse {
        return (size - held > held.max(FEW)).then_some(ExportRefusal::Missing { size, held });
    }
    // Where the system can't tell, it will when it is full.
    let free = fstatvfs(file).ok().map(|room| room.f_bavail.saturating_mul(room.f_frsize))?;
    (held > free && !force).then_some(ExportRefusal::Room { held, free })
}
