//! Options of `hashmill convert`, and the target that they describe.

use crate::options::algorithms::{Name, algorithm};
use crate::options::force::Force;
use crate::options::format::{Written, endings, format};
use crate::options::signatures::Guarded;
use crate::options::strength::strength;
use crate::options::values::memory;
use crate::signal;
use anyhow::anyhow;
use clap::Args;
use hashmill_content::output::To;
use hashmill_engine::Cancel;
use hashmill_job::Misfit;
use hashmill_job::convert;
use hashmill_manifest::format::Format;
use hashmill_manifest::stored::Strength;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// hashmill convert
#[derive(Debug, Args)]
pub struct Options {
    /// The manifest, in any format; - is standard input
    #[arg(value_name = "A")]
    pub from: OsString,
    /// Write here; the name appears when the file is complete; - is standard output
    #[arg(value_name = "B")]
    pub to: PathBuf,
    #[command(flatten)]
    pub force: Force,
    /// Write a list for another program instead of a manifest: s3-batch-manifest names the objects whose evidence in A
    /// is too weak, for S3 Batch Operations to compute their checksums
    #[arg(long = "to", id = "list", value_name = "LIST", requires = "bucket", conflicts_with_all = ["format", "algorithms", "lossy"])]
    pub list: Option<ListFor>,
    /// The bucket of the objects in that list
    #[arg(long, value_name = "BUCKET", value_parser = bucket)]
    pub bucket: Option<String>,
    /// The prefix of the objects' keys before their paths in A
    #[arg(long, value_name = "KEY")]
    pub prefix: Option<OsString>,
    /// List objects with weaker evidence than this: content, composite, crc, declared or size [default: crc]
    #[arg(long, value_name = "STRENGTH", value_parser = strength)]
    pub min_strength: Option<Strength>,
    #[command(flatten)]
    pub target: Target,
    #[command(flatten)]
    pub guarded: Guarded,
}

/// A list for another program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ListFor {
    /// S3 Batch Operations.
    S3BatchManifest,
}

/// Parses the name of a bucket, which has no byte that ends a field.
fn bucket(name: &str) -> Result<String, String> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b".-_:/".contains(&byte);
    let good = !name.is_empty() && name.bytes().all(fits);
    good.then(|| name.to_string()).ok_or_else(|| "not the name of a bucket".to_string())
}

/// The form of the new manifest.
#[derive(Debug, Args)]
pub struct Target {
    #[arg(short, long, value_parser = format(), help = format_help())]
    pub format: Option<Written>,
    /// The algorithm of digests that the manifest does not name [default: the one that its file name implies]
    #[arg(short = 'c', long = "algorithms", id = "algorithms", value_name = "ALG", value_parser = algorithm)]
    pub algorithm: Option<Name>,
    /// Drop fields that the format can't hold; without this, nothing is written if anything would be lost
    #[arg(long)]
    pub lossy: bool,
    /// The most bytes of records in memory at a time
    #[arg(short, long, value_name = "SIZE", default_value = "256M", value_parser = memory)]
    pub memory: u64,
}

/// Returns the help of `--format`, with the suffixes of all formats.
fn format_help() -> String {
    format!(
        "The format of the manifest [default: the one that the name of the output implies: {}]",
        endings()
    )
}

impl Target {
    /// Converts the options to the library's target.
    ///
    /// # Errors
    /// If standard output is not open.
    pub fn target(&self, output: Option<&Path>, force: Force) -> anyhow::Result<convert::Target> {
        Ok(convert::Target {
            to: force.to(output)?,
            format: self.format.map(|Written(format)| format),
            algorithm: self.algorithm.map(|name| name.0),
            lossy: self.lossy,
            memory: usize::try_from(self.memory).unwrap_or(usize::MAX),
        })
    }

    /// Returns the format that was typed, or that the output's name implies, if any.
    ///
    /// # Errors
    /// If hashmill does not write it.
    pub fn named(
        &self,
        target: &convert::Target,
        output: Option<&Path>,
    ) -> anyhow::Result<Option<&'static Format>> {
        target.format().map_err(|misfit| match (misfit, output) {
            (Misfit::NoWriter(format), Some(path)) => {
                anyhow!("{}: hashmill does not write the format {}; -f FORMAT", path.display(), format.name)
            }
            (misfit, _) => misfit.into(),
        })
    }
}

/// Makes signals end the job.
///
/// # Errors
/// If signals can't be waited for.
pub fn watch(cancel: &Cancel, target: &convert::Target) -> std::io::Result<()> {
    let output = match &target.to {
        To::Stream(output) => Some(output.clone()),
        To::File(_) => None,
    };
    let cancel = cancel.clone();
    signal::watch_with(move || cancel.set(), output)
}

/// Returns the message for an output whose format is unknown.
pub(super) fn unnamed(path: &Path) -> String {
    match path == Path::new("-") {
        true => "standard output has no name that tells its format: -f FORMAT".to_string(),
        false => format!("{}: the name does not tell the format: -f FORMAT", path.display()),
    }
}
