//! An open image: geometry, tables, stored digests and findings.

pub(crate) mod chunk;
pub(crate) mod pipeline;
pub(crate) mod range;
pub(crate) mod stream;

use crate::acquisition::Acquisition;
use crate::bytes::text;
use crate::claim::Claim;
use crate::disks::blocks::{BlockMap, Blocks};
use crate::error::{Error, Problem};
use crate::ewf::draft::{Draft, HeaderText, Session};
use crate::ewf::geometry::{Geometry, Media, Trust};
use crate::ewf::logical::Entry;
use crate::ewf::segments;
use crate::ewf::segments::SegmentHead;
use crate::ewf::table::Tables;
use crate::files::Files;
use crate::files::name;
use crate::files::opener::Opener;
use crate::finding::{Finding, Findings, ImageLocation, ProblemKind, Span};
use crate::format::{Fact, Format, Segment};
use std::path::Path;
use std::sync::Arc;

/// An open image. All methods may be called from several threads at once.
#[derive(Debug)]
pub struct Image {
    pub(crate) files: Files,
    pub(crate) format: Format,
    pub(crate) segments: Vec<Segment>,
    pub(crate) layout: Layout,
    /// The image with the bytes that this one does not hold.
    pub(crate) backing: Option<Arc<Image>>,
    pub(crate) chunk_size: u64,
    pub(crate) media_size: u64,
    pub(crate) geometry: Option<Geometry>,
    pub(crate) claims: Vec<Claim>,
    pub(crate) texts: Vec<HeaderText>,
    pub(crate) errors: Vec<Span>,
    /// The acquisition, where it is not in texts.
    pub(crate) acquisition: Acquisition,
    pub(crate) sessions: Vec<Session>,
    pub(crate) entries: Vec<Entry>,
    pub(crate) facts: Vec<Fact>,
    pub(crate) findings: Findings,
}

/// The location of the media bytes.
#[derive(Debug)]
pub(crate) enum Layout {
    /// In chunks.
    Tables(Tables),
    /// In files of plain bytes, some of which may be missing.
    Parts(Vec<RawFile>),
    /// In blocks that a virtual disk maps to places in files.
    Blocks(Blocks),
}

/// A file of raw media bytes.
#[derive(Debug)]
pub(crate) struct RawFile {
    pub(crate) file: Option<usize>,
    pub(crate) start: u64,
    pub(crate) size: u64,
}

/// The size in which raw media are read.
pub(crate) const RAW_CHUNK: u64 = 256 << 10;

impl Image {
    /// Makes an image whose headers state nothing else.
    fn new(format: Format, files: Files, segments: Vec<Segment>, layout: Layout, media_size: u64) -> Image {
        Image {
            files,
            format,
            segments,
            layout,
            backing: None,
            chunk_size: RAW_CHUNK,
            media_size,
            geometry: None,
            claims: Vec::new(),
            texts: Vec::new(),
            errors: Vec::new(),
            acquisition: Acquisition::default(),
            sessions: Vec::new(),
            entries: Vec::new(),
            facts: Vec::new(),
            findings: Findings::default(),
        }
    }

    /// Makes the image of a virtual disk.
    pub(crate) fn of_disk(
        format: Format,
        files: Files,
        segments: Vec<Segment>,
        map: Box<dyn BlockMap>,
        media_size: u64,
    ) -> Image {
        Image::new(format, files, segments, Layout::Blocks(Blocks::new(map)), media_size)
    }

    /// Puts the layer over the image of its backing file, if there is one.
    pub(crate) fn over(mut self, backing: Option<Image>) -> Image {
        for below in std::iter::successors(backing.as_ref(), |image| image.backing()) {
            self.facts.extend(below.first_path().map(|path| Fact::new("backing file read", path.display())));
        }
        // A problem of the backing file is one of these media.
        self.findings.extend(backing.iter().flat_map(|backing| backing.findings()).cloned());
        Image { backing: backing.map(Arc::new), ..self }
    }

    pub(crate) fn open_ewf(
        opener: &Arc<dyn Opener>,
        first: &Path,
        series: Option<name::Series>,
        head: SegmentHead,
    ) -> Result<Image, Error> {
        let series = series.filter(name::Series::is_ewf);
        let path_of = |number| name::member_path(first, series.as_ref()?, number);
        let found = segments::find(&**opener, first, series.clone())?;
        let paths = found.iter().map(|member| Arc::from(member.path.as_path())).collect();
        let mut draft = Draft::new(Files::new(opener, paths));
        let segments = segments::read_all(&mut draft, &found, head, &path_of);
        let segments = match segments {
            Ok(segments) => segments,
            Err((file, problem)) => {
                let (findings, _) = draft.findings.into_parts();
                return Err(Error { findings, ..Error::new(draft.files.path(file), problem) });
            }
        };
        let logical = head.logical;
        let format = match (head.is_ewf2(), logical) {
            (false, false) => Format::Ewf1,
            (false, true) => Format::Ewf1Logical,
            (true, false) => Format::Ewf2,
            (true, true) => Format::Ewf2Logical,
        };
        Image::assemble(first, draft, format, segments)
    }

    fn assemble(
        first: &Path,
        mut draft: Draft,
        format: Format,
        segments: Vec<Segment>,
    ) -> Result<Image, Error> {
        let geometry = if matches!(format, Format::Ewf2 | Format::Ewf2Logical) {
            ewf2_geometry(&draft.texts)
        } else {
            choose(draft.volume.take(), draft.repeated.take())
        };
        let sizes =
            geometry.and_then(|geometry| Some((geometry.chunk_size()?, geometry.media_size()?, geometry)));
        let Some((chunk_size, stated_size, geometry)) = sizes else {
            let (findings, _) = draft.findings.into_parts();
            return Err(Error { findings, ..Error::new(first, Problem::Geometry) });
        };
        let tables = place_tables(&mut draft, &geometry);
        let covered = tables.end().saturating_mul(chunk_size).min(1 << 62);
        let tree = draft.tree.take().unwrap_or_default();
        let logical = matches!(format, Format::Ewf1Logical | Format::Ewf2Logical);
        // The sector count of a logical image is meaningless; a count of 0 is an unfinished header.
        let media_size = match tree.total.filter(|_| logical) {
            Some(total) => total.min(1 << 62),
            None if stated_size == 0 || (logical && geometry.chunks == 0) => covered,
            None => stated_size,
        };
        let mut image = Image {
            chunk_size,
            geometry: Some(geometry),
            claims: draft.claims,
            texts: draft.texts,
            errors: draft.errors,
            sessions: draft.sessions,
            entries: tree.entries,
            findings: draft.findings,
            ..Image::new(format, draft.files, segments, Layout::Tables(tables), media_size)
        };
        image.compare_counts();
        Ok(image)
    }

    /// Compares the number of chunks that is stated, in the tables, and needed for the media.
    fn compare_counts(&mut self) {
        let (Layout::Tables(tables), Some(geometry)) = (&self.layout, &self.geometry) else { return };
        let (stated, found, needed) = (geometry.chunks, tables.end(), self.chunk_count());
        if stated != 0 && stated != found {
            self.findings.add(ProblemKind::ChunkCount { stated, found }, ImageLocation::default());
        }
        if found > needed {
            self.findings.add(ProblemKind::ExtraChunks { extra: found - needed }, ImageLocation::default());
        }
        for chunks in tables.gaps(needed) {
            self.findings.push(self.missing(chunks));
        }
    }

    pub(crate) fn missing(&self, chunks: Span) -> Finding {
        ProblemKind::ChunkMissing.at(ImageLocation {
            chunks: Some(chunks),
            media: Some(self.media_of(chunks)),
            ..ImageLocation::default()
        })
    }

    /// Returns the media bytes of these chunks.
    pub(crate) fn media_of(&self, chunks: Span) -> Span {
        let at = |chunk: u64| chunk.saturating_mul(self.chunk_size).min(self.media_size);
        Span::between(at(chunks.first), at(chunks.end()))
    }

    pub(crate) fn parts(
        opener: &Arc<dyn Opener>,
        first: &Path,
        series: Option<name::Series>,
    ) -> Result<Image, Error> {
        let found = segments::find(&**opener, first, series.clone())?;
        let path_of = |number| name::member_path(first, series.as_ref()?, number);
        let files = Files::new(opener, found.iter().map(|member| Arc::from(member.path.as_path())).collect());
        let mut findings = Findings::default();
        let (mut parts, mut segments) = (Vec::new(), Vec::new());
        let (mut start, mut ordinal, mut usual) = (0_u64, found[0].ordinal, 0);
        for (file, member) in found.iter().enumerate() {
            let size = files.size(file).map_err(|error| Error::io(&member.path, error))?;
            usual = usual.max(size);
            if member.ordinal > ordinal {
                let segments = Span::between(ordinal.into(), member.ordinal.into());
                let place = path_of(segments.first)
                    .map_or_else(ImageLocation::default, |path| ImageLocation::file(&path.into()));
                findings.add(ProblemKind::MissingSegments { segments }, place);
                // All parts but the last have the same size.
                let size = usual.saturating_mul(segments.count).min(1 << 60);
                parts.push(RawFile { file: None, start, size });
                start += size;
            }
            parts.push(RawFile { file: Some(file), start, size });
            segments.push(Segment {
                path: Some(Arc::clone(files.path(file))),
                number: member.ordinal.into(),
                size,
            });
            start += size;
            ordinal = member.ordinal + 1;
        }
        Ok(Image { findings, ..Image::new(Format::Raw, files, segments, Layout::Parts(parts), start) })
    }

    /// Returns the format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Returns the image of the backing file, if this one is a layer.
    pub fn backing(&self) -> Option<&Image> {
        self.backing.as_deref()
    }

    /// Returns the path of the first file.
    pub fn first_path(&self) -> Option<&Path> {
        self.segments.iter().find_map(|segment| segment.path.as_deref())
    }

    /// Returns whether it is an image of single files, whose media are no disk.
    pub fn is_logical(&self) -> bool {
        matches!(self.format, Format::Ewf1Logical | Format::Ewf2Logical)
    }

    /// Returns whether its media are stored in chunks that may be compressed.
    pub fn is_compressed(&self) -> bool {
        !matches!(self.layout, Layout::Parts(_))
    }

    /// Returns the size of the media in bytes.
    pub fn media_size(&self) -> u64 {
        self.media_size
    }

    /// Returns the bytes of every chunk but the last.
    pub fn chunk_size(&self) -> u64 {
        self.chunk_size
    }

    /// Returns the number of chunks that the media needs.
    pub fn chunk_count(&self) -> u64 {
        self.media_size.div_ceil(self.chunk_size)
    }

    /// Returns the files, in the order of the media.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Returns the digests that the image states about its media.
    pub fn claims(&self) -> &[Claim] {
        &self.claims
    }

    /// Returns the files and folders of a logical image; empty for others.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns the sectors that could not be read at acquisition.
    pub fn acquisition_errors(&self) -> &[Span] {
        &self.errors
    }

    /// Returns the problems found while opening. Chunks and their tables are checked when they are read.
    pub fn findings(&self) -> &[Finding] {
        self.findings.list()
    }
}

/// Chooses the volume section if it is intact, or else its repetition in later segments.
fn choose(volume: Option<(Geometry, Trust)>, repeated: Option<(Geometry, Trust)>) -> Option<Geometry> {
    let damaged = |geometry: &(Geometry, Trust)| geometry.1 == Trust::Damaged;
    let usable = |geometry: &(Geometry, Trust)| geometry.0.chunk_size().is_some();
    let mut known: Vec<_> = [volume, repeated].into_iter().flatten().filter(usable).collect();
    known.sort_by_key(damaged);
    known.into_iter().next().map(|(geometry, _)| geometry)
}

/// Reads the geometry in the texts of EWF2.
fn ewf2_geometry(texts: &[HeaderText]) -> Option<Geometry> {
    let fields: Vec<_> = texts.iter().flat_map(|text| text::main_fields(&text.text)).collect();
    let value = |tag: &str| fields.iter().find(|field| field.tag == tag).map(|field| field.value.as_str());
    let number = |tag: &str| value(tag).and_then(|value| value.parse::<u64>().ok());
    Some(Geometry {
        chunks: number("tb").unwrap_or(0),
        sectors_per_chunk: u32::try_from(number("sb")?).ok()?,
        bytes_per_sector: u32::try_from(number("bp")?).ok()?,
        sectors: number("ts").unwrap_or(0),
        media: Media::of_letter(value("dt").unwrap_or("")),
        physical: number("ph") == Some(1),
        write_blocker: None,
        level: None,
        error_granularity: number("gr").and_then(|sectors| u32::try_from(sectors).ok()),
        set: [0; 16],
    })
}

/// Sorts the tables by chunk. EWF1 tables after lost ones are numbered from the end, if chunks were lost at one place
/// only.
fn place_tables(draft: &mut Draft, geometry: &Geometry) -> Tables {
    let mut tables = std::mem::take(&mut draft.tables);
    let lost = geometry.chunks.saturating_sub(draft.next_chunk);
    if let Some(from) = draft.breaks.first().filter(|_| draft.next_chunk > 0 && lost > 0) {
        tables[*from..].iter_mut().for_each(|table| table.first += lost);
    }
    tables.sort_by_key(|table| table.first);
    let mut end = 0;
    tables.retain(|table| {
        let overlaps = table.first < end;
        if overlaps && let Some(copy) = table.copies.first() {
            draft.findings.add(ProblemKind::TableOverlap, copy.place.clone());
        }
        end = end.max(table.end());
        !overlaps
    });
    Tables(tables)
}
