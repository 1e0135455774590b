//! Options of `hashmill audit`.

use crate::options::algorithms::{Name, algorithm};
use crate::options::blake3::Blake3;
use crate::options::case::Case;
use crate::options::force::Force;
use crate::options::remote::Remote;
use crate::options::resources::ResourceOptions;
use crate::options::signatures::Guarded;
use crate::options::sources::Sources;
use crate::options::write::{self, Write};
use crate::results::report::ListReport;
use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;

/// hashmill audit
#[derive(Debug, Args)]
#[command(
    mut_arg("null", |arg| arg.help(write::NULL)),
    after_help = "Problems come first, then the number of files in each category. -v also lists matches, -q only lists \
problems.

Examples:
  hashmill audit -k photos.manifest photos          what changed since the manifest was written
  hashmill audit -k photos.manifest                 only the files that it names
  hashmill audit -k m.jsonl -f json photos > a.json; hashmill report a.json -o a.html
  hashmill audit -k m.jsonl --update next.jsonl photos
  hashmill audit -k m.jsonl --write missing=lost.txt photos
  hashmill audit -k m.jsonl -f json --case 2026-17 --examiner 'A. Doe' photos > a.json
  hashmill audit s3://bucket/photos/ --against photos   a bucket, by the evidence of the store

Exit code: 0 everything matches, 1 something differs, 2 something could not be read, 64 a manifest is not usable."
)]
pub struct Options {
    /// Files and directories [default: the files that the manifests name]
    #[arg(value_name = "PATH")]
    pub paths: Vec<OsString>,
    /// A manifest of the expected files; may be given more than once
    #[arg(short = 'k', long, value_name = "MANIFEST", required = cfg!(not(feature = "stores")))]
    pub manifest: Vec<PathBuf>,
    /// The algorithm of digests that the manifests don't name [default: inferred from files that match]
    #[arg(short = 'c', long = "algorithms", id = "algorithms", value_name = "ALG", value_parser = algorithm)]
    pub algorithm: Option<Name>,
    #[command(flatten)]
    pub remote: Remote,
    #[cfg(feature = "stores")]
    #[command(flatten)]
    pub against: crate::options::proofs::Against,
    #[cfg(feature = "stores")]
    #[command(flatten)]
    pub proofs: crate::options::proofs::Proofs,
    /// Look up changed and new files in this index of known digests; may be given more than once
    #[arg(long, value_name = "SET")]
    pub known_set: Vec<PathBuf>,
    /// Print only the number of files in each category
    #[arg(long, conflicts_with_all = ["quiet", "verbose"])]
    pub counts: bool,
    /// The form of the result
    #[arg(short, long, value_enum, default_value_t = ListReport::Text)]
    pub format: ListReport,
    /// Write the next manifest here: the files as they are now, in the format of the known manifest. Records that were
    /// not compared (outside of the PATHs, filtered, unreadable; without PATH also missing) are carried over and counted
    #[arg(long, value_name = "FILE")]
    pub update: Option<PathBuf>,
    /// Leave records that were not compared out of the next manifest
    #[arg(long)]
    pub prune: bool,
    /// Take the digests of unchanged files from this manifest, which hash --metadata or --reuse wrote, without reading
    /// them. They are counted as reused, since nothing verifies them: a file that rotted, and whose times did not
    /// change, matches
    #[arg(long, value_name = "OLD")]
    pub reuse: Option<PathBuf>,
    #[command(flatten)]
    pub write: Write,
    #[command(flatten)]
    pub force: Force,
    #[command(flatten)]
    pub guarded: Guarded,
    #[command(flatten)]
    pub case: Case,
    #[command(flatten)]
    pub blake3: Blake3,
    #[command(flatten)]
    pub sources: Sources,
    #[command(flatten)]
    pub resources: ResourceOptions,
}
