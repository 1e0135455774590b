//! `hashmill report`: manifests, audits, verifications and states as one page for people.

mod audit;
mod case;
mod charts;
mod details;
mod document;
mod dupes;
mod events;
mod groups;
mod image;
mod json;
mod manifest;
mod page;
mod rows;
mod run;
mod source;
mod spread;
mod state;
mod state_charts;
mod timeline;
mod told;

use crate::exit::Carry;
use crate::options::errors;
use crate::options::force::Force;
use crate::options::signatures::Guarded;
use crate::options::values::number;
use crate::output::{self, Output};
use crate::progress;
use crate::results::report::Progress;
use crate::words::message;
use crate::words::message::Shown;
use anyhow::bail;
use clap::{Args, ValueEnum};
use hashmill_job::account::{Account, Item};
use hashmill_lists::kinds;
use hashmill_lists::signatures::guard::Guard;
use hashmill_os::names;
use hashmill_report::Section;
pub use page::write as write_page;
use source::{ReportInput, SourceKind};
use std::path::{Path, PathBuf};
use told::ReportedResult;
pub use told::{Facts, known};

/// hashmill report
#[derive(Debug, Args)]
pub struct Options {
    /// Manifests of any format, states of 'scrub', and results of any command with '--format json'
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// The form of the report
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t = ReportFormat::Page)]
    pub format: ReportFormat,
    /// Write the report here; the name appears when the file is complete [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub force: Force,
    /// Put at most N records of each file into the page; of a longer one only the problems
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = number::<usize>)]
    pub records: usize,
    #[command(flatten)]
    pub guarded: Guarded,
}

/// The form of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// A page to look at (HTML)
    Page,
    /// The checks of results of 'audit', 'check', 'scrub' and 'bag verify' as events of PREMIS 3.0 (XML)
    Premis,
}

/// Runs the command, and returns its account.
///
/// # Errors
/// If no file is usable, or the report cannot be written.
pub fn run(options: &Options) -> anyhow::Result<Account> {
    let kind = match options.format {
        ReportFormat::Page => kinds::PAGE,
        ReportFormat::Premis => kinds::EVENTS,
    };
    let output = match &options.output {
        Some(path) => output::create(&options.force.at(path), kind)?,
        None => output::stdout()?,
    };
    match options.format {
        ReportFormat::Page => page_of(options, output),
        ReportFormat::Premis => events_of(options, output),
    }
}

/// Writes the events of the results of checks. Returns the account.
fn events_of(options: &Options, output: Output) -> anyhow::Result<Account> {
    let guard = options.guarded.guard()?;
    let (mut account, mut results) = (Account::default(), Vec::new());
    for path in &options.files {
        match events::read(path, &guard) {
            Ok(checks) => results.push(checks),
            Err(error) => {
                message::about(&names::path_bytes(path), errors::chain(&error));
                account.add(Account::failed(Item::List, 1));
            }
        }
    }
    if results.is_empty() {
        output.discard();
        bail!("no file with the result of a check");
    }
    account.carried_by(events::write(&results, output))?;
    Ok(account)
}

/// Writes the page of all files. Returns the account.
fn page_of(options: &Options, output: Output) -> anyhow::Result<Account> {
    let guard = options.guarded.guard()?;
    let mut account = Account::default();
    let mut told = Vec::new();
    let mut is_any = false;
    for path in &options.files {
        let total = progress::bytes_of(&[path], 1);
        let read = || tell(path, &guard, options.records);
        match progress::reading_of(Progress::Auto, "reading", total, read) {
            Ok(parts) => {
                is_any = true;
                account
                    .add(Account::failed(Item::List, u64::from(parts.iter().any(|part| part.malformed > 0))));
                told.extend(parts);
            }
            Err(error) => {
                let (name, reason) = (names::path_bytes(path), errors::chain(&error));
                message::about(&name, &reason);
                account.add(Account::failed(Item::List, 1));
                told.push(ReportedResult::unusable(
                    Shown(&name).to_string(),
                    &Shown(reason.as_bytes()).to_string(),
                ));
            }
        }
    }
    if !is_any {
        output.discard();
        bail!("no file that a report can be made of");
    }
    account.carried_by(write_page(&page::page(told), output))?;
    Ok(account)
}

/// Writes the page of the manifest of a case, with these sections among its own. Returns its verdict in a sentence.
///
/// # Errors
/// If the manifest can't be read, or the page can't be written.
pub fn write_case(
    manifest: &Path,
    title: &Path,
    most: usize,
    more: Vec<Section>,
    output: Output,
) -> anyhow::Result<String> {
    let source = ReportInput::open(manifest, &Guard::default())?;
    let told = manifest::tell(source, most, more)?;
    let verdict = told.verdict.text.clone();
    let told = ReportedResult { title: Shown::path(title).to_string(), ..told };
    write_page(&page::page(vec![told]), output)?;
    Ok(verdict)
}

/// Returns the pages of a file.
fn tell(path: &Path, guard: &Guard, most: usize) -> anyhow::Result<Vec<ReportedResult>> {
    let source = ReportInput::open(path, guard)?;
    match source.kind() {
        kind @ (SourceKind::Audit | SourceKind::AuditLines) => {
            audit::tell(source, kind, most).map(|told| vec![told])
        }
        SourceKind::Document => document::tell(source, most).map(|told| vec![told]),
        SourceKind::Dupes => dupes::tell(source, most).map(|told| vec![told]),
        SourceKind::Image => image::tell(source, most),
        SourceKind::State => state::tell(&source, guard, most).map(|told| vec![told]),
        SourceKind::Manifest => manifest::tell(source, most, Vec::new()).map(|told| vec![told]),
    }
}
