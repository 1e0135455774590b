//! `hashmill similar digest`: the lines of the reference program, or records.

use super::options::{self, DigestFormat};
use super::tell::{Teller, tell_sparse, tell_unwritten};
use crate::exit::Carry;
use crate::output::{self, Output, WriteError};
use crate::words::message;
use anyhow::{Context, ensure};
use hashmill_job::account::{Account, Item};
use hashmill_job::manifest_writer::ManifestWriter;
use hashmill_job::similarity::{DigestsJob, SimilaritySummary};
use hashmill_lists::kinds;
use hashmill_manifest::Record;
use hashmill_manifest::format::{Layout, find_format};
use hashmill_similar::{LikenessDigest, Named, Similar};
use std::io::Write;
use std::ops::ControlFlow;

/// Runs the command, and returns its account.
///
/// # Errors
/// If the options do not go together, or the output cannot be written.
pub fn run(args: &options::DigestOptions) -> anyhow::Result<Account> {
    args.variant.fits(&args.algorithms)?;
    let mut rows: Vec<&'static Similar> = Vec::new();
    for row in args.algorithms.iter().map(|row| args.variant.variant(row.0)) {
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    let default = if rows.len() == 1 { DigestFormat::Reference } else { DigestFormat::Jsonl };
    let format = args.format.unwrap_or(default);
    ensure!(
        format != DigestFormat::Reference || rows.len() == 1,
        "--format reference: a list of the reference program has digests of one algorithm only"
    );
    let output = match output::named(args.output.as_deref()) {
        Some(path) => output::create(&args.force.at(path), kinds::LIKENESSES)?,
        None => output::stdout()?,
    };
    let mut selection = args.sources.selection(&args.paths)?;
    selection.own.add_output(&output);
    let resources = args.resources.resources_for(&args.paths);
    args.sources.tell_operands(&args.paths, &resources);
    let job = DigestsJob { resources, ..DigestsJob::new(selection, rows.clone()) };
    match format {
        DigestFormat::Reference => reference(args, job, output),
        DigestFormat::Jsonl => records(args, job, "jsonl", output),
        DigestFormat::Csv => records(args, job, "csv", output),
    }
}

/// Passes on every record until one can't be written.
fn each(
    job: DigestsJob,
    mut teller: Teller<'_>,
    write: &mut dyn FnMut(&Record) -> Result<(), WriteError>,
) -> anyhow::Result<(Account, SimilaritySummary)> {
    let mut done = Ok(());
    let summary = job.run(&mut |event| teller.take(event), &mut |record| {
        if done.is_ok() {
            done = write(record);
        }
        if done.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    teller.known().carried_by(done)?;
    teller.conclude(&summary);
    Ok((teller.end(&summary)?, summary))
}

fn records(
    args: &options::DigestOptions,
    job: DigestsJob,
    format: &str,
    output: Output,
) -> anyhow::Result<Account> {
    let likeness = job.algorithms.iter().copied().enumerate().collect();
    let layout = Layout { likeness, ..Layout::default() };
    let format = find_format(format).context("no such format")?;
    let mut writer = ManifestWriter::begin(format, layout, output.clone())?;
    let mut teller = teller(args, &job, output);
    teller.told = true;
    let (account, summary) =
        each(job, teller, &mut |record| writer.file(record.clone(), &mut message::refused))?;
    if summary.interrupted || summary.list_problem.is_some() {
        account.carried_by(writer.leave())?;
        tell_unwritten(&summary, output::named(args.output.as_deref()));
        return Ok(account);
    }
    Ok(account.and(Account::failed(Item::Entry, u64::from(account.carried_by(writer.end())? > 0))))
}

fn reference(args: &options::DigestOptions, job: DigestsJob, output: Output) -> anyhow::Result<Account> {
    let mut list = List { row: job.algorithms[0], output: output.clone(), sparse: 0, unnamed: 0 };
    list.begin()?;
    let teller = teller(args, &job, output.clone());
    let (account, summary) = each(job, teller, &mut |record| list.file(record))?;
    if summary.interrupted || summary.list_problem.is_some() {
        account.carried_by(output.clone().flush().map_err(|error| output.error(error)))?;
        tell_unwritten(&summary, output::named(args.output.as_deref()));
    } else {
        account.carried_by(output.finish())?;
    }
    tell_sparse(list.sparse, "-f jsonl marks them");
    Ok(account.and(Account::failed(Item::Entry, list.unnamed)))
}

fn teller<'a>(args: &'a options::DigestOptions, job: &DigestsJob, output: Output) -> Teller<'a> {
    Teller::new(&args.resources, args.sources.files_from.as_deref(), output, job.cancel.clone())
}

/// A list in the format of the reference program.
struct List {
    row: &'static Similar,
    output: Output,
    sparse: u64,
    /// The number of files whose names the list cannot hold.
    unnamed: u64,
}

impl List {
    fn begin(&mut self) -> Result<(), WriteError> {
        self.row.header.map_or(Ok(()), |header| self.output.put(format!("{header}\n")))
    }

    fn file(&mut self, record: &Record) -> Result<(), WriteError> {
        let Some(digest) = record.likeness.iter().find_map(|likeness| likeness.digest.as_ref().ok()) else {
            return Ok(());
        };
        if record.path.iter().any(|byte| matches!(byte, b'\n' | b'\r')) {
            self.unnamed += 1;
            message::about(&record.path, "a line of the list cannot hold this name; -f jsonl can");
            return Ok(());
        }
        self.sparse += u64::from(digest.is_sparse());
        let mut lines = Named { name: record.path.to_vec(), digest: digest.clone() }.lines();
        if matches!(digest, LikenessDigest::Mrsh(_)) {
            // The program ends every digest with an empty line.
            lines.push(b'\n');
        }
        self.output.put(&lines)
    }
}
