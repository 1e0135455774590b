//! A file in flight: partly or wholly read, with its streams open in a worker's hashers.

use crate::Plan;
use crate::event::{EntryResult, Hashed, Read, piece_record};
use crate::hash::{Cutter, Feed, Hashers, StreamSlots};
use crate::read::{FileMap, MappedFile, ReadMethod, bad_blocks, within};
use crate::task::{Message, SmallFile};
use hashmill_digest::About;
use hashmill_manifest::{Piece, Record};
use hashmill_source::{Error, Reader};
use std::ops::Range;

pub(super) struct Flight {
    number: u64,
    path: Box<[u8]>,
    source: Source,
    read: u64,
    /// The size, if the hashers want to know it.
    size: Option<u64>,
    whole: Option<StreamSlots>,
    pieces: Option<Pieces>,
    /// This round's bytes, in the buffer or the map.
    range: Range<usize>,
    from_map: bool,
    /// They are the file's last bytes.
    last: bool,
}

/// The source of a flight's bytes.
enum Source {
    /// A reader that may have more bytes.
    Reader(Box<Reader>),
    /// A reader of a file that is mapped.
    Mapped(Box<(Reader, FileMap)>),
    /// A small file that was read whole, with the parts that are zeros.
    Read(Read, Box<[Piece]>),
}

impl Source {
    /// Returns the parts of a range of the file that could not be read and were hashed as zeros.
    fn bad_blocks(&self, range: Range<u64>) -> Box<[Piece]> {
        match self {
            Source::Reader(reader) => bad_blocks(reader, range),
            Source::Mapped(_) => Box::default(),
            Source::Read(_, blocks) => within(blocks, &range),
        }
    }
}

/// The pieces of a file in flight.
struct Pieces {
    cutter: Cutter,
    open: Option<(Piece, StreamSlots)>,
    /// This round's ranges that end a piece, in order; then those of the open piece.
    closing: Vec<(Piece, StreamSlots, Vec<Range<usize>>)>,
    continuing: Vec<Range<usize>>,
    done: Vec<Record>,
}

impl Flight {
    pub(super) fn new(
        number: u64,
        path: Box<[u8]>,
        reader: Reader,
        map: Option<FileMap>,
        plan: &Plan,
        hashers: &mut Hashers,
    ) -> Self {
        // Checking whether the size is true costs a system call.
        let size = (hashers.wants_sizes() && reader.seekable()).then(|| reader.meta().size);
        let source = match map {
            Some(map) => Source::Mapped(Box::new((reader, map))),
            None => Source::Reader(Box::new(reader)),
        };
        Flight::start(number, path, source, size, plan, hashers)
    }

    /// Creates a flight of a small mapped file, with all its bytes in this round.
    pub(super) fn mapped(file: MappedFile, plan: &Plan, hashers: &mut Hashers) -> Self {
        let MappedFile { number, path, reader, map } = file;
        let (bytes, size) = (map.len(), Some(map.len() as u64));
        map.touch(bytes);
        let source = Source::Mapped(Box::new((reader, map)));
        let mut flight = Flight::start(number, path, source, size, plan, hashers);
        flight.from_map = true;
        flight.took(0..bytes);
        flight.last = true;
        flight
    }

    /// Creates a flight of a file that was read whole.
    pub(super) fn whole(file: SmallFile, plan: &Plan, hashers: &mut Hashers) -> Self {
        let SmallFile { number, path, read, range, bad_blocks } = file;
        let (source, size) = (Source::Read(read, bad_blocks), Some(range.len() as u64));
        let mut flight = Flight::start(number, path, source, size, plan, hashers);
        flight.took(range);
        flight.last = true;
        flight
    }

    fn start(
        number: u64,
        path: Box<[u8]>,
        source: Source,
        size: Option<u64>,
        plan: &Plan,
        hashers: &mut Hashers,
    ) -> Self {
        let pieces = plan.piece.map(|size| Pieces {
            cutter: Cutter::new(size.get()),
            open: None,
            closing: Vec::new(),
            continuing: Vec::new(),
            done: Vec::new(),
        });
        let whole = plan.whole.then(|| hashers.open(&About::file(&path, size)));
        Flight {
            number,
            path,
            source,
            read: 0,
            size,
            whole,
            pieces,
            range: 0..0,
            from_map: false,
            last: false,
        }
    }

    /// Reads at most `room` bytes into the buffer at `at`, or takes as many from the map, which need no room. Returns
    /// the room taken. `turn` is the way for files on trial.
    pub(super) fn read(
        &mut self,
        buffer: &mut [u8],
        at: usize,
        room: usize,
        turn: ReadMethod,
    ) -> Result<usize, Error> {
        let got = match &mut self.source {
            Source::Read(..) => return Ok(0),
            Source::Reader(reader) => reader.read(&mut buffer[at..at + room])?,
            Source::Mapped(mapped) => {
                let (reader, map) = &**mapped;
                self.from_map = map.way(turn) == ReadMethod::Mapped;
                if self.from_map {
                    // A file that grew was read beyond its map; its end shows that.
                    let start = usize::try_from(self.read).unwrap_or(usize::MAX).min(map.len());
                    let end = start.saturating_add(room).min(map.len());
                    let last = end == map.len();
                    map.touch(end - start);
                    self.took(start..end);
                    self.last = last;
                    return Ok(0);
                }
                reader.read_at(self.read, &mut buffer[at..at + room])?
            }
        };
        self.took(at..at + got);
        self.last = got < room;
        Ok(got)
    }

    /// Returns the map, if there is one.
    pub(super) fn map(&self) -> Option<&FileMap> {
        match &self.source {
            Source::Mapped(mapped) => Some(&mapped.1),
            Source::Reader(_) | Source::Read(..) => None,
        }
    }

    /// Returns the buffer or map that has this round's bytes.
    fn base<'a>(&'a self, buffer: &'a [u8]) -> &'a [u8] {
        match self.map() {
            Some(map) if self.from_map => map,
            _ => buffer,
        }
    }

    /// After hashing bytes that are not the last: checks that the map had the bytes, and gives back its pages.
    pub(super) fn check(&self) -> Result<(), Error> {
        let Source::Mapped(mapped) = &self.source else { return Ok(()) };
        let (reader, map) = &**mapped;
        reader.check_map(map)?;
        let end = usize::try_from(self.read).unwrap_or(usize::MAX);
        let size = map.window();
        let window = end / size * size;
        if window > end.saturating_sub(self.range.len()) {
            map.release(window - size..window);
        }
        Ok(())
    }

    /// Sets this round's bytes.
    fn took(&mut self, range: Range<usize>) {
        self.read += range.len() as u64;
        self.range = range;
    }

    /// Returns the number of bytes in this round.
    pub(super) fn bytes(&self) -> usize {
        self.range.len()
    }

    /// Whether it is a small file that was read in one go.
    pub(super) fn is_whole(&self) -> bool {
        matches!(self.source, Source::Read(..))
    }

    pub(super) fn is_last(&self) -> bool {
        self.last
    }

    /// Opens a stream for every piece that starts in this round.
    pub(super) fn cut(&mut self, hashers: &mut Hashers) {
        let Some(pieces) = &mut self.pieces else { return };
        for cut in pieces.cutter.cut(self.range.len(), self.last) {
            let range = self.range.start + cut.range.start..self.range.start + cut.range.end;
            pieces.continuing.push(range);
            let open = pieces.open.take().map(|(_, stream)| stream);
            let stream = open.unwrap_or_else(|| {
                let expected = pieces.cutter.expected(cut.piece, self.size);
                hashers.open(&About::sized(expected))
            });
            if cut.ends {
                pieces.closing.push((cut.piece, stream, std::mem::take(&mut pieces.continuing)));
            } else {
                pieces.open = Some((cut.piece, stream));
            }
        }
    }

    /// Adds this round's bytes, for the stream of the whole file and for those of pieces.
    pub(super) fn feed<'a>(&'a self, buffer: &'a [u8], batch: &mut Vec<Feed<'a>>) {
        let buffer = self.base(buffer);
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
    pub(super) fn close_pieces(&mut self, hashers: &mut Hashers) {
        let Some(pieces) = &mut self.pieces else { return };
        pieces.continuing.clear();
        for (piece, stream, _) in pieces.closing.drain(..) {
            let bad_blocks = self.source.bad_blocks(piece.offset..piece.offset + piece.length);
            let hashed = Hashed { digests: hashers.close(stream), bad_blocks };
            pieces.done.push(piece_record(&self.path, piece, hashed));
        }
    }

    /// Ends a file after its last bytes were hashed. Its digests count only if it did not change.
    pub(super) fn finish(self, plan: &Plan, hashers: &mut Hashers, messages: &mut Vec<Message>) {
        let bad_blocks = self.source.bad_blocks(0..u64::MAX);
        let (file, checked) = match self.source {
            Source::Reader(reader) => (Read::from_reader(&reader), reader.finish(self.read)),
            Source::Mapped(mapped) => {
                let (reader, map) = *mapped;
                (Read::from_reader(&reader), reader.check_map(&map).and_then(|()| reader.finish(self.read)))
            }
            Source::Read(read, _) => (read, Ok(())),
        };
        let refused = plan.refuses(self.read).filter(|_| plan.whole);
        let refused = refused.map(|problem| Error { path: self.path.clone(), problem });
        let checked = checked.and_then(|()| refused.map_or(Ok(()), Err));
        let digests = self.whole.map(|stream| hashers.close(stream)).unwrap_or_default();
        let outcome = match checked {
            Ok(()) => {
                let pieces = self.pieces.map(|pieces| pieces.done).unwrap_or_default();
                if !pieces.is_empty() {
                    messages.push(Message::Pieces(self.number, pieces));
                }
                EntryResult::hashed(self.path, self.read, file, Hashed { digests, bad_blocks })
            }
            Err(error) => EntryResult::failed(error),
        };
        messages.push(Message::Done(self.number, outcome));
    }

    /// Ends a file that could not be read further.
    pub(super) fn fail(self, error: Error, hashers: &mut Hashers, messages: &mut Vec<Message>) {
        messages.push(Message::Done(self.number, EntryResult::failed(error)));
        self.abandon(hashers);
    }

    fn abandon(self, hashers: &mut Hashers) {
        let open = self.pieces.and_then(|pieces| pieces.open).map(|(_, stream)| stream);
        for stream in self.whole.into_iter().chain(open) {
            hashers.abandon(stream);
        }
    }
}
