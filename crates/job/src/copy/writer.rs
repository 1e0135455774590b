//! The writer of one destination: a thread that writes files as their bytes come, and passes those that are on the disk on.

use super::answer::Answer;
use super::attributes::{self, Lost, PropertySource, count_lost};
use super::below::ends_all;
use super::event::PlaceProgress;
use super::folder::CopyFolder;
use super::message::{Copied, CopiedEntry, CopiedFile, EntryKind, Message, StreamNumber};
use super::naming::Name;
use super::open_files::OpenFiles;
use super::patience::patiently;
use super::sparse::Sparse;
use super::sync::{ToSync, WrittenCopy};
use hashmill_os::error::is_too_many_open;
use hashmill_os::names::path_to_try;
use hashmill_os::{Attribute, Spot, read_exact_at};
use hashmill_output::Unfinished;
use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::time::{Duration, Instant};

/// How long files wait for others to be brought onto the disk together.
const WAIT: Duration = Duration::from_millis(50);
/// The bytes from which on the files that wait are brought onto the disk.
const MOST_BYTES: u64 = 64 << 20;

/// The most bytes that are copied at once from a file that is replaced.
const AT_ONCE: usize = 1 << 20;

/// A file that is being written.
enum Writing {
    New(Box<NewFile>),
    /// All bytes came, and more files are open than may be: it is opened again for its name.
    Closed(Unfinished, u64),
    /// A file is there already; it is compared with the digests.
    Old(Spot),
    /// A file is there already and may be replaced; its bytes are compared as they come.
    Compared(Compared),
    Failed(io::Error),
}

/// A file that is there, of which all bytes so far are those of the source.
struct Compared {
    place: Spot,
    file: File,
    at: u64,
}

/// A file with all its bytes and properties.
struct Written {
    file: File,
    unfinished: Unfinished,
    /// The number of bytes that were written.
    written: u64,
    /// The properties that it lacks.
    lost: Vec<Attribute>,
}

struct NewFile {
    file: File,
    unfinished: Unfinished,
    sparse: Sparse,
    has_ended: bool,
}

/// The writer of one destination.
pub(super) struct Writer {
    folder: Arc<CopyFolder>,
    open: HashMap<StreamNumber, Writing>,
    /// Copies in the order of the walk that are not known to be on the disk.
    waiting: Vec<WrittenCopy>,
    /// The time since which the first of them waits.
    since: Option<Instant>,
    files: usize,
    bytes: u64,
    most: OpenFiles,
    next: ToSync,
    progress: Arc<PlaceProgress>,
    lost: Lost,
    /// The error after which nothing more can be written.
    full: Option<String>,
}

impl Writer {
    pub(super) fn new(
        folder: Arc<CopyFolder>,
        most: OpenFiles,
        next: ToSync,
        progress: Arc<PlaceProgress>,
    ) -> Writer {
        let (open, waiting, lost) = (HashMap::new(), Vec::new(), Lost::new());
        let (since, full) = (None, None);
        Writer { folder, open, waiting, since, files: 0, bytes: 0, most, next, progress, lost, full }
    }

    /// Writes until no results follow. Returns the properties that copies lack.
    pub(super) fn run(mut self, messages: &Receiver<Message>) -> Lost {
        loop {
            let message = match self.since {
                None => messages.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(since) => messages.recv_timeout(WAIT.saturating_sub(since.elapsed())),
            };
            match message {
                Ok(Message::Close) | Err(RecvTimeoutError::Disconnected) => break,
                Ok(message) => self.take(message),
                Err(RecvTimeoutError::Timeout) => {}
            }
            // The bytes of a long file may come for hours without a pause.
            let is_due = self.since.is_some_and(|since| since.elapsed() >= WAIT);
            if is_due || self.files >= self.most.waiting || self.bytes >= MOST_BYTES {
                self.pass_on();
            }
        }
        self.pass_on();
        self.lost
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::Begin(number, name, _) => self.begin(number, name.as_ref()),
            Message::Whole(number, name, held) => {
                self.begin(number, name.as_ref());
                self.write(number, &held.bytes);
                self.end(number);
            }
            Message::Bytes(number, held) => self.write(number, &held.bytes),
            Message::End(number) => self.end(number),
            Message::Abandoned(number) => drop(self.open.remove(&number)),
            Message::Result(entry) => {
                let copied = self.result(&entry);
                self.waiting.push(copied);
                self.since.get_or_insert_with(Instant::now);
            }
            Message::Close => {}
        }
    }

    fn begin(&mut self, number: StreamNumber, name: Option<&Name>) {
        let begun = self.begun(name).unwrap_or_else(Writing::Failed);
        self.open.insert(number, begun);
    }

    fn begun(&mut self, name: Option<&Name>) -> io::Result<Writing> {
        if let Some(why) = &self.full {
            return Err(io::Error::other(why.clone()));
        }
        let name = name.ok_or_else(|| io::Error::other("it belongs to no source"))?;
        let place = self.folder.place(name)?;
        if !self.folder.is_there(&place)? {
            return self.create(&place).map(Writing::New);
        }
        Ok(match self.folder.is_forced() {
            false => Writing::Old(place),
            true => Writing::Compared(Compared { file: patiently(|| place.open_now())?, place, at: 0 }),
        })
    }

    /// Creates a file. Where too many are open, those whose bytes all came are closed first: nobody else closes them while
    /// this thread waits.
    fn create(&mut self, place: &Spot) -> io::Result<Box<NewFile>> {
        let (file, unfinished) = match self.folder.create(place) {
            Err(error) if is_too_many_open(&error) => {
                self.close_ended();
                self.pass_on();
                patiently(|| self.folder.create(place))?
            }
            created => created?,
        };
        Ok(Box::new(NewFile { file, unfinished, sparse: Sparse::default(), has_ended: false }))
    }

    /// Closes the files whose bytes all came. They are opened again for their names.
    fn close_ended(&mut self) {
        for writing in self.open.values_mut() {
            let nothing = Writing::Failed(io::ErrorKind::NotFound.into());
            *writing = match std::mem::replace(writing, nothing) {
                Writing::New(new) if new.has_ended => (*new).close(),
                other => other,
            };
        }
    }

    fn write(&mut self, number: StreamNumber, bytes: &[u8]) {
        let Some(writing) = self.open.remove(&number) else { return };
        let writing = self.written(writing, bytes).unwrap_or_else(Writing::Failed);
        self.open.insert(number, writing);
    }

    /// Writes the next bytes of a file.
    fn written(&mut self, writing: Writing, bytes: &[u8]) -> io::Result<Writing> {
        match writing {
            Writing::New(mut new) => {
                new.sparse.write(&new.file, bytes)?;
                self.progress.written.fetch_add(bytes.len() as u64, Relaxed);
                Ok(Writing::New(new))
            }
            Writing::Compared(old) => match old.has_next(bytes)? {
                true => Ok(Writing::Compared(Compared { at: old.at + bytes.len() as u64, ..old })),
                false => {
                    let new = self.replace(&old)?;
                    self.written(Writing::New(new), bytes)
                }
            },
            other => Ok(other),
        }
    }

    /// Begins a file in the place of one that begins with the same bytes.
    fn replace(&mut self, old: &Compared) -> io::Result<Box<NewFile>> {
        let mut new = self.create(&old.place)?;
        let mut buffer = vec![0; AT_ONCE];
        let mut at = 0;
        while at < old.at {
            let length = usize::try_from(old.at - at).map_or(AT_ONCE, |rest| rest.min(AT_ONCE));
            read_exact_at(&old.file, &mut buffer[..length], at)?;
            new.sparse.write(&new.file, &buffer[..length])?;
            at += length as u64;
        }
        Ok(new)
    }

    fn end(&mut self, number: StreamNumber) {
        let Some(writing) = self.open.remove(&number) else { return };
        let writing = self.ended(writing).unwrap_or_else(Writing::Failed);
        self.open.insert(number, writing);
    }

    fn ended(&mut self, writing: Writing) -> io::Result<Writing> {
        match writing {
            Writing::New(mut new) => {
                new.sparse.end(&new.file)?;
                new.has_ended = true;
                Ok(if self.open.len() < self.most.ended { Writing::New(new) } else { (*new).close() })
            }
            Writing::Compared(old) if old.file.metadata()?.len() == old.at => Ok(Writing::Old(old.place)),
            Writing::Compared(old) => {
                let new = self.replace(&old)?;
                self.ended(Writing::New(new))
            }
            other => Ok(other),
        }
    }

    /// Takes the result of an entry, and returns its copy.
    fn result(&mut self, entry: &Arc<CopiedEntry>) -> (Option<File>, Copied) {
        let copied = match (&entry.kind, &entry.name) {
            (EntryKind::None(number), _) => {
                number.iter().for_each(|number| drop(self.open.remove(number)));
                Ok(Copied::Done(Answer::Nothing))
            }
            (EntryKind::Done(_), _) => Ok(Copied::Done(Answer::Same)),
            (EntryKind::Lost(why), _) => Err(io::Error::other(*why)),
            (_, None) => Err(io::Error::other("it belongs to no source")),
            (EntryKind::Folder, Some(name)) => self.folder.make(&name.below).map(Copied::Done),
            (EntryKind::Link(target), Some(name)) => self.folder.link(name, target).map(Copied::Done),
            (EntryKind::File(file), Some(_)) => match self.file(file, entry) {
                Ok((written, copied)) => return (written, copied),
                Err(error) => Err(error),
            },
        };
        let copied = copied.unwrap_or_else(|error| {
            if ends_all(&error) {
                self.full.get_or_insert_with(|| error.to_string());
            }
            Copied::Done(Answer::Failed(error.to_string()))
        });
        (None, copied)
    }

    /// Gives a file that was read whole its properties, and returns its copy.
    fn file(&mut self, file: &CopiedFile, entry: &Arc<CopiedEntry>) -> io::Result<(Option<File>, Copied)> {
        let written = match self.open.remove(&file.stream) {
            Some(Writing::New(new)) if new.has_ended => {
                let NewFile { file: written, unfinished, sparse, .. } = *new;
                let lost = give(&file.origin, &unfinished, &written)?;
                Written { file: written, unfinished, written: sparse.written(), lost }
            }
            Some(Writing::Closed(unfinished, written)) => {
                let (file, lost) = reopened(&file.origin, &unfinished)?;
                Written { file, unfinished, written, lost }
            }
            Some(Writing::Old(place)) => return Ok((None, Copied::Old(place, Arc::clone(entry)))),
            Some(Writing::Failed(error)) => return Err(error),
            Some(Writing::New(_) | Writing::Compared(_)) | None => {
                return Err(io::Error::other("not all of its bytes came"));
            }
        };
        Ok(self.passed(written, entry))
    }

    /// Takes a file that is written as one that waits to be brought onto the disk.
    fn passed(&mut self, written: Written, entry: &Arc<CopiedEntry>) -> (Option<File>, Copied) {
        count_lost(&mut self.lost, &written.lost);
        self.files += 1;
        self.bytes += written.written;
        (Some(written.file), Copied::New(written.unfinished, Arc::clone(entry)))
    }

    /// Passes the files that wait on, to be brought onto the disk.
    fn pass_on(&mut self) {
        if !self.waiting.is_empty() {
            // A thread that is gone has said why.
            let _ = self.next.send(std::mem::take(&mut self.waiting));
        }
        (self.files, self.bytes, self.since) = (0, 0, None);
    }
}

impl Compared {
    /// Returns whether these are the next bytes of the file.
    fn has_next(&self, bytes: &[u8]) -> io::Result<bool> {
        let mut there = vec![0; bytes.len()];
        match read_exact_at(&self.file, &mut there, self.at) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
            read => read.map(|()| there == bytes),
        }
    }
}

/// Passes the files of sources on as what was there before, to be read a second time.
pub(super) fn pass_sources(messages: &Receiver<Message>, next: &SyncSender<Copied>) {
    for message in messages {
        let entry = match message {
            Message::Result(entry) => entry,
            Message::Close => return,
            _ => continue,
        };
        let copied = match entry.file().map(|file| &file.origin) {
            Some(PropertySource::File(path, _)) => {
                Copied::Old((&*path_to_try(path)).into(), Arc::clone(&entry))
            }
            _ => Copied::Done(Answer::Nothing),
        };
        if next.send(copied).is_err() {
            return;
        }
    }
}

impl NewFile {
    /// Closes a file that is written.
    fn close(self) -> Writing {
        Writing::Closed(self.unfinished, self.sparse.written())
    }
}

/// Gives a copy the properties of its source, or those of a new file.
fn give(origin: &PropertySource, unfinished: &Unfinished, file: &File) -> io::Result<Vec<Attribute>> {
    unfinished.publish(file)?;
    attributes::give(origin, file)
}

/// Opens a file again that was closed, and gives it its properties. Another one in its place gets no name.
fn reopened(origin: &PropertySource, unfinished: &Unfinished) -> io::Result<(File, Vec<Attribute>)> {
    let file = patiently(|| unfinished.spot().open_to_change())?;
    let lost = give(origin, unfinished, &file)?;
    Ok((file, lost))
}
