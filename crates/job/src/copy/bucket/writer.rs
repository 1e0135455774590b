//! The writer of a destination in a store: a thread that collects the bytes of small files and sends those of large ones in parts.

use super::super::answer::Answer;
use super::super::attributes::Lost;
use super::super::event::PlaceProgress;
use super::super::message::{CopiedEntry, EntryKind, Message, StreamNumber};
use super::super::naming::Name;
use super::super::room::Room;
use super::buffer::{Buffer, Waiting};
use super::crew::Crew;
use super::keys::Keys;
use super::parts::{Parts, part_of};
use super::settle::{Bucket, Payload, ReadFile, Settled};
use super::there::{Known, There};
use hashmill_digest::{find, hash};
use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{Receiver, SyncSender, channel};

/// The way of entries to their answers, in the order of the walk.
pub(super) type Next = SyncSender<(Arc<CopiedEntry>, Receiver<Settled>)>;

/// The digest of a key, which stands for it.
type KeyDigest = [u8; 16];

/// A file whose bytes come.
enum Sending {
    /// An object is there, which stays in any case.
    Left(Box<[u8]>, Known),
    Collected(Box<Collected>),
    Failed(String),
}

struct Collected {
    key: Box<[u8]>,
    known: Known,
    buffer: Buffer,
    /// The length of a part.
    part: usize,
    /// The parts that were sent; `None` if all bytes are in the buffer.
    parts: Option<Parts>,
    has_ended: bool,
}

/// The writer of a destination.
pub(super) struct BucketWriter {
    bucket: Arc<Bucket>,
    keys: Arc<Keys>,
    crew: Arc<Crew>,
    /// The room for bytes on their way.
    room: Arc<Room>,
    waiting: Waiting,
    there: There,
    open: HashMap<StreamNumber, Sending>,
    /// The keys of this run, as one object could take the place of another: not every store refuses that. Each takes some 30
    /// bytes.
    written: HashSet<KeyDigest>,
    next: Next,
    progress: Arc<PlaceProgress>,
}

impl BucketWriter {
    pub(super) fn new(
        bucket: Arc<Bucket>,
        keys: Arc<Keys>,
        crew: Arc<Crew>,
        memory: usize,
        next: Next,
        progress: Arc<PlaceProgress>,
    ) -> BucketWriter {
        let there = There::nothing();
        let (room, waiting) = (Room::new(memory), Waiting::new(memory));
        let (open, written) = (HashMap::new(), HashSet::new());
        BucketWriter { bucket, keys, crew, room, waiting, there, open, written, next, progress }
    }

    /// Writes until no results follow. Uploads that are not complete then are given up.
    pub(super) fn run(mut self, messages: &Receiver<Message>) -> Lost {
        match There::list(&self.bucket.store, &self.keys) {
            Ok(there) => self.there = there,
            Err(error) => return refuse(messages, &self.next, &error.cause.to_string()),
        }
        for message in messages {
            match message {
                Message::Begin(number, name, size) => self.begin(number, name.as_ref(), size),
                Message::Whole(number, name, held) => {
                    self.begin(number, name.as_ref(), Some(held.bytes.len() as u64));
                    self.push(number, &held.bytes);
                    self.change(number, BucketWriter::ended);
                }
                Message::Bytes(number, held) => self.push(number, &held.bytes),
                Message::End(number) => self.change(number, BucketWriter::ended),
                Message::Abandoned(number) => self.give_up(number),
                Message::Result(entry) => self.settle(entry),
                Message::Close => break,
            }
        }
        let open: Vec<StreamNumber> = self.open.keys().copied().collect();
        open.into_iter().for_each(|number| self.give_up(number));
        Lost::new()
    }

    fn begin(&mut self, number: StreamNumber, name: Option<&Name>, size: Option<u64>) {
        let begun = self.begun(name, size);
        self.open.insert(number, begun);
    }

    fn push(&mut self, number: StreamNumber, bytes: &[u8]) {
        self.change(number, |this, sending| this.pushed(sending, bytes));
    }

    fn begun(&self, name: Option<&Name>, size: Option<u64>) -> Sending {
        let Some(name) = name else { return Sending::Failed("it belongs to no source".into()) };
        let key = self.keys.key(name);
        if let Some(why) = self.keys.refusal_of(&self.bucket.store, &key) {
            return Sending::Failed(why.into());
        }
        match self.there.find(&key) {
            known @ Known::There(_) if !self.bucket.is_forced => Sending::Left(key, known),
            known => Sending::Collected(Box::new(Collected {
                key,
                known,
                buffer: Buffer::default(),
                part: part_of(size),
                parts: None,
                has_ended: false,
            })),
        }
    }

    /// Changes the state of a file.
    fn change(
        &mut self,
        number: StreamNumber,
        change: impl FnOnce(&mut BucketWriter, Collected) -> io::Result<Collected>,
    ) {
        let changed = match self.open.remove(&number) {
            Some(Sending::Collected(collected)) => match change(self, *collected) {
                Ok(collected) => Sending::Collected(Box::new(collected)),
                Err(error) => Sending::Failed(error.to_string()),
            },
            Some(other) => other,
            None => return,
        };
        self.open.insert(number, changed);
    }

    /// Takes the next bytes of a file. A full part is sent when more bytes come: a file that is no longer than a part is sent
    /// whole.
    fn pushed(&mut self, mut collected: Collected, mut bytes: &[u8]) -> io::Result<Collected> {
        self.progress.written.fetch_add(bytes.len() as u64, Relaxed);
        while !bytes.is_empty() {
            if collected.buffer.len() >= collected.part {
                self.send_part(&mut collected)?;
            }
            let room = collected.part - collected.buffer.len();
            let (now, then) = bytes.split_at(room.min(bytes.len()));
            collected.buffer.push(now, &mut self.waiting)?;
            bytes = then;
        }
        Ok(collected)
    }

    /// Takes the end of a file. Its result may be far, so one for which there was no memory goes to the store, as a part that
    /// nobody sees.
    fn ended(&mut self, mut collected: Collected) -> io::Result<Collected> {
        collected.has_ended = true;
        if !collected.buffer.is_in_memory() {
            self.send_part(&mut collected)?;
        }
        Ok(collected)
    }

    /// Sends what is in the buffer of a file as a part.
    fn send_part(&mut self, collected: &mut Collected) -> io::Result<()> {
        let space = self.room.take(collected.buffer.len());
        let bytes = collected.buffer.take(&mut self.waiting)?;
        let parts = collected.parts.get_or_insert_with(|| Parts::new(&self.bucket.store, &collected.key));
        let (upload, number) = parts.next();
        parts.note(self.crew.give(move || {
            let sent = upload.send(number, bytes);
            drop(space);
            sent
        }));
        Ok(())
    }

    /// Gives up a file that is not copied.
    fn give_up(&mut self, number: StreamNumber) {
        let Some(Sending::Collected(collected)) = self.open.remove(&number) else { return };
        collected.buffer.discard(&mut self.waiting);
        if let Some(parts) = collected.parts {
            drop(self.crew.give(|| parts.abort()));
        }
    }

    /// Takes the result of an entry.
    fn settle(&mut self, entry: Arc<CopiedEntry>) {
        let settled = match &entry.kind {
            EntryKind::File(file) => match self.job(file.stream, &entry) {
                Ok(job) => {
                    let bucket = Arc::clone(&self.bucket);
                    self.crew.give(move || bucket.settle(job))
                }
                Err(why) => known(Answer::Failed(why).into()),
            },
            EntryKind::None(number) => {
                number.iter().for_each(|number| self.give_up(*number));
                known(Answer::Nothing.into())
            }
            kind => known(without_bytes(kind).into()),
        };
        // A reporter that is gone has said why.
        let _ = self.next.send((entry, settled));
    }

    /// Returns what is to be done with a file that was read whole.
    fn job(&mut self, stream: StreamNumber, entry: &Arc<CopiedEntry>) -> Result<ReadFile, String> {
        let collected = match self.open.remove(&stream) {
            Some(Sending::Left(key, known)) => {
                return Ok(ReadFile { key, entry: Arc::clone(entry), known, payload: Payload::Left });
            }
            Some(Sending::Collected(collected)) if collected.has_ended => *collected,
            Some(Sending::Failed(why)) => return Err(why),
            other => {
                other.into_iter().for_each(|sending| drop(self.open.insert(stream, sending)));
                self.give_up(stream);
                return Err("not all of its bytes came".into());
            }
        };
        if !self.written.insert(digest_of(&collected.key)) {
            self.open.insert(stream, Sending::Collected(Box::new(collected)));
            self.give_up(stream);
            return Err("another file of this run has its key".into());
        }
        let (key, known) = (collected.key.clone(), collected.known);
        let collected = Collected { known: Known::Unasked, ..collected };
        let payload = self.payload(collected).map_err(|error| error.to_string())?;
        Ok(ReadFile { key, entry: Arc::clone(entry), known, payload })
    }

    fn payload(&mut self, mut collected: Collected) -> io::Result<Payload> {
        if collected.parts.is_some() && collected.buffer.len() > 0 {
            self.send_part(&mut collected)?;
        }
        match collected.parts {
            Some(parts) => Ok(Payload::Parts(parts)),
            None => {
                let space = self.room.take(collected.buffer.len());
                Ok(Payload::Whole(collected.buffer.take(&mut self.waiting)?, space))
            }
        }
    }
}

fn digest_of(key: &[u8]) -> KeyDigest {
    let digest = find("blake3").map(|blake3| hash(blake3, key));
    let first = digest.ok().and_then(|digest| digest.as_bytes()[..16].try_into().ok());
    first.unwrap_or_default()
}

/// Returns the answer for an entry without bytes.
fn without_bytes(kind: &EntryKind) -> Answer {
    match kind {
        EntryKind::Link(_) => Answer::Omitted("symbolic links"),
        EntryKind::Folder => Answer::Omitted("empty folders"),
        EntryKind::Lost(why) => Answer::Failed((*why).into()),
        EntryKind::Done(_) => Answer::Same,
        EntryKind::File(_) | EntryKind::None(_) => Answer::Nothing,
    }
}

/// Returns a result that is known.
fn known(settled: Settled) -> Receiver<Settled> {
    let (sender, receiver) = channel();
    // It waits in the channel.
    let _ = sender.send(settled);
    receiver
}

/// Answers for all entries that nothing can be written, for one reason. Returns no lost properties.
pub(super) fn refuse(messages: &Receiver<Message>, next: &Next, why: &str) -> Lost {
    for message in messages {
        let entry = match message {
            Message::Result(entry) => entry,
            Message::Close => break,
            _ => continue,
        };
        let settled = match &entry.kind {
            EntryKind::File(_) => Settled { answer: Answer::Failed(why.into()), late: None, is_common: true },
            kind => without_bytes(kind).into(),
        };
        if next.send((entry, known(settled))).is_err() {
            break;
        }
    }
    Lost::new()
}
