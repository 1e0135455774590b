//! What can be typed, and what it means for the manifest that is written.

use super::loss::Losses;
use super::survey::Survey;
use crate::message;
use crate::options::algorithms::{Name, algorithm};
use crate::options::values::format_names;
use crate::output::{self, Output};
use anyhow::{Context, bail, ensure};
use clap::Args;
use hashloom_digest::parse_size;
use hashloom_manifest::format::{FORMATS, Format, find_format, format_of_name};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// hashloom convert
#[derive(Debug, Args)]
pub struct Options {
    /// The manifest, in any format; - is standard input
    #[arg(value_name = "A")]
    pub from: OsString,
    /// Write here: under this name only when whole; - is standard output
    #[arg(value_name = "B")]
    pub to: PathBuf,
    #[command(flatten)]
    pub target: Target,
}

/// How the new manifest is written.
#[derive(Debug, Args)]
pub struct Target {
    #[arg(short, long, value_parser = format_names(), help = format_help())]
    pub format: Option<String>,
    /// The algorithm of digests that no algorithm is named for [default: what the name of the manifest says]
    #[arg(short = 'c', long, value_name = "ALG", value_parser = algorithm)]
    pub algorithm: Option<Name>,
    /// Leave out what the format can't carry; without this nothing is written if something would be lost
    #[arg(long)]
    pub lossy: bool,
    /// The most bytes of records in memory at a time
    #[arg(short, long, value_name = "SIZE", default_value = "256M", value_parser = parse_size)]
    pub memory: u64,
}

/// Endings of names follow from the rows of formats.
fn format_help() -> String {
    let written = FORMATS.iter().filter(|format| format.writer.is_some());
    let endings: Vec<_> =
        written.filter_map(|format| format.suffixes.first()).map(|suffix| format!(".{suffix}")).collect();
    format!(
        "How records are written [default: what the name of the output says: {}; SHA256SUMS and the like are sums]",
        endings.join(", ")
    )
}

impl Target {
    /// The format that was asked for, or that the name of the output stands for, if it stands for one.
    ///
    /// # Errors
    /// If hashloom does not write it.
    pub fn format(&self, output: Option<&Path>) -> anyhow::Result<Option<&'static Format>> {
        if let Some(name) = &self.format {
            return Ok(Some(find_format(name).context("no such format")?));
        }
        let Some(path) = output else { return Ok(None) };
        let found = format_of_name(path.as_os_str().as_bytes());
        if let Some(format) = found.filter(|format| format.writer.is_none()) {
            bail!("{}: hashloom does not write the format {}; -f FORMAT", path.display(), format.name);
        }
        Ok(found)
    }

    /// Says no where something would be lost, or be said that nobody knows.
    ///
    /// # Errors
    /// With a list of what it is.
    pub fn check(&self, survey: &Survey, format: &Format, output: Option<&Path>) -> anyhow::Result<()> {
        if let Some((name, named)) = survey.guess.as_ref().filter(|_| format.carries.algorithm) {
            bail!(
                "{name}: nothing says which algorithm its digests of {} bits are of ({}?), and the format {} \
                 names it: -c ALG",
                named.algorithm.bits,
                named.algorithm.name,
                format.name
            );
        }
        let losses = Losses::of(survey, format, output);
        if losses.is_empty() {
            return Ok(());
        }
        ensure!(self.lossy, "the format {} can't carry {losses}; --lossy leaves that out", format.name);
        message::say(format_args!("left out, as the format {} can't carry it: {losses}", format.name));
        Ok(())
    }

    /// Where it is written.
    ///
    /// # Errors
    /// If it can't be.
    pub fn output(&self, path: Option<&Path>) -> anyhow::Result<Output> {
        let Some(path) = output::named(path) else { return Ok(output::stdout()?) };
        ensure!(!path.is_dir(), "{}: is a directory", path.display());
        Ok(Output::file(path)?)
    }

    /// Bytes of records.
    pub fn memory(&self) -> usize {
        usize::try_from(self.memory).unwrap_or(usize::MAX)
    }
}

/// Why there is no format.
pub(super) fn unnamed(path: &Path) -> String {
    match path == Path::new("-") {
        true => "standard output has no name that tells its format: -f FORMAT".to_string(),
        false => format!("{}: the name does not tell the format: -f FORMAT", path.display()),
    }
}
