//! `hashloom bag verify`.

use super::options::Verify;
use super::report;
use crate::exit::Exit;
use crate::message;
use crate::message::tell_notes;
use crate::output;
use crate::progress::Heartbeat;
use crate::{signal, stats};
use anyhow::{Context, ensure};
use hashloom_bag::{Bag, Declaration, Judge, Kind, Level, Seen, Severity};
use hashloom_engine::{Event, Live, Outcome, Plan, Trouble, run as hash};
use hashloom_job::{Bytes, below};
use hashloom_source::{Error, Filter, Found, Skip, WalkOptions, walk};
use std::fs;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

/// The command, from options to exit code.
///
/// # Errors
/// If it is no bag, or the result cannot be written.
pub fn run(options: &Verify) -> anyhow::Result<Exit> {
    let plan = options.resources.plan(Vec::new())?;
    options.resources.give_way()?;
    let output = output::stdout()?;
    signal::watch(plan.cancel.clone(), output.clone())?;
    let bag = open(&options.bag)?;
    let level = match (options.oxum, options.complete) {
        (true, _) => Level::Oxum,
        (_, true) => Level::Complete,
        _ => Level::Valid,
    };
    let plan = Plan { algorithms: bag.algorithms(), ..plan };
    let about = report::About::of(&bag, &options.bag, level);
    let has_payload = options.bag.join("data").symlink_metadata().is_ok_and(|meta| meta.is_dir());
    let mut judge = Judge::new(bag, level);
    if level == Level::Valid && !plan.algorithms.is_empty() {
        read(options, &plan, &mut judge);
    } else {
        look(&options.bag, &plan, &mut judge);
    }
    if plan.cancel.is_set() {
        message::say("interrupted");
        return Ok(Exit::Interrupted);
    }
    let judged = judge.finish(has_payload);
    let severe = |wanted| judged.findings.iter().any(|finding| finding.kind.severity() == wanted);
    let exit = Exit::Differs.when(severe(Severity::Bad)).and(Exit::Failed.when(severe(Severity::Unread)));
    report::print(&about, &judged, (options.format, options.verbose), &output)?;
    Ok(exit)
}

/// The declaration and what all tag files beside it say.
fn open(path: &Path) -> anyhow::Result<Bag> {
    let shown = path.display();
    ensure!(path.is_dir(), "{shown}: is no folder, so it is no bag");
    let declared = path.join("bagit.txt");
    let is_file = declared.symlink_metadata().is_ok_and(|meta| meta.is_file());
    ensure!(is_file, "{shown}: has no bagit.txt, so it is no bag");
    let bytes = fs::read(&declared).with_context(|| format!("{}: cannot read", declared.display()))?;
    let declaration = Declaration::parse(&bytes).with_context(|| declared.display().to_string())?;
    let mut bag = Bag::new(declaration);
    let mut names: Vec<String> = Vec::new();
    for entry in fs::read_dir(path).with_context(|| format!("{shown}: cannot list"))? {
        let entry = entry.with_context(|| format!("{shown}: cannot list"))?;
        // No link and no FIFO: what they are is found by the walk, and they are not read.
        if entry.file_type().is_ok_and(|kind| kind.is_file()) {
            names.extend(entry.file_name().into_string());
        }
    }
    names.sort();
    for name in names.iter().filter(|name| bag.is_tag_file(name)).collect::<Vec<_>>() {
        match fs::read(path.join(name)) {
            Ok(bytes) => bag.add_tag_file(name, &bytes),
            Err(error) => {
                message::about(path.join(name).as_os_str().as_bytes(), format_args!("cannot read: {error}"));
                bag.add_unreadable(name, error.to_string());
            }
        }
    }
    Ok(bag)
}

/// Hashes all that is in the bag, by the algorithms of all manifests in one read.
fn read(options: &Verify, plan: &Plan, judge: &mut Judge) {
    let folder = Bytes::from(options.bag.as_os_str().as_bytes());
    let live = Arc::new(Live::default());
    let heartbeat = Heartbeat::of(options.resources.progress, Arc::clone(&live));
    let entries = walk(std::iter::once(folder.clone()), WalkOptions::default());
    let stats = hash(plan, entries, &live, &mut |event| {
        if let Event::Done(outcome) = event {
            take(judge, &outcome, &folder);
        }
        ControlFlow::Continue(())
    });
    drop(heartbeat);
    tell_notes(&plan.reading);
    if let Some(form) = options.resources.stats {
        stats::print(form, &stats, 0);
    }
}

fn take(judge: &mut Judge, outcome: &Outcome, folder: &[u8]) {
    let record = &outcome.record;
    let path = below(&record.path, folder);
    match &outcome.trouble {
        Some(Trouble::Failed(error)) => fail(judge, error, folder),
        Some(Trouble::Skipped(why)) => skip(judge, path, *why),
        None => {
            let digests = record.digests.iter().map(|named| (named.algorithm, named.digest)).collect();
            judge.file(path, &Seen { size: record.size, digests });
        }
    }
}

/// Looks at names and sizes alone.
fn look(bag: &Path, plan: &Plan, judge: &mut Judge) {
    let folder = Bytes::from(bag.as_os_str().as_bytes());
    // A bound that all keep makes the walk look at sizes.
    let filter = Filter::builder().min_size(0).build().unwrap_or_default();
    let options = WalkOptions { filter, ..WalkOptions::default() };
    for found in walk(std::iter::once(folder.clone()), options) {
        if plan.cancel.is_set() {
            return;
        }
        match found {
            Found::File(entry) => {
                let seen = Seen { size: entry.size, digests: Vec::new() };
                judge.file(below(&entry.path, &folder), &seen);
            }
            Found::Skipped { path, why } => skip(judge, below(&path, &folder), why),
            Found::Failed(error) => fail(judge, &error, &folder),
        }
    }
}

fn skip(judge: &mut Judge, path: &[u8], why: Skip) {
    let kind = if matches!(why, Skip::Link | Skip::Loop) { Kind::Link } else { Kind::Special };
    judge.other(path, kind, why.reason());
}

fn fail(judge: &mut Judge, error: &Error, folder: &[u8]) {
    message::about(&error.path, &error.problem);
    judge.unreadable(below(&error.path, folder), error.problem.to_string());
}
