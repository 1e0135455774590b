//! A file in flight: opened, partly read, its streams open in a worker's banks.

use crate::banks::{Banks, Feed, Stream};
use crate::event::Outcome;
use crate::order::Message;
use crate::pieces::{self, Cutter};
use hashloom_manifest::{Piece, Record};
use hashloom_source::{Error, Reader};
use std::ops::Range;

/// A file in flight.
pub(crate) struct Flight {
    number: u64,
    path: Box<[u8]>,
    reader: Reader,
    read: u64,
    /// Its size, where a stream needs to know it.
    size: Option<u64>,
    whole: Option<Stream>,
    pieces: Option<Pieces>,
    /// This round's bytes, in the worker's arena.
    range: Range<usize>,
    /// They are the file's last.
    last: bool,
}

/// The pieces of a file in flight.
struct Pieces {
    cutter: Cutter,
    open: Option<(Piece, Stream)>,
    /// Bytes of this round that end a piece (in order), then bytes of the open one.
    closing: Vec<(Piece, Stream, Vec<Range<usize>>)>,
    continuing: Vec<Range<usize>>,
    done: Vec<Record>,
}

/// What a flight hashes.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) whole: bool,
    pub(crate) piece: Option<u64>,
}

impl Flight {
    pub(crate) fn new(
        number: u64,
        path: Box<[u8]>,
        reader: Reader,
        wanted: Wanted,
        banks: &mut Banks,
    ) -> Self {
        let pieces = wanted.piece.map(|size| Pieces {
            cutter: Cutter::new(size),
            open: None,
            closing: Vec::new(),
            continuing: Vec::new(),
            done: Vec::new(),
        });
        // Asking whether a size is true costs a system call.
        let size = (banks.wants_sizes() && reader.seekable()).then(|| reader.meta().size);
        let whole = wanted.whole.then(|| banks.open(size));
        Flight { number, path, reader, read: 0, size, whole, pieces, range: 0..0, last: false }
    }

    /// Reads into the arena from `at` on, at most `room` bytes.
    pub(crate) fn read(&mut self, arena: &mut [u8], at: usize, room: usize) -> Result<usize, Error> {
        let got = self.reader.read(&mut arena[at..at + room])?;
        self.took(at..at + got, got < room);
        Ok(got)
    }

    /// Notes bytes that were read into the arena.
    fn took(&mut self, range: Range<usize>, last: bool) {
        self.read += range.len() as u64;
        self.range = range;
        self.last = last;
    }

    pub(crate) fn is_last(&self) -> bool {
        self.last
    }

    /// Opens a stream for every piece that starts in this round.
    pub(crate) fn cut(&mut self, banks: &mut Banks) {
        let Some(pieces) = &mut self.pieces else { return };
        for cut in pieces.cutter.cut(self.range.len(), self.last) {
            let range = self.range.start + cut.range.start..self.range.start + cut.range.end;
            pieces.continuing.push(range);
            let open = pieces.open.take().map(|(_, stream)| stream);
            let stream = open.unwrap_or_else(|| banks.open(pieces.cutter.expected(cut.piece, self.size)));
            if cut.ends {
                pieces.closing.push((cut.piece, stream, std::mem::take(&mut pieces.continuing)));
            } else {
                pieces.open = Some((cut.piece, stream));
            }
        }
    }

    /// This round's bytes, for the whole file's stream and for the streams of pieces.
    pub(crate) fn feed<'a>(&'a self, arena: &'a [u8], batch: &mut Vec<Feed<'a>>) {
        if let Some(stream) = &self.whole {
            batch.push(Feed { stream, bytes: &arena[self.range.clone()], last: self.last });
        }
        let Some(pieces) = &self.pieces else { return };
        for (_, stream, ranges) in &pieces.closing {
            for (index, range) in ranges.iter().enumerate() {
                batch.push(Feed { stream, bytes: &arena[range.clone()], last: index + 1 == ranges.len() });
            }
        }
        if let Some((_, stream)) = &pieces.open {
            let ranges = pieces.continuing.iter();
            batch.extend(ranges.map(|range| Feed { stream, bytes: &arena[range.clone()], last: false }));
        }
    }

    /// Takes the digests of the pieces that ended in this round.
    pub(crate) fn close_pieces(&mut self, banks: &mut Banks) {
        let Some(pieces) = &mut self.pieces else { return };
        pieces.continuing.clear();
        for (piece, stream, _) in pieces.closing.drain(..) {
            pieces.done.push(pieces::record(&self.path, piece, banks.close(stream)));
        }
    }

    /// Ends a file whose last bytes were hashed. Its digests count only if it held still.
    pub(crate) fn settle(self, banks: &mut Banks, messages: &mut Vec<Message>) {
        let meta = *self.reader.meta();
        let digests = self.whole.map(|stream| banks.close(stream)).unwrap_or_default();
        let outcome = match self.reader.finish(self.read) {
            Ok(()) => {
                let pieces = self.pieces.map(|pieces| pieces.done).unwrap_or_default();
                if !pieces.is_empty() {
                    messages.push(Message::Pieces(self.number, pieces));
                }
                Outcome::hashed(self.path, self.read, meta, digests)
            }
            Err(error) => Outcome::failed(error),
        };
        messages.push(Message::Done(self.number, outcome));
    }

    /// Ends a file that could not be read further.
    pub(crate) fn fail(self, error: Error, banks: &mut Banks, messages: &mut Vec<Message>) {
        messages.push(Message::Done(self.number, Outcome::failed(error)));
        self.withdraw(banks);
    }

    /// Closes all streams without digests.
    pub(crate) fn withdraw(self, banks: &mut Banks) {
        let open = self.pieces.and_then(|pieces| pieces.open).map(|(_, stream)| stream);
        for stream in self.whole.into_iter().chain(open) {
            banks.abandon(stream);
        }
    }
}
