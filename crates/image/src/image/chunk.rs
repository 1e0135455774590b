//! Reads and decompresses chunks, one at a time or several that are adjacent.

use super::range::Window;
use crate::bytes::le::u32_at;
use crate::disks::blocks::{Packed, Piece};
use crate::error::ChunkProblem;
use crate::ewf::table::{ChunkFiles, ChunkTable, Coding, Location, Tables, most_stored, unreadable};
use crate::files::Files;
use crate::finding::{ImageLocation, ProblemKind, Span};
use crate::image::{Image, Layout, RawFile};
use crate::inflate::{Failure, Inflater};
use hashmill_digest::Adler32;
use std::io;
use std::ops::Range;

/// The buffers for reading chunks; keep one for each thread.
#[derive(Debug)]
pub struct Scratch {
    inflater: Inflater,
    stored: Vec<u8>,
    locations: Vec<Location>,
    blocks: BlockScratch,
}

/// The buffers for reading virtual disks.
#[derive(Debug)]
pub(crate) struct BlockScratch {
    pub(crate) inflater: Inflater,
    pub(crate) stored: Vec<u8>,
    pub(crate) block: Vec<u8>,
    /// The block that was decompressed last, and its length.
    pub(crate) held: Option<(Packed, usize)>,
    /// The state of reading the backing image.
    pub(crate) backing: Option<Box<Window>>,
}

/// The properties of a chunk that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkState {
    /// The way it is stored.
    pub coding: Coding,
    /// The media bytes in it.
    pub length: usize,
    /// Its bytes past the end of the media; only the last chunk has any.
    pub beyond: usize,
}

impl Default for Scratch {
    fn default() -> Self {
        Scratch::new()
    }
}

impl Scratch {
    /// Creates empty buffers.
    pub fn new() -> Self {
        let inflater = Inflater::new();
        let blocks =
            BlockScratch { inflater, stored: Vec::new(), block: Vec::new(), held: None, backing: None };
        Scratch { inflater: Inflater::new(), stored: Vec::new(), locations: Vec::new(), blocks }
    }

    /// Creates buffers to read this many bytes at once, or a chunk if that is longer.
    pub(crate) fn with_room(bytes: usize) -> Self {
        Scratch { stored: vec![0; bytes], ..Scratch::new() }
    }
}

/// A range of chunks to read.
#[derive(Debug, Clone)]
pub(crate) struct Batch {
    pub(crate) chunks: Range<u64>,
    /// The assumed end of the media.
    pub(crate) end: u64,
}

/// The result of reading a batch.
#[derive(Debug, Default)]
pub(crate) struct ReadBatch {
    /// Bytes up to the end of the media.
    pub(crate) length: usize,
    /// Further bytes of the last chunk.
    pub(crate) beyond: usize,
    pub(crate) problems: Vec<ChunkProblem>,
}

impl Image {
    /// Reads and checks one chunk. `out` becomes as long as the chunk with its bytes past the end of the media.
    ///
    /// # Errors
    /// [`ChunkProblem`] says what is wrong; `out` then has zeros.
    pub fn read_chunk(
        &self,
        chunk: u64,
        scratch: &mut Scratch,
        out: &mut Vec<u8>,
    ) -> Result<ChunkState, ChunkProblem> {
        out.resize(self.chunk_size as usize, 0);
        let mut outcome = ReadBatch::default();
        self.read_batch(
            &Batch { chunks: chunk..chunk + 1, end: self.media_size },
            scratch,
            out,
            &mut outcome,
        );
        out.truncate(outcome.length + outcome.beyond);
        if let Some(problem) = self.missing_part(chunk * self.chunk_size, outcome.length as u64) {
            return Err(problem);
        }
        let coding = scratch.locations.first().map_or(Coding::Plain, |location| location.coding);
        match outcome.problems.pop() {
            Some(problem) => Err(problem),
            None => Ok(ChunkState { coding, length: outcome.length, beyond: outcome.beyond }),
        }
    }

    /// Reads chunks into `out`, which has room for them. Unreadable bytes become zeros.
    pub(crate) fn read_batch(
        &self,
        batch: &Batch,
        scratch: &mut Scratch,
        out: &mut [u8],
        outcome: &mut ReadBatch,
    ) {
        let size = self.chunk_size;
        let start = batch.chunks.start.saturating_mul(size);
        let length = (batch.chunks.end - batch.chunks.start).saturating_mul(size);
        outcome.length = length.min(batch.end.saturating_sub(start)) as usize;
        scratch.locations.clear();
        match &self.layout {
            Layout::Parts(parts) => self.read_parts(parts, start, &mut out[..outcome.length], outcome),
            Layout::Tables(tables) => self.read_tables(tables, batch, scratch, out, outcome),
            Layout::Blocks(blocks) => {
                let wanted = Piece { at: start, out: &mut out[..outcome.length] };
                self.read_blocks(blocks, wanted, &mut scratch.blocks, outcome);
            }
        }
    }

    fn read_tables(
        &self,
        tables: &Tables,
        batch: &Batch,
        scratch: &mut Scratch,
        out: &mut [u8],
        outcome: &mut ReadBatch,
    ) {
        let size = self.chunk_size as usize;
        let mut next = batch.chunks.start;
        while next < batch.chunks.end {
            let table = tables.holding(next);
            let end = match &table {
                Ok(table) => table.end(),
                Err(following) => following.unwrap_or(u64::MAX),
            };
            let chunks = next..end.min(batch.chunks.end);
            let at = |chunk: u64| (chunk - batch.chunks.start) as usize * size;
            let out = &mut out[at(chunks.start)..at(chunks.end)];
            next = chunks.end;
            match table {
                Ok(table) => {
                    self.read_table(table, Batch { chunks, ..*batch }, scratch, out, outcome);
                }
                Err(_) => {
                    out.fill(0);
                    let missing = self.missing(Span::between(chunks.start, chunks.end));
                    let problem =
                        ChunkProblem { chunk: chunks.start, kind: missing.kind, place: missing.place };
                    outcome.problems.push(problem);
                }
            }
        }
    }

    /// Reads chunks of one table.
    fn read_table(
        &self,
        table: &ChunkTable,
        batch: Batch,
        scratch: &mut Scratch,
        out: &mut [u8],
        outcome: &mut ReadBatch,
    ) {
        let Batch { chunks, end } = batch;
        let source = ChunkFiles { files: &self.files, chunk_size: self.chunk_size };
        let from = scratch.locations.len();
        let located = table.locate(chunks.clone(), &source, &mut scratch.locations);
        let run = Run { image: self, first: chunks.start, end, file: table.file };
        match located {
            Ok(()) if (scratch.locations.len() - from) as u64 == chunks.end - chunks.start => {
                run.read(scratch, from, out, outcome);
            }
            Ok(()) => run.fail(&chunks, &ProblemKind::ChunkMissing, out, outcome),
            Err(error) => run.fail(&chunks, &unreadable(&error), out, outcome),
        }
    }

    /// Reads raw media bytes.
    pub(crate) fn read_parts(&self, parts: &[RawFile], start: u64, out: &mut [u8], outcome: &mut ReadBatch) {
        let mut filled = 0;
        while filled < out.len() {
            let at = start + filled as u64;
            let index = parts.partition_point(|part| part.start + part.size <= at);
            let Some(part) = parts.get(index) else { return out[filled..].fill(0) };
            let within = at - part.start;
            let length = (out.len() - filled).min(usize::try_from(part.size - within).unwrap_or(usize::MAX));
            let target = &mut out[filled..filled + length];
            let read = match part.file {
                Some(file) => self.files.read_exact_at(file, within, target),
                None => Err(io::ErrorKind::NotFound.into()),
            };
            if let Err(error) = read {
                target.fill(0);
                let media = Span { first: at, count: length as u64 };
                outcome.problems.extend(self.part_problem(part, media, &error));
            }
            filled += length;
        }
    }
}

impl Image {
    /// Makes the problem of a failed read of raw bytes; a missing part is reported once.
    fn part_problem(&self, part: &RawFile, media: Span, error: &io::Error) -> Option<ChunkProblem> {
        let chunk = media.first / self.chunk_size;
        let (kind, place) = match part.file {
            Some(file) => (
                unreadable(error),
                ImageLocation { media: Some(media), ..ImageLocation::file(self.files.path(file)) },
            ),
            None if media.first == part.start => {
                let media = Some(Span { first: part.start, count: part.size });
                (ProblemKind::ChunkMissing, ImageLocation { media, ..ImageLocation::default() })
            }
            None => return None,
        };
        Some(ChunkProblem { chunk, kind, place })
    }
}

/// Consecutive chunks of one table.
struct Run<'a> {
    image: &'a Image,
    first: u64,
    /// The end of the media.
    end: u64,
    file: usize,
}

impl Run<'_> {
    /// Reads the chunks of the locations from index `from` on, as many at once as fit.
    fn read(&self, scratch: &mut Scratch, from: usize, out: &mut [u8], outcome: &mut ReadBatch) {
        let size = self.image.chunk_size as usize;
        let most = most_stored(self.image.chunk_size);
        if (scratch.stored.len() as u64) < most {
            scratch.stored.resize(most as usize, 0);
        }
        let Scratch { inflater, stored, locations, .. } = scratch;
        let locations = &mut locations[from..];
        for location in locations.iter_mut() {
            location.stored = location.stored.min(longest(location.coding, self.image.chunk_size));
        }
        let mut next = 0;
        while next < locations.len() {
            let group = group(&locations[next..], stored.len() as u64);
            let span = self.fetch(&self.image.files, &locations[next..next + group], stored);
            for at in next..next + group {
                let target = &mut out[at * size..(at + 1) * size];
                let chunk = self.first + at as u64;
                let result = match &span {
                    Ok((start, bytes)) => {
                        let bytes = slice(bytes, *start, &locations[at]);
                        decode(inflater, &locations[at], bytes, self.needed(chunk), target)
                    }
                    Err(error) => Err(unreadable(error)),
                };
                match result {
                    Ok(beyond) => outcome.beyond = beyond,
                    Err(kind) => self.fail(&(chunk..chunk + 1), &kind, target, outcome),
                }
            }
            next += group;
        }
    }

    /// Reads the stored bytes of adjacent chunks. Returns their offset, and the bytes that exist.
    fn fetch<'b>(
        &self,
        files: &Files,
        group: &[Location],
        stored: &'b mut [u8],
    ) -> io::Result<(u64, &'b [u8])> {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { return Ok((0, &[])) };
        if matches!(first.coding, Coding::Pattern(_)) {
            return Ok((0, &[]));
        }
        let length = (last.offset.saturating_add(last.stored) - first.offset) as usize;
        let read = files.read_at(first.file, first.offset, &mut stored[..length])?;
        Ok((first.offset, &stored[..read]))
    }

    /// Returns the media bytes of a chunk.
    fn needed(&self, chunk: u64) -> usize {
        let size = self.image.chunk_size;
        self.end.saturating_sub(chunk * size).min(size) as usize
    }

    fn fail(&self, chunks: &Range<u64>, kind: &ProblemKind, out: &mut [u8], outcome: &mut ReadBatch) {
        out.fill(0);
        let span = Span::between(chunks.start, chunks.end);
        let place = ImageLocation {
            chunks: Some(span),
            media: Some(self.image.media_of(span)),
            ..ImageLocation::file(self.image.files.path(self.file))
        };
        outcome.problems.push(ChunkProblem { chunk: chunks.start, kind: kind.clone(), place });
    }
}

/// Decodes one chunk, of which the media need this many bytes. Returns its bytes past the end of the media.
fn decode(
    inflater: &mut Inflater,
    location: &Location,
    bytes: &[u8],
    needed: usize,
    out: &mut [u8],
) -> Result<usize, ProblemKind> {
    let length = match location.coding {
        Coding::Zlib => inflater.zlib(bytes, out).map_err(ProblemKind::from),
        Coding::Bzip2 => inflater.bzip2(bytes, out).map_err(|failure| match failure {
            // EnCase is said to omit bzip2's header; no such image is known.
            Failure::Corrupt if !bytes.starts_with(b"BZh") => ProblemKind::ChunkUnsupported,
            other => ProblemKind::from(other),
        }),
        Coding::Checked => checked(bytes, out),
        Coding::Plain => Ok(plain(bytes, out)),
        Coding::Pattern(pattern) => {
            out.chunks_mut(8).for_each(|place| place.copy_from_slice(&pattern[..place.len()]));
            Ok(needed)
        }
        Coding::Unknown => Err(ProblemKind::ChunkUnsupported),
    };
    // A chunk cut off by the end of the file is incomplete.
    let cut = (bytes.len() as u64) < location.stored;
    let length =
        length.map_err(|kind| if bytes.is_empty() || cut { ProblemKind::ChunkOutside } else { kind })?;
    match length >= needed {
        true => Ok(length - needed),
        false if cut && !matches!(location.coding, Coding::Pattern(_)) => Err(ProblemKind::ChunkOutside),
        false => Err(ProblemKind::ChunkLength),
    }
}

impl From<Failure> for ProblemKind {
    fn from(failure: Failure) -> ProblemKind {
        match failure {
            Failure::Corrupt => ProblemKind::ChunkCorrupt,
            Failure::Checksum => ProblemKind::ChunkChecksum,
            Failure::TooLong => ProblemKind::ChunkLength,
            Failure::Outside => ProblemKind::ChunkOutside,
        }
    }
}

/// Returns the maximum number of stored bytes to read for a chunk.
fn longest(coding: Coding, chunk_size: u64) -> u64 {
    match coding {
        Coding::Checked => chunk_size + 4,
        Coding::Plain => chunk_size,
        Coding::Pattern(_) | Coding::Unknown => 0,
        Coding::Zlib | Coding::Bzip2 => most_stored(chunk_size),
    }
}

/// Returns how many of these chunks are adjacent and fit into `room` together; at least one.
fn group(locations: &[Location], room: u64) -> usize {
    let first = locations[0];
    let mut end = first.offset.saturating_add(first.stored);
    let fits = |location: &&Location| {
        let pattern = matches!(location.coding, Coding::Pattern(_));
        let follows =
            location.file == first.file && location.offset >= first.offset && location.offset >= end;
        end = location.offset.saturating_add(location.stored);
        !pattern && follows && end.saturating_sub(first.offset) <= room
    };
    match first.coding {
        Coding::Pattern(_) => 1,
        _ => 1 + locations[1..].iter().take_while(fits).count(),
    }
}

/// Returns the bytes of a chunk within its group, cut off where the group was.
fn slice<'a>(bytes: &'a [u8], start: u64, location: &Location) -> &'a [u8] {
    let from = location.offset.saturating_sub(start).min(bytes.len() as u64) as usize;
    let to = (from as u64).saturating_add(location.stored).min(bytes.len() as u64) as usize;
    &bytes[from..to]
}

/// Copies bytes that are followed by their Adler-32.
fn checked(bytes: &[u8], out: &mut [u8]) -> Result<usize, ProblemKind> {
    let length =
        bytes.len().checked_sub(4).filter(|length| *length <= out.len()).ok_or(ProblemKind::ChunkLength)?;
    let (data, checksum) = bytes.split_at(length);
    if Adler32::sum_of(data) != u32_at(checksum, 0) {
        return Err(ProblemKind::ChunkChecksum);
    }
    Ok(plain(data, out))
}

fn plain(bytes: &[u8], out: &mut [u8]) -> usize {
    out[..bytes.len()].copy_from_slice(bytes);
    bytes.len()
}
