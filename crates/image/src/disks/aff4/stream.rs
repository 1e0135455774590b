//! Streams of chunks: bevies of them, with an index each (AFF4 Standard v1.0, 3).

use super::names;
use super::names::{CHUNK_SIZE, CHUNKS, COMPRESSION, Compression};
use super::segments::Segments;
use super::zip::{STORED, locate};
use crate::bytes::le::{u32_at, u64_at};
use crate::disks::blocks::{Packed, Place, Source, Stretch};
use crate::error::Problem;
use crate::finding::ProblemKind;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// The largest chunk, and the most chunks of a bevy. Writers use 32 KiB or 128 KiB, and 2,048.
const MOST_CHUNK: u64 = 4 << 20;
const MOST_CHUNKS: u64 = 1 << 16;

/// The length of an entry of an index, and of one before the standard.
const ENTRY: u64 = 12;
const OLD_ENTRY: u64 = 4;

/// The number of indexes that are kept.
const MOST_INDEXES: usize = 16;

/// A stream of chunks.
#[derive(Debug)]
pub(super) struct ImageStream {
    pub(super) name: String,
    pub(super) size: u64,
    pub(super) chunk_size: u64,
    /// The number of chunks of a bevy.
    pub(super) chunks: u64,
    pub(super) compression: Compression,
    pub(super) bevies: BTreeMap<u64, Bevy>,
    /// Indexes that were read, the most recently used last.
    indexes: Mutex<Vec<(u64, Index)>>,
}

/// A bevy: the numbers of its segments.
#[derive(Debug)]
pub(super) struct Bevy {
    pub(super) data: usize,
    pub(super) index: usize,
    /// Its index has offsets alone, as before the standard.
    pub(super) old: bool,
    /// The offset of the first chunk in the file, once it was needed.
    place: OnceLock<Result<u64, ProblemKind>>,
}

/// The offset in the bevy and the length of each chunk.
type Index = Arc<[(u64, u64)]>;

/// A chunk in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Chunk {
    pub(super) offset: u64,
    pub(super) length: u64,
}

impl ImageStream {
    /// Finds a stream by its name.
    pub(super) fn open(segments: &Segments, name: &str) -> Result<ImageStream, Problem> {
        let graph = &segments.graph;
        let volume = || Problem::Volume(name.into());
        let size = graph.number(name, &["aff4:size"])?;
        let stored = graph.text(name, &["aff4:stored"])?;
        let bevies = bevies(segments, name);
        if bevies.is_empty() && stored.is_some_and(|stored| stored != segments.volume) {
            return Err(volume());
        }
        let size = size.ok_or(Problem::Header("a stream has no size"))?;
        let chunk_size = graph.number(name, CHUNK_SIZE)?.unwrap_or(32 << 10);
        let chunks = graph.number(name, CHUNKS)?.unwrap_or(1024);
        if !(1..=MOST_CHUNK).contains(&chunk_size) || !(1..=MOST_CHUNKS).contains(&chunks) {
            return Err(Problem::Header("the size of its chunks is impossible"));
        }
        let method = graph.text(name, COMPRESSION)?;
        let compression = names::compression(method).ok_or_else(|| {
            Problem::Feature(format!("compression '{}'", method.unwrap_or_default()).into())
        })?;
        let indexes = Mutex::default();
        Ok(ImageStream { name: name.into(), size, chunk_size, chunks, compression, bevies, indexes })
    }

    /// Returns the bytes of every bevy but the last.
    fn bevy_size(&self) -> u64 {
        self.chunk_size * self.chunks
    }

    /// Returns the parts of the stream for which there is no bevy, or no entry in its index.
    pub(super) fn holes(&self, segments: &Segments) -> Vec<Range<u64>> {
        let (mut holes, mut from) = (Vec::new(), 0);
        for (number, bevy) in &self.bevies {
            let Some(start) = number.checked_mul(self.bevy_size()).filter(|start| *start < self.size) else {
                break;
            };
            // An index before the standard may have an entry for each chunk but the last, or the first.
            let entries = match (segments.size(bevy.index), bevy.old) {
                (size, false) => size / ENTRY,
                (size, true) => size / OLD_ENTRY + 1,
            };
            if from < start {
                holes.push(from..start);
            }
            from = start.saturating_add(entries.min(self.chunks) * self.chunk_size);
        }
        if from < self.size {
            holes.push(from..self.size);
        }
        holes
    }

    /// Returns the place of the stream's bytes from an offset on, which is below its size.
    pub(super) fn locate(&self, source: &Source<'_>, segments: &Segments, offset: u64) -> Stretch {
        let (number, within) = (offset / self.chunk_size, offset % self.chunk_size);
        let left = (self.chunk_size - within).min(self.size - offset);
        let chunk = match self.chunk(source, segments, number) {
            Ok(chunk) => chunk,
            Err(kind) => return Stretch::fault(left, kind),
        };
        let whole = chunk.length == self.chunk_size && !self.compression.always;
        match self.compression.packing.filter(|_| !whole) {
            Some(packing) => {
                let packed = Packed {
                    file: 0,
                    offset: chunk.offset,
                    stored: chunk.length,
                    packing,
                    skip: within,
                    size: self.chunk_size,
                };
                Stretch::new(left, Place::Packed(packed))
            }
            // Some writers leave out what would follow the end of the stream.
            None if within >= chunk.length => Stretch::fault(left, ProblemKind::ChunkLength),
            None => {
                let place = Place::Plain { file: 0, offset: chunk.offset.saturating_add(within) };
                Stretch::new(left.min(chunk.length - within), place)
            }
        }
    }

    /// Finds a chunk by its number.
    pub(super) fn chunk(
        &self,
        source: &Source<'_>,
        segments: &Segments,
        number: u64,
    ) -> Result<Chunk, ProblemKind> {
        let (bevy_number, within) = (number / self.chunks, number % self.chunks);
        let bevy = self.bevies.get(&bevy_number).ok_or(ProblemKind::ChunkMissing)?;
        let index = self.index(source, segments, bevy_number, bevy)?;
        let (offset, length) = *index.get(within as usize).ok_or(ProblemKind::ChunkMissing)?;
        let start = bevy.place.get_or_init(|| start(source, segments, bevy.data)).clone()?;
        if offset.checked_add(length).is_none_or(|end| end > segments.size(bevy.data)) || length == 0 {
            return Err(ProblemKind::ChunkOutside);
        }
        Ok(Chunk { offset: start.checked_add(offset).ok_or(ProblemKind::ChunkOutside)?, length })
    }

    fn index(
        &self,
        source: &Source<'_>,
        segments: &Segments,
        number: u64,
        bevy: &Bevy,
    ) -> Result<Index, ProblemKind> {
        let mut kept = self.indexes.lock();
        if let Some(at) = kept.iter().rposition(|(known, _)| *known == number) {
            let found = kept.remove(at);
            let index = Arc::clone(&found.1);
            kept.push(found);
            return Ok(index);
        }
        drop(kept);
        let most = (self.chunks + 1) * ENTRY;
        let bytes = segments.content(source, bevy.index, most)?;
        let index: Index = match bevy.old {
            false => bytes.chunks_exact(ENTRY as usize).map(entry).collect(),
            true => offsets(&bytes, segments.size(bevy.data)).into(),
        };
        // Chunks that share bytes would make a small file take any time.
        let total = index.iter().fold(0_u64, |total, (_, length)| total.saturating_add(*length));
        if total > segments.size(bevy.data) {
            return Err(ProblemKind::ChunkLength);
        }
        let mut kept = self.indexes.lock();
        if kept.len() >= MOST_INDEXES {
            kept.remove(0);
        }
        kept.push((number, Arc::clone(&index)));
        Ok(index)
    }
}

fn entry(bytes: &[u8]) -> (u64, u64) {
    (u64_at(bytes, 0), u32_at(bytes, 8).into())
}

/// Returns the chunks of an index of offsets. Some writers state where each chunk ends, others where it begins.
fn offsets(bytes: &[u8], size: u64) -> Vec<(u64, u64)> {
    let mut offsets: Vec<u64> = vec![0];
    offsets.extend(bytes.chunks_exact(OLD_ENTRY as usize).map(|entry| u64::from(u32_at(entry, 0))));
    if offsets.get(1) == Some(&0) {
        offsets.remove(0);
    }
    if offsets.last().is_some_and(|last| *last < size) {
        offsets.push(size);
    }
    // Offsets that decrease have a length that no segment holds.
    let pairs = offsets.windows(2).filter_map(|pair| Some((*pair.first()?, *pair.last()?)));
    pairs.map(|(start, end)| (start, end.checked_sub(start).unwrap_or(u64::MAX))).collect()
}

/// Returns the offset in the file of a stored segment's bytes.
pub(super) fn start(source: &Source<'_>, segments: &Segments, segment: usize) -> Result<u64, ProblemKind> {
    let entry = segments.entry(segment).ok_or(ProblemKind::ChunkMissing)?;
    if entry.method != STORED {
        return Err(ProblemKind::ChunkUnsupported);
    }
    if entry.packed != entry.size {
        return Err(ProblemKind::HeadersDisagree);
    }
    let placed = locate(entry, source)?;
    if placed.agrees { Ok(placed.data) } else { Err(ProblemKind::HeadersDisagree) }
}

/// Finds the bevies of a stream: segments with a number of eight digits that have an index.
fn bevies(segments: &Segments, name: &str) -> BTreeMap<u64, Bevy> {
    let mut found = BTreeMap::new();
    for (rest, data) in segments.below(name) {
        let number = str::from_utf8(rest).ok().filter(|rest| rest.len() >= 8);
        let number = number.filter(|rest| rest.bytes().all(|digit| digit.is_ascii_digit()));
        // A number may have more digits, but no further zeros before it.
        let Some(number) = number.filter(|rest| rest.len() == 8 || !rest.starts_with('0')) else { continue };
        let (new, old) = (format!("{name}/{number}.index"), format!("{name}/{number}/index"));
        let index = segments.find(&new).map(|index| (index, false));
        let index = index.or_else(|| segments.find(&old).map(|index| (index, true)));
        if let (Ok(number), Some((index, old))) = (number.parse(), index) {
            found.insert(number, Bevy { data, index, old, place: OnceLock::new() });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_of_both_writers_give_the_same_chunks() {
        let bytes = |offsets: &[u32]| offsets.iter().flat_map(|one| one.to_le_bytes()).collect::<Vec<u8>>();
        let expected = [(0, 5), (5, 7), (12, 8)];
        assert_eq!(offsets(&bytes(&[5, 12, 20]), 20), expected, "ends");
        assert_eq!(offsets(&bytes(&[0, 5, 12]), 20), expected, "starts");
        assert_eq!(offsets(&bytes(&[7, 5]), 5), [(0, 7), (7, u64::MAX)]);
        assert_eq!(offsets(&[], 0), []);
    }
}
