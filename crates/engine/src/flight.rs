//! A file in flight: partly or wholly read, its streams open in a worker's banks.

use crate::banks::{Banks, Feed, Stream};
use crate::event::{Found, Outcome};
use crate::opening::{bad_blocks, within};
use crate::order::Message;
use crate::pieces::{self, Cutter};
use crate::probe::Small;
use hashloom_manifest::{Piece, Record};
use hashloom_source::{Error, Meta, Reader};
use std::ops::Range;

/// A file in flight.
pub(crate) struct Flight {
    number: u64,
    path: Box<[u8]>,
    source: Source,
    read: u64,
    /// Its size, where a stream needs to know it.
    size: Option<u64>,
    whole: Option<Stream>,
    pieces: Option<Pieces>,
    /// This round's bytes, in the buffer that they were read into.
    range: Range<usize>,
    /// They are the file's last.
    last: bool,
}

/// Where a flight's bytes come from.
enum Source {
    /// More may come.
    Reader(Box<Reader>),
    /// All were read, of a file that held still; with what of it is zeros.
    Read(Meta, Box<[Piece]>),
}

impl Source {
    /// What of a range of the file could not be read and was hashed as zeros.
    fn bad_blocks(&self, range: Range<u64>) -> Box<[Piece]> {
        match self {
            Source::Reader(reader) => bad_blocks(reader, range),
            Source::Read(_, blocks) => within(blocks, &range),
        }
    }
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
        // Asking whether a size is true costs a system call.
        let size = (banks.wants_sizes() && reader.seekable()).then(|| reader.meta().size);
        Flight::start(number, path, Source::Reader(Box::new(reader)), size, wanted, banks)
    }

    /// A file that was read whole.
    pub(crate) fn whole(file: Small, wanted: Wanted, banks: &mut Banks) -> Self {
        let Small { number, path, meta, range, bad_blocks } = file;
        let (source, size) = (Source::Read(meta, bad_blocks), Some(range.len() as u64));
        let mut flight = Flight::start(number, path, source, size, wanted, banks);
        flight.took(range, true);
        flight
    }

    fn start(
        number: u64,
        path: Box<[u8]>,
        source: Source,
        size: Option<u64>,
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
        let whole = wanted.whole.then(|| banks.open(size));
        Flight { number, path, source, read: 0, size, whole, pieces, range: 0..0, last: false }
    }

    /// Reads into the buffer from `at` on, at most `room` bytes.
    pub(crate) fn read(&mut self, buffer: &mut [u8], at: usize, room: usize) -> Result<usize, Error> {
        let Source::Reader(reader) = &mut self.source else { return Ok(0) };
        let got = reader.read(&mut buffer[at..at + room])?;
        self.took(at..at + got, got < room);
        Ok(got)
    }

    /// Notes bytes that were read.
    fn took(&mut self, range: Range<usize>, last: bool) {
        self.read += range.len() as u64;
        self.range = range;
        self.last = last;
    }

    /// How many bytes this round has of it.
    pub(crate) fn bytes(&self) -> usize {
        self.range.len()
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
    pub(crate) fn feed<'a>(&'a self, buffer: &'a [u8], batch: &mut Vec<Feed<'a>>) {
        if let Some(stream) = &self.whole {
            batch.push(Feed { stream, bytes: &buffer[self.range.clone()], last: self.last });
        }
        let Some(pieces) = &self.pieces else { return };
        for (_, stream, ranges) in &pieces.closing {
            for (index, range) in ranges.iter().enumerate() {
                batch.push(Feed { stream, bytes: &buffer[range.clone()], last: index + 1 == ranges.len() });
            }
        }
        if let Some((_, stream)) = &pieces.open {
            let ranges = pieces.continuing.iter();
            batch.extend(ranges.map(|range| Feed { stream, bytes: &buffer[range.clone()], last: false }));
        }
    }

    /// Takes the digests of the pieces that ended in this round.
    pub(crate) fn close_pieces(&mut self, banks: &mut Banks) {
        let Some(pieces) = &mut self.pieces else { return };
        pieces.continuing.clear();
        for (piece, stream, _) in pieces.closing.drain(..) {
            let bad_blocks = self.source.bad_blocks(piece.offset..piece.offset + piece.length);
            let found = Found { digests: banks.close(stream), bad_blocks };
            pieces.done.push(pieces::record(&self.path, piece, found));
        }
    }

    /// Ends a file whose last bytes were hashed. Its digests count only if it held still.
    pub(crate) fn settle(self, banks: &mut Banks, messages: &mut Vec<Message>) {
        let bad_blocks = self.source.bad_blocks(0..u64::MAX);
        let (meta, checked) = match self.source {
            Source::Reader(reader) => (*reader.meta(), reader.finish(self.read)),
            Source::Read(meta, _) => (meta, Ok(())),
        };
        let digests = self.whole.map(|stream| banks.close(stream)).unwrap_or_default();
        let outcome = match checked {
            Ok(()) => {
                let pieces = self.pieces.map(|pieces| pieces.done).unwrap_or_default();
                if !pieces.is_empty() {
                    messages.push(Message::Pieces(self.number, pieces));
                }
                Outcome::hashed(self.path, self.read, meta, Found { digests, bad_blocks })
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
