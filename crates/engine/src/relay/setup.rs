//! How a file goes through a relay: decided once, from the plan, the memory, and the file.

use super::consumer::Consumer;
use super::state::Limits;
use crate::hash::{HashSpec, PieceHasher, UnorderedHasher};
use crate::memory::{BufferPool, Layout};
use crate::read::FileMap;
use crate::{Live, Plan};
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
}

/// How the pieces of a file are hashed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PieceMode {
    /// As the chunks come: a piece may lie in many chunks.
    InOrder,
    /// Every chunk holds whole pieces, which fill the lanes.
    WholeInChunks,
    /// By themselves, in groups of so many bytes, which are never in a buffer as a whole: one piece for each lane, of which
    /// the next strips are read and hashed together. Beside a digest of the whole file the bytes are read twice, so only
    /// from memory.
    Interleaved { group: u64 },
}

/// What was decided for one file.
pub(super) struct Setup {
    pub(super) layout: Layout,
    pub(super) mode: PieceMode,
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
        let (mode, layout) = size
            .and_then(|size| unordered_pieces(settings, file, size, one_reader))
            .unwrap_or((PieceMode::InOrder, settings.layout));
        Setup { layout, mode, size, one_reader }
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
                let whole = !hashers.consumers.is_empty() || !hashers.unordered.is_empty();
                (Some(if whole { chunks(size) } else { 0 }), size.div_ceil(group), 0)
            }
            (_, size) => (size.map(chunks), 0, hashers.pieces.len()),
        };
        Limits {
            chunk: self.layout.chunk,
            chunks: self.layout.chunks,
            end,
            one_reader: self.one_reader,
            unordered: hashers.unordered.len() + in_chunks,
            groups,
        }
    }

    pub(super) fn hashers(&self, plan: &Plan) -> RelayHashers {
        let mut hashers = RelayHashers::default();
        for (place, spec) in HashSpec::all(plan).enumerate() {
            if plan.whole {
                match self.size.and_then(|size| spec.unordered(self.layout.chunk, size)) {
                    Some(hasher) => hashers.unordered.push((place, hasher)),
                    None => hashers.consumers.push(Consumer::whole(place, spec.for_one(), self.size)),
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

/// How pieces can be hashed in any order, and chunks to match; `None` if they can't.
fn unordered_pieces(
    settings: &RelaySettings<'_>,
    file: &RelayFile,
    size: u64,
    one_reader: bool,
) -> Option<(PieceMode, Layout)> {
    let RelaySettings { plan, layout, lanes, .. } = settings;
    let piece = plan.piece?.get();
    // A disk's head would go back and forth between the strips, direct reads want whole pages, and slow hashers have
    // no lanes that strips could fill.
    let twice = file.resident && layout.chunk >= LEAST_CHUNK;
    let plain = !one_reader && (!plan.whole || twice) && plan.reading.io != Io::Direct;
    if plain
        && piece >= LEAST_INTERLEAVED
        && !HashSpec::all(plan).any(HashSpec::is_slow)
        && let Some(group) = Layout::group(piece, *lanes, size, plan.threads.get())
    {
        return Some((PieceMode::Interleaved { group }, *layout));
    }
    layout.for_pieces(piece, *lanes).map(|layout| (PieceMode::WholeInChunks, layout))
}
