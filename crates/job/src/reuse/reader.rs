//! The thread that reads an earlier manifest.

use super::facts::FileFacts;
use super::store::Filler;
use super::{Reuse, content};
use crate::error::Error;
use hashmill_content::output::WriteError;
use hashmill_digest::Algorithm;
use hashmill_engine::Cancel;
use hashmill_facts::{FactSet, Signatures};
use hashmill_lists::listing::name_of;
use hashmill_manifest::format::{Hint, Malformed, Opened, Unusable};
use hashmill_manifest::{Record, Status};
use hashmill_os::names;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

/// The records of a manifest have no metadata, so nothing shows whether files changed.
const NO_METADATA: &str = "nothing in it shows whether files changed since; \"hashmill hash --metadata -f jsonl\" writes a \
                           manifest that can be reused";

/// The most hashed files without metadata at the start of a manifest before it is refused. Others have a few: standard
/// input, files in images.
const WITHOUT_METADATA: u64 = 1 << 16;

/// The number of records after which the reader checks for cancellation.
const CANCEL_CHECK: u64 = 1024;

/// The findings of the reader.
#[derive(Default)]
pub(super) struct ReadNotes {
    /// Records that lack a digest of this run, and those that lack a fact.
    pub(super) lacking: u64,
    pub(super) factless: u64,
    /// Parts that can't be parsed, and the first of them.
    pub(super) malformed: u64,
    pub(super) first_malformed: Option<Malformed>,
    /// The reason why not all records could be kept.
    pub(super) failed: Option<WriteError>,
    /// The thread, until its end was waited for.
    pub(super) thread: Option<thread::JoinHandle<()>>,
}

/// Starts the thread, and waits until it is clear that the manifest is usable.
///
/// # Errors
/// If it isn't.
pub(super) fn start(
    reuse: Reuse,
    filler: Filler,
    (algorithms, facts, pronom): (Vec<&'static Algorithm>, FactSet, Option<Arc<Signatures>>),
    notes: &Arc<Mutex<ReadNotes>>,
    cancel: Cancel,
) -> Result<(), Error> {
    let (sender, begun) = sync_channel(1);
    let reader = ReuseReader {
        name: name_of(reuse.path.as_os_str()),
        filler,
        algorithms,
        facts,
        pronom,
        begun: Some(sender),
        notes: Arc::clone(notes),
        cancel,
        without_metadata: 0,
    };
    let read = move || reader.run(reuse);
    let thread = thread::Builder::new().name("reuse".into()).spawn(read);
    let thread = thread.map_err(|source| Error::Thread { what: "to read the manifest to reuse", source })?;
    notes.lock().thread = Some(thread);
    begun.recv().unwrap_or(Ok(()))
}

/// Returns an opened manifest if its format has metadata; none if it is empty, as that of an empty folder is.
///
/// # Errors
/// If it is not usable.
pub(super) fn usable(
    opened: Result<Opened<'static>, Unusable>,
    name: &[u8],
) -> Result<Option<Opened<'static>>, Error> {
    match opened {
        Err(Unusable::Empty) => Ok(None),
        Err(why) => Err(Error::Unusable { path: name.into(), why }),
        Ok(opened) if !opened.format.carries.metadata => Err(Error::of_place(name, NO_METADATA)),
        Ok(opened) => Ok(Some(opened)),
    }
}

struct ReuseReader {
    name: Box<[u8]>,
    filler: Filler,
    algorithms: Vec<&'static Algorithm>,
    facts: FactSet,
    pronom: Option<Arc<Signatures>>,
    /// Takes the news that the manifest is usable, or why not, until it is sent.
    begun: Option<SyncSender<Result<(), Error>>>,
    notes: Arc<Mutex<ReadNotes>>,
    cancel: Cancel,
    /// The hashed files without metadata so far.
    without_metadata: u64,
}

impl ReuseReader {
    fn run(mut self, reuse: Reuse) {
        let hint = match reuse.path.as_os_str() {
            stdin if stdin == "-" => Hint::None,
            path => Hint::from_name(&names::path_bytes(path)),
        };
        match usable(reuse.list.open(hint), &self.name) {
            Err(why) => self.tell(Err(why)),
            Ok(None) => self.tell(Ok(())),
            Ok(Some(opened)) => self.read(opened),
        }
    }

    fn read(mut self, opened: Opened<'static>) {
        for (number, record) in (1..).zip(opened.reader) {
            if number % CANCEL_CHECK == 0 && self.cancel.is_set() {
                break;
            }
            if self.without_metadata == WITHOUT_METADATA && self.begun.is_some() {
                return self.refuse();
            }
            let added = match record {
                Ok(record) => self.take(&record),
                Err(why) => {
                    self.note(why);
                    Ok(())
                }
            };
            if let Err(why) = added {
                self.notes.lock().failed = Some(why);
                return self.tell(Ok(()));
            }
        }
        if self.without_metadata > 0 && self.begun.is_some() {
            return self.refuse();
        }
        self.tell(Ok(()));
        if let Err(why) = self.filler.finish() {
            self.notes.lock().failed = Some(why);
        }
    }

    /// Adds a record, if it can be reused.
    fn take(&mut self, record: &Record) -> Result<(), WriteError> {
        let is_whole = record.status == Status::Hashed && record.piece.is_none();
        if !is_whole || !record.bad_blocks.is_empty() {
            return Ok(());
        }
        let Some(facts) = FileFacts::from_record(record) else {
            self.without_metadata += 1;
            return Ok(());
        };
        self.tell(Ok(()));
        let mut rest = facts.to_bytes().as_flattened().to_vec();
        for algorithm in &self.algorithms {
            let named = record.digests.iter().find(|named| named.algorithm == *algorithm && !named.guessed);
            match named.map(|named| named.digest.as_bytes()) {
                Some(digest) if digest.len() == (algorithm.bits / 8) as usize => {
                    rest.extend_from_slice(digest);
                }
                _ => {
                    self.notes.lock().lacking += 1;
                    return Ok(());
                }
            }
        }
        let Some(of_content) = content::to_bytes(record.facts.as_deref(), self.facts, self.pronom.as_deref())
        else {
            self.notes.lock().factless += 1;
            return Ok(());
        };
        rest.extend(of_content);
        self.filler.push(&record.path, &rest)
    }

    fn note(&self, why: Malformed) {
        if !why.is_note() {
            let mut notes = self.notes.lock();
            notes.malformed += 1;
            notes.first_malformed.get_or_insert(why);
        }
    }

    /// Says once whether the manifest is usable.
    fn tell(&mut self, begun: Result<(), Error>) {
        if let Some(sender) = self.begun.take() {
            // The receiver waits for this.
            let _ = sender.send(begun);
        }
    }

    fn refuse(&mut self) {
        let path = self.name.clone();
        self.tell(Err(Error::of_place(path, NO_METADATA)));
    }
}
