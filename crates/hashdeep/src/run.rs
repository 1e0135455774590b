//! A run: inputs are passed to the walk, entries to the engine, results to the report.

use crate::dfxml::Document;
use crate::estimate::{Escaping, Estimate};
use crate::flags::Switch;
use crate::getopt::Sorted;
use crate::hashed::{Hashed, HashedDigests, Span};
use crate::lines::Lines;
use crate::path::bare;
use crate::personality::Personality;
use crate::report::Report;
use crate::screen::{Screen, Target, cause};
use crate::settings::HashdeepSettings;
use crate::stop::Stop;
use crate::sys::{self, NEWLINE};
use crate::walk::{self, Facts, Queue, Remark, Severity, Visited, Walk};
use hashmill_engine::{Cancel, EngineEvent, EntryResult, Live, Order, Plan, Prefetch, Trouble, run};
use hashmill_manifest::Record;
use hashmill_os::{FileId, Stream, facts, names, standard};
use hashmill_source::{Entry, Error, Origin, Problem, Reader, Reading, WalkItem};
use std::borrow::Cow;
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::BufReader;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The name of standard input.
const STDIN: &[u8] = b"stdin";

/// The size of standard input in hashdeep.
const STDIN_SIZE: u64 = i64::MAX as u64;

/// hashdeep's read size, to which it rounds the offset of a read error.
const BLOCK: u64 = 8192;

/// The maximum number of bytes of file data in memory.
const MEMORY: usize = 256 << 20;

const MOST_THREADS: i64 = 1024;

/// The number of bytes at the start of a file for triage.
const TRIAGE: usize = 512;

/// The maximum length of a line in the banner.
const BANNER_WIDTH: usize = 2048;

/// Runs a command; the first word is its name. Returns the exit code.
pub fn command(personality: Personality, words: Vec<OsString>) -> u8 {
    let called =
        words.first().map(|word| bare(&names::path_bytes(word)).to_ascii_lowercase()).unwrap_or_default();
    let mut screen = Screen::new(String::from_utf8_lossy(&called).into_owned());
    match HashdeepSettings::parse(personality, words, &mut screen) {
        Err(Stop(code)) => code.max(u8::from(!screen.finish())),
        Ok((settings, sorted)) => match start(settings, screen, sorted) {
            Ok(code) => code,
            Err(stopped) => {
                let (Stop(code), mut screen) = *stopped;
                code.max(u8::from(!screen.finish()))
            }
        },
    }
}

type Stopped = Box<(Stop, Screen)>;

fn start(settings: HashdeepSettings, mut screen: Screen, sorted: Sorted) -> Result<u8, Stopped> {
    let mut document = settings.dfxml.then(|| Document::new(settings.algorithms, &sorted.words));
    if let Some(document) = &mut document {
        screen.raw(Target::Standard, &document.take());
    }
    let directory = match std::env::current_dir() {
        Ok(directory) => names::into_path_bytes(directory),
        Err(error) => {
            screen.say_always(cause(&error));
            return Err(Box::new((Stop::FAILED, screen)));
        }
    };
    let banner = match settings.personality {
        Personality::Hashdeep => banner(&settings, &directory, &sorted.words),
        Personality::Single(_) => Vec::new(),
    };
    let inputs = match inputs(&settings, &directory, sorted.operands, &mut screen) {
        Ok(inputs) => inputs,
        Err(stop) => return Err(Box::new((stop, screen))),
    };
    Ok(hash(Report::new(settings, screen, banner, document), inputs))
}

/// Returns the comment lines before the first digest. The command is split into lines of bounded length.
fn banner(settings: &HashdeepSettings, directory: &[u8], words: &[OsString]) -> Vec<u8> {
    let columns: String =
        settings.algorithms.iter().map(|algorithm| format!("{},", algorithm.name())).collect();
    let mut banner =
        format!("%%%% HASHDEEP-1.0{NEWLINE}%%%% size,{columns}filename{NEWLINE}## Invoked from: ")
            .into_bytes();
    banner.extend_from_slice(&sys::shown(directory));
    banner.extend(format!("{NEWLINE}## ").bytes());
    banner.extend_from_slice(&sys::prompt(directory));
    let mut width = 8;
    for word in words {
        banner.push(b' ');
        width += 1;
        if word.len() + width + 32 > BANNER_WIDTH {
            banner.extend(format!("{NEWLINE}## ").bytes());
            width = 3;
        }
        banner.extend_from_slice(&names::bytes(word));
        width += word.len();
    }
    banner.extend(format!("{NEWLINE}## {NEWLINE}").bytes());
    banner
}

enum Inputs {
    Stdin,
    Paths(VecDeque<Vec<u8>>),
}

/// Returns the paths of the list unchanged, then the operands as absolute paths; standard input if there are neither.
fn inputs(
    settings: &HashdeepSettings,
    directory: &[u8],
    operands: Vec<OsString>,
    screen: &mut Screen,
) -> Result<Inputs, Stop> {
    let list = settings.list.as_deref().filter(|list| !list.is_empty());
    if operands.is_empty() && list.is_none() {
        if settings.has(Switch::Triage) {
            screen.say_always("Processing stdin not supported in Triage mode");
            return Err(Stop::FAILED);
        }
        return Ok(Inputs::Stdin);
    }
    let mut paths = VecDeque::new();
    if let Some(list) = list
        && let Err(error) = read_list(list, &mut paths)
    {
        screen
            .error(&[b"Cannot open ", &*names::bytes(list), b": ", cause(&error).as_bytes(), b"\n"].concat());
        return Err(Stop::FAILED);
    }
    let relative = settings.has(Switch::Relative);
    paths.extend(operands.into_iter().map(|operand| {
        if relative { names::into_path_bytes(operand.into()) } else { sys::absolute(directory, operand) }
    }));
    Ok(Inputs::Paths(paths))
}

fn read_list(list: &OsStr, paths: &mut VecDeque<Vec<u8>>) -> std::io::Result<()> {
    let mut lines = Lines::new(BufReader::new(File::open(list)?));
    while lines.next_line()?.is_some() {
        let line = lines.last();
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if !line.is_empty() {
            paths.push_back(sys::written(line.to_vec()));
        }
    }
    Ok(())
}

/// Takes the results of the engine.
struct Run {
    report: Report,
    queue: Queue,
    estimate: Option<Estimate>,
    /// The entry of the current pieces.
    current: Option<Visited>,
    /// The number of bytes of its pieces so far.
    total: u64,
}

fn hash(report: Report, inputs: Inputs) -> u8 {
    let queue = Queue::default();
    let live = Arc::new(Live::default());
    let settings = &report.settings;
    let escaping = if settings.has(Switch::Escape) { Escaping::On } else { Escaping::Off };
    let estimate = settings
        .has(Switch::Estimate)
        .then(|| Estimate::start(Arc::clone(&queue), Arc::clone(&live), escaping));
    let plan = plan(settings);
    let entries = entries(settings, inputs, &queue);
    let mut this = Run { report, queue, estimate, current: None, total: 0 };
    run(&plan, entries, &live, &mut |event| this.take(event));
    this.report.finish()
}

fn plan(settings: &HashdeepSettings) -> Plan {
    // The remaining time is shown for one file, so only one is hashed at a time.
    let threads = if settings.has(Switch::Estimate) { 1 } else { settings.threads.clamp(1, MOST_THREADS) };
    Plan {
        reading: Reading::default(),
        algorithms: settings.algorithms.iter().map(|algorithm| algorithm.row()).collect(),
        likeness: Vec::new(),
        facts: Default::default(),
        scanning: None,
        pronom: None,
        leaves: false,
        piece: settings.piece,
        whole: settings.piece.is_none() || settings.dfxml,
        threads: NonZeroUsize::new(threads as usize).unwrap_or(NonZeroUsize::MIN),
        memory: MEMORY,
        prefetch: Prefetch::Auto,
        order: Order::Walk,
        saving: None,
        tap: None,
        cancel: Cancel::default(),
    }
}

fn entries(
    settings: &HashdeepSettings,
    inputs: Inputs,
    queue: &Queue,
) -> Box<dyn Iterator<Item = WalkItem> + Send> {
    let paths = match inputs {
        Inputs::Paths(paths) => paths,
        Inputs::Stdin => return Box::new(std::iter::once(stdin(queue))),
    };
    let options = walk::Options {
        recursive: settings.has(Switch::Recursive),
        relative: settings.has(Switch::Relative),
        types: settings.types,
        limit: settings.limit,
        paths: settings.has(Switch::Estimate),
        outputs: settings.output.into_iter().chain(redirected()).collect(),
    };
    Box::new(Walk::new(paths, options, Arc::clone(queue)))
}

fn stdin(queue: &Queue) -> WalkItem {
    let facts = Facts {
        origin: Origin::Stdin,
        path: Some(STDIN.into()),
        size: STDIN_SIZE,
        mtime: 0,
        ctime: 0,
        atime: 0,
    };
    queue.lock().push_back(Visited::File(facts));
    WalkItem::File(Entry::new(STDIN.into(), Origin::Stdin))
}

/// Returns the file that standard output goes to, if it is a regular file.
fn redirected() -> Option<FileId> {
    let facts = facts(&standard(Stream::Output).ok()?).ok()?;
    facts.is_file().then_some(facts.id)
}

impl Run {
    fn take(&mut self, event: EngineEvent) -> ControlFlow<()> {
        let met = self.current.take().or_else(|| self.next());
        match (event, met) {
            (EngineEvent::Piece(record), Some(Visited::File(facts))) => {
                self.piece(&record, &facts);
                self.current = Some(Visited::File(facts));
            }
            (EngineEvent::Done(outcome), Some(met)) => self.done(&outcome, met),
            // The walk queues one item for each entry.
            (event, met) => unreachable!("{event:?} for {met:?}"),
        }
        if self.report.screen.has_failed() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn next(&mut self) -> Option<Visited> {
        self.queue.lock().pop_front()
    }

    fn name<'a>(&self, path: &'a [u8]) -> Cow<'a, [u8]> {
        sys::shown(if self.report.settings.has(Switch::Bare) { bare(path) } else { path })
    }

    fn piece(&mut self, record: &Record, facts: &Facts) {
        let span = record.piece.map(|piece| Span { offset: piece.offset, length: piece.length });
        let digests = HashedDigests::from_record(record, self.report.settings.algorithms);
        self.show_span(&record.path, digests, span, facts);
    }

    /// Shows a file or piece.
    fn show_span(&mut self, path: &[u8], digests: HashedDigests, span: Option<Span>, facts: &Facts) {
        self.total = span.map_or(0, |span| span.offset + span.length);
        let triage = match self.triage(path, &digests, facts) {
            Ok(triage) => triage,
            Err(error) => return self.failed(path, &error),
        };
        if self.estimate.is_some() && !digests.are_stars() {
            Estimate::clear();
        }
        let file = Hashed { name: &self.name(path), digests, span, total: self.total, facts, triage };
        self.report.show(&file);
    }

    fn done(&mut self, outcome: &EntryResult, met: Visited) {
        let path = &outcome.record.path;
        match (met, &outcome.trouble) {
            (Visited::Remark(remark), _) => self.report.remark(&sys::shown(path), &remark),
            (Visited::Stars(facts), _) => {
                self.show_span(path, HashedDigests::Stars, None, &facts);
                self.report.drop_file();
            }
            (Visited::File(_), Some(Trouble::Failed(error))) => self.failed(path, error),
            (Visited::File(facts), _) => self.finish_file(&outcome.record, &facts),
        }
        self.total = 0;
    }

    fn finish_file(&mut self, record: &Record, facts: &Facts) {
        let algorithms = self.report.settings.algorithms;
        let length = record.size.unwrap_or(self.total);
        match self.report.settings.piece {
            None => {
                let span = Some(Span { offset: 0, length });
                self.show_span(&record.path, HashedDigests::from_record(record, algorithms), span, facts);
            }
            Some(piece) => {
                // hashdeep detects the end of standard input by an empty piece.
                let nothing = facts.origin == Origin::Stdin && length.is_multiple_of(piece.get());
                if length == 0 || nothing {
                    let span = Some(Span { offset: length, length: 0 });
                    self.show_span(&record.path, HashedDigests::of_nothing(algorithms), span, facts);
                }
            }
        }
        if let Some(estimate) = &self.estimate {
            estimate.finished_bytes.fetch_add(length, Ordering::Relaxed);
        }
        let size = if facts.origin == Origin::Stdin { facts.size } else { length };
        let digests = HashedDigests::from_record(record, algorithms);
        let name = self.name(&record.path);
        let file = Hashed { name: &name, digests, span: None, total: length, facts, triage: None };
        self.report.end_file(&file, size);
    }

    fn failed(&mut self, path: &[u8], error: &Error) {
        let text = self.explain(&error.problem);
        self.report.remark(&sys::shown(path), &Remark { text, severity: Severity::Failure });
    }

    fn explain(&self, problem: &Problem) -> String {
        match problem {
            Problem::Stat(source) | Problem::List(source) | Problem::Open(source) => cause(source),
            Problem::Read { offset, source } => {
                let piece = self.report.settings.piece.map_or(u64::MAX, u64::from);
                let start = offset / piece * piece;
                let block = start + (offset - start) / BLOCK * BLOCK;
                format!("error at offset {block}: {}", cause(source))
            }
            other => other.to_string(),
        }
    }

    /// Returns the size, and the digest of the first bytes; `None` for a file that is not read.
    fn triage(&self, path: &[u8], digests: &HashedDigests, facts: &Facts) -> Result<Option<String>, Error> {
        let Personality::Single(algorithm) = self.report.settings.personality else { return Ok(None) };
        if !self.report.settings.has(Switch::Triage) {
            return Ok(None);
        }
        if digests.are_stars() {
            return Ok(Some(String::new()));
        }
        let entry = Entry::new(path.into(), facts.origin);
        let mut start = [0; TRIAGE];
        let read = Reader::open(&entry, &Reading::default())?.read(&mut start)?;
        let digest = hashmill_digest::hash(algorithm.row(), &start[..read]);
        if self.estimate.is_some() {
            Estimate::clear();
        }
        Ok(Some(format!("{}\t{digest}", facts.size)))
    }
}
