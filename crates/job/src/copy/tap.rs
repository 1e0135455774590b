//! The bytes of files on their way from the engine to the writers of all destinations.

use super::message::{Message, StreamNumber};
use super::naming::{Name, Naming};
use super::room::Room;
use hashmill_digest::About;
use hashmill_engine::{Tap, TapStream};
use parking_lot::Mutex;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::mpsc::Sender;

/// The most bytes that go to the writers as one.
const AT_ONCE: usize = 1 << 20;

/// Passes the bytes of files on to the writers of all destinations.
#[derive(Debug)]
pub(super) struct Fan(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    naming: Naming,
    writers: Vec<Sender<Message>>,
    room: Arc<Room>,
    streams: Streams,
}

/// The streams of files that are read or were read, by their paths.
#[derive(Debug, Clone, Default)]
pub(super) struct Streams(Arc<Mutex<Numbers>>);

#[derive(Debug, Default)]
struct Numbers {
    last: u64,
    /// An archive may have several members of one path.
    of_paths: HashMap<Box<[u8]>, VecDeque<StreamNumber>>,
}

/// The bytes of one file.
struct Stream {
    number: StreamNumber,
    name: Option<Name>,
    size: Option<u64>,
    shared: Arc<Shared>,
    sent: Sent,
}

/// The messages about a file that the writers were sent. Each may wake all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sent {
    Nothing,
    /// A part of it.
    Part,
    /// All its bytes, by its size, and its end.
    Whole,
    /// Its end, after which nothing follows.
    End,
}

impl Fan {
    /// Makes a tap for these writers, with room for so many bytes that wait for them.
    pub(super) fn new(naming: Naming, writers: Vec<Sender<Message>>, most: usize, streams: Streams) -> Fan {
        let room = Room::new(most);
        Fan(Arc::new(Shared { naming, writers, room, streams }))
    }
}

impl Shared {
    fn send(&self, message: impl Fn() -> Message) {
        for writer in &self.writers {
            // A writer that is gone has said why.
            let _ = writer.send(message());
        }
    }
}

impl Streams {
    /// Returns the number of a new stream of a file.
    fn begin(&self, path: &[u8]) -> StreamNumber {
        let mut numbers = self.0.lock();
        numbers.last += 1;
        let number = StreamNumber(numbers.last);
        numbers.of_paths.entry(path.into()).or_default().push_back(number);
        number
    }

    /// Takes the stream of a file whose result is known; `None` if it was not read.
    pub(super) fn take(&self, path: &[u8]) -> Option<StreamNumber> {
        let of_paths = &mut self.0.lock().of_paths;
        let numbers = of_paths.get_mut(path)?;
        let first = numbers.pop_front();
        if numbers.is_empty() {
            of_paths.remove(path);
        }
        first
    }
}

impl Tap for Fan {
    fn open(&self, about: &About<'_>) -> Box<dyn TapStream> {
        let shared = Arc::clone(&self.0);
        let number = shared.streams.begin(about.path);
        let name = shared.naming.name(about.path);
        Box::new(Stream { number, name, size: about.size, shared, sent: Sent::Nothing })
    }
}

impl Stream {
    /// Sends all bytes of a file at once.
    fn send_whole(&mut self, bytes: &[u8]) {
        let held = self.shared.room.hold(bytes);
        self.shared.send(|| Message::Whole(self.number, self.name.clone(), Arc::clone(&held)));
        self.sent = Sent::Whole;
    }

    fn begin(&mut self) {
        if self.sent == Sent::Nothing {
            self.shared.send(|| Message::Begin(self.number, self.name.clone(), self.size));
        }
        self.sent = Sent::Part;
    }
}

impl TapStream for Stream {
    fn write(&mut self, bytes: &[u8]) {
        let is_whole = self.size == Some(bytes.len() as u64) && bytes.len() <= AT_ONCE;
        if self.sent == Sent::Nothing && is_whole {
            self.send_whole(bytes);
            return;
        }
        for bytes in bytes.chunks(AT_ONCE) {
            self.begin();
            let held = self.shared.room.hold(bytes);
            self.shared.send(|| Message::Bytes(self.number, Arc::clone(&held)));
        }
    }

    fn end(mut self: Box<Self>) {
        match self.sent {
            Sent::Nothing => self.send_whole(&[]),
            Sent::Part => self.shared.send(|| Message::End(self.number)),
            Sent::Whole | Sent::End => {}
        }
        self.sent = Sent::End;
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if !matches!(self.sent, Sent::Nothing | Sent::End) {
            self.shared.send(|| Message::Abandoned(self.number));
        }
    }
}
