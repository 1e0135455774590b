//! `hashmill hash`: walks, hashes, writes a manifest.

mod bare;
mod dry;
mod options;
mod show;

pub use options::Options;
pub use show::{Display, run as show, run_summed, tell_categories, tell_skipped, tell_stats};

use crate::options::algorithms::{Algorithms, tell_foreign_to_hashdeep, tell_truncated};
use crate::options::format;
use crate::options::signatures::Guarded;
use crate::output;
use crate::results::report::Progress;
use crate::words::message;
use anyhow::ensure;
use hashmill_content::Selection;
use hashmill_job::account::{Account, Item};
use hashmill_job::hash::{HashJob, Input, Manifest};
use hashmill_job::labels::{Labels, Purpose, Show};
use hashmill_job::reuse::Reuse;
use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::Path;

/// Runs the command, and returns its account. Without anything to hash it prints its help.
///
/// # Errors
/// If the options do not go together, or the output cannot be written.
pub fn run(options: &Options, help: impl FnOnce() -> String) -> anyhow::Result<Account> {
    let Some(paths) = paths(options) else {
        message::write(&help());
        return Ok(Account::unusable(Item::Entry, 1));
    };
    let written = output::named(options.output.as_deref());
    let format = format::choose(options.format, written, "hashdeep")?;
    output::fits(format, options.output.as_deref())?;
    let typed = options.algorithms.clone().or_else(|| Algorithms::of_history(format, written?));
    let algorithms = format::algorithms(typed.as_ref(), format, written)?;
    ensure!(
        !(options.resume && options.blake3.has_key()),
        "--resume: nothing tells whether it is the same key"
    );
    ensure!(
        options.reuse.as_deref() != Some(Path::new("-")) || !reads_stdin(options, &paths),
        "--reuse -: standard input is read as data or as the list of paths already"
    );
    options.blake3.check_stdin(reads_stdin(options, &paths))?;
    let key = options.blake3.key()?;
    let algorithms = options.blake3.apply(algorithms, key.as_ref())?;
    let selection = options.sources.selection(&paths)?;
    if options.dry_run {
        return dry::run(options, selection);
    }
    let mut job = job(options, selection, algorithms)?;
    job.resources.key = key;
    if options.bare {
        job.check(None)?;
        return bare::run(job, options, &display(options));
    }
    let manifest = Manifest {
        times: options.times,
        bare_names: options.bare_names,
        style: options.text,
        case: options.case.data(),
        seal: options.seal,
        resume: options.resume,
        patterns: options.sources.exclude.iter().map(|glob| glob.as_bytes().into()).collect(),
        ..Manifest::new(format, options.force.to(options.output.as_deref())?)
    };
    job.check(Some(&manifest))?;
    tell_truncated(&job.algorithms);
    tell_foreign_to_hashdeep(options.format, &job.algorithms);
    // Only now are the options known to be valid, so that a passphrase is not asked for in vain.
    let manifest = Manifest { signers: options.signing.signers(options.output.as_deref())?, ..manifest };
    show::run(job, manifest, &display(options))
}

/// Opens the manifest whose digests are reused, after its signatures were checked.
///
/// # Errors
/// If a signature is broken, or there are too few good ones.
pub fn reuse(old: &Path, guarded: &Guarded) -> anyhow::Result<Reuse> {
    let list = guarded.guard()?.open(old.as_os_str(), &mut |notice| message::say(notice))?;
    Ok(Reuse { path: old.to_path_buf(), list })
}

fn job(options: &Options, selection: Selection, algorithms: Algorithms) -> anyhow::Result<HashJob> {
    let labels = || {
        let sets = options.types.open(&options.known)?;
        anyhow::Ok(Labels::new(sets, Show::All, Purpose::Record))
    };
    let mut resources = options.resources.resources_for(&options.paths);
    resources.counts &= !is_quick(options);
    if options.sources.inside().is_any() {
        options.sources.tell_operands(&options.paths, &resources);
    }
    Ok(HashJob {
        input: Input::Selection(Box::new(selection)),
        algorithms,
        facts: options.facts.unwrap_or_default(),
        scan: options.rules.scan()?,
        pronom: options.pronom.open()?,
        piece: options.piecewise,
        leaves: options.leaves,
        order: options.order,
        bad_blocks: options.bad_blocks,
        metadata: options.metadata,
        reuse: options.reuse.as_deref().map(|old| reuse(old, &options.guarded)).transpose()?,
        labels: (!options.known.is_empty()).then(labels).transpose()?,
        resources,
        cancel: Default::default(),
    })
}

/// Returns the operands; standard input if there are none and it is not a terminal.
fn paths(options: &Options) -> Option<Vec<OsString>> {
    if !options.paths.is_empty() || options.sources.files_from.is_some() {
        return Some(options.paths.clone());
    }
    (!io::stdin().is_terminal()).then(|| vec!["-".into()])
}

/// Returns whether standard input is data, or the list of paths.
fn reads_stdin(options: &Options, paths: &[OsString]) -> bool {
    let is_list = options.sources.files_from.as_deref() == Some(Path::new("-"));
    is_list || paths.iter().any(|path| path == "-")
}

fn display(options: &Options) -> Display<'_> {
    Display {
        resources: &options.resources,
        list: options.sources.files_from.as_deref(),
        manifest: output::named(options.output.as_deref()),
        quick: is_quick(options),
    }
}

/// Returns whether the input is one small file, which takes less time than a thread for a progress display.
fn is_quick(options: &Options) -> bool {
    let [path] = options.paths.as_slice() else { return false };
    let small = |meta: std::fs::Metadata| meta.is_file() && meta.len() <= 1 << 20;
    let alone = options.sources.files_from.is_none() && options.resources.progress != Progress::Always;
    alone && std::fs::metadata(Path::new(path)).is_ok_and(small)
}
