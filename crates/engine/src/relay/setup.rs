//! Decides how a file goes through a relay, from the plan, the memory and the file.

use super::consumer::Consumer;
use super::state::Limits;
use crate::hash::{HashSpec, PieceHasher, ScanHasher, TapHasher, TooLong, UnorderedHasher};
use crate::memory::{BufferPool, Layout};
use crate::read::FileMap;
use crate::{Live, Plan};
use hashmill_digest::About;
use hashmill_source::{Entry, Io, Reader};
use std::sync::Arc;

/// The minimum size of a piece that is read in strips: each strip costs a system call.
const LEAST_INTERLEAVED: u64 = 64 << 10;

/// The minimum chunk size for reading pieces in strips beside a digest of the whole file, since both take memory.
const LEAST_CHUNK: usize = 128 << 10;

/// The settings that all relays of a run share.
pub(crate) struct RelaySettings<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) layout: Layout,
    /// The number of long streams that are best hashed side by side.
    pub(crate) lanes: usize,
    pub(crate) buffers: &'a Arc<BufferPool>,
    pub(crate) live: &'a Arc<Live>,
}

/// A file that is to go through a relay.
pub(crate) struct RelayFile {
    pub(crate) path: Box<[u8]>,
    pub(crate) reader: Reader,
    /// The device number.
    pub(crate) device: u64,
    /// Only one thread at a time may read from this device.
    pub(crate) one_reader: bool,
    /// Recent reads from this device missed the page cache.
    pub(crate) cold: bool,
    /// Its reads may wait for other files, so only the owner reads.
    pub(crate) waits: bool,
    /// The file is in memory, so reading it twice costs no disk access.
    pub(crate) resident: bool,
    /// Its map, if it may be mapped.
    pub(crate) map: Option<FileMap>,
    /// The number of threads that may share its pieces or leaves.
    pub(crate) threads: usize,
    /// The entry, if its states may be saved.
    pub(crate) entry: Option<Entry>,
}

/// How the pieces of a file are hashed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PieceMode {
    /// As the chunks come: a piece may span many chunks.
    InOrder,
    /// Every chunk holds whole pieces or leaves, which fill the lanes.
    WholeInChunks,
    /// Separately from chunks, in groups of `group` bytes that are never in a buffer as a whole: one piece for each
    /// lane, or as many bytes of leaves. The next strip of each is read, and all strips are hashed together. With a
    /// digest of the whole file the bytes are read twice, so only if they are in memory.
    Interleaved { group: u64 },
}

/// The decisions for one file.
pub(super) struct Setup {
    pub(super) layout: Layout,
    pub(super) mode: PieceMode,
    /// The bytes of a piece, or of whole leaves of all digests.
    pub(super) row: Option<u64>,
    /// The size, if the file is seekable.
    pub(super) size: Option<u64>,
    pub(super) one_reader: bool,
}

#[derive(Default)]
pub(super) struct RelayHashers {
    /// Hashers that take chunks in order.
    pub(super) consumers: Vec<Consumer>,
    /// Hashers that take chunks of the whole file in any order, with the positions of their values in the record.
    pub(super) unordered: Vec<(usize, Box<dyn UnorderedHasher>)>,
    /// Hashers of pieces that lie in one chunk.
    pub(super) pieces: Vec<PieceHasher>,
}

impl Setup {
    pub(super) fn new(settings: &RelaySettings<'_>, file: &RelayFile) -> Setup {
        let size = file.reader.seekable().then(|| file.reader.meta().size);
        let one_reader = file.one_reader || size.is_none();
        let row = row(settings.plan, size);
        let (mode, layout) = row
            .zip(size)
            .and_then(|(row, size)| unordered(settings, file, row, size, one_reader))
            .unwrap_or((PieceMode::InOrder, settings.layout));
        Setup { layout, mode, row, size, one_reader }
    }

    /// Returns the run's buffers, or a new pool if the chunks have another size.
    pub(super) fn buffers(&self, settings: &RelaySettings<'_>) -> Arc<BufferPool> {
        match self.mode {
            PieceMode::InOrder | PieceMode::Interleaved { .. } => Arc::clone(settings.buffers),
            PieceMode::WholeInChunks => Arc::default(),
        }
    }

    pub(super) fn limits(&self, hashers: &RelayHashers) -> Limits {
        let chunks = |size: u64| size.div_ceil(self.layout.chunk as u64).max(1);
        let (end, groups, in_chunks) = match (self.mode, self.size) {
            (PieceMode::Interleaved { group }, Some(size)) => {
                // Without pieces, the groups hold leaves, and nothing takes chunks.
                let whole = !hashers.consumers.is_empty() || !hashers.unordered.is_empty();
                let whole = whole && !hashers.pieces.is_empty();
                (Some(if whole { chunks(size) } else { 0 }), size.div_ceil(group), 0)
            }
            (_, size) => (size.map(chunks), 0, hashers.pieces.len()),
        };
        let Layout { chunk, chunks, .. } = self.layout;
        let alone = hashers.consumers.is_empty();
        Limits {
            chunk,
            chunks,
            most_chunks: if alone { self.layout.most_chunks() } else { chunks },
            end,
            one_reader: self.one_reader,
            unordered: hashers.unordered.len() + in_chunks,
            groups,
        }
    }

    /// Returns the bytes that an unordered hasher takes at once: a chunk, or a group of leaves.
    fn at_once(&self, plan: &Plan) -> usize {
        match self.mode {
            PieceMode::Interleaved { group } if plan.piece.is_none() => {
                usize::try_from(group).unwrap_or(self.layout.chunk)
            }
            _ => self.layout.chunk,
        }
    }

    pub(super) fn hashers(&self, plan: &Plan, path: &[u8]) -> RelayHashers {
        let about = About::file(path, self.size);
        let mut hashers = RelayHashers::default();
        for (place, spec) in HashSpec::all(plan).enumerate() {
            if plan.whole {
                match spec.unordered(self.at_once(plan), &about) {
                    Some(hasher) => hashers.unordered.push((place, hasher)),
                    None => hashers.consumers.push(Consumer::whole(place, spec.clone().for_one(), &about)),
                }
            }
            let Some(piece) = plan.piece else { continue };
            if self.mode == PieceMode::InOrder {
                hashers.consumers.push(Consumer::pieces(piece.get(), spec.for_one(), self.size));
            } else {
                hashers.pieces.push(PieceHasher::new(spec, piece.get()));
            }
        }
        if let Some(scanning) = plan.scanning.as_ref().filter(|_| plan.whole) {
            let place = HashSpec::all(plan).count();
            match self.size {
                Some(size) if size > scanning.longest() as u64 => {
                    hashers.unordered.push((place, Box::new(TooLong)));
                }
                _ => hashers.consumers.push(Consumer::whole(
                    place,
                    Box::new(ScanHasher::new(scanning)),
                    &about,
                )),
            }
        }
        // It stands behind all values of the record.
        let tap =
            plan.tap.iter().map(|tap| Consumer::whole(usize::MAX, Box::new(TapHasher::new(tap)), &about));
        hashers.consumers.extend(tap);
        hashers
    }
}

/// The maximum length of a row: leaves of several digests may rarely start together.
const LONGEST_ROW: u64 = 64 << 20;

/// Returns the bytes of a piece. Without pieces, returns the smallest length such that leaves of all digests start at
/// each of its multiples.
fn row(plan: &Plan, size: Option<u64>) -> Option<u64> {
    if let Some(piece) = plan.piece {
        return Some(piece.get());
    }
    let about = About::sized(size);
    let units: Vec<u64> = HashSpec::all(plan).filter_map(|spec| spec.leaf_unit(&about)).collect();
    let common = units.iter().try_fold(1, |common, unit| least_common_multiple(common, *unit));
    common.filter(|_| !units.is_empty())
}

/// Returns `None` if the result is too long.
fn least_common_multiple(a: u64, b: u64) -> Option<u64> {
    let (mut divisor, mut rest) = (a, b);
    while rest > 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    // A single leaf may be longer than the limit.
    a.checked_mul(b / divisor).filter(|common| *common <= LONGEST_ROW || *common == a.max(b))
}

/// Returns how to hash rows of a file of this size in any order, with a matching layout; `None` if that is impossible or
/// needs no change.
fn unordered(
    settings: &RelaySettings<'_>,
    file: &RelayFile,
    row: u64,
    size: u64,
    one_reader: bool,
) -> Option<(PieceMode, Layout)> {
    let RelaySettings { plan, layout, lanes, .. } = settings;
    let only_rows = match plan.piece {
        Some(_) => !plan.whole,
        None => HashSpec::all(plan).all(|spec| spec.leaf_unit(&About::sized(Some(size))).is_some()),
    };
    if plan.piece.is_none() && (layout.chunk as u64).is_multiple_of(row) {
        return None;
    }
    // A disk head would seek between the strips, direct reads need whole pages, slow hashers have no lanes for strips to
    // fill, and states are saved after chunks.
    let twice = plan.piece.is_some() && file.resident && layout.chunk >= LEAST_CHUNK;
    let is_saved = file.entry.as_ref().is_some_and(|entry| plan.saves(entry, size));
    let is_passed_on = plan.tap.is_some() || plan.scanning.is_some();
    let plain =
        !one_reader && (only_rows || twice) && !is_passed_on && plan.reading.io != Io::Direct && !is_saved;
    if plain
        && row >= LEAST_INTERLEAVED
        && !plan.is_slow()
        && let Some(group) = Layout::group(row, *lanes, size, file.threads)
    {
        return Some((PieceMode::Interleaved { group }, *layout));
    }
    // The segments of a tree are powers of two.
    let trees = plan.piece.is_none() && HashSpec::all(plan).any(|spec| spec.is_tree());
    layout.for_pieces(row, *lanes, trees).map(|layout| (PieceMode::WholeInChunks, layout))
}

#[cfg(test)]
mod tests {
    use super::least_common_multiple;

    #[test]
    fn leaves_of_several_digests_begin_together_at_common_multiples() {
        assert_eq!(least_common_multiple(8 << 20, 4 << 20), Some(8 << 20));
        assert_eq!(least_common_multiple(15 << 20, 4 << 20), Some(60 << 20));
        assert_eq!(least_common_multiple(9_728_000, 8 << 20), None);
        assert_eq!(least_common_multiple(1, 5 << 30), Some(5 << 30));
    }
}
