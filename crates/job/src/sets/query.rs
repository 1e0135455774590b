//! Lookup of digests: digests go in, and a line comes out for each, in order.

use super::form::{Formed, QueryFormat};
use super::part::{Part, Remark, answer_all, lacking};
use super::texts::Texts;
use crate::account::{Account, Item, Outcome};
use crate::error::Error;
use hashmill_content::File as Tried;
use hashmill_content::output::Output;
use hashmill_content::resources::cores;
use hashmill_digest::BadDigest;
use hashmill_engine::Cancel;
use hashmill_engine::flow::Flow;
use hashmill_known::Sets;
use hashmill_lists::judged::Judged;
use hashmill_lists::listing::name_of;
use hashmill_lists::signatures::guard::Guard;
use hashmill_os::{Stream, standard};
use std::fs;
use std::io::{self, Write};
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::thread::{self, JoinHandle};

/// The number of texts that wait for a thread, and of answers that wait to be written.
const WAITING: usize = 2;

/// The most threads.
const THREADS: usize = 16;

/// Length of the shortest likely line: an MD5 digest.
const LINE: u64 = 33;

/// Digests to look up, and the sets to look them up in.
pub struct Query {
    /// The sets.
    pub sets: Sets,
    /// Digests in hexadecimal. They come before those of the lists.
    pub digests: Vec<Box<[u8]>>,
    /// Lists of digests, one a line; text after a blank is ignored. `-` is standard input.
    pub lists: Vec<PathBuf>,
    /// The format of results.
    pub form: QueryFormat,
    /// The signatures that the lists must have.
    pub guard: Guard,
    /// Ends the query soon after it is set, but only after a pending read of a pipe has returned.
    pub cancel: Cancel,
}

/// One step of a query.
#[derive(Debug)]
#[non_exhaustive]
pub enum QueryEvent<'a> {
    /// A malformed digest. It gets a line, too.
    Malformed(&'a Malformed<'a>),
    /// No set has digests with this number of bits: they are all unknown.
    NotHeld(u32),
    /// The set with this path has no digests with this number of bits, which others have: it is not asked for them.
    NotHeldBy(&'a Path, u32),
    /// The result of verifying a signature beside a list.
    Signature(&'a Judged),
    /// The first bad digest was found. Its line follows soon.
    MetBad,
}

/// A text that is not a digest.
#[derive(Debug)]
pub struct Malformed<'a> {
    /// Name of the list in messages; `None` for a digest that was given without a list.
    pub list: Option<&'a [u8]>,
    /// Its number in the list, or among the digests that were given without a list, from 1.
    pub number: u64,
    /// The text.
    pub text: &'a [u8],
    /// The reason.
    pub why: BadDigest,
}

/// A callback for events.
type QueryObserver<'a> = dyn FnMut(QueryEvent<'_>) -> Flow + 'a;

/// The result of a query.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct QuerySummary {
    /// Whether it was cancelled: lines are missing.
    pub interrupted: bool,
    /// Number of lines, one for each digest.
    pub asked: u64,
    /// Number of bad digests.
    pub bad: u64,
    /// Number of malformed digests.
    pub malformed: u64,
    /// Number of digests, bad ones aside, of which a set has none of the same length: it says nothing of them, whatever they are.
    pub unmatched: u64,
}

impl QuerySummary {
    /// Returns the account of the digests.
    pub fn account(&self) -> Account {
        let mut account = Account::done(Item::Record, self.asked);
        account.turn(Item::Record, Outcome::Differs, self.bad);
        account.turn(Item::Record, Outcome::Failed, self.malformed + self.unmatched);
        account.is_interrupted = self.interrupted;
        account
    }
}

impl Query {
    /// Makes a query of these sets without digests.
    pub fn new(sets: Sets) -> Query {
        let (digests, lists) = (Vec::new(), Vec::new());
        Query {
            sets,
            digests,
            lists,
            form: QueryFormat::default(),
            guard: Guard::default(),
            cancel: Cancel::default(),
        }
    }

    /// Writes digest, category (or `unknown`, or `malformed`), set and detail (JSON) for each digest, in order. Lines
    /// are written as soon as no more input is available at once.
    ///
    /// # Errors
    /// If a list can't be read, an index turns out to be damaged, or a line can't be written.
    pub fn run(self, output: Output, observer: &mut QueryObserver<'_>) -> Result<QuerySummary, Error> {
        let Query { sets, digests, lists, form, guard, cancel } = self;
        let sets = Arc::new(sets);
        let held = Arc::clone(&sets);
        let mut asked = Asked {
            sets,
            guard,
            cancel,
            output,
            formed: Formed::new(form, Box::new(move |bits| lacking(&held, bits).next().is_none())),
            observer,
            summary: QuerySummary::default(),
            number: 0,
            lengths: Vec::new(),
        };
        if !digests.is_empty() {
            asked.texts(None, [Ok(lines_of(&digests))].into_iter())?;
        }
        lists.iter().try_for_each(|list| asked.list(list))?;
        let end = asked.formed.end();
        asked.output.write_all(end).map_err(|error| asked.output.error(error))?;
        asked.output.finish()?;
        Ok(asked.summary)
    }
}

struct Asked<'a, 'b> {
    sets: Arc<Sets>,
    guard: Guard,
    cancel: Cancel,
    output: Output,
    formed: Formed,
    observer: &'a mut QueryObserver<'b>,
    summary: QuerySummary,
    /// Number of lines, or of digests without a list, before these.
    number: u64,
    /// Lengths of digests that were looked up, in bits.
    lengths: Vec<u32>,
}

impl Asked<'_, '_> {
    /// Looks up the digests of a list.
    fn list(&mut self, path: &Path) -> Result<(), Error> {
        let name = &*name_of(path.as_os_str());
        let observer = &mut self.observer;
        let list = self.guard.open(path.as_os_str(), &mut |judged| {
            let _ = observer(QueryEvent::Signature(judged));
        })?;
        let list = list.into_bytes().map_err(Error::file(name, Tried::Open))?;
        // The length of a pipe is not known in advance, so 0 is used.
        let meta = match path == Path::new("-") {
            true => standard(Stream::Input).and_then(|stdin| stdin.metadata()),
            false => fs::metadata(path),
        };
        let length = meta.map_or(0, |meta| meta.len());
        self.sets.expect(length / LINE);
        self.number = 0;
        self.texts(Some(name), Texts::new(name, list))
    }

    /// Answers texts on several threads, in order, and writes answers while more is read. If that fails, the threads are
    /// left to themselves: they end with the next text, for which nobody should have to wait.
    fn texts(
        &mut self,
        list: Option<&[u8]>,
        texts: impl Iterator<Item = Result<Vec<u8>, Error>> + Send + 'static,
    ) -> Result<(), Error> {
        let failed = |error| Error::file(list.unwrap_or_default(), Tried::Read)(error);
        let (mut asked, mut answering) = (Vec::new(), Vec::new());
        for _ in 0..cores().get().min(THREADS) {
            let (ask, asks) = sync_channel(WAITING);
            let (answer, answers) = sync_channel(WAITING);
            let sets = Arc::clone(&self.sets);
            let thread = spawn(move || answer_all(sets, asks, answer)).map_err(failed)?;
            asked.push(ask);
            answering.push((answers, thread));
        }
        let deal = move || texts.zip(asked.iter().cycle()).find_map(|(text, ask)| ask.send(text).err());
        let reading = spawn(move || drop(deal())).map_err(failed)?;
        // Texts are dealt to the threads in turn, so the first that has nothing more is the end.
        for at in (0..answering.len()).cycle() {
            if self.is_stopped() {
                return Ok(());
            }
            let Ok(part) = answering[at].0.recv() else {
                end(answering.swap_remove(at).1);
                break;
            };
            self.take(list, &part?)?;
        }
        end(reading);
        Ok(())
    }

    /// Tells the remarks of a part, and writes its answers.
    fn take(&mut self, list: Option<&[u8]>, part: &Part) -> Result<(), Error> {
        for remark in &part.remarks {
            match remark {
                Remark::Malformed { number, text, why } => {
                    self.summary.malformed += 1;
                    let number = self.number + number;
                    self.tell(QueryEvent::Malformed(&Malformed { list, number, text, why: *why }));
                }
                Remark::Length(bits) => self.note_length(*bits),
            }
        }
        if self.summary.bad == 0 && part.bad > 0 {
            self.tell(QueryEvent::MetBad);
        }
        self.summary.bad += part.bad;
        self.summary.unmatched += part.unmatched;
        self.summary.asked += part.count;
        self.number += part.count;
        let written = self.output.write_all(&self.formed.lines(&part.lines));
        let written = written.and_then(|()| self.output.flush());
        Ok(written.map_err(|error| self.output.error(error))?)
    }

    fn tell(&mut self, event: QueryEvent<'_>) {
        self.summary.interrupted |= (self.observer)(event).is_break();
    }

    fn is_stopped(&mut self) -> bool {
        self.summary.interrupted |= self.cancel.is_set();
        self.summary.interrupted
    }

    /// Reports once for each length the sets that have no digests of it.
    fn note_length(&mut self, bits: u32) {
        if self.lengths.last() == Some(&bits) || self.lengths.contains(&bits) {
            return;
        }
        self.lengths.push(bits);
        let sets = Arc::clone(&self.sets);
        if lacking(&sets, bits).count() == sets.indexes().len() {
            return self.tell(QueryEvent::NotHeld(bits));
        }
        for index in lacking(&sets, bits) {
            self.tell(QueryEvent::NotHeldBy(index.path(), bits));
        }
    }
}

/// Starts a thread of a query.
fn spawn(work: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    thread::Builder::new().name("query".into()).spawn(work)
}

/// Waits for a thread that has nothing more to do, and passes its panic on.
fn end(thread: JoinHandle<()>) {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic));
}

/// Returns a text with a line for each digest.
fn lines_of(digests: &[Box<[u8]>]) -> Vec<u8> {
    let mut text = Vec::new();
    for digest in digests {
        // A digest with a line feed in it is malformed, and still one.
        text.extend(digest.iter().map(|byte| if *byte == b'\n' { b' ' } else { *byte }));
        text.push(b'\n');
    }
    text.pop();
    text
}
