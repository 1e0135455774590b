//! An audit with a side in a store, by the evidence of the store.

use super::{Listing, Options, Reporter, Words, about, manifests, run_of};
use crate::access;
use crate::options::proofs::Proofs;
use crate::options::resources::ResourceOptions;
use crate::options::write::Lists;
use crate::output::{self, Output, WriteError};
use crate::progress::{self, Heartbeat};
use crate::results::report::ListReport;
use crate::words::level::is_verbose;
use crate::words::message;
use crate::{signal, stats};
use anyhow::ensure;
use hashmill_job::account::Account;
use hashmill_job::evidence::{self, EvidenceEvent, EvidenceJob, Operand, Unproven};
use hashmill_job::run::Run;
use hashmill_lists::signatures::guard::Guard;
use hashmill_os::names;
use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// Runs the audit if one side is in a store and its evidence suffices; none if files must be read instead.
///
/// # Errors
/// If a side is not usable, or the result cannot be written.
pub fn audit(options: &Options) -> anyhow::Result<Option<Account>> {
    let against = options.against.place();
    let [observed] = &options.paths[..] else {
        ensure!(against.is_none(), "--against: name one PATH that is compared with it");
        return Ok(None);
    };
    // With a manifest alone objects are read, like files.
    if against.is_none() && options.proofs.min_strength.is_none() {
        ensure!(
            !options.proofs.download,
            "--download: with -k objects are read anyway, unless --min-strength is given"
        );
        return Ok(None);
    }
    let read = !options.known_set.is_empty() || options.update.is_some();
    ensure!(!read, "--min-strength does not go with --update and --known-set, for which files are read");
    let stored = in_store(observed) || against.is_some_and(in_store);
    ensure!(stored, "neither side is in a store; hashmill diff compares folders and manifests");
    ensure!(
        !options.sources.is_filter(),
        "filters do not go with what a store says: all of both sides is compared"
    );
    let places: Vec<&OsStr> = against.into_iter().chain([observed.as_os_str()]).collect();
    let resources = options.resources.resources_for(&places);
    let guard = options.guarded.guard()?;
    let mut run = run_of(options);
    let known = match against {
        Some(place) => {
            run.iter_mut().for_each(|run| run.set_against(&names::path_bytes(place)));
            operand(place, &guard)?
        }
        None => Operand::Manifests(manifests(options, run.as_mut())?),
    };
    let mut selection = options.sources.selection(&[])?;
    let lists = options.write.open(options.sources.null, options.force)?;
    lists.add_to(&mut selection.own);
    let observed =
        if in_store(observed) { operand(observed, &guard)? } else { Operand::Path(PathBuf::from(observed)) };
    let job = EvidenceJob { selection, resources, ..EvidenceJob::new(known, observed) };
    let listing = Listing::asked(options.counts);
    let shown = EvidenceReport::new(options.format, Words::AUDIT, listing, &options.resources, run)?;
    prove(job, &options.proofs, shown.writing(lists)).map(Some)
}

/// Returns whether this is a location in a store.
pub fn in_store(place: &OsStr) -> bool {
    evidence::in_store(&names::bytes(place), &access::stores())
}

/// Opens an operand: a location, a folder, or a manifest.
///
/// # Errors
/// If it looks like a location and is not one, or a signature beside a manifest does not meet the requirements.
pub fn operand(place: &OsStr, guard: &Guard) -> anyhow::Result<Operand> {
    Ok(Operand::open(place, guard, &mut |notice| message::say(notice))?)
}

/// A consumer of verdicts, which passes them to the report.
pub struct EvidenceReport<'a> {
    resources: &'a ResourceOptions,
    output: Output,
    reporter: Option<Reporter>,
    /// Files of which the store says too little: people get one line for each strength, and one about all.
    unproven: Unproven,
    /// The exit code of the report.
    account: Account,
    error: Option<WriteError>,
}

impl<'a> EvidenceReport<'a> {
    /// Begins a report.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(
        format: ListReport,
        words: Words,
        listing: Listing,
        resources: &'a ResourceOptions,
        run: Option<Run>,
    ) -> anyhow::Result<EvidenceReport<'a>> {
        let output = output::stdout()?;
        let reporter = Reporter::begin(format, words, listing, output.clone())?.of_run(run);
        let (account, unproven) = Default::default();
        Ok(EvidenceReport { resources, output, reporter: Some(reporter), unproven, account, error: None })
    }

    /// Makes the report also write lists of categories.
    pub fn writing(self, lists: Lists) -> EvidenceReport<'a> {
        EvidenceReport { reporter: self.reporter.map(|reporter| reporter.writing(lists)), ..self }
    }

    fn take(&mut self, event: &EvidenceEvent<'_>) -> Result<(), WriteError> {
        match event {
            EvidenceEvent::Verdict(verdict) => {
                self.reporter.as_mut().map_or(Ok(()), |reporter| reporter.verdict(verdict, None))?;
            }
            EvidenceEvent::Unjudged(file) => {
                let is_told = self.unproven.take(file) || is_verbose();
                if let Some(reporter) = &mut self.reporter {
                    if is_told { reporter.unjudged(file)? } else { reporter.unjudged_silently(file)? }
                }
            }
            EvidenceEvent::Failed(error) => message::about(&error.path, &error.problem),
            EvidenceEvent::Refused(error) => message::say(error),
            EvidenceEvent::AllJudged(summary) => {
                if !self.unproven.is_empty() {
                    message::say(&self.unproven);
                }
                if let Some(reporter) = self.reporter.take() {
                    self.account = reporter.end(summary)?;
                }
            }
        }
        Ok(())
    }
}

/// Compares two sides, at least one of which is in a store.
///
/// # Errors
/// If a side is not usable, or the result cannot be written.
pub fn prove(job: EvidenceJob, proofs: &Proofs, mut shown: EvidenceReport<'_>) -> anyhow::Result<Account> {
    let job = EvidenceJob { least: proofs.least(), download: proofs.download, sides: true, ..job };
    signal::watch(job.cancel.clone(), shown.output.clone())?;
    let progress = shown.resources.progress;
    let read = || job.read(&mut |notice| message::say(notice)).map_err(about);
    let proof = progress::reading(progress, "listing", read)?;
    let heartbeat = Heartbeat::start(progress, proof.live(), shown.output.clone());
    let summary = proof.run(&mut |event| {
        if shown.error.is_none() {
            shown.error = shown.take(&event).err();
        }
        if shown.error.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    drop(heartbeat);
    if let Some(error) = shown.error {
        return Err(error.into());
    }
    stats::print_proved(shown.resources.stats, &summary.stats, summary.compared);
    Ok(summary.account().and(shown.account))
}
