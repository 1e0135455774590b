//! Maps: runs of media bytes, and the streams in which they are (AFF4 Standard v1.0, 4).

use super::names::{MAP_TYPES, STREAM_TYPES, filling, shortened};
use super::segments::Segments;
use super::stream::ImageStream;
use crate::bytes::le::{u32_at, u64_at};
use crate::disks::blocks::{Filling, Source};
use crate::error::Problem;
use crate::finding::{ProblemKind, Span};
use std::ops::Range;

/// The length of a run in the map, and the most runs.
const RUN: usize = 28;
const MOST_RUNS: u64 = 1 << 22;

/// The largest list of streams.
const MOST_LIST: u64 = 4 << 20;

/// The most parts of the media that are missing.
const MOST_MISSING: usize = 1 << 20;

/// The most problems of runs that are kept.
const MOST_PROBLEMS: usize = 20_000;

/// The most bytes to decompress for each byte of the media, and without regard to those. Sectors in any order in
/// chunks of 32 KiB need 64.
const MOST_WORK: u64 = 256;
const SOME_WORK: u64 = 16 << 30;

/// The streams of an image, and which bytes of the media are in them.
#[derive(Debug)]
pub(super) struct StreamMap {
    pub(super) size: u64,
    pub(super) streams: Vec<ImageStream>,
    /// Sorted by their starts; none overlaps another.
    pub(super) runs: Vec<MapRun>,
    /// Media bytes that are in no stream, or in several. Sorted; none touches another.
    pub(super) missing: Vec<Range<u64>>,
    /// The bytes between runs.
    pub(super) gap: Filling,
    /// Problems of the runs, with the media bytes.
    pub(super) problems: Vec<(ProblemKind, Span)>,
}

/// Media bytes in one stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MapRun {
    pub(super) start: u64,
    pub(super) end: u64,
    /// The offset in the stream.
    pub(super) offset: u64,
    pub(super) target: Target,
}

/// The stream of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    /// A stream of chunks, by its index.
    Stream(usize),
    /// A stored segment.
    Segment(usize),
    /// A stream without end.
    Filled(Filling),
}

/// Opens the stream of an image: a map, or chunks.
pub(super) fn open(source: &Source<'_>, segments: &Segments, name: &str) -> Result<StreamMap, Problem> {
    let graph = &segments.graph;
    let zero = filling("aff4:Zero").ok_or(Problem::Geometry)?;
    let mut layout = StreamMap {
        size: 0,
        streams: Vec::new(),
        runs: Vec::new(),
        missing: Vec::new(),
        gap: zero,
        problems: Vec::new(),
    };
    if graph.is_a(name, MAP_TYPES) {
        if let Some(gap) = graph.text(name, &["aff4:mapGapDefaultStream"])? {
            let feature = || Problem::Feature(format!("'{gap}' between the runs of its map").into());
            layout.gap = filling(gap).ok_or_else(feature)?;
        }
        let runs = read(source, segments, &mut layout, name)?;
        let end = runs.iter().map(|run| run.end).max().unwrap_or(0);
        layout.size = graph.number(name, &["aff4:size"])?.unwrap_or(end);
        layout.arrange(runs);
    } else {
        let target = layout.target(segments, name)?;
        layout.size = layout.target_size(segments, target);
        layout.runs.push(MapRun { start: 0, end: layout.size, offset: 0, target });
    }
    layout.find_missing(segments)?;
    layout.check_work()?;
    Ok(layout)
}

/// Reads the runs of a map, and opens its streams.
fn read(
    source: &Source<'_>,
    segments: &Segments,
    layout: &mut StreamMap,
    name: &str,
) -> Result<Vec<MapRun>, Problem> {
    let part = |part: &str, most: u64| {
        let found = segments.find(&format!("{name}/{part}"));
        let found = found.ok_or(Problem::Header("a part of its map is missing"))?;
        segments.content(source, found, most).map_err(|_| Problem::Header("its map is damaged"))
    };
    let list = part("idx", MOST_LIST)?;
    let list = str::from_utf8(&list).map_err(|_| Problem::Header("its map is damaged"))?;
    let lines = list.lines().map(str::trim_end).filter(|line| !line.is_empty());
    let targets: Result<Vec<Target>, Problem> =
        lines.map(|line| layout.target(segments, &shortened(line))).collect();
    let targets = targets?;
    let bytes = part("map", MOST_RUNS * RUN as u64)?;
    if !bytes.len().is_multiple_of(RUN) {
        return Err(Problem::Header("its map is cut off"));
    }
    let mut runs = Vec::with_capacity(bytes.len() / RUN);
    for entry in bytes.chunks_exact(RUN) {
        let (start, length, offset) = (u64_at(entry, 0), u64_at(entry, 8), u64_at(entry, 16));
        let target = targets.get(u32_at(entry, 24) as usize);
        let target = *target.ok_or(Problem::Header("its map points to a stream that it does not list"))?;
        let end = start.checked_add(length).filter(|_| offset.checked_add(length).is_some());
        let end = end.ok_or(Problem::Header("its map has a run of impossible length"))?;
        if length > 0 {
            runs.push(MapRun { start, end, offset, target });
        }
    }
    Ok(runs)
}

impl StreamMap {
    /// Opens a stream by its name.
    fn target(&mut self, segments: &Segments, name: &str) -> Result<Target, Problem> {
        if let Some(filling) = filling(name) {
            return Ok(Target::Filled(filling));
        }
        if let Some(known) = self.streams.iter().position(|stream| stream.name == name) {
            return Ok(Target::Stream(known));
        }
        if segments.graph.is_a(name, MAP_TYPES) {
            return Err(Problem::Feature("a map of another map".into()));
        }
        if segments.graph.is_a(name, STREAM_TYPES) {
            self.streams.push(ImageStream::open(segments, name)?);
            return Ok(Target::Stream(self.streams.len() - 1));
        }
        let segment = segments.find(name).ok_or_else(|| Problem::Volume(name.into()))?;
        Ok(Target::Segment(segment))
    }

    /// Returns the size of a stream.
    fn target_size(&self, segments: &Segments, target: Target) -> u64 {
        match target {
            Target::Stream(stream) => self.streams.get(stream).map_or(0, |stream| stream.size),
            Target::Segment(segment) => segments.size(segment),
            Target::Filled(_) => u64::MAX,
        }
    }

    /// Sorts the runs, and finds the bytes of which several say where they are.
    fn arrange(&mut self, mut runs: Vec<MapRun>) {
        runs.sort_by_key(|run| (run.start, run.end));
        let mut frontier = 0;
        for run in runs {
            let (start, end) = (run.start.max(frontier), run.end);
            let last = self.runs.last();
            let again = last.is_some_and(|last| last.continues(&run) && run.start >= last.start);
            if run.start < frontier && !again {
                let overlap = run.start..end.min(frontier);
                self.note(ProblemKind::RunsOverlap, Span::between(overlap.start, overlap.end));
                self.missing.push(overlap);
            }
            if end > self.size {
                self.note(ProblemKind::BadEntry { target: end }, Span::between(run.start, end));
            }
            if start < end {
                self.runs.push(MapRun { start, offset: run.offset + (start - run.start), ..run });
                frontier = end;
            }
        }
    }

    /// Finds the media bytes that no stream has.
    fn find_missing(&mut self, segments: &Segments) -> Result<(), Problem> {
        let holes: Vec<Vec<Range<u64>>> = self.streams.iter().map(|stream| stream.holes(segments)).collect();
        let mut found = Vec::new();
        for run in self.runs.clone() {
            let at = |offset: u64| run.start + offset.clamp(run.offset, run.last()) - run.offset;
            let size = self.target_size(segments, run.target);
            if run.last() > size {
                found.push(at(size)..run.end);
                let target = run.offset.max(size);
                self.note(ProblemKind::BadEntry { target }, Span::between(at(size), run.end));
            }
            let holes = match run.target {
                Target::Stream(stream) => holes.get(stream).map_or(&[][..], |holes| holes),
                _ => &[],
            };
            let first = holes.partition_point(|hole| hole.end <= run.offset);
            for hole in holes.iter().skip(first).take_while(|hole| hole.start < run.last()) {
                let media = at(hole.start)..at(hole.end);
                self.note(ProblemKind::ChunkMissing, Span::between(media.start, media.end));
                found.push(media);
                if found.len() > MOST_MISSING {
                    return Err(Problem::Sections);
                }
            }
        }
        self.missing.append(&mut found);
        self.missing.iter_mut().for_each(|media| media.end = media.end.min(self.size));
        self.missing.retain(|media| !media.is_empty());
        self.missing.sort_by_key(|media| media.start);
        self.missing.dedup_by(|next, last| {
            let touches = next.start <= last.end;
            last.end = if touches { last.end.max(next.end) } else { last.end };
            touches
        });
        Ok(())
    }

    /// Notes a problem of media bytes, up to a bound.
    fn note(&mut self, kind: ProblemKind, media: Span) {
        if self.problems.len() < MOST_PROBLEMS {
            self.problems.push((kind, media));
        }
    }

    /// Refuses a map that makes every reader decompress far more than the media.
    fn check_work(&self) -> Result<(), Problem> {
        let (mut work, mut last) = (0_u64, None);
        for run in &self.runs {
            let Target::Stream(index) = run.target else { continue };
            let Some(stream) = self.streams.get(index) else { continue };
            let chunks = run.offset / stream.chunk_size..run.last().div_ceil(stream.chunk_size);
            let again = u64::from(last == Some((index, chunks.start)));
            let bytes = (chunks.end - chunks.start - again).saturating_mul(stream.chunk_size);
            // Bytes past the end of the stream are not read.
            work = work.saturating_add(bytes.min(stream.size.saturating_add(stream.chunk_size)));
            last = Some((index, chunks.end - 1));
        }
        match work <= self.size.saturating_mul(MOST_WORK).saturating_add(SOME_WORK) {
            true => Ok(()),
            false => Err(Problem::Header("its map makes one decompress far more than there is")),
        }
    }
}

impl MapRun {
    /// Returns the offset in the stream at which the run ends.
    fn last(&self) -> u64 {
        self.offset.saturating_add(self.end - self.start)
    }

    /// Whether the other run says the same of the bytes that both have.
    fn continues(&self, other: &MapRun) -> bool {
        self.target == other.target
            && i128::from(self.offset) - i128::from(self.start)
                == i128::from(other.offset) - i128::from(other.start)
    }
}
