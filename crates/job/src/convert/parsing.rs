//! Manifests that are read by threads of their own while their records are written, so that one pass is enough.
//!
//! The first batch of records says what a format needs to know before it is written: the algorithms, and whether there are
//! times, pieces and the like. Nearly always, that is true of all the others, too. The thread compares every batch with
//! it before it hands the batch over. If something is new, is lost, or can't be parsed, the manifest is read twice, as if
//! nothing had happened.

use super::event::Teller;
use super::input::{Input, Records};
use super::joined::Joined;
use super::loss::losses;
use super::source::RecordSource;
use super::survey::Survey;
use crate::error::Error;
use crate::misfit::Misfit;
use hashmill_content::File as Tried;
use hashmill_engine::Cancel;
use hashmill_lists::entries::spool::weight;
use hashmill_manifest::Record;
use hashmill_manifest::format::{Format, Layout};
use std::cell::Cell;
use std::cmp::Ordering;
use std::io;
use std::path::Path;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{self, Scope};
use std::vec;

/// The number of records that are handed over at once, and the bytes after which fewer are.
const BATCH: usize = if cfg!(test) { 8 } else { 512 };
const BATCH_BYTES: usize = 1 << 20;

/// The number of batches that may wait.
const WAITING: usize = 2;

/// The number of manifests that have a thread each. More would take memory that is not counted.
const THREADS: usize = 16;

/// The manifest that is to be written.
#[derive(Clone, Copy)]
pub(crate) struct Goal<'a> {
    pub(crate) format: &'static Format,
    pub(crate) path: Option<&'a Path>,
    /// Whether records must come in the order of paths.
    pub(crate) is_ordered: bool,
}

/// The records of a manifest, each batch with nothing but what the first one has.
pub(crate) struct Parsing {
    name: Box<[u8]>,
    messages: Receiver<Message>,
    used: Sender<Vec<Record>>,
    batch: vec::IntoIter<Record>,
    written: Vec<Record>,
    is_uneven: Uneven,
}

/// Whether a manifest turned out to need two passes. Clones share this.
type Uneven = Rc<Cell<bool>>;

/// A step of a reading thread. One that ends without [`Message::Ended`] met something that needs two passes.
enum Message {
    /// The contents of the first batch.
    Begun(Box<Survey>),
    Records(Vec<Record>),
    Ended,
}

/// The place where a reading thread puts its batches.
struct Outlet {
    messages: SyncSender<Message>,
    /// Batches come back to where they were filled: memory is freed fastest by the thread that took it.
    used: Receiver<Vec<Record>>,
}

impl Goal<'_> {
    /// Returns whether nothing is lost or guessed when a manifest with these contents is written.
    fn suits(&self, survey: &Survey) -> bool {
        let is_plain = survey.case.is_none() && survey.guess.is_none() && (survey.sorted || !self.is_ordered);
        let has_needs = survey.records == 0 || Misfit::check_needs(self.format, &survey.algorithms).is_ok();
        is_plain && has_needs && losses(survey, self.format, self.path).is_empty()
    }
}

/// Reads manifests once, each on its own thread, while `write` takes their records. Returns `None` if they have to be read
/// twice; then nothing was told, and what was written must not stay.
///
/// # Errors
/// As `write`.
pub(crate) fn in_one_pass<R>(
    inputs: &[Input],
    goal: Goal<'_>,
    cancel: &Cancel,
    teller: &Teller<'_>,
    write: impl FnOnce(Vec<Parsing>, &Survey) -> Result<R, Error>,
) -> Result<Option<R>, Error> {
    if inputs.len() > THREADS {
        return Ok(None);
    }
    let is_uneven = Uneven::default();
    teller.hold();
    let done = thread::scope(|scope| {
        let started = inputs.iter().map(|input| Parsing::start(scope, input, goal, cancel, &is_uneven));
        let (mut all, mut parsing) = (Survey::default(), Vec::new());
        for started in started.collect::<Option<Vec<_>>>()? {
            let survey = started.begun()?;
            parsing.push(started);
            if parsing.len() == 1 { all = survey } else { all.join(survey) }
        }
        goal.suits(&all).then(|| write(parsing, &all))
    });
    if !teller.forget() || is_uneven.get() { Ok(None) } else { done.transpose() }
}

impl Parsing {
    /// Starts to read a manifest. Returns `None` if there is no thread for it.
    fn start<'scope>(
        scope: &'scope Scope<'scope, '_>,
        input: &'scope Input,
        goal: Goal<'scope>,
        cancel: &'scope Cancel,
        is_uneven: &Uneven,
    ) -> Option<Parsing> {
        let (sender, messages) = sync_channel(WAITING);
        let (used, returned) = channel();
        let out = Outlet { messages: sender, used: returned };
        let read = move || {
            let _ = read(input, &goal, &out, cancel);
        };
        thread::Builder::new().name("list".into()).spawn_scoped(scope, read).ok()?;
        let (name, batch, written) = (input.name.clone(), Vec::new().into_iter(), Vec::new());
        Some(Parsing { name, messages, used, batch, written, is_uneven: is_uneven.clone() })
    }

    /// Waits for the first records, and returns what they contain; `None` if the manifest has to be read twice.
    fn begun(&self) -> Option<Survey> {
        let Ok(Message::Begun(survey)) = self.messages.recv() else { return None };
        Some(*survey)
    }

    /// Takes the next batch; returns `None` at the end.
    fn refill(&mut self) -> Option<Result<(), Error>> {
        match self.messages.recv() {
            Ok(Message::Records(batch)) => {
                self.batch = batch.into_iter();
                Some(Ok(()))
            }
            Ok(_) => None,
            Err(_) => {
                self.is_uneven.set(true);
                let why = io::Error::other("it has to be read twice");
                Some(Err(Error::file(&self.name, Tried::Read)(why)))
            }
        }
    }
}

impl Iterator for Parsing {
    type Item = Result<Record, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(record) = self.batch.next() {
                return Some(Ok(record));
            }
            if let Err(error) = self.refill()? {
                return Some(Err(error));
            }
        }
    }
}

impl RecordSource for Parsing {
    fn give_back(&mut self, record: Record) {
        self.written.push(record);
        if self.written.len() == BATCH {
            // Nobody takes it if the manifest has been read.
            let _ = self.used.send(std::mem::take(&mut self.written));
        }
    }
}

/// Reads a manifest in batches. Returns `None` if it has to be read twice, or nobody takes the batches.
fn read(input: &Input, goal: &Goal<'_>, out: &Outlet, cancel: &Cancel) -> Option<()> {
    let records = input.records(None).ok()?;
    let mut survey = Survey::new(records.format);
    let mut joined = Joined::new(records);
    let (mut batch, mut bytes, mut last, mut layout) = (Vec::new(), 0, None, None);
    loop {
        let record = joined.next().transpose().ok()?;
        let is_end = record.is_none();
        if let Some(record) = record {
            let before = batch.last().or(last.as_ref());
            survey.sorted &= before.is_none_or(|last| Survey::order(last, &record) != Ordering::Greater);
            survey.add(&record, &input.name);
            bytes += weight(&record);
            batch.push(record);
        }
        if is_end || batch.len() == BATCH || bytes > BATCH_BYTES {
            last = batch.last().map(place).or(last);
            check(&survey, &joined.records, goal, &mut layout, out)?;
            let mut empty = out.used.try_recv().unwrap_or_default();
            empty.clear();
            out.messages.send(Message::Records(std::mem::replace(&mut batch, empty))).ok()?;
            bytes = 0;
        }
        if is_end {
            return out.messages.send(Message::Ended).ok();
        }
        if cancel.is_set() {
            return None;
        }
    }
}

/// Compares the contents so far with those of the first batch, which are told when it is complete.
fn check(
    survey: &Survey,
    records: &Records<'_>,
    goal: &Goal<'_>,
    layout: &mut Option<Layout>,
    out: &Outlet,
) -> Option<()> {
    let mut survey = survey.clone();
    survey.arrange(&*records.reader);
    let now = survey.layout(goal.format);
    if records.has_notices || !goal.suits(&survey) || layout.as_ref().is_some_and(|first| *first != now) {
        return None;
    }
    if layout.replace(now).is_none() {
        out.messages.send(Message::Begun(Box::new(survey))).ok()?;
    }
    Some(())
}

/// Returns a record with no more than the place in a manifest of another one.
fn place(record: &Record) -> Record {
    Record { piece: record.piece, ..Record::bare(record.path.clone(), record.status) }
}
