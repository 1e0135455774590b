//! `hashloom hash`: walks, hashes, writes a manifest.

mod options;

pub use options::{BadBlocks, Options, Sorted};

use crate::cmd::{known, seal};
use crate::exit::Exit;
use crate::images::Entries;
use crate::label::{self, Labels, Purpose, Show};
use crate::message::{self, count};
use crate::options::algorithms::Algorithms;
use crate::options::case;
use crate::options::report::Progress;
use crate::output::{self, Output, WriteError};
use crate::plan::tell_notes;
use crate::progress::Heartbeat;
use crate::resume::{Beside, Kept, Replay, Shape};
use crate::sealing::Sealing;
use crate::seen::Marker;
use crate::selection::{ListError, entries, operands, redirected, walk_options};
use crate::sheet::{self, Sheet};
use crate::signatures::staged::{self, Signing, Staged};
use crate::{signal, stats};
use anyhow::{Context, bail, ensure};
use hashloom_engine::{Event, Live, Order, Outcome, Plan, Stats, Trouble};
use hashloom_manifest::Record;
use hashloom_manifest::case::Faults;
use hashloom_manifest::format::{Body, Format, Layout, find_format};
use hashloom_source::{Reading, Skip};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

/// The command, from options to exit code. Without anything to hash it prints its help.
///
/// # Errors
/// If the options do not go together, or the output cannot be written.
pub fn run(args: &Options, help: impl FnOnce() -> String) -> anyhow::Result<Exit> {
    if paths(args).is_none() {
        message::write(&help());
        return Ok(Exit::Unusable);
    }
    if args.known.is_empty() {
        return run_with(args, None);
    }
    let sets = label::open(&args.known, &args.types)?;
    run_with(args, Some(Labels::new(sets, Show::All, Purpose::Record)))
}

/// As [`run`], with labels for the records.
///
/// # Errors
/// As [`run`].
pub fn run_with(args: &Options, labels: Option<Labels>) -> anyhow::Result<Exit> {
    let paths = paths(args).unwrap_or_default();
    let (mut shape, plan) = prepare(args, labels.as_ref())?;
    let error = ListError::default();
    let operands = operands(&paths, &args.sources, &error)?;
    let mut options = walk_options(&args.sources)?;
    options.timeout = args.means.timeout;
    let signing = signing(args)?;
    // Only now: what was typed is right, and an earlier run's partial output may be replaced.
    let once = labels.as_ref().is_some_and(|labels| labels.purpose() == Purpose::Judge);
    let (output, resumable) = open(args, &shape, once)?;
    if let Some(kept) = resumable.as_ref().and_then(|resumable| resumable.kept.as_ref()) {
        shape = kept.shape().clone();
    }
    signal::watch(plan.cancel.clone(), output.clone())?;
    options.leave_out.extend(output.identities());
    options.leave_out.extend(resumable.iter().flat_map(|resumable| resumable.beside.identities()));
    options.leave_out.extend(redirected());
    options.leave_out.extend(old_seal(args));
    let entries = entries(operands, options, &args.sources);
    let list = error.clone();
    let job = Job { args, shape, plan, output, resumable, labels, list, signing, sealing: None };
    let exit = job.run_or_tell(entries)?;
    Ok(exit.and(list_failed(args, &error)))
}

/// Hashes entries that come from elsewhere than a walk.
///
/// # Errors
/// As [`run`].
pub fn run_on(args: &Options, entries: Entries) -> anyhow::Result<Exit> {
    let (shape, plan) = prepare(args, None)?;
    let signing = signing(args)?;
    let (output, resumable) = open(args, &shape, false)?;
    signal::watch(plan.cancel.clone(), output.clone())?;
    let (labels, list) = (None, ListError::default());
    Job { args, shape, plan, output, resumable, labels, list, signing, sealing: None }.run(entries)
}

/// Device and inode of the seal that is about to be replaced.
fn old_seal(args: &Options) -> Option<(u64, u64)> {
    let output = args.output.as_deref().filter(|_| args.seal)?;
    let meta = seal::beside(output, "seal").symlink_metadata().ok()?;
    // A file that has another name, too, may be one of the tree.
    (meta.nlink() == 1).then(|| (meta.dev(), meta.ino()))
}

fn prepare(args: &Options, labels: Option<&Labels>) -> anyhow::Result<(Shape, Plan)> {
    let prepared = (shape(args, labels)?, plan(args)?);
    args.means.give_way()?;
    Ok(prepared)
}

/// One run, ready to start.
struct Job<'a> {
    args: &'a Options,
    shape: Shape,
    plan: Plan,
    output: Output,
    resumable: Option<Resumable>,
    labels: Option<Labels>,
    list: ListError,
    signing: Option<Signing>,
    sealing: Option<Sealing>,
}

/// What an output that is a file has beside it.
struct Resumable {
    beside: Beside,
    kept: Option<Kept>,
}

/// Takes what the engine gives.
struct Sink {
    sheet: Sheet,
    replay: Option<Replay>,
    /// Where it is noted what files looked like, if the run may be gone on with.
    marks: Option<(Marker, Output)>,
    labels: Option<Labels>,
    skipped: BTreeMap<Skip, u64>,
    /// Files with zeros instead of what could not be read.
    damaged: u64,
    /// What went wrong, if the manifest is to tell.
    faults: Option<Faults>,
    error: Option<anyhow::Error>,
}

impl Job<'_> {
    /// As [`Job::run`]; says of what could not be written to its end that it can be gone on with.
    fn run_or_tell(self, entries: Entries) -> anyhow::Result<Exit> {
        let beside =
            self.goes_on().then(|| self.resumable.as_ref().map(|resumable| resumable.beside.clone()));
        let done = self.run(entries);
        let unwritten = |error: &anyhow::Error| {
            error.downcast_ref::<WriteError>().is_some_and(|error| !error.displaced())
        };
        let unwritten = done.as_ref().is_err_and(unwritten);
        if unwritten && beside.flatten().is_some_and(|beside| beside.is_left()) {
            message::say("what was finished is kept; --resume goes on from there");
        }
        done
    }

    /// Whether a later run can go on where this one ends early.
    fn goes_on(&self) -> bool {
        self.resumable.is_some() && self.plan.order == Order::Walk
    }

    fn run(mut self, entries: Entries) -> anyhow::Result<Exit> {
        self.sealing = self.args.seal.then(|| Sealing::start(&self.output)).transpose()?;
        let live = Arc::new(Live::default());
        let (entries, replay) = self.split(entries, &live)?;
        let (format, layout) = (self.shape.format, self.shape.layout.clone());
        let sheet = Sheet::begin_within(self.args.means.memory(), format, layout, self.output.clone())
            .context("hashloom does not write this format")??;
        let marks = self.resumable.as_ref().map(|_| Marker::new()).transpose()?;
        let mut sink = Sink {
            sheet,
            replay,
            marks: marks.map(|marker| (marker, self.output.clone())),
            labels: self.labels.take(),
            skipped: BTreeMap::new(),
            damaged: 0,
            faults: self.shape.layout.case.is_some().then(Faults::default),
            error: None,
        };
        let heartbeat = (!is_quick(self.args))
            .then(|| Heartbeat::start(self.args.means.progress, Arc::clone(&live), self.output.clone()));
        let stats = hashloom_engine::run(&self.plan, entries, &live, &mut |event| sink.take(event));
        drop(heartbeat);
        self.end(sink, &stats)
    }

    /// Takes out of the entries what an interrupted run has done.
    fn split(&mut self, entries: Entries, live: &Arc<Live>) -> anyhow::Result<(Entries, Option<Replay>)> {
        let kept = self.resumable.as_mut().and_then(|resumable| resumable.kept.take());
        let Some(kept) = kept else { return Ok((entries, None)) };
        let (matching, replay) = kept.split(Arc::clone(live))?;
        Ok((Box::new(matching.filter(entries)), Some(replay)))
    }

    fn end(mut self, mut sink: Sink, stats: &Stats) -> anyhow::Result<Exit> {
        if let Some(error) = sink.error.take() {
            return Err(error);
        }
        sink.release()?;
        if self.plan.cancel.is_set() {
            return self.interrupted(sink);
        }
        tell_notes(&self.plan.reading);
        let damaged = sink.damaged;
        let kept = sink.replay.take().map_or(Ok(0), |replay| replay.rest(&mut sink.sheet))?;
        if let Some(mut faults) = sink.faults.take() {
            if let Some(problem) = self.list.problem() {
                faults.push(list_name(self.args).as_os_str().as_bytes(), problem);
            }
            sink.sheet.conclude(&case::end(stats, kept, faults))?;
        }
        let written = self.finish(sink.sheet)?;
        if let (Some(sealing), Some(path)) = (self.sealing, &self.args.output) {
            sealing.finish(path)?;
        }
        if let Some(resumable) = &self.resumable {
            resumable.beside.end()?;
        }
        if !self.shape.format.carries.status {
            tell_skipped(&sink.skipped);
        }
        if let Some(form) = self.args.means.stats {
            stats::print(form, stats, kept);
        }
        let labels = sink.labels.map_or(Exit::Fine, |labels| labels.exit());
        Ok(Exit::Failed.when(stats.failed + damaged > 0).and(labels).and(written))
    }

    /// Gives the manifest its name, and after it its signatures. One that can't be signed after all is kept: what
    /// took hours is not lost because an agent went away.
    fn finish(&mut self, sheet: Sheet) -> anyhow::Result<Exit> {
        let Some(signing) = &mut self.signing else {
            let written = sheet.end()?;
            if let Some(path) = file(self.args) {
                staged::tell_stale(path);
            }
            return Ok(written);
        };
        let mut staged = Ok(Staged::default());
        let written = sheet.end_after(|output| {
            staged = signing.stage(output);
            Ok(())
        })?;
        match staged.and_then(|staged| Ok(staged.finish()?)) {
            Ok(()) => Ok(written),
            Err(error) => {
                message::say(format_args!(
                    "{error:#}; the manifest is whole but not signed: hashloom sign does it"
                ));
                Ok(written.and(Exit::Failed))
            }
        }
    }

    fn interrupted(&self, sink: Sink) -> anyhow::Result<Exit> {
        sink.sheet.leave()?;
        message::say(if self.goes_on() { "interrupted; --resume goes on from here" } else { "interrupted" });
        Ok(Exit::Interrupted)
    }
}

impl Sink {
    fn take(&mut self, event: Event) -> ControlFlow<()> {
        match self.accept(event) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.error = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    fn accept(&mut self, event: Event) -> anyhow::Result<()> {
        let Some(labels) = &mut self.labels else { return self.write(event) };
        if labels.hold(event) { self.release() } else { Ok(()) }
    }

    /// Writes what was held back for its labels.
    fn release(&mut self) -> anyhow::Result<()> {
        let Some(labels) = &mut self.labels else { return Ok(()) };
        labels.release()?.into_iter().try_for_each(|event| self.write(event))
    }

    fn write(&mut self, event: Event) -> anyhow::Result<()> {
        match event {
            Event::Piece(record) => Ok(self.sheet.piece(record)?),
            Event::Done(outcome) => {
                if let Some(replay) = &mut self.replay {
                    replay.before_next(&mut self.sheet)?;
                }
                Ok(self.done(outcome)?)
            }
        }
    }

    fn tell_damage(&mut self, record: &Record) {
        if record.bad_blocks.is_empty() {
            return;
        }
        self.damaged += 1;
        Exit::Failed.noted();
        let bytes: u64 = record.bad_blocks.iter().map(|range| range.length).sum();
        let places = count(record.bad_blocks.len() as u64, "place", "places");
        let problem = format!("{bytes} bytes in {places} can't be read; the digests are of zeros there");
        message::about(&record.path, &problem);
        if let Some(faults) = &mut self.faults {
            faults.push(&record.path, problem);
        }
    }

    /// Notes what the file looked like.
    fn mark(&self, Outcome { record, meta, trouble }: &Outcome) {
        if let (Some((marker, output)), Some(meta), None) = (&self.marks, meta, trouble) {
            output.note(&marker.mark(&marker.claim(record), meta));
        }
    }

    fn done(&mut self, outcome: Outcome) -> Result<(), WriteError> {
        match &outcome.trouble {
            Some(Trouble::Failed(error)) => {
                message::about(&error.path, &error.problem);
                Exit::Failed.noted();
                if let Some(faults) = &mut self.faults {
                    faults.push(&error.path, error.problem.to_string());
                }
            }
            // Both were asked for: by the filters, and by naming an output.
            Some(Trouble::Skipped(Skip::Filtered | Skip::Output)) => return Ok(()),
            Some(Trouble::Skipped(why)) => *self.skipped.entry(*why).or_insert(0) += 1,
            None => self.tell_damage(&outcome.record),
        }
        self.mark(&outcome);
        let shown = |labels: &Labels| labels.show().takes(outcome.record.label.as_deref());
        if self.labels.as_ref().is_none_or(shown) { self.sheet.file(outcome.record) } else { Ok(()) }
    }
}

/// The operands; standard input if there are none and it is not a terminal.
fn paths(args: &Options) -> Option<Vec<OsString>> {
    if !args.paths.is_empty() || args.sources.files_from.is_some() {
        return Some(args.paths.clone());
    }
    (!io::stdin().is_terminal()).then(|| vec!["-".into()])
}

fn shape(args: &Options, labels: Option<&Labels>) -> anyhow::Result<Shape> {
    let format = find_format(&args.format).context("no such format")?;
    fits(args, format)?;
    if let Some(labels) = labels {
        known::fits(labels, format)?;
        label::check(labels.sets(), &args.algorithms.digests)?;
    }
    let Algorithms { digests, likeness } = args.algorithms.clone();
    let layout = Layout {
        algorithms: digests,
        likeness,
        pieces: args.piecewise.is_some(),
        times: args.times,
        bad_blocks: args.bad_blocks == BadBlocks::Zero,
        labels: labels.is_some() && format.carries.labels,
        case: args.case.start(&args.algorithms).map(Arc::new),
    };
    let known = labels.map(|labels| identities(args, labels));
    let piecewise = args.piecewise.map(Into::into);
    Ok(Shape { format, layout, piecewise, known, case: args.case.text() })
}

/// Which sets, and what of them counts.
fn identities(args: &Options, labels: &Labels) -> String {
    let identities = labels.sets().indexes().iter().map(|index| index.identity());
    let sets = identities.collect::<Vec<_>>().join(" ");
    format!("{sets} --exclude-type {:?} --only-type {:?}", args.types.exclude_type, args.types.only_type)
}

fn fits(args: &Options, format: &Format) -> anyhow::Result<()> {
    ensure!(
        args.piecewise.is_none() || format.carries.pieces,
        "--piecewise: the format {} has no pieces",
        format.name
    );
    if let Some((_, row)) = args.algorithms.likeness.first().filter(|_| !format.carries.likeness) {
        let can = sheet::carriers(|carries| carries.likeness);
        bail!("-c {}: the format {} has no place for likeness digests; {can} have", row.name, format.name);
    }
    sheet::fits(format, args.output.as_deref())?;
    fits_only(args, format)?;
    ensure!(
        !args.resume || matches!(format.body, Body::Text),
        "--resume: what an interrupted run leaves of the format {} can't be gone on with",
        format.name
    );
    ensure!(!args.times || format.carries.mtime, "--times: the format {} has no place for them", format.name);
    ensure!(
        args.bad_blocks == BadBlocks::Fail || format.carries.bad_blocks,
        "--bad-blocks zero: the format {} can't say which bytes are missing; {} can",
        format.name,
        sheet::carriers(|carries| carries.bad_blocks)
    );
    args.case.fits(format)?;
    ensure!(!args.seal || args.output.as_deref() != Some(Path::new("-")), "--seal needs a file as --output");
    if args.sources.images {
        fits_images(args)?;
    }
    if args.resume && args.order == Sorted::Any {
        bail!("--resume goes by the order of paths; it can't go with --order any");
    }
    Ok(())
}

/// A format of one algorithm takes no other.
fn fits_only(args: &Options, format: &Format) -> anyhow::Result<()> {
    let Some(only) = format.only else { return Ok(()) };
    let typed = &args.algorithms;
    let other = typed.digests.iter().find(|row| row.name != only);
    let other = other.map(|row| row.name).or(typed.likeness.first().map(|(_, row)| row.name));
    let Some(other) = other else { return Ok(()) };
    bail!("-c {other}: the format {} holds {only} and nothing else: -c {only}", format.name);
}

/// What is read of an image is not a file: what is asked of files can't be asked of it.
fn fits_images(args: &Options) -> anyhow::Result<()> {
    ensure!(!args.resume, "--images can't go with --resume");
    ensure!(args.bad_blocks == BadBlocks::Fail, "--images can't go with --bad-blocks zero");
    args.means.fits_images()
}

fn plan(args: &Options) -> anyhow::Result<Plan> {
    let Algorithms { digests, likeness } = args.algorithms.clone();
    let likeness = likeness.into_iter().map(|(_, row)| row).collect();
    let plan = args.means.plan(digests)?;
    let reading = Reading { bad_blocks: args.bad_blocks.into(), ..plan.reading };
    Ok(Plan { likeness, piece: args.piecewise, order: args.order.into(), reading, ..plan })
}

/// The file that `-o` names, if it names one.
fn file(args: &Options) -> Option<&Path> {
    args.output.as_deref().filter(|path| *path != Path::new("-") && output::replaces(path))
}

/// The keys of `--sign`, ready.
fn signing(args: &Options) -> anyhow::Result<Option<Signing>> {
    if args.sign.is_empty() {
        return Ok(None);
    }
    let file = file(args)
        .context("--sign needs a file as -o: a signature is of a whole file, and lies beside it")?;
    Signing::prepare(&args.sign, file).map(Some)
}

/// The output; what is run `once` leaves nothing for `--resume`.
fn open(args: &Options, shape: &Shape, once: bool) -> anyhow::Result<(Output, Option<Resumable>)> {
    let stdout = Path::new("-");
    let Some(path) = args.output.as_deref().filter(|path| *path != stdout) else {
        ensure!(!args.resume, "--resume needs a file as --output");
        return Ok((Output::stdout()?, None));
    };
    ensure!(!path.is_dir(), "{}: is a directory", path.display());
    let torn = matches!(shape.format.body, Body::Text);
    if once || !torn || args.sources.images || !output::replaces(path) {
        ensure!(!args.resume, "--resume: {} is no file", path.display());
        return Ok((Output::file(path)?, None));
    }
    let beside = Beside::of(path).map_err(|error| WriteError::of(path, error))?;
    let mut kept = if args.resume { beside.resume(shape)? } else { None };
    let output = Output::resumable(path)?;
    let notes = match kept.as_mut().and_then(Kept::notes) {
        Some(notes) => notes,
        None => beside.start(shape)?,
    };
    output.take_notes(notes);
    Ok((output, Some(Resumable { beside, kept })))
}

/// Whether it is one small file, which is done before anybody could look at a display: a thread for that would
/// take longer than the file.
fn is_quick(args: &Options) -> bool {
    let [path] = args.paths.as_slice() else { return false };
    let small = |meta: std::fs::Metadata| meta.is_file() && meta.len() <= 1 << 20;
    let alone = args.sources.files_from.is_none() && args.means.progress != Progress::Always;
    alone && std::fs::metadata(path).is_ok_and(small)
}

/// "3 entries skipped: 2 x symbolic link, 1 x FIFO".
pub fn tell_skipped(skipped: &BTreeMap<Skip, u64>) {
    let total: u64 = skipped.values().sum();
    if total > 0 {
        let kinds: Vec<String> =
            skipped.iter().map(|(why, number)| format!("{number} x {}", why.reason())).collect();
        message::say(format_args!("{} skipped: {}", count(total, "entry", "entries"), kinds.join(", ")));
    }
}

fn list_failed(args: &Options, error: &ListError) -> Exit {
    let Some(error) = error.take() else { return Exit::Fine };
    message::say(format_args!("{}: cannot read the list of paths on: {error}", list_name(args).display()));
    Exit::Failed
}

fn list_name(args: &Options) -> &Path {
    args.sources.files_from.as_deref().unwrap_or(Path::new("-"))
}
