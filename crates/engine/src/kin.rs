//! Likeness hashes beside the banks: one object for each stream, fed one after another.

use crate::event::Value;
use crate::pieces::Cutter;
use hashloom_manifest::{Lack, Likeness, Piece};
use hashloom_similar::{Likeness as Hash, Similar};

/// One stream's likeness hashes, in the order of the plan.
type Hashes = Vec<Box<dyn Hash>>;

/// The likeness hashes of all streams that are open in a worker.
pub(crate) struct Kin {
    rows: Vec<&'static Similar>,
    streams: Vec<Option<Hashes>>,
    free: Vec<usize>,
}

impl Kin {
    pub(crate) fn new(rows: &[&'static Similar]) -> Self {
        Kin { rows: rows.to_vec(), streams: Vec::new(), free: Vec::new() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Opens a stream, of so many bytes if that is known: its place.
    pub(crate) fn open(&mut self, size: Option<u64>) -> usize {
        if self.rows.is_empty() {
            return 0;
        }
        let hashes = Some(self.rows.iter().map(|row| start(row, size)).collect());
        match self.free.pop() {
            Some(place) => {
                self.streams[place] = hashes;
                place
            }
            None => {
                self.streams.push(hashes);
                self.streams.len() - 1
            }
        }
    }

    pub(crate) fn update(&mut self, place: usize, bytes: &[u8]) {
        let hashes = self.streams.get_mut(place).into_iter().flatten().flatten();
        hashes.for_each(|hash| hash.update(bytes));
    }

    pub(crate) fn close(&mut self, place: usize) -> Vec<Likeness> {
        let hashes = self.take(place);
        let rows = self.rows.iter().zip(hashes);
        rows.map(|(row, mut hash)| end(row, &mut *hash)).collect()
    }

    pub(crate) fn abandon(&mut self, place: usize) {
        self.take(place);
    }

    fn take(&mut self, place: usize) -> Hashes {
        let Some(hashes) = self.streams.get_mut(place).and_then(Option::take) else { return Vec::new() };
        self.free.push(place);
        hashes
    }
}

fn start(row: &Similar, size: Option<u64>) -> Box<dyn Hash> {
    let mut hash = (row.stream)();
    size.into_iter().for_each(|size| hash.expect(size));
    hash
}

fn end(algorithm: &'static Similar, hash: &mut dyn Hash) -> Likeness {
    Likeness { algorithm, digest: hash.finish().map_err(Lack::from) }
}

/// The digest of bytes that are all there.
pub(crate) fn of(algorithm: &'static Similar, bytes: &[u8]) -> Likeness {
    let mut hash = start(algorithm, Some(bytes.len() as u64));
    hash.update(bytes);
    end(algorithm, &mut *hash)
}

/// A likeness hash over the chunks of a relay, or over the pieces in them.
pub(crate) struct Serial {
    algorithm: &'static Similar,
    /// Bytes of the file, where known.
    size: Option<u64>,
    over: Over,
}

enum Over {
    /// The whole file, with the algorithm's place in the plan.
    Whole(usize, Box<dyn Hash>),
    Pieces {
        cutter: Cutter,
        open: Option<Box<dyn Hash>>,
        done: Vec<(Piece, Value)>,
    },
}

impl Serial {
    pub(crate) fn whole(index: usize, algorithm: &'static Similar, size: Option<u64>) -> Self {
        Serial { algorithm, size, over: Over::Whole(index, start(algorithm, size)) }
    }

    pub(crate) fn pieces(algorithm: &'static Similar, piece: u64, size: Option<u64>) -> Self {
        let over = Over::Pieces { cutter: Cutter::new(piece), open: None, done: Vec::new() };
        Serial { algorithm, size, over }
    }

    pub(crate) fn update(&mut self, bytes: &[u8], last: bool) {
        let (cutter, open, done) = match &mut self.over {
            Over::Whole(_, hash) => return hash.update(bytes),
            Over::Pieces { cutter, open, done } => (cutter, open, done),
        };
        for cut in cutter.cut(bytes.len(), last) {
            let expected = cutter.expected(cut.piece, self.size);
            let mut hash = open.take().unwrap_or_else(|| start(self.algorithm, expected));
            hash.update(&bytes[cut.range]);
            if cut.ends {
                done.push((cut.piece, Value::Likeness(end(self.algorithm, &mut *hash))));
            } else {
                *open = Some(hash);
            }
        }
    }

    pub(crate) fn is_pieces(&self) -> bool {
        matches!(self.over, Over::Pieces { .. })
    }

    pub(crate) fn take_pieces(&mut self) -> Vec<(Piece, Value)> {
        match &mut self.over {
            Over::Pieces { done, .. } => std::mem::take(done),
            Over::Whole(..) => Vec::new(),
        }
    }

    pub(crate) fn finish(self) -> Option<(usize, Value)> {
        match self.over {
            Over::Whole(index, mut hash) => Some((index, Value::Likeness(end(self.algorithm, &mut *hash)))),
            Over::Pieces { .. } => None,
        }
    }
}
