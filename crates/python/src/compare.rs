//! `diff`, and `audit` by the evidence of stores: one side against another.

use crate::engine::{Operation, Outlet, Progress};
use crate::entry::Entry;
use crate::error::{job, wrong};
use crate::options::{Resources, Selection};
use crate::verdicts::{Answer, STRANGER, VerdictItem, answer, unjudged};
use hashmill_content::Selection as Selected;
use hashmill_job::case::Case;
use hashmill_job::diff::{DiffEvent as Differs, DiffJob as Diff};
use hashmill_job::evidence::{
    AuditSummary, EvidenceEvent as Proves, EvidenceJob as Proof, Operand, Unproven, in_store,
};
use hashmill_job::run::Run;
use hashmill_job::{Algorithms, Error};
use hashmill_lists::listing::Listing;
use hashmill_lists::signatures::guard::Guard;
use hashmill_manifest::stored::Strength;
use hashmill_os::names;
use pyo3::prelude::*;
use std::ffi::{OsStr, OsString};
use std::ops::ControlFlow::Continue;
use std::path::PathBuf;

/// Compares two folders, two manifests, or one of each.
#[pyfunction]
#[pyo3(signature = (old, new, selection, resources, *, algorithms = None, is_filtered = false, progress = None))]
#[allow(clippy::too_many_arguments, reason = "keywords of Python")]
pub(crate) fn diff<'py>(
    py: Python<'py>,
    old: PathBuf,
    new: PathBuf,
    selection: &Selection,
    resources: &Resources,
    algorithms: Option<&str>,
    is_filtered: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Answer<'py>> {
    let cancel = resources.1.clone();
    let diff = Diff {
        guard: resources.guard(),
        algorithms: algorithms.map(Algorithms::named).transpose().map_err(wrong)?,
        selection: selection.0.clone(),
        is_filtered,
        sides: true,
        resources: resources.0.clone(),
        cancel: cancel.clone(),
        ..Diff::new(&old, &new)
    };
    let operation = Operation::start(cancel, move |outlet| {
        diff.run(&mut |event| match event {
            Differs::Reading(live) => {
                outlet.watch(live.clone());
                Continue(())
            }
            Differs::Verdict(verdict) => outlet.give(VerdictItem::verdict(verdict, None)),
            Differs::Unjudged(file) => unjudged(file, outlet),
            Differs::Failed(error) => outlet.give(VerdictItem::Line(error.to_string())),
            Differs::Unread(path) => {
                outlet.give(VerdictItem::about(path, "was not read when the manifest was made"))
            }
            Differs::Stranger(path) => outlet.give(VerdictItem::about(path, STRANGER)),
            Differs::Notice(notice) => outlet.give(VerdictItem::Line(notice.to_string())),
            _ => Continue(()),
        })
    })?;
    let (told, summary) = operation.collect(py, &mut Progress::new(progress))?;
    answer(py, told, &summary, None, Some(selection))
}

/// Compares two sides of which at least one is in a store, by the store's evidence. The expected side is `known`, or
/// the manifests. An audit also returns the facts of its run.
#[pyfunction]
#[pyo3(signature = (
    known, observed, resources, *, manifests = vec![], min_strength = None, download = false, is_audit = false,
    progress = None
))]
#[allow(clippy::too_many_arguments, reason = "keywords of Python")]
pub(crate) fn compare_stores<'py>(
    py: Python<'py>,
    known: Option<OsString>,
    observed: OsString,
    resources: &Resources,
    manifests: Vec<PathBuf>,
    min_strength: Option<&str>,
    download: bool,
    is_audit: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Answer<'py>> {
    let (guard, mut notices) = (resources.guard(), Vec::new());
    let operands = [Box::from(names::path_bytes(&observed))];
    let mut run = is_audit.then(|| Run::begin(&Case::default(), &operands));
    let known = match &known {
        Some(known) => {
            run.iter_mut().for_each(|run| run.set_against(&names::path_bytes(known)));
            operand(known, &guard, &mut notices)?
        }
        None => Operand::Manifests(listings(manifests, &guard, run.as_mut(), &mut notices)?),
    };
    // An operand of an audit is compared as a file, even if it is a list.
    let is_list = !is_audit || in_store(&names::bytes(&observed), &guard.stores);
    let observed = match is_list {
        true => operand(&observed, &guard, &mut notices)?,
        false => Operand::Path(observed.into()),
    };
    let cancel = resources.1.clone();
    let proof = Proof {
        least: min_strength.map_or(Ok(Strength::Crc), strength)?,
        download,
        sides: true,
        selection: Selected::default(),
        resources: resources.0.clone(),
        cancel: cancel.clone(),
        ..Proof::new(known, observed)
    };
    let operation = Operation::start(cancel, move |outlet| {
        let _ = notices.into_iter().try_for_each(|notice| outlet.give(VerdictItem::Line(notice)));
        let summary = prove(proof, outlet)?;
        Ok((summary, run.map(|run| run.end().to_string())))
    })?;
    let (told, (summary, run)) = operation.collect(py, &mut Progress::new(progress))?;
    answer(py, told, &summary, run, None)
}

fn prove(proof: Proof, outlet: &mut Outlet<VerdictItem>) -> Result<AuditSummary, Error> {
    let proof = proof.read(&mut |notice| {
        let _ = outlet.give(VerdictItem::Line(notice.to_string()));
    })?;
    outlet.watch(proof.live());
    let mut unproven = Unproven::default();
    proof.run(&mut |event| match event {
        Proves::Verdict(verdict) => outlet.give(VerdictItem::verdict(verdict, None)),
        Proves::Unjudged(file) if !unproven.take(file) => {
            outlet.give(VerdictItem::Entry(Box::new(Entry::of_unjudged(file))))
        }
        Proves::Unjudged(file) => unjudged(file, outlet),
        Proves::AllJudged(_) if !unproven.is_empty() => outlet.give(VerdictItem::Line(unproven.to_string())),
        Proves::Failed(error) => outlet.give(VerdictItem::Line(error.to_string())),
        Proves::Refused(error) => outlet.give(VerdictItem::Line(error.to_string())),
        Proves::AllJudged(_) => Continue(()),
    })
}

fn operand(name: &OsStr, guard: &Guard, notices: &mut Vec<String>) -> PyResult<Operand> {
    Operand::open(name, guard, &mut |notice| notices.push(notice.to_string())).map_err(job)
}

/// Opens the manifests. Their facts are added to those of the run, if there is one.
fn listings(
    manifests: Vec<PathBuf>,
    guard: &Guard,
    mut run: Option<&mut Run>,
    notices: &mut Vec<String>,
) -> PyResult<Vec<(PathBuf, Listing)>> {
    let open = |path: PathBuf| {
        let listing = match &mut run {
            Some(run) => run.open(&path, guard, &mut |notice| notices.push(notice.to_string())).map_err(job),
            None => guard.open(path.as_os_str(), &mut |judged| notices.push(judged.to_string())).map_err(job),
        };
        Ok((path, listing?))
    };
    manifests.into_iter().map(open).collect()
}

fn strength(word: &str) -> PyResult<Strength> {
    let found = Strength::from_word(word.as_bytes()).filter(|strength| *strength > Strength::None);
    found.ok_or_else(|| {
        wrong(format!("min_strength is 'content', 'composite', 'crc', 'declared' or 'size', not '{word}'"))
    })
}
