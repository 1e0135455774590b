//! Options of `hashmill copy`.

use crate::cmd::bag::field;
use crate::options::algorithms::{Algorithms, algorithms};
use crate::options::case::Case;
use crate::options::format::{Written, named, values};
use crate::options::resources::ResourceOptions;
use crate::options::signatures::Signing;
use crate::options::sources::{OF_IMAGES, Sources};
use crate::options::values::{Choice, one_of};
use crate::results::report::Report;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Args};
use hashmill_job::copy::Verify;
use std::ffi::OsString;
use std::path::PathBuf;

/// hashmill copy
#[derive(Debug, Args)]
#[command(
    mut_args(without_lists),
    after_help = "Examples:
  hashmill copy photos/ disk-a --to disk-b              to two places, in one read
  hashmill copy --manifest sums -c sha256 photos /mnt/backup
  hashmill copy photos/ disk-a --to s3://bucket/photos/   to a disk and a bucket
  hashmill copy --manifest bag -i Contact-Name='A. Author' photos/ /mnt/ingest/trip
  hashmill copy --dry-run photos /mnt/backup            what would go where

Each copy is read back from its medium before it gets its name. The same command goes on where an interrupted one
stopped: what is there and is the same is left."
)]
pub struct Options {
    /// Files and directories, then the destination: a directory, a location in a store (s3://BUCKET/PREFIX/), or the name
    /// of the copy of one file. A directory with / at its end stands for its content
    #[arg(value_name = "PATH", required = true, num_args = 2..)]
    pub paths: Vec<OsString>,
    /// Copy there, too; may be given more than once
    #[arg(long, value_name = "DST")]
    pub to: Vec<PathBuf>,
    /// The digests to compute as files are read [default: blake3, or that of the format]
    #[arg(short = 'c', long, value_name = "LIST", value_parser = algorithms)]
    pub algorithms: Option<Algorithms>,
    /// When copies are read back
    #[arg(long, value_name = "WHEN", value_parser = one_of(VERIFY), default_value = "end")]
    pub verify: Verify,
    /// Read the files of the sources a second time, past the page cache, and compare
    #[arg(long)]
    pub verify_source: bool,
    /// Replace files with other content in the place of copies
    #[arg(long)]
    pub force: bool,
    /// Compare everything that is there by its content, also what was copied and verified before an interruption
    #[arg(long)]
    pub no_resume: bool,
    /// Only list what would go where; nothing is written
    #[arg(long)]
    pub dry_run: bool,
    /// Write a manifest of the copies into each destination; bag makes each destination a bag (BagIt)
    #[arg(long, value_name = "FORMAT", value_parser = manifest())]
    pub manifest: Option<CopyManifest>,
    /// A field of bag-info.txt; may be given more than once (--manifest bag)
    #[arg(short, long, value_name = "LABEL=VALUE", value_parser = field)]
    pub info: Vec<(String, String)>,
    /// Also seal each manifest
    #[arg(long)]
    pub seal: bool,
    /// The form of the result
    #[arg(short, long, value_enum, default_value_t = Report::Text)]
    pub format: Report,
    #[command(flatten)]
    pub signing: Signing,
    #[command(flatten)]
    pub case: Case,
    #[command(flatten)]
    pub sources: Sources,
    #[command(flatten)]
    pub resources: ResourceOptions,
}

/// The files that a destination gets beside its copies.
#[derive(Debug, Clone, Copy)]
pub enum CopyManifest {
    /// A manifest of this format.
    List(Written),
    /// The tag files of a bag, whose payload the copies are.
    Bag,
}

/// The name of bags among the formats of `--manifest`.
const BAG: &str = "bag";

/// Parses the name of a format, or that of bags.
fn manifest() -> impl TypedValueParser<Value = CopyManifest> {
    let names = values().chain([PossibleValue::new(BAG)]);
    PossibleValuesParser::new(names).try_map(|name| match &*name {
        BAG => Ok(CopyManifest::Bag),
        name => named(name).map(CopyManifest::List).ok_or("no such format"),
    })
}

/// Values of `--verify`.
const VERIFY: &[Choice<Verify>] = &[
    ("end", "When a file is written, before it gets its name", Verify::AtOnce),
    ("later", "When all is written: a drive's own cache is then overwritten", Verify::Later),
    ("no", "Never", Verify::No),
];

/// Hides the options that are refused: names come of what is typed, and files are copied as they are.
fn without_lists(arg: Arg) -> Arg {
    let id = arg.get_id().as_str();
    let is_refused = OF_IMAGES.contains(&id) || matches!(id, "files_from" | "null" | "streams");
    if is_refused { arg.hide(true) } else { arg }
}
