//! The writer of a device: compares the bytes of the file with what is there as they come, and writes from the first difference on.

use super::super::answer::Answer;
use super::super::attributes::Lost;
use super::super::event::PlaceProgress;
use super::super::message::{CopiedEntry, EntryKind, Message, StreamNumber};
use super::super::naming::Name;
use hashmill_os::{read_exact_at, write_all_at};
use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{Receiver, SyncSender};

/// The text about entries that no device can hold.
const ONE_FILE: &str = "a device takes one file: name a file as the only source";

/// The state of the device: how far it is the file that is read.
enum Stage {
    /// All bytes so far were there already.
    Same(u64),
    /// So many bytes are those of the file, not all of which were there.
    Written(u64),
    /// It differs, and may not be written over.
    Kept,
    Failed(io::Error),
}

/// An entry on its way to its answer.
pub(super) enum Settled {
    /// It needs no reading.
    Done(Answer),
    /// The file is on the device, and was there before.
    Same(Arc<CopiedEntry>),
    /// The file was written onto the device, and all of it has reached the medium.
    Written(Arc<CopiedEntry>),
}

/// The writer of a device.
pub(super) struct DeviceWriter {
    device: Arc<File>,
    size: u64,
    is_forced: bool,
    /// The file that is being read.
    open: Option<(StreamNumber, Stage)>,
    /// Whether anything was written for a file whose result is awaited.
    is_touched: bool,
    next: SyncSender<Settled>,
    progress: Arc<PlaceProgress>,
}

impl DeviceWriter {
    pub(super) fn new(
        device: Arc<File>,
        size: u64,
        is_forced: bool,
        next: SyncSender<Settled>,
        progress: Arc<PlaceProgress>,
    ) -> DeviceWriter {
        DeviceWriter { device, size, is_forced, open: None, is_touched: false, next, progress }
    }

    /// Writes until no results follow. A device holds no properties, and none is counted as lost.
    pub(super) fn run(mut self, messages: &Receiver<Message>) -> Lost {
        for message in messages {
            match message {
                Message::Begin(number, name, size) => self.begin(number, name.as_ref(), size),
                Message::Whole(number, name, held) => {
                    self.begin(number, name.as_ref(), Some(held.bytes.len() as u64));
                    self.write(number, &held.bytes);
                }
                Message::Bytes(number, held) => self.write(number, &held.bytes),
                Message::Abandoned(number) => drop(self.take(number)),
                Message::Result(entry) => {
                    let settled = self.settle(entry);
                    // A reader that is gone has said why.
                    let _ = self.next.send(settled);
                }
                Message::End(_) => {}
                Message::Close => break,
            }
        }
        Lost::new()
    }

    /// Begins a file. Bytes of entries below the source have no place.
    fn begin(&mut self, number: StreamNumber, name: Option<&Name>, size: Option<u64>) {
        if name.is_some_and(|name| name.is_source) {
            self.open = Some((number, self.begun(size)));
        }
    }

    fn begun(&self, size: Option<u64>) -> Stage {
        match size.filter(|size| *size > self.size) {
            None => Stage::Same(0),
            Some(size) => {
                let room = self.size;
                Stage::Failed(io::Error::other(format!("the device has {room} bytes, the file {size}")))
            }
        }
    }

    fn take(&mut self, number: StreamNumber) -> Option<Stage> {
        self.open.take_if(|(open, _)| *open == number).map(|(_, stage)| stage)
    }

    fn write(&mut self, number: StreamNumber, bytes: &[u8]) {
        let Some(stage) = self.take(number) else { return };
        let stage = self.written(stage, bytes).unwrap_or_else(Stage::Failed);
        self.open = Some((number, stage));
    }

    /// Writes the next bytes of the file, unless they are there.
    fn written(&mut self, stage: Stage, bytes: &[u8]) -> io::Result<Stage> {
        let end = |at: u64| at + bytes.len() as u64;
        match stage {
            Stage::Same(at) if self.is_there(bytes, at)? => Ok(Stage::Same(end(at))),
            Stage::Same(_) if !self.is_forced => Ok(Stage::Kept),
            Stage::Same(at) | Stage::Written(at) => {
                self.is_touched = true;
                write_all_at(&self.device, bytes, at)?;
                self.progress.written.fetch_add(bytes.len() as u64, Relaxed);
                Ok(Stage::Written(end(at)))
            }
            other => Ok(other),
        }
    }

    /// Returns whether the device has these bytes at an offset.
    fn is_there(&self, bytes: &[u8], at: u64) -> io::Result<bool> {
        let mut there = vec![0; bytes.len()];
        match read_exact_at(&self.device, &mut there, at) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
            // Sectors that can't be read may still be written.
            Err(_) if self.is_forced => Ok(false),
            read => read.map(|()| there == bytes),
        }
    }

    fn settle(&mut self, entry: Arc<CopiedEntry>) -> Settled {
        let failed = |why: &str| Settled::Done(Answer::Failed(why.into()));
        let is_touched = std::mem::take(&mut self.is_touched);
        match &entry.kind {
            EntryKind::None(number) => {
                number.and_then(|number| self.take(number));
                match is_touched {
                    true => {
                        failed("its source could not be read whole, and a part of it is on the device now")
                    }
                    false => Settled::Done(Answer::Nothing),
                }
            }
            EntryKind::Lost(why) => failed(why),
            EntryKind::Done(_) | EntryKind::Link(_) | EntryKind::Folder => failed(ONE_FILE),
            EntryKind::File(file) => match self.take(file.stream) {
                Some(stage) => self.ended(stage, file.record.size, Arc::clone(&entry), is_touched),
                None => failed(ONE_FILE),
            },
        }
    }

    /// Brings the bytes of a file that was read whole onto the medium.
    fn ended(&self, stage: Stage, size: Option<u64>, entry: Arc<CopiedEntry>, is_touched: bool) -> Settled {
        let part = if is_touched { "; a part of it is on the device now" } else { "" };
        let failed = |why: &str| Settled::Done(Answer::Failed(format!("{why}{part}")));
        match stage {
            Stage::Same(at) if Some(at) == size => Settled::Same(entry),
            Stage::Written(at) if Some(at) == size => match self.device.sync_all() {
                Ok(()) => Settled::Written(entry),
                Err(error) => failed(&error.to_string()),
            },
            Stage::Same(_) | Stage::Written(_) => failed("not all of its bytes came"),
            Stage::Kept => Settled::Done(Answer::Kept("the device has other content".into())),
            Stage::Failed(error) => failed(&error.to_string()),
        }
    }
}
