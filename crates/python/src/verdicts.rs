//! `audit` and `check`: files against manifests and lists.

use crate::engine::{Operation, Outlet, Progress};
use crate::entry::Entry;
use crate::error::{job, said, wrong};
use crate::options::{Resources, Selection, TypedOutput, place};
use hashmill_content::selection::own::OwnFiles;
use hashmill_digest::find;
use hashmill_engine::Stats;
use hashmill_engine::flow::Flow;
use hashmill_job::Notice;
use hashmill_job::account::Account;
use hashmill_job::audit::{AuditEvent as Audited, AuditJob as Audit, AuditSummary};
use hashmill_job::case::Case;
use hashmill_job::check::store::{ObjectVerdict, StoreEvent, StoreJob};
use hashmill_job::check::{CheckEvent as Checked, CheckJob as Check, ClaimVerdict, MissingFiles};
use hashmill_job::run::Run;
use hashmill_known::{Filter, Sets};
use hashmill_lists::listed::Reach;
use hashmill_manifest::Label;
use hashmill_manifest::audit::{Unjudged, Verdict as Judged};
use hashmill_objects::{STORE_KINDS, StoreLayout, find_store};
use hashmill_os::names;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};
use std::fmt;
use std::ops::ControlFlow::Continue;
use std::path::PathBuf;

/// An item of an operation: an entry, or a line for people.
pub(crate) enum VerdictItem {
    Entry(Box<Entry>),
    Line(String),
}

impl VerdictItem {
    /// Makes the entry of a verdict.
    pub(crate) fn verdict(verdict: &Judged, label: Option<&Label>) -> VerdictItem {
        VerdictItem::Entry(Box::new(Entry::from_verdict(verdict, label)))
    }

    /// Makes a line about a path.
    pub(crate) fn about(path: &[u8], what: impl fmt::Display) -> VerdictItem {
        VerdictItem::Line(format!("{}: {what}", String::from_utf8_lossy(path)))
    }
}

/// Passes on a line and an entry about a file that could not be compared.
pub(crate) fn unjudged(file: &Unjudged, outlet: &mut Outlet<VerdictItem>) -> Flow {
    outlet.give(VerdictItem::about(&file.path, file.why))?;
    outlet.give(VerdictItem::Entry(Box::new(Entry::of_unjudged(file))))
}

/// Entries, lines for people, and numbers.
pub(crate) type Answer<'py> = (Vec<Entry>, Vec<String>, Bound<'py, PyDict>);

fn parted(told: Vec<VerdictItem>) -> (Vec<Entry>, Vec<String>) {
    let (mut entries, mut lines) = (Vec::new(), Vec::new());
    for told in told {
        match told {
            VerdictItem::Entry(entry) => entries.push(*entry),
            VerdictItem::Line(line) => lines.push(said(line)),
        }
    }
    (entries, lines)
}

/// The message about an operand that does not exist.
pub(crate) const STRANGER: &str = "is not there, and no manifest names it";

/// Compares files with manifests. The numbers are the counts of the categories, and `malformed`, `failed`, `strangers`,
/// `passed`.
#[pyfunction]
#[pyo3(signature = (manifests, selection, resources, *, known = vec![], update = None, progress = None))]
pub(crate) fn audit<'py>(
    py: Python<'py>,
    manifests: Vec<PathBuf>,
    selection: Option<&Selection>,
    resources: &Resources,
    known: Vec<PathBuf>,
    update: Option<TypedOutput>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Answer<'py>> {
    let (guard, mut notices) = (resources.guard(), Vec::new());
    let operands = selection.map_or(&[][..], |selection| &selection.0.paths);
    let mut run = Run::begin(&Case::default(), operands);
    let manifests = manifests.into_iter().map(|path| {
        let told = &mut |notice: Notice<'_>| notices.push(notice.to_string());
        let listing = run.open(&path, &guard, told).map_err(job)?;
        Ok((path, listing))
    });
    let manifests = manifests.collect::<PyResult<Vec<_>>>()?;
    let sets = match known.is_empty() {
        true => None,
        false => Some(Sets::open(&known, Filter::default()).map_err(job)?),
    };
    let cancel = resources.1.clone();
    let audit = Audit {
        sets,
        update: update.map(|update| place(update, &resources.0.stores)),
        sides: true,
        resources: resources.0.clone(),
        cancel: cancel.clone(),
        ..Audit::new(manifests, selection.map(|selection| selection.0.clone()))
    };
    let operation = Operation::start(cancel, move |outlet| {
        let _ = notices.into_iter().try_for_each(|notice| outlet.give(VerdictItem::Line(notice)));
        let read = audit.read(&mut |notice| {
            let _ = outlet.give(VerdictItem::Line(notice.to_string()));
        })?;
        outlet.watch(read.live());
        run.computes(read.algorithms());
        let summary = read.run(&mut |event| match event {
            Audited::Verdict(verdict, label) => outlet.give(VerdictItem::verdict(verdict, label)),
            Audited::Failed(error) => outlet.give(VerdictItem::Line(error.to_string())),
            Audited::Differs(record, difference) => outlet.give(VerdictItem::about(&record.path, difference)),
            Audited::Notice(notice) => outlet.give(VerdictItem::Line(notice.to_string())),
            Audited::Stranger(path) => outlet.give(VerdictItem::about(path, STRANGER)),
            Audited::Unjudged(file) => unjudged(file, outlet),
            // An entry of another kind that is new has a verdict, too.
            Audited::AllRead
            | Audited::AllJudged(_)
            | Audited::Own(_)
            | Audited::Other(..)
            | Audited::NoBytes(..)
            | Audited::Ignored(_) => Continue(()),
        })?;
        Ok((summary, run.end().to_string()))
    })?;
    let (told, (summary, run)) = operation.collect(py, &mut Progress::new(progress))?;
    answer(py, told, &summary, Some(run), selection)
}

/// Returns the result of a comparison as Python objects.
pub(crate) fn answer<'py>(
    py: Python<'py>,
    told: Vec<VerdictItem>,
    summary: &AuditSummary,
    run: Option<String>,
    selection: Option<&Selection>,
) -> PyResult<Answer<'py>> {
    let (entries, mut lines) = parted(told);
    let (unread, lacking) = selection.map(Selection::unread).unwrap_or_default();
    let account = summary.account().and(lacking);
    lines.extend(unread);
    lines.extend(unnamed(summary).iter().map(said));
    let (numbers, counts) = (PyDict::new(py), PyDict::new(py));
    summary.counted.words().iter().try_for_each(|(word, number)| counts.set_item(word, number))?;
    let left_out = summary.counted.left_out.all();
    if left_out > 0 {
        counts.set_item("not_compared", left_out)?;
    }
    numbers.set_item("counts", counts)?;
    if let Some(run) = run {
        numbers.set_item("run", run)?;
    }
    numbers.set_item("strengths", summary.counted.strengths().into_py_dict(py)?)?;
    numbers.set_item("malformed", summary.malformed)?;
    numbers.set_item("failed", summary.failed)?;
    numbers.set_item("bytes", summary.stats.bytes)?;
    numbers.set_item("seconds", summary.stats.elapsed.as_secs_f64())?;
    numbers.set_item("account", account.to_json().to_string())?;
    numbers.set_item("ok", account.is_fine())?;
    numbers.set_item("complete", account.is_complete())?;
    Ok((entries, lines, numbers))
}

/// Returns a line about each problem of a comparison that no entry and no event names.
fn unnamed(summary: &AuditSummary) -> Vec<String> {
    let list = summary.list_problem.as_ref();
    let list = list.map(|error| format!("cannot read the rest of the list of paths: {error}"));
    let refused = (summary.refused > 0)
        .then(|| format!("records that the format of the new manifest can't carry: {}", summary.refused));
    let unwritten = summary.unwritten.as_ref().map(ToString::to_string);
    let idle = summary.counted.is_idle.then(|| "nothing was compared".to_owned());
    [list, refused, unwritten, idle].into_iter().flatten().collect()
}

/// Checks the files that lists name, below a folder if one is given.
#[pyfunction]
#[pyo3(signature = (lists, resources, *, algorithm = None, strict = false, base = None, progress = None))]
pub(crate) fn check<'py>(
    py: Python<'py>,
    lists: Vec<PathBuf>,
    resources: &Resources,
    algorithm: Option<&str>,
    strict: bool,
    base: Option<PathBuf>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Answer<'py>> {
    let (guard, cancel) = (resources.guard(), resources.1.clone());
    let check = Check {
        algorithm: algorithm.map(find).transpose().map_err(wrong)?,
        strict,
        reach: Reach::Files,
        base,
        new: false,
        sides: true,
        lists: lists.len(),
        resources: resources.0.clone(),
        cancel: cancel.clone(),
    };
    let operation = Operation::start(cancel, move |outlet| {
        let mut check = check.start()?;
        outlet.watch(check.live());
        let (mut account, mut malformed, mut notes) = (Account::default(), 0, 0);
        for list in lists {
            let name = names::path_bytes(&list).into_owned();
            let shown = String::from_utf8_lossy(&name).into_owned();
            let listing = guard.open(list.as_os_str(), &mut |notice| {
                let _ = outlet.give(VerdictItem::Line(notice.to_string()));
            })?;
            let summary = check.list(&name, listing, &mut |event| match event {
                Checked::Verdict(claim, verdict, sides) => outlet.give(VerdictItem::Entry(Box::new(
                    Entry::word(verdict.word(), &claim.path).with_sides(sides),
                ))),
                Checked::Failed(error) => outlet.give(VerdictItem::Line(error.to_string())),
                Checked::Malformed(why, _) => {
                    notes += 1;
                    outlet.give(VerdictItem::Line(format!("{shown}: {why}")))
                }
                Checked::Unchecked(path, _) => {
                    let path = String::from_utf8_lossy(path);
                    outlet
                        .give(VerdictItem::Line(format!("{shown}: {path}: no digest that could be checked")))
                }
                Checked::Torn(why) => outlet.give(VerdictItem::Line(format!("{shown}: {why}"))),
                Checked::Notice(notice) => outlet.give(VerdictItem::Line(notice.to_string())),
                Checked::Long | Checked::Known(_) | Checked::Other(..) | Checked::New(_) => Continue(()),
            })?;
            account.add(summary.account(MissingFiles::Differ));
            malformed += summary.malformed;
        }
        // Each line that was reported counts as one or the other.
        Ok((check.stats().clone(), account, malformed, u64::saturating_sub(notes, malformed)))
    })?;
    let (told, (stats, account, malformed, notes)) = operation.collect(py, &mut Progress::new(progress))?;
    let (entries, lines) = parted(told);
    let numbers = of_check(py, &entries, &ClaimVerdict::ALL.map(ClaimVerdict::word), &stats, &account)?;
    numbers.set_item("malformed", malformed)?;
    numbers.set_item("notes", notes)?;
    numbers.set_item("ok", !entries.is_empty() && account.is_fine())?;
    Ok((entries, lines, numbers))
}

/// Returns the numbers of a check: the entries with each of these words, and what it took.
fn of_check<'py>(
    py: Python<'py>,
    entries: &[Entry],
    words: &[&str],
    stats: &Stats,
    account: &Account,
) -> PyResult<Bound<'py, PyDict>> {
    let (numbers, counts) = (PyDict::new(py), PyDict::new(py));
    for word in words {
        counts.set_item(word, entries.iter().filter(|entry| entry.category == *word).count())?;
    }
    numbers.set_item("counts", counts)?;
    numbers.set_item("bytes", stats.bytes)?;
    numbers.set_item("seconds", stats.elapsed.as_secs_f64())?;
    numbers.set_item("account", account.to_json().to_string())?;
    numbers.set_item("complete", account.is_complete())?;
    Ok(numbers)
}

/// Checks a store whose names are digests: of a kind, or else those by an algorithm.
#[pyfunction]
#[pyo3(signature = (folder, kind, name_is, resources, *, progress = None))]
pub(crate) fn check_store<'py>(
    py: Python<'py>,
    folder: Vec<u8>,
    kind: Option<&str>,
    name_is: Option<&str>,
    resources: &Resources,
    progress: Option<Py<PyAny>>,
) -> PyResult<Answer<'py>> {
    let cancel = resources.1.clone();
    let job_ = StoreJob {
        folder: folder.into(),
        layout: layout_of(kind, name_is)?,
        resources: resources.0.clone(),
        sides: true,
        own: OwnFiles::default(),
        cancel: cancel.clone(),
    };
    let check = job_.start().map_err(job)?;
    let operation = Operation::start(cancel, move |outlet| {
        outlet.watch(check.live());
        Ok(check.run(&mut |event| match event {
            StoreEvent::Verdict(path, verdict, sides) => {
                let entry = Entry::word(verdict.word(), path).with_sides(sides);
                outlet.give(VerdictItem::Entry(Box::new(entry)))
            }
            StoreEvent::Reason(path, why) | StoreEvent::Warning(path, why) => {
                outlet.give(VerdictItem::about(path, why))
            }
            StoreEvent::Failed(error) => outlet.give(VerdictItem::Line(error.to_string())),
            StoreEvent::Notice(notice) => outlet.give(VerdictItem::Line(notice.to_string())),
        }))
    })?;
    let (told, summary) = operation.collect(py, &mut Progress::new(progress))?;
    let (entries, lines) = parted(told);
    let account = summary.account();
    let words = ObjectVerdict::ALL.map(ObjectVerdict::word);
    let numbers = of_check(py, &entries, &words, &summary.stats, &account)?;
    numbers.set_item("ok", account.is_fine())?;
    Ok((entries, lines, numbers))
}

fn layout_of(kind: Option<&str>, name_is: Option<&str>) -> PyResult<StoreLayout> {
    if let Some(algorithm) = name_is {
        return find(algorithm).map(StoreLayout::NameIs).map_err(wrong);
    }
    let kind = kind.unwrap_or_default();
    let names = || STORE_KINDS.iter().map(|kind| kind.name).collect::<Vec<_>>().join(", ");
    let found = find_store(kind).map(StoreLayout::Kind);
    found.ok_or_else(|| wrong(format!("no kind of store '{kind}'; there are {}", names())))
}
