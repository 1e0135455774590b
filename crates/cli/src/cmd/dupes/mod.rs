//! `hashloom dupes`: groups of files with the same content. Nothing is changed, ever.

mod find;
mod group;
mod listed;
mod options;
mod part;
mod report;
mod sizes;

pub use options::Options;

use crate::cmd::hash::tell_skipped;
use crate::exit::Exit;
use crate::message;
use crate::message::tell_notes;
use crate::output;
use crate::progress::Heartbeat;
use crate::{signal, stats};
use anyhow::ensure;
use hashloom_digest::find as find_algorithm;
use hashloom_engine::Live;
use hashloom_job::Selected;
use hashloom_job::audit::Manifests;
use hashloom_source::Skip;
use report::Form;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files below this size are left out, unless `--min-size` says otherwise: all empty files are alike.
const MIN_SIZE: u64 = 1;

/// The command, from options to exit code.
///
/// # Errors
/// If the options do not go together, a manifest is not usable, or the result cannot be written.
pub fn run(options: Options) -> anyhow::Result<Exit> {
    let form = match (options.print0, options.json) {
        (true, _) => Form::Null,
        (_, true) => Form::Json,
        _ => Form::Lines { links: options.hard_links },
    };
    match manifests(&options) {
        Some(paths) => from_manifests(&options, &paths, form),
        None => from_files(options, form),
    }
}

/// The manifests, if it is them that are asked.
fn manifests(options: &Options) -> Option<Vec<PathBuf>> {
    if !options.manifest.is_empty() {
        return Some(options.manifest.clone());
    }
    let [only] = options.paths.as_slice() else { return None };
    let alone = options.sources.files_from.is_none();
    let is_list = only == "-" || Path::new(only).is_file();
    (alone && is_list).then(|| vec![PathBuf::from(only)])
}

fn from_manifests(options: &Options, paths: &[PathBuf], form: Form) -> anyhow::Result<Exit> {
    let sources = &options.sources;
    let size = (sources.min_size, sources.max_size);
    ensure!(
        size.1.is_none()
            && !crate::options::sources::Sources { min_size: None, ..sources.clone() }.is_filter(),
        "filters other than --min-size need a PATH to walk"
    );
    ensure!(!options.hard_links, "--hard-links: manifests do not know of links");
    let output = output::stdout()?;
    let manifests = Manifests::read_plain(paths, &mut |notice| message::say(notice))?;
    let wanted = options.algorithm.map(|name| name.0);
    let (groups, exit) = listed::group(&manifests, wanted, size.0.unwrap_or(MIN_SIZE))?;
    report::print(&groups.finish(), manifests.unread.len() as u64, form, &output)?;
    Ok(exit)
}

fn from_files(options: Options, form: Form) -> anyhow::Result<Exit> {
    ensure!(!options.sources.images, "--images: what is in images has no inode to know links by");
    let algorithm = match options.algorithm {
        Some(name) => name.0,
        None => find_algorithm("blake3")?,
    };
    listed::check(algorithm)?;
    let plan = options.resources.plan(vec![algorithm])?;
    options.resources.give_way()?;
    let output = output::stdout()?;
    signal::watch(plan.cancel.clone(), output.clone())?;
    let selection = options.sources.selection(&options.paths)?;
    let Selected { entries, problem: error } = selection.open(None)?;
    let live = Arc::new(Live::default());
    let heartbeat = Heartbeat::start(options.resources.progress, Arc::clone(&live), output.clone());
    let wanted = find::Wanted {
        min_size: options.sources.min_size.unwrap_or(MIN_SIZE),
        follow: options.sources.follow,
    };
    let searched = find::search(entries, wanted, &plan, &live);
    drop(heartbeat);
    if plan.cancel.is_set() {
        message::say("interrupted");
        return Ok(Exit::Interrupted);
    }
    tell_notes(&plan.reading);
    let asked_for = |why: &Skip| matches!(why, Skip::Filtered | Skip::Output);
    tell_skipped(&searched.skipped.into_iter().filter(|(why, _)| !asked_for(why)).collect());
    report::print(&searched.groups.finish(), searched.failed, form, &output)?;
    if let Some(form) = options.resources.stats {
        stats::print(form, &searched.stats, 0);
    }
    let listed = error.take().map_or(Exit::Fine, |error| {
        message::say(format_args!("cannot read the list of paths on: {error}"));
        Exit::Failed
    });
    Ok(Exit::Failed.when(searched.failed > 0).and(listed))
}
