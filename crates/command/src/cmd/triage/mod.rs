//! `hashmill triage`: one read of all files says what each of them is; a table of the records, and a page to look at.

mod folder;
mod like;
mod options;
mod page;

pub use options::{Options, with_defaults};

use crate::cmd::convert;
use crate::cmd::hash::{self, Display};
use crate::cmd::known;
use crate::exit::Carry;
use crate::options::algorithms::{Algorithms, tell_truncated};
use crate::words::message;
use crate::{progress, signal};
use anyhow::Context;
use folder::Folder;
use hashmill_content::output::To;
use hashmill_facts::{Fact, FactSet};
use hashmill_job::account::{Account, Item};
use hashmill_job::convert::{ConvertJob, Target};
use hashmill_job::hash::{HashJob, HashSummary, Input, Manifest};
use hashmill_job::labels::{self, Labels, Purpose, Show};
use hashmill_known::Sets;
use hashmill_manifest::format::find_format;
use like::LikeList;

/// The digests of each record by default: those by which sets of known files name them.
const ALGORITHMS: &str = "md5,sha1,sha256";

/// Runs the command, and returns its account.
///
/// # Errors
/// If the options do not go together, a list or set is not usable, or an output can't be written.
pub fn run(options: &Options) -> anyhow::Result<Account> {
    let sets = (!options.known.is_empty()).then(|| options.types.open(&options.known)).transpose()?;
    let lists = like::lists(options)?;
    let algorithms = algorithms(options, sets.as_ref(), &lists)?;
    let lacking =
        sets.iter().flat_map(|sets| labels::partly_held(sets, &algorithms.digests)).collect::<Vec<_>>();
    let job = job(options, sets, algorithms)?;
    let folder = Folder::open(options)?;
    let display = display(options, &folder);
    let (mut account, summary) = records(options, job, &folder, &display)?;
    account.add(known::tell_partly_held(&lacking));
    if summary.list_problem.is_none() && !account.is_interrupted {
        let rest = account.carried_by(conclude(options, &folder, &lists))?;
        account.add(rest);
    }
    hash::tell_stats(&display, &summary, &account);
    Ok(account)
}

/// Writes the table, the list of similar files and the page of a manifest that is complete. Returns the account of that.
fn conclude(options: &Options, folder: &Folder, lists: &[LikeList]) -> anyhow::Result<Account> {
    let mut account = table(options, folder)?;
    let mut alike = None;
    if !lists.is_empty() && !account.is_interrupted {
        let found = account.carried_by(like::search(options, lists, folder))?;
        account.add(found.account);
        alike = Some(found);
    }
    if !account.is_interrupted {
        folder.tell_older(alike.is_some());
        account.carried_by(page::write(options, folder, alike))?;
    }
    Ok(account)
}

/// Returns the digests of each record: those that were typed or the usual ones, and all by which sets and lists name files.
fn algorithms(options: &Options, sets: Option<&Sets>, lists: &[LikeList]) -> anyhow::Result<Algorithms> {
    let mut algorithms = match &options.algorithms {
        Some(typed) => typed.clone(),
        None => Algorithms::named(ALGORITHMS)?,
    };
    let of_sets = sets.filter(|_| options.algorithms.is_none()).map(labels::algorithms);
    for algorithm in of_sets.into_iter().flatten() {
        if !algorithms.digests.contains(&algorithm) {
            algorithms.digests.push(algorithm);
        }
    }
    for list in lists {
        let place = algorithms.digests.len() + algorithms.likeness.len();
        if algorithms.likeness.iter().all(|(_, known)| *known != list.algorithm) {
            algorithms.likeness.push((place, list.algorithm));
        }
    }
    Ok(algorithms)
}

fn job(options: &Options, sets: Option<Sets>, algorithms: Algorithms) -> anyhow::Result<HashJob> {
    let resources = options.resources.resources_for(&options.paths);
    options.sources.tell_operands(&options.paths, &resources);
    let job = HashJob {
        facts: FactSet::one(Fact::Type).with(FactSet::one(Fact::Entropy)),
        scan: options.rules.scan()?,
        pronom: options.pronom.open()?,
        metadata: true,
        labels: sets.map(|sets| Labels::new(sets, Show::All, Purpose::RecordAndJudge)),
        resources,
        ..HashJob::new(options.sources.selection(&options.paths)?, algorithms)
    };
    tell_truncated(&job.algorithms);
    Ok(job)
}

/// Returns what is shown while files are hashed.
fn display<'a>(options: &'a Options, folder: &'a Folder) -> Display<'a> {
    let list = options.sources.files_from.as_deref();
    Display { resources: &options.resources, list, manifest: Some(folder.records()), quick: false }
}

/// Hashes the files, and writes the manifest.
fn records(
    options: &Options,
    mut job: HashJob,
    folder: &Folder,
    display: &Display<'_>,
) -> anyhow::Result<(Account, HashSummary)> {
    if let Input::Selection(selection) = &mut job.input {
        folder.add_to(&mut selection.own);
    }
    let manifest = Manifest {
        case: Some(options.case.with_command()),
        resume: options.resume,
        ..Manifest::new(
            find_format("jsonl").context("a format")?,
            To::File(folder.force().at(folder.records())),
        )
    };
    hash::run_summed(job, manifest, display)
}

/// Writes the records as a table.
fn table(options: &Options, folder: &Folder) -> anyhow::Result<Account> {
    let (records, path) = (folder.records(), folder.table());
    let memory = usize::try_from(options.resources.memory).unwrap_or(usize::MAX);
    let target = Target {
        format: find_format(options.format.name()),
        memory,
        ..Target::new(To::File(folder.force().at(&path)))
    };
    let job = ConvertJob::new(records, target);
    convert::watch(&job.cancel, &job.target)?;
    let mut known = Account::default();
    let convert = || job.run(&mut |event| convert::tell(&event, &mut known));
    let total = progress::bytes_of(&[records], 1);
    let done = progress::reading_of(options.resources.progress, "writing the table", total, convert);
    let summary = known.carried_by(done)?;
    if summary.interrupted {
        signal::tell();
        return Ok(Account::interrupted());
    }
    let lost = summary.malformed + summary.refused;
    if lost > 0 {
        message::about_path(&path, format_args!("lacks {}", message::count(lost, "record", "records")));
    }
    Ok(Account::failed(Item::Record, lost))
}
