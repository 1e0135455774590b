//! AFF4, the Advanced Forensic Format (AFF4 Standard v1.0 by Schatz and Cohen, with 1.0a), of disks.
//!
//! A volume is a zip file. Its metadata name an image, and the stream with its bytes: chunks in bevies, or a map of
//! runs in other streams. What was before the standard (`http://afflib.org/2009/aff4#`) has other words for the
//! same. Images over several volumes, images of files (AFF4-L) and encrypted ones are refused by name.

mod check;
mod digests;
mod graph;
mod map;
mod names;
mod segments;
mod stated;
mod stream;
mod turtle;
mod zip;

use super::blocks::{BlockMap, Opening, Pages, Place, Report, Source, Stretch};
use crate::error::{Error, Problem};
use crate::files::Files;
use crate::finding::{Findings, ImageLocation, ProblemKind, Span};
use crate::format::Format;
use crate::image::{Image, RAW_CHUNK};
use map::{StreamMap, Target};
use names::{FILE_TYPES, IMAGE_TYPES, MAP_TYPES, SEALED_TYPES, STREAM_TYPES};
use segments::Segments;
use std::path::Path;
use std::sync::Arc;

/// An open image.
#[derive(Debug)]
struct Volume {
    segments: Segments,
    /// The names of the image and of its stream, which may be one.
    image: String,
    stream: String,
    layout: StreamMap,
}

/// Opens a volume with one image of a disk.
pub(crate) fn open(opening: &Opening<'_>) -> Result<Image, Error> {
    opening.alone()?;
    let file = opening.file()?;
    let files = Files::new(opening.opener, vec![Arc::clone(&file.path)]);
    let pages = Pages::default();
    let source = Source { files: &files, pages: &pages };
    let volume = Volume::open(&source, file.size).map_err(|problem| opening.refused(problem))?;
    let media_size = opening.media_size(Some(volume.layout.size))?;
    let mut findings = Findings::default();
    volume.report(&mut findings, &file.path, file.size);
    let block_size = volume.layout.streams.iter().map(|stream| stream.chunk_size).max();
    let block_size = block_size.filter(|size| size.is_power_of_two()).unwrap_or(1);
    let (claims, errors) = volume.stated(&file.path, &mut findings);
    let (acquisition, facts) = (volume.acquisition(), volume.facts());
    let files = Files::new(opening.opener, vec![Arc::clone(&file.path)]);
    let disk = Image::of_disk(Format::Aff4, files, vec![file.segment()], Box::new(volume), media_size);
    Ok(Image { chunk_size: block_size.max(RAW_CHUNK), claims, errors, acquisition, facts, findings, ..disk })
}

impl Volume {
    fn open(source: &Source<'_>, file_size: u64) -> Result<Volume, Problem> {
        let segments = Segments::read(source, file_size)?;
        let (image, stream) = choose(&segments)?;
        let layout = map::open(source, &segments, &stream)?;
        Ok(Volume { segments, image, stream, layout })
    }

    /// Reports what is wrong with the volume as it was opened.
    fn report(&self, findings: &mut Findings, path: &Arc<Path>, file_size: u64) {
        if self.segments.differs {
            findings.add(ProblemKind::HeadersDisagree, place(path, b"container.description", 0));
        }
        for entry in &self.segments.entries {
            if entry.place.checked_add(entry.packed).is_none_or(|end| end > file_size) {
                let target = entry.place;
                findings.add(ProblemKind::BadEntry { target }, place(path, &entry.name, target));
            }
        }
        for (kind, media) in &self.layout.problems {
            let place = ImageLocation { media: Some(*media), ..ImageLocation::file(path) };
            findings.add(kind.clone(), place);
        }
        let filled = |name: &str| names::filling(name);
        for run in &self.layout.runs {
            let Target::Filled(filling) = run.target else { continue };
            if Some(filling) == filled("aff4:UnknownData") {
                let media = Some(Span::between(run.start, run.end));
                let place = ImageLocation { media, ..ImageLocation::default() };
                findings.add(ProblemKind::NotAcquired, place);
            }
        }
        let state = self.segments.graph.text(&self.image, &["aff4:acquisitionCompletionState"]);
        if state.is_ok_and(|state| state.is_some_and(|state| state != "Completed Normally")) {
            findings.add(ProblemKind::Incomplete, ImageLocation::file(path));
        }
    }
}

/// Makes the place of a segment.
fn place(path: &Arc<Path>, name: &[u8], offset: u64) -> ImageLocation {
    ImageLocation::section(path, &String::from_utf8_lossy(name), offset)
}

/// Returns the names of the only image and of its stream.
fn choose(segments: &Segments) -> Result<(String, String), Problem> {
    let graph = &segments.graph;
    if !graph.all(SEALED_TYPES).is_empty() || !graph.anywhere("aff4:keyBag").is_empty() {
        return Err(Problem::Encrypted("AFF4"));
    }
    if !graph.all(FILE_TYPES).is_empty() {
        return Err(Problem::Feature("an image of files (AFF4-L)".into()));
    }
    let mut images = graph.all(IMAGE_TYPES);
    if images.is_empty() {
        // Small programs write streams without an image; what other streams consist of is none.
        images = graph.all(MAP_TYPES);
    }
    if images.is_empty() {
        images = graph.all(STREAM_TYPES);
    }
    let image = match images[..] {
        [image] => image.to_string(),
        [] => return Err(Problem::Header("it has no image")),
        [..] => {
            let names = images.get(..images.len().min(8)).unwrap_or_default().join(", ");
            return Err(Problem::Feature(format!("several images ({names})").into()));
        }
    };
    let stream = graph.text(&image, &["aff4:dataStream"])?;
    let stream = stream.map_or_else(|| image.clone(), String::from);
    Ok((image, stream))
}

impl BlockMap for Volume {
    fn locate(&self, source: &Source<'_>, offset: u64) -> Stretch {
        let layout = &self.layout;
        let after = layout.missing.partition_point(|media| media.end <= offset);
        let next_missing = match layout.missing.get(after) {
            Some(media) if media.start <= offset => {
                return Stretch::new(media.end - offset, Place::Missing);
            }
            next => next.map_or(u64::MAX, |media| media.start),
        };
        let at = layout.runs.partition_point(|run| run.end <= offset);
        let (end, stretch) = match layout.runs.get(at) {
            Some(run) if run.start <= offset => {
                let within = run.offset.saturating_add(offset - run.start);
                (run.end, self.within(source, run.target, within))
            }
            next => (next.map_or(u64::MAX, |run| run.start), filled(layout.gap, offset)),
        };
        let left = end.min(next_missing) - offset;
        Stretch { length: stretch.length.min(left), ..stretch }
    }

    fn missing(&self) -> Vec<Span> {
        self.layout.missing.iter().map(|media| Span::between(media.start, media.end)).collect()
    }

    fn check(&self, source: &Source<'_>, report: &mut Report<'_>) -> Option<()> {
        check::check(self, source, report)
    }
}

impl Volume {
    /// Returns the place of the bytes of a stream from an offset on.
    fn within(&self, source: &Source<'_>, target: Target, offset: u64) -> Stretch {
        match target {
            Target::Filled(filling) => filled(filling, offset),
            Target::Stream(index) => match self.layout.streams.get(index) {
                Some(stream) if offset < stream.size => stream.locate(source, &self.segments, offset),
                _ => Stretch::fault(1, ProblemKind::ChunkOutside),
            },
            Target::Segment(segment) => {
                let left = self.segments.size(segment).saturating_sub(offset);
                match stream::start(source, &self.segments, segment) {
                    Ok(start) => {
                        let offset = start.saturating_add(offset);
                        Stretch::new(left, Place::Plain { file: 0, offset })
                    }
                    Err(kind) => Stretch::fault(left, kind),
                }
            }
        }
    }
}

fn filled(filling: super::blocks::Filling, offset: u64) -> Stretch {
    let place =
        if filling.text == [0] { Place::Zeros } else { Place::Filled(filling, offset % filling.period) };
    Stretch::new(u64::MAX, place)
}
