//! `hashloom report`: what a manifest, an audit or a verification says, as one page for people.

mod audit;
mod case;
mod charts;
mod image;
mod manifest;
mod rows;
mod source;
mod spread;
mod timeline;
mod told;

use crate::exit::Exit;
use crate::message;
use crate::options::force::Force;
use crate::options::report::Progress;
use crate::options::signatures::Guarded;
use crate::output::{self, Output};
use crate::progress;
use anyhow::bail;
use clap::Args;
use hashloom_job::kinds;
use hashloom_job::signatures::guard::Guard;
use hashloom_report::{Page, Section, Tone, Verdict};
use source::{Kind, Source};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use told::Told;

/// hashloom report
#[derive(Debug, Args)]
pub struct Options {
    /// Manifests of any format, results of 'audit --format json' and of 'image verify --format json'
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Write the page here: under this name only when whole [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub force: Force,
    /// Put at most so many records of each file into the page; of a longer one only those that are not as they
    /// should be
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub records: usize,
    #[command(flatten)]
    pub guarded: Guarded,
}

/// The command, from options to exit code.
///
/// # Errors
/// If no file is usable, or the page cannot be written.
pub fn run(options: &Options) -> anyhow::Result<Exit> {
    let output = match &options.output {
        Some(path) => Output::file(&options.force.at(path), kinds::PAGE)?,
        None => output::stdout()?,
    };
    let guard = options.guarded.guard()?;
    let mut exit = Exit::Fine;
    let mut told = Vec::new();
    for path in &options.files {
        let total = progress::bytes_of(&[path], 1);
        let read = || tell(path, &guard, options.records);
        match progress::reading_of(Progress::Auto, "reading", total, read) {
            Ok(one) => {
                exit = exit.and(Exit::Failed.when(one.malformed > 0));
                told.push((path.as_path(), one));
            }
            Err(error) => {
                message::about(path.as_os_str().as_bytes(), format_args!("{error:#}"));
                exit = exit.and(Exit::Failed);
            }
        }
    }
    if told.is_empty() {
        output.discard();
        bail!("no file that a report can be made of");
    }
    crate::page::write(&page(told), output)?;
    Ok(exit)
}

/// What this file says.
fn tell(path: &Path, guard: &Guard, most: usize) -> anyhow::Result<Told> {
    let source = Source::open(path, guard)?;
    match source.kind() {
        Kind::Audit => audit::tell(source, most),
        Kind::Image => image::tell(source, most),
        Kind::Manifest => manifest::tell(source, most),
    }
}

fn page(told: Vec<(&Path, Told)>) -> Page {
    let footer = format!("Made by hashloom {}.", env!("CARGO_PKG_VERSION"));
    let shown = |path: &Path| message::Shown(path.as_os_str().as_bytes()).to_string();
    if let [(path, _)] = told[..] {
        let title = shown(path);
        let (verdict, sections) =
            told.into_iter().next().map(|(_, told)| (told.verdict, told.sections)).unzip();
        return Page { title, verdict, sections: sections.unwrap_or_default(), footer, ..Page::default() };
    }
    let worst = told.iter().map(|(_, told)| told.verdict.tone).max_by_key(|tone| weight(*tone));
    let good = told.iter().filter(|(_, told)| told.verdict.tone == Tone::Good).count();
    let text = format!("{good} of {} files report success.", told.len());
    let mut sections = Vec::new();
    for (path, one) in told {
        let verdict = hashloom_report::Part::Verdict(one.verdict);
        sections.push(Section::new(shown(path)).with(verdict));
        sections.extend(one.sections);
    }
    let verdict = worst.map(|tone| Verdict { tone, text });
    Page { title: "Report".into(), verdict, sections, footer, ..Page::default() }
}

fn weight(tone: Tone) -> u8 {
    match tone {
        Tone::Good => 0,
        Tone::Plain => 1,
        Tone::Doubtful => 2,
        Tone::Bad => 3,
    }
}
