//! How a file goes through a relay: decided once, from the plan, the memory, and the file.

use super::consumer::Consumer;
use super::state::Limits;
use crate::hash::{HashSpec, PieceHasher, UnorderedHasher};
use crate::memory::{BufferPool, Layout};
use crate::read::FileMap;
use crate::{Live, Plan};
use hashloom_digest::About;
use hashloom_source::{Io, Reader};
use std::sync::Arc;

/// The least size of a piece that is worth reading in strips: each strip costs a system call.
const LEAST_INTERLEAVED: u64 = 64 << 10;

/// Beside chunks of a digest of the whole file, strips of pieces take memory, too. So there must be some.
const LEAST_CHUNK: usize = 128 << 10;

/// What a run has decided for all its relays.
pub(crate) struct RelaySettings<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) layout: Layout,
    /// How many long streams are best hashed side by side.
    pub(crate) lanes: usize,
    pub(crate) buffers: &'a Arc<BufferPool>,
    pub(crate) live: &'a Arc<Live>,
}

/// A file that is to go through a relay.
pub(crate) struct RelayFile {
    pub(crate) path: Box<[u8]>,
    pub(crate) reader: Reader,
    /// The number of the device that it is on.
    pub(crate) device: u64,
    /// Only one thread at a time may read from this device.
    pub(crate) one_reader: bool,
    /// Recent reads from this device missed the page cache.
    pub(crate) cold: bool,
    /// It is in memory: to read it twice costs no disk.
    pub(crate) resident: bool,
    /// Its map, if it is to be mapped.
    pub(crate) map: Option<FileMap>,
    /// How many threads may share its pieces or leaves.
    pub(crate) threads: usize,
}

/// How the pieces of a file are hashed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PieceMode {
    /// As the chunks come: a piece may lie in many chunks.
    InOrder,
    /// Every chunk holds whole pieces or leaves, which fill the lanes.
    WholeInChunks,
    /// By themselves, in groups of so many bytes, which are never in a buffer as a whole: one piece for each lane, or as many
    /// bytes of leaves, of which the next strips are read and hashed together. Beside a digest of the whole file the bytes
    /// are read twice, so only from memory.
    Interleaved { group: u64 },
}

/// What was decided for one file.
pub(super) struct Setup {
    pub(super) layout: Layout,
    pub(super) mode: PieceMode,
    /// Bytes of a piece, or of whole leaves of all digests.
    pub(super) row: Option<u64>,
    /// Its size, if any part of it can be read at any time.
    pub(super) size: Option<u64>,
    pub(super) one_reader: bool,
}

/// The hashers of one relay.
#[derive(Default)]
pub(super) struct RelayHashers {
    /// Those that take chunks in order.
    pub(super) consumers: Vec<Consumer>,
    /// Those that take chunks of the whole file in any order, with the places of their values in the record.
    pub(super) unordered: Vec<(usize, Box<dyn UnorderedHasher>)>,
    /// Those of pieces that lie whole in a chunk.
    pub(super) pieces: Vec<PieceHasher>,
}

impl Setup {
    pub(super) fn new(settings: &RelaySettings<'_>, file: &RelayFile) -> Setup {
        let size = file.reader.seekable().then(|| file.reader.meta().size);
        let one_reader = file.one_reader || size.is_none();
        let row = row(settings.plan, size);
        let (mode, layout) = row
            .zip(size)
            .and_then(|(row, size)| unordered(settings, file, (row, size), one_reader))
            .unwrap_or((PieceMode::InOrder, settings.layout));
        Setup { layout, mode, row, size, one_reader }
    }

    /// The buffers of the run, or new ones if the chunks have a size of their own.
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
                // Without pieces it is leaves that the groups hold, and nothing takes chunks.
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

    /// Bytes that an unordered hasher takes at once: a chunk, or a group of leaves.
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
                    None => hashers.consumers.push(Consumer::whole(place, spec.for_one(), &about)),
                }
            }
            let Some(piece) = plan.piece else { continue };
            if self.mode == PieceMode::InOrder {
                hashers.consumers.push(Consumer::pieces(piece.get(), spec.for_one(), self.size));
            } else {
                hashers.pieces.push(PieceHasher::new(spec, piece.get()));
            }
        }
        hashers
    }
}

/// The longest row that is worth looking at: leaves of several digests may begin together very seldom.
const LONGEST: u64 = 64 << 20;

/// Bytes of a piece; without pieces, the least length of which any multiple is where leaves of all digests begin.
fn row(plan: &Plan, size: Option<u64>) -> Option<u64> {
    if let Some(piece) = plan.piece {
        return Some(piece.get());
    }
    let about = About::sized(size);
    let units: Vec<u64> = HashSpec::all(plan).filter_map(|spec| spec.leaf_unit(&about)).collect();
    let common = units.iter().try_fold(1, |common, unit| least_common_multiple(common, *unit));
    common.filter(|_| !units.is_empty())
}

/// `None` if it is too long.
fn least_common_multiple(a: u64, b: u64) -> Option<u64> {
    let (mut divisor, mut rest) = (a, b);
    while rest > 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    // One leaf may be longer than that.
    a.checked_mul(b / divisor).filter(|common| *common <= LONGEST || *common == a.max(b))
}

/// How pieces or leaves can be hashed in any order, and chunks to match; `None` if they can't, or if they can with chunks
/// as they are.
fn unordered(
    settings: &RelaySettings<'_>,
    file: &RelayFile,
    (row, size): (u64, u64),
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
    // A disk's head would go back and forth between the strips, direct reads want whole pages, and slow hashers have
    // no lanes that strips could fill.
    let twice = plan.piece.is_some() && file.resident && layout.chunk >= LEAST_CHUNK;
    let plain = !one_reader && (only_rows || twice) && plan.reading.io != Io::Direct;
    if plain
        && row >= LEAST_INTERLEAVED
        && !HashSpec::all(plan).any(HashSpec::is_slow)
        && let Some(group) = Layout::group(row, *lanes, size, file.threads)
    {
        return Some((PieceMode::Interleaved { group }, *layout));
    }
    // The segments of a tree are powers of two.
    let trees = plan.piece.is_none() && HashSpec::all(plan).any(HashSpec::is_tree);
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
