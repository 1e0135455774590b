//! Options of `hashmill bag`.

use crate::options::algorithms::{Algorithms, algorithms};
use crate::options::resources::ResourceOptions;
use crate::results::report::{ListReport, Report};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// hashmill bag
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Turn a folder into a bag, in place or as a copy
    Create(Box<Create>),
    /// Write the tag manifests of a bag anew after its metadata was edited
    Update(Box<UpdateBagOptions>),
    /// Verify a bag against its manifests
    Verify(Box<VerifyBagOptions>),
}

/// hashmill bag create
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hashmill bag create papers                        moves all that is in papers into papers/data
  hashmill bag create -o /mnt/ingest/papers papers  leaves papers as it is
  hashmill bag create -o papers.zip papers          the same, as an archive; .tar and .tar.gz likewise
  hashmill bag create -c sha512 -i Contact-Name='A. Author' -i External-Identifier=x1 papers

All files are read before the first is moved. After an interruption, also a power failure, the same command undoes
or finishes what was begun; no file is ever lost.")]
pub struct Create {
    /// The folder
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// The algorithms of the manifests, comma-separated; files are read once for all
    #[arg(short = 'c', long, value_name = "A,B", default_value = "sha256,sha512", value_parser = algorithms)]
    pub algorithms: Algorithms,
    /// Copy into this new folder, or archive by its name (.zip, which compresses nothing, .tar, .tar.gz, .tgz), which
    /// appears when the bag is complete
    #[arg(short, long, value_name = "NEWBAG")]
    pub output: Option<PathBuf>,
    /// A field of bag-info.txt; may be given more than once. Bagging-Date, Bag-Software-Agent and Payload-Oxum
    /// are added
    #[arg(short, long, value_name = "LABEL=VALUE", value_parser = field)]
    pub info: Vec<(String, String)>,
    /// The form of the result
    #[arg(short, long, value_enum, default_value_t = Report::Text)]
    pub format: Report,
    #[command(flatten)]
    pub resources: ResourceOptions,
}

/// hashmill bag update
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hashmill bag update papers                        after bag-info.txt was edited, or a tag file was added
  hashmill bag update bags/*                        each of several bags
  hashmill bag update -f json papers | jq .changes  the tag files that differ from what was listed before

The payload is not read and its manifests stay as they are; hashmill bag verify compares both.")]
pub struct UpdateBagOptions {
    /// The folders of the bags
    #[arg(value_name = "BAG", required = true)]
    pub bags: Vec<PathBuf>,
    /// The form of the result; json of several bags is a list
    #[arg(short, long, value_enum, default_value_t = ListReport::Text)]
    pub format: ListReport,
    #[command(flatten)]
    pub resources: ResourceOptions,
}

/// hashmill bag verify
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hashmill bag verify /mnt/ingest/papers            every digest of every manifest, in one read
  hashmill bag verify papers.zip                    the same of a bag in an archive, which is not unpacked
  hashmill bag verify bags/*                        each of several bags
  hashmill bag verify --oxum papers                 only numbers of bytes and files
  hashmill bag verify -f json papers | jq .findings

Exit code: 0 the bag is valid, 1 it is not, 2 something could not be read or understood, 64 it is not a bag.
Nothing is ever fetched, no link is followed, and no path that a bag names is opened.")]
pub struct VerifyBagOptions {
    /// The bags: each a folder, an archive of one, or a location in a store
    #[arg(value_name = "BAG", required = true)]
    pub bags: Vec<PathBuf>,
    /// Only compare the numbers of bytes and files with Payload-Oxum
    #[arg(long, conflicts_with = "complete")]
    pub oxum: bool,
    /// Only check that every file is there and listed, without reading any
    #[arg(long)]
    pub complete: bool,
    /// Accept a bag with no payload manifest but checksums (CRC32, XXH128), which anybody can forge
    #[arg(long)]
    pub allow_weak: bool,
    /// Also compare the bag with this BagIt profile (1.x, JSON)
    #[arg(long, value_name = "FILE")]
    pub profile: Option<PathBuf>,
    /// The form of the result; json of several bags is a list
    #[arg(short, long, value_enum, default_value_t = ListReport::Text)]
    pub format: ListReport,
    #[command(flatten)]
    pub resources: ResourceOptions,
}

/// Parses a field of `bag-info.txt`.
///
/// # Errors
/// If it is none.
pub fn field(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=').ok_or_else(|| "not of the form LABEL=VALUE".to_string())?;
    Ok((parts.0.to_string(), parts.1.to_string()))
}
