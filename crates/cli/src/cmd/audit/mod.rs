//! `hashloom audit`: what is there against what manifests say.

mod known;
mod options;
mod report;
mod tally;

pub use known::{Manifests, here};
pub use options::Options;
pub use report::{Reporter, Words};
pub use tally::Tally;

use crate::exit::Exit;
use crate::images::Entries;
use crate::label;
use crate::learn::named_file;
use crate::message;
use crate::options::known::Types;
use crate::output::Output;
use crate::plan::tell_notes;
use crate::progress::Heartbeat;
use crate::selection::{self, Bytes, ListError, operands, redirected, walk_options};
use crate::sheet::{self, Sheet};
use crate::signatures::guard::Guard;
use crate::signatures::staged;
use crate::{signal, stats};
use anyhow::{Context, ensure};
use hashloom_engine::{Cancel, Event, Live, Outcome, Plan, Trouble};
use hashloom_known::Classifier;
use hashloom_manifest::audit::{Category, Verdict};
use hashloom_manifest::format::Layout;
use hashloom_manifest::{Label, Record, audit};
use hashloom_source::{Error, Found, Problem};
use std::io;
use std::num::NonZeroU64;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

/// The command, from options to exit code.
///
/// # Errors
/// If the options do not go together, a manifest is not usable, or the result cannot be written.
pub fn run(args: &Options) -> anyhow::Result<Exit> {
    let plan = args.means.plan(Vec::new())?;
    if args.sources.images {
        args.means.fits_images()?;
    }
    args.means.give_way()?;
    let output = Output::stdout()?;
    signal::watch(plan.cancel.clone(), output.clone())?;
    let guard = Guard::new(&args.guarded)?;
    let mut lists = Vec::new();
    for manifest in &args.known {
        let (list, notes) = guard.pass(manifest.as_os_str())?;
        notes.iter().for_each(message::say);
        lists.push((manifest.as_path(), list));
    }
    let read: Vec<_> = lists.iter().filter_map(|(_, list)| list.identity()).collect();
    let mut manifests = Manifests::read(lists)?;
    let typed: Vec<Bytes> = args.paths.iter().map(|path| path.as_bytes().into()).collect();
    let places = manifests.places(&typed);
    manifests.learn(&places, &plan);
    let plan = Plan {
        algorithms: manifests.algorithms()?,
        piece: manifests.known.piece_length().and_then(NonZeroU64::new),
        whole: manifests.known.has_wholes(),
        ..plan
    };
    let classifier = classifier(args, &plan)?;
    let sheet = update(args, &manifests, &plan)?;
    let error = ListError::default();
    let own = sheet.iter().flat_map(|(_, output)| output.identities()).chain(read).collect();
    let entries = entries(args, &manifests, (own, &error))?;
    let reporter = Reporter::begin((args.format, Words::AUDIT), args.verbose, output.clone())?;
    let tally = Tally::new(reporter, manifests.exit());
    let audit = audit::Audit::new(manifests.known, places, &plan.algorithms);
    let sink = Sink { audit, tally, sheet, classifier, error: None };
    let exit = compare(args, plan, entries, (sink, output))?;
    if let Some(next) = args.update.as_ref().filter(|_| exit != Exit::Interrupted) {
        staged::tell_stale(next);
    }
    let Some(error) = error.take() else { return Ok(exit) };
    message::say(format_args!("cannot read the list of paths on: {error}"));
    Ok(exit.and(Exit::Failed))
}

/// What says of files what they are known as.
fn classifier(args: &Options, plan: &Plan) -> anyhow::Result<Option<Classifier>> {
    if args.known_set.is_empty() {
        return Ok(None);
    }
    let sets = label::open(&args.known_set, &Types::default())?;
    label::check(&sets, &plan.algorithms)
        .context("--known-set: the manifests' algorithms do not go with it")?;
    Ok(Some(Classifier::new(sets)))
}

fn compare(
    args: &Options,
    plan: Plan,
    entries: Entries,
    (mut sink, output): (Sink, Output),
) -> anyhow::Result<Exit> {
    let live = Arc::new(Live::default());
    let heartbeat = Heartbeat::start(args.means.progress, Arc::clone(&live), output);
    let stats = hashloom_engine::run(&plan, entries, &live, &mut |event| sink.take(event));
    drop(heartbeat);
    let exit = sink.end(&plan.cancel)?;
    tell_notes(&plan.reading);
    if let Some(form) = args.means.stats {
        stats::print(form, &stats, 0);
    }
    Ok(exit)
}

/// The next manifest, begun.
fn update(args: &Options, manifests: &Manifests, plan: &Plan) -> anyhow::Result<Option<(Sheet, Output)>> {
    let Some(path) = &args.update else { return Ok(None) };
    ensure!(!path.is_dir(), "{}: is a directory", path.display());
    let format = manifests.format.filter(|format| format.writer.is_some());
    let format = format.context("--update: hashloom does not write the format of the first manifest")?;
    let layout = Layout {
        algorithms: plan.algorithms.clone(),
        likeness: Vec::new(),
        pieces: plan.piece.is_some(),
        times: manifests.times && format.carries.mtime,
        bad_blocks: false,
        labels: false,
        case: None,
    };
    sheet::fits(format, Some(path)).context("--update")?;
    let output = Output::file(path)?;
    let sheet = Sheet::begin(format, layout, output.clone()).context("--update: no writer")??;
    Ok(Some((sheet, output)))
}

/// What is below the operands, without the command's own files, or the files that the manifests name.
fn entries(
    args: &Options,
    manifests: &Manifests,
    (own, error): (Vec<(u64, u64)>, &ListError),
) -> anyhow::Result<Entries> {
    let mut options = walk_options(&args.sources)?;
    options.timeout = args.means.timeout;
    if args.paths.is_empty() && args.sources.files_from.is_none() {
        ensure!(!args.sources.is_filter(), "filters need a PATH to walk");
        return Ok(Box::new(Paths::of(manifests.known.local_paths())));
    }
    options.leave_out.extend(own.into_iter().chain(redirected()));
    Ok(selection::entries(operands(&args.paths, &args.sources, error)?, options, &args.sources))
}

/// Paths in one run of bytes: millions of them, and nothing else for each.
struct Paths {
    bytes: Vec<u8>,
    next: usize,
}

impl Paths {
    fn of(paths: impl Iterator<Item = Vec<u8>>) -> Paths {
        let mut bytes = Vec::new();
        for path in paths {
            // No path has a NUL in it; one that a manifest claims to have ends there, and is not found.
            bytes.extend(path.into_iter().chain([0]));
        }
        Paths { bytes, next: 0 }
    }
}

impl Iterator for Paths {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        let rest = &self.bytes[self.next..];
        let length = rest.iter().position(|byte| *byte == 0)?;
        self.next += length + 1;
        Some(named_file(&rest[..length]))
    }
}

/// Takes what the engine gives.
struct Sink {
    audit: audit::Audit,
    tally: Tally,
    sheet: Option<(Sheet, Output)>,
    classifier: Option<Classifier>,
    error: Option<anyhow::Error>,
}

impl Sink {
    fn take(&mut self, event: Event) -> ControlFlow<()> {
        let done = match event {
            Event::Piece(record) => self.piece(record),
            Event::Done(outcome) => self.done(outcome),
        };
        self.error = done.err();
        if self.error.is_none() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    fn piece(&mut self, record: Record) -> anyhow::Result<()> {
        self.observe(&record)?;
        self.sheet.as_mut().map_or(Ok(()), |(sheet, _)| Ok(sheet.piece(record)?))
    }

    fn done(&mut self, outcome: Outcome) -> anyhow::Result<()> {
        match &outcome.trouble {
            // What is not there at all is missing, not unreadable, if it is known: the end tells.
            Some(Trouble::Failed(error)) if is_missing(error) => {
                self.tally.vanished(error);
                return Ok(());
            }
            Some(Trouble::Failed(error)) => self.tally.failed(error, &error.path),
            Some(Trouble::Skipped(why)) => {
                self.audit.leave_out(&outcome.record.path);
                self.tally.skipped(&outcome.record.path, *why);
                return Ok(());
            }
            None => {}
        }
        self.observe(&outcome.record)?;
        self.sheet.as_mut().map_or(Ok(()), |(sheet, _)| Ok(sheet.file(outcome.record)?))
    }

    fn observe(&mut self, record: &Record) -> anyhow::Result<()> {
        match self.audit.observe(record) {
            Ok(Some(verdict)) => {
                let label = self.label(&verdict, record)?;
                self.tally.count(&verdict, label.as_deref())
            }
            Ok(None) => Ok(()),
            Err(unjudged) => {
                self.tally.unjudged(&unjudged);
                Ok(())
            }
        }
    }

    /// What a file with content that no manifest has is known as.
    fn label(&mut self, verdict: &Verdict, record: &Record) -> anyhow::Result<Option<Arc<Label>>> {
        let fresh = matches!(verdict.category, Category::Changed | Category::New);
        let Some(classifier) = self.classifier.as_mut().filter(|_| fresh) else { return Ok(None) };
        let mut record = record.clone();
        classifier.label(&mut [&mut record])?;
        Ok(record.label)
    }

    fn end(self, cancel: &Cancel) -> anyhow::Result<Exit> {
        let Sink { audit, mut tally, sheet, error, .. } = self;
        if cancel.is_set() || error.is_some() {
            if let Some((_, output)) = &sheet {
                output.discard();
            }
            return error.map_or(Ok(Exit::Interrupted), Err);
        }
        for verdict in audit.finish() {
            tally.last(verdict)?;
        }
        let written = match sheet {
            Some((sheet, _)) => sheet.end()?,
            None => Exit::Fine,
        };
        Ok(tally.end()?.and(written))
    }
}

fn is_missing(error: &Error) -> bool {
    matches!(&error.problem, Problem::Stat(source) | Problem::Open(source) if source.kind() == io::ErrorKind::NotFound)
}
