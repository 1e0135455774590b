//! `hashloom audit`: what is there against what manifests say.

mod known;
mod report;

use crate::args;
use crate::exit::Exit;
use crate::learn::named_file;
use crate::message;
use crate::output::Output;
use crate::progress::Heartbeat;
use crate::selection::{Bytes, ListError, identity, operands, redirected, walk_options};
use crate::sheet::Sheet;
use crate::{signal, stats};
use anyhow::{Context, ensure};
use hashloom_engine::{Cancel, Event, Live, Outcome, Plan, Trouble};
use hashloom_manifest::audit::{Category, Counts, Verdict};
use hashloom_manifest::format::Layout;
use hashloom_manifest::{Record, audit};
use hashloom_source::{Error, Found, Problem, Skip, walk};
use known::Manifests;
use report::Reporter;
use std::io;
use std::num::NonZeroU64;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

/// The command, from options to exit code.
///
/// # Errors
/// If the options do not go together, a manifest is not usable, or the result cannot be written.
pub fn run(args: &args::Audit) -> anyhow::Result<Exit> {
    let plan = args.means.plan(Vec::new())?;
    let output = Output::stdout()?;
    signal::watch(plan.cancel.clone(), output.clone())?;
    let mut manifests = Manifests::read(&args.known)?;
    let typed: Vec<Bytes> = args.paths.iter().map(|path| path.as_bytes().into()).collect();
    let places = manifests.places(&typed);
    manifests.learn(&places, &plan);
    let plan = Plan {
        algorithms: manifests.algorithms()?,
        piece: manifests.known.piece_length().and_then(NonZeroU64::new),
        whole: manifests.known.has_wholes(),
        ..plan
    };
    let sheet = update(args, &manifests, &plan)?;
    let error = ListError::default();
    let entries = entries(args, &manifests, &error)?;
    let exit = manifests.exit();
    let sink = Sink {
        audit: audit::Audit::new(manifests.known, places, &plan.algorithms),
        reporter: Reporter::begin(args.format, args.verbose, output.clone())?,
        sheet,
        apart: Vec::new(),
        counts: Counts::default(),
        exit,
        error: None,
    };
    let exit = compare(args, plan, entries, (sink, output))?;
    let Some(error) = error.take() else { return Ok(exit) };
    message::say(format_args!("cannot read the list of paths on: {error}"));
    Ok(exit.and(Exit::Failed))
}

type Entries = Box<dyn Iterator<Item = Found> + Send>;

fn compare(
    args: &args::Audit,
    plan: Plan,
    entries: Entries,
    (mut sink, output): (Sink, Output),
) -> anyhow::Result<Exit> {
    let live = Arc::new(Live::default());
    let heartbeat = Heartbeat::start(args.means.progress, Arc::clone(&live), output);
    let stats = hashloom_engine::run(&plan, entries, &live, &mut |event| sink.take(event));
    drop(heartbeat);
    let exit = sink.end(&plan.cancel)?;
    if let Some(form) = args.means.stats {
        stats::print(form, &stats, 0);
    }
    Ok(exit)
}

/// The next manifest, begun.
fn update(args: &args::Audit, manifests: &Manifests, plan: &Plan) -> anyhow::Result<Option<(Sheet, Output)>> {
    let Some(path) = &args.update else { return Ok(None) };
    ensure!(!path.is_dir(), "{}: is a directory", path.display());
    let format = manifests.format.filter(|format| format.writer.is_some());
    let format = format.context("--update: hashloom does not write the format of the first manifest")?;
    let layout = Layout {
        algorithms: plan.algorithms.clone(),
        pieces: plan.piece.is_some(),
        times: manifests.times && format.carries.mtime,
    };
    let output = Output::file(path)?;
    let sheet = Sheet::begin(format, layout, output.clone()).context("--update: no writer")??;
    Ok(Some((sheet, output)))
}

/// What is below the operands, or the files that the manifests name.
fn entries(args: &args::Audit, manifests: &Manifests, error: &ListError) -> anyhow::Result<Entries> {
    let mut options = walk_options(&args.sources)?;
    if args.paths.is_empty() && args.sources.files_from.is_none() {
        ensure!(!args.sources.is_filter(), "filters need a PATH to walk");
        return Ok(Box::new(Paths::of(manifests.known.local_paths())));
    }
    let own = args.known.iter().chain(&args.update);
    options.leave_out.extend(own.filter_map(|path| identity(path)).chain(redirected()));
    Ok(Box::new(walk(operands(&args.paths, &args.sources, error)?, options)))
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
    reporter: Reporter,
    sheet: Option<(Sheet, Output)>,
    /// Paths below which nothing can be judged: directories that could not be listed or were left out.
    apart: Vec<(Bytes, Apart)>,
    counts: Counts,
    exit: Exit,
    error: Option<anyhow::Error>,
}

/// Why nothing below a path can be judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Apart {
    Failed,
    LeftOut,
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
        if let Some((sheet, _)) = &mut self.sheet {
            sheet.piece(record)?;
        }
        Ok(())
    }

    fn done(&mut self, outcome: Outcome) -> anyhow::Result<()> {
        match &outcome.trouble {
            Some(Trouble::Failed(error)) => {
                if self.failed(error) {
                    return Ok(());
                }
            }
            Some(Trouble::Skipped(why)) => self.skipped(&outcome.record.path, *why),
            None => {}
        }
        self.observe(&outcome.record)?;
        if let Some((sheet, _)) =
            self.sheet.as_mut().filter(|_| outcome.record.status != hashloom_manifest::Status::Skipped)
        {
            sheet.file(outcome.record)?;
        }
        Ok(())
    }

    /// Names the failure; true if the path is not there at all: then it is missing, not unreadable.
    fn failed(&mut self, error: &Error) -> bool {
        match &error.problem {
            Problem::Stat(source) | Problem::Open(source) if source.kind() == io::ErrorKind::NotFound => {
                return true;
            }
            Problem::List(_) => self.apart.push((error.path.clone(), Apart::Failed)),
            _ => {}
        }
        message::about(&error.path, &error.problem);
        self.exit = self.exit.and(Exit::Failed);
        false
    }

    fn skipped(&mut self, path: &[u8], why: Skip) {
        self.audit.leave_out(path);
        if matches!(why, Skip::Filtered | Skip::OtherFileSystem) {
            self.apart.push((path.into(), Apart::LeftOut));
        }
    }

    fn observe(&mut self, record: &Record) -> anyhow::Result<()> {
        match self.audit.observe(record) {
            Ok(Some(verdict)) => self.count(&verdict),
            Ok(None) => Ok(()),
            Err(unjudged) => {
                message::about(
                    &unjudged.path,
                    "not compared: the manifest has no digest of it that others have",
                );
                self.exit = self.exit.and(Exit::Failed);
                Ok(())
            }
        }
    }

    fn count(&mut self, verdict: &Verdict) -> anyhow::Result<()> {
        self.counts.add(verdict.category);
        Ok(self.reporter.verdict(verdict)?)
    }

    fn end(mut self, cancel: &Cancel) -> anyhow::Result<Exit> {
        if cancel.is_set() || self.error.is_some() {
            if let Some((_, output)) = &self.sheet {
                output.discard();
            }
            return self.error.map_or(Ok(Exit::Interrupted), Err);
        }
        let audit = std::mem::replace(
            &mut self.audit,
            audit::Audit::new(Default::default(), Default::default(), &[]),
        );
        for verdict in audit.finish() {
            self.last(verdict)?;
        }
        if let Some((sheet, _)) = self.sheet {
            sheet.end()?;
        }
        let differs = Category::ALL.iter().any(|category| {
            !matches!(category, Category::Matched | Category::Unreadable) && self.counts.of(*category) > 0
        });
        let unreadable = self.counts.of(Category::Unreadable) > 0;
        self.reporter.end(&self.counts)?;
        Ok(self.exit.and(Exit::Differs.when(differs)).and(Exit::Failed.when(unreadable)))
    }

    /// A verdict of the end. What is missing below a directory that could not be listed may be there.
    fn last(&mut self, mut verdict: Verdict) -> anyhow::Result<()> {
        if verdict.category == Category::Missing {
            match self.apart(&verdict.path) {
                Some(Apart::LeftOut) => return Ok(()),
                Some(Apart::Failed) => verdict.category = Category::Unreadable,
                None => {}
            }
        }
        self.count(&verdict)
    }

    fn apart(&self, path: &[u8]) -> Option<Apart> {
        let below = |root: &[u8]| {
            path.strip_prefix(root).is_some_and(|rest| rest.starts_with(b"/") || root.ends_with(b"/"))
        };
        self.apart.iter().find(|(root, _)| below(root)).map(|(_, why)| *why)
    }
}
