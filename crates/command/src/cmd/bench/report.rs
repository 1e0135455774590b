//! `hashmill bench report`: all results of a folder as one page.

use crate::cmd::report::{Facts, known, write_page};
use crate::options::errors;
use crate::options::force::Force;
use crate::output;
use crate::words::message;
use crate::words::message::Shown;
use anyhow::{Context, bail};
use clap::Args;
use hashmill_bench::{COMPARISONS, Host, export, view_of};
use hashmill_job::account::{Account, Item};
use hashmill_lists::kinds;
use hashmill_report::{Column, Page, Section, SectionPart, Table, size};
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};

/// hashmill bench report
#[derive(Debug, Args)]
pub struct Options {
    /// The folder of results by --export-json: every file in it whose name ends in .json
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Write the page here; the name appears when the file is complete [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub force: Force,
}

/// The common fields of all documents.
#[derive(Deserialize)]
struct Head {
    comparison: String,
    host: Host,
    timestamp: String,
}

/// One file's result.
struct FileResult {
    name: String,
    head: Head,
    section: Section,
}

/// Runs the command, and returns its account.
///
/// # Errors
/// If the folder can't be read or has no result, or the page cannot be written.
pub fn run(options: &Options) -> anyhow::Result<Account> {
    let shown = Shown::path(&options.folder);
    let files = files(&options.folder).with_context(|| format!("{shown}: cannot list"))?;
    let mut account = Account::default();
    let mut found = Vec::new();
    for path in files {
        match read(&path) {
            Ok(one) => found.push(one),
            Err(error) => {
                message::about_path(&path, format_args!("{}: left out", errors::chain(&error)));
                account.add(Account::failed(Item::Record, 1));
            }
        }
    }
    if found.is_empty() {
        bail!("{shown}: no result of hashmill bench in it; --export-json writes them");
    }
    let output = match &options.output {
        Some(path) => output::create(&options.force.at(path), kinds::PAGE)?,
        None => output::stdout()?,
    };
    write_page(&page(found), output)?;
    Ok(account)
}

/// Returns the files that may be results, by name.
fn files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let names = hashmill_os::all_names_in(folder)?;
    let mut files: Vec<PathBuf> = names.into_iter().map(|name| folder.join(name)).collect();
    files.retain(|path| path.extension().is_some_and(|end| end.eq_ignore_ascii_case("json")));
    files.sort();
    Ok(files)
}

fn read(path: &Path) -> anyhow::Result<FileResult> {
    let json = fs::read(path).context("cannot read")?;
    let view = view_of(&json)?;
    let head: Head = serde_json::from_slice(&json).context("not a result of hashmill bench")?;
    let name = Shown::path(path.file_name().unwrap_or_default()).to_string();
    Ok(FileResult { name, head, section: export::section(&view) })
}

/// Makes a page of the results, in the order of their comparisons, then by time.
fn page(mut found: Vec<FileResult>) -> Page {
    let rank = |one: &FileResult| COMPARISONS.iter().position(|kind| kind.name == one.head.comparison);
    found.sort_by_key(|one| (rank(one), one.head.timestamp.clone(), one.name.clone()));
    let mut sections = vec![summary(&found)];
    sections.extend(machines(&found));
    sections.extend(found.into_iter().map(|one| {
        let when = format!("From {}, measured {}.{}", one.name, plain(&one.head.timestamp), files_on(&one));
        let mut section = one.section;
        section.parts.insert(0, SectionPart::Text(when));
        section
    }));
    Page {
        title: "Measurements by hashmill bench".into(),
        sections,
        footer: format!("Made by hashmill {}.", env!("CARGO_PKG_VERSION")),
        ..Page::default()
    }
}

fn summary(found: &[FileResult]) -> Section {
    let number = |one: &FileResult, wanted: fn(&SectionPart) -> bool| {
        one.section.parts.iter().filter(|part| wanted(part)).count()
    };
    let table = Table::of(found)
        .column(Column::words("comparison"), |one| one.section.title.as_str())
        .column(Column::words("measured"), |one| plain(&one.head.timestamp))
        .column(Column::words("machine"), |one| plain(&one.head.host.cpu_model))
        .column(Column::number("charts"), |one| number(one, |part| matches!(part, SectionPart::Chart(_))))
        .column(Column::number("tables"), |one| number(one, |part| matches!(part, SectionPart::Table(_))))
        .column(Column::number("warnings"), |one| number(one, |part| matches!(part, SectionPart::Warning(_))))
        .column(Column::words("file"), |one| one.name.as_str())
        .captioned("");
    Section::new("Summary").with(SectionPart::Table(table))
}

/// Returns a sentence about the place of a result's files; empty if there were none.
fn files_on(one: &FileResult) -> String {
    let Some(files) = &one.head.host.files else { return String::new() };
    let medium = files.medium.as_ref().map_or(String::new(), |medium| format!(", {medium}"));
    format!(" Files on {} ({}{}).", plain(&files.file_system), plain(&files.source), plain(&medium))
}

/// Returns a section for each machine, whatever the place of its files.
fn machines(found: &[FileResult]) -> Vec<Section> {
    let mut hosts: Vec<Host> = Vec::new();
    for one in found {
        let host = Host { files: None, ..one.head.host.clone() };
        if !hosts.contains(&host) {
            hosts.push(host);
        }
    }
    let several = hosts.len() > 1;
    let title = |number: usize| if several { format!("Machine {}", number + 1) } else { "Machine".into() };
    let sections = hosts.iter().enumerate();
    sections.map(|(number, host)| Section::new(title(number)).with(SectionPart::Facts(facts(host)))).collect()
}

fn facts(host: &Host) -> Facts {
    let memory = (host.memory_bytes > 0).then(|| size(host.memory_bytes as f64));
    known([
        ("processor", Some(plain(&host.cpu_model))),
        ("instruction sets", Some(plain(&host.processor))),
        ("threads", Some(host.cores.to_string())),
        ("memory", memory),
        ("system", Some(plain(&host.system))),
        ("release", Some(plain(&host.release))),
        ("clock frequency chosen by", host.governor.as_deref().map(plain)),
        ("hashmill", Some(plain(&host.hashmill))),
        ("built by", Some(plain(&host.build))),
    ])
}

/// Makes text from an untrusted file safe to show.
fn plain(text: &str) -> String {
    Shown(text.as_bytes()).to_string()
}
