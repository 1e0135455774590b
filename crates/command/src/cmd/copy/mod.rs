//! `hashmill copy`: copies that are hashed as they are read, and verified on their media.

mod bag;
mod options;
mod plan;
mod report;
mod resume;
mod told;

pub use options::Options;

use crate::cmd::hash::tell_skipped;
use crate::options::force::Force;
use crate::options::format::{self, Written};
use crate::progress::Heartbeat;
use crate::words::message::{self, count};
use crate::{access, output, signal, stats};
use anyhow::ensure;
use hashmill_engine::Cancel;
use hashmill_job::Algorithms;
use hashmill_job::account::Account;
use hashmill_job::copy::{CopyEvent, CopyJob, manifest_path};
use hashmill_job::hash::Manifest;
use hashmill_job::run::Run;
use hashmill_os::names;
use options::CopyManifest;
use report::Copied;
use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use told::Problems;

/// Runs the command, and returns its account.
///
/// # Errors
/// If the options do not go together, or a destination can't be used.
pub fn run(options: &Options) -> anyhow::Result<Account> {
    let (to, sources) =
        options.paths.split_last().map(|(to, sources)| (to.clone(), sources)).unwrap_or_default();
    ensure!(
        options.sources.files_from.is_none(),
        "--files-from: copies get their names from paths that are typed"
    );
    ensure!(!options.sources.streams, "--streams: streams are not copied so far");
    ensure!(
        !options.sources.inside().is_any(),
        "--inside: name what is to be copied of an archive or image, as in 'a.zip!/'"
    );
    let to: Vec<PathBuf> = [PathBuf::from(to)].into_iter().chain(options.to.iter().cloned()).collect();
    let places: Vec<&OsStr> =
        options.paths.iter().map(|path| &**path).chain(options.to.iter().map(|to| to.as_os_str())).collect();
    let selection = options.sources.selection(sources)?;
    let algorithms = algorithms(options)?;
    let resources = options.resources.resources_for(&places);
    let bag = bag::fields(options)?;
    let manifests =
        to.iter().map(|to| manifest(options, to, &algorithms)).collect::<anyhow::Result<Vec<_>>>()?;
    let state = (!options.no_resume).then(|| resume::state(sources, &to, &algorithms)).flatten();
    let job = CopyJob {
        selection,
        state,
        algorithms,
        manifests: manifests.into_iter().flatten().collect(),
        bag,
        to: to.clone(),
        verify: options.verify,
        verify_source: options.verify_source,
        force: options.force,
        resources,
        cancel: Cancel::default(),
    };
    if options.dry_run {
        return plan::show(job);
    }
    let mut facts = Run::begin(&options.case.with_command(), sources.iter().map(|path| names::bytes(path)));
    facts.computes(&job.algorithms.digests);
    let output = output::stdout()?;
    signal::watch(job.cancel.clone(), output.clone())?;
    let (mut heartbeat, mut problems) = (None, Problems::new(to.clone()));
    let summary = job.run(&mut |event| {
        match event {
            CopyEvent::Reading(live, places) => {
                let places = to.iter().cloned().zip(places.iter().cloned()).collect();
                let progress = options.resources.progress;
                heartbeat = Some(Heartbeat::copying(progress, Arc::clone(live), places, output.clone()));
            }
            event => problems.tell(&event),
        }
        ControlFlow::Continue(())
    })?;
    drop(heartbeat);
    let account = summary.account();
    if summary.is_interrupted {
        message::say("interrupted; copies that have names are whole, and the same command goes on");
    }
    if summary.resumed > 0 {
        let files = count(summary.resumed, "file was", "files were");
        message::note(format_args!("{files} copied and verified before an interruption, and not read again"));
    }
    tell_skipped(&summary.skipped);
    report::print(options, &Copied { to, summary: &summary, problems, run: facts.end() }, &account)?;
    stats::print_accounted(options.resources.stats, &summary.stats, 0, &account);
    Ok(account)
}

/// Returns the digests to compute.
fn algorithms(options: &Options) -> anyhow::Result<Algorithms> {
    let format = match options.manifest {
        Some(CopyManifest::Bag) => return bag::algorithms(options),
        Some(CopyManifest::List(format)) => format.0,
        None => format::choose(None, None, "hashdeep")?,
    };
    let history = options.paths.last().map(|to| Path::new(to).join("ascmhl/"));
    let typed = options.algorithms.clone().or_else(|| Algorithms::of_history(format, &history?));
    format::algorithms(typed.as_ref(), format, None)
}

/// Returns the manifest of a destination, if one was asked for.
fn manifest(options: &Options, to: &Path, algorithms: &Algorithms) -> anyhow::Result<Option<Manifest>> {
    let Some(CopyManifest::List(Written(format))) = options.manifest else { return Ok(None) };
    let sources = options.paths.split_last().map_or(&[][..], |(_, sources)| sources);
    let sources: Vec<Box<[u8]>> = sources.iter().map(|path| names::bytes(path).into()).collect();
    let path = manifest_path(format, to, &sources, algorithms, &access::stores())?;
    Ok(Some(Manifest {
        case: options.case.data(),
        seal: options.seal,
        is_relative: true,
        signers: options.signing.signers(Some(&path))?,
        ..Manifest::new(format, Force { force: options.force }.to(Some(&path))?)
    }))
}
