//! Exports the media bytes.

use crate::finding::{Finding, ImageLocation, ProblemKind};
use crate::hashing::{Computed, Hashing};
use crate::image::pipeline::{Consumer, ImageRead, MediaPart, PipelineSummary, Progress, Resources, run};
use crate::image::{Image, Layout};
use crate::verify::compare_stored;
use hashmill_os::write_all_at;
use std::fs::File;
use std::io::{self, Write};
use std::ops::Range;

/// The unit of holes in sparse files: the minimum that file systems allocate.
const BLOCK: usize = 4096;

impl Image {
    fn job<'a>(&'a self, chunks: Vec<Range<u64>>, means: Resources, progress: Progress<'a>) -> ImageRead<'a> {
        ImageRead { image: self, chunks, end: self.media_size, means, progress }
    }

    /// Returns findings for media bytes that are not in the image.
    fn gaps(&self) -> Vec<Finding> {
        let found = match &self.layout {
            Layout::Tables(tables) => tables.gaps(self.chunk_count()),
            Layout::Parts(_) | Layout::Blocks(_) => {
                let place = |media| ImageLocation { media: Some(media), ..ImageLocation::default() };
                let missing = self.missing_media().into_iter();
                return missing.map(|media| ProblemKind::ChunkMissing.at(place(media))).collect();
            }
        };
        found.into_iter().map(|chunks| self.missing(chunks)).collect()
    }
}

/// Writes all media bytes in order. Unreadable bytes become zeros and are listed in the summary. If all are readable,
/// they are compared with the stored digests.
///
/// # Errors
/// The writer's error.
pub fn export(
    image: &Image,
    means: Resources,
    progress: Progress<'_>,
    writer: &mut (dyn Write + Send),
) -> io::Result<PipelineSummary> {
    let mut write = |part: &MediaPart<'_>| writer.write_all(part.bytes);
    let chunks = std::iter::once(0..image.chunk_count()).collect();
    let summary = run_compared(&image.job(chunks, means, progress), &mut write)?;
    writer.flush()?;
    Ok(summary)
}

/// Passes all media bytes to a consumer, and compares them with the stored digests on the way.
fn run_compared(job: &ImageRead<'_>, consumer: &mut dyn Consumer) -> io::Result<PipelineSummary> {
    let mut hashing = Hashing::stored(job.image);
    let mut consumers: Vec<&mut dyn Consumer> = vec![consumer];
    consumers.extend(hashing.iter_mut().map(|one| one as &mut dyn Consumer));
    let mut summary = run(job, consumers)?;
    if !summary.interrupted && summary.findings.is_empty() {
        let digests: Vec<Computed> = hashing.into_iter().map(Hashing::finish).collect();
        summary.claims = compare_stored(job.image, &digests, job.means);
    }
    Ok(summary)
}

/// Writes the media bytes to a regular file, with holes for zeros. Media bytes that are not in the image become holes
/// without being read, and so do blocks that a virtual disk does not store. Truncates the file first.
///
/// # Errors
/// The error of writing the file.
pub fn export_sparse(
    image: &Image,
    means: Resources,
    progress: Progress<'_>,
    file: &File,
) -> io::Result<PipelineSummary> {
    file.set_len(0)?;
    let mut write = |part: &MediaPart<'_>| write_sparse(file, part);
    let mut summary = run_compared(&image.job(image.stored(), means, progress), &mut write)?;
    // Missing files of split raw media share chunks with others, and may have been reported already.
    let gaps = image.gaps().into_iter().filter(|gap| !summary.findings.contains(gap));
    let gaps: Vec<Finding> = gaps.collect();
    summary.findings.splice(..0, gaps);
    // Zeros at the end were not written.
    file.set_len(if summary.interrupted { summary.bytes } else { image.media_size })?;
    Ok(summary)
}

/// Writes the runs of blocks that are not all zeros.
fn write_sparse(file: &File, part: &MediaPart<'_>) -> io::Result<()> {
    let mut start = 0;
    while start < part.bytes.len() {
        let from = start + leading(&part.bytes[start..], is_zero);
        let data = leading(&part.bytes[from..], |block| !is_zero(block));
        write_all_at(file, &part.bytes[from..from + data], part.offset + from as u64)?;
        start = from + data;
    }
    Ok(())
}

/// Returns the bytes of the leading blocks that satisfy `alike`.
fn leading(bytes: &[u8], alike: fn(&[u8]) -> bool) -> usize {
    bytes.chunks(BLOCK).take_while(|block| alike(block)).map(<[u8]>::len).sum()
}

/// Returns whether all bytes are zeros.
pub(crate) fn is_zero(block: &[u8]) -> bool {
    let (words, rest) = block.as_chunks::<8>();
    words.iter().all(|word| *word == [0; 8]) && rest.iter().all(|byte| *byte == 0)
}
