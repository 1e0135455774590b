//! Options of `hashmill diff`.

use crate::options::algorithms::{Algorithms, algorithms};
use crate::options::blake3::Blake3;
use crate::options::force::Force;
use crate::options::resources::ResourceOptions;
use crate::options::signatures::Guarded;
use crate::options::sources::Sources;
use crate::options::write::{self, Write};
use crate::results::report::ListReport;
use clap::Args;
use std::ffi::OsString;

/// hashmill diff
#[derive(Debug, Args)]
#[command(
    mut_arg("files_from", |arg| arg.hide(true)),
    mut_arg("null", |arg| arg.help(write::NULL)),
    after_help = "Examples:
  hashmill diff photos /mnt/backup/photos           two folders
  hashmill diff photos.manifest photos              what changed since
  hashmill diff 2025.manifest 2026.manifest         no file is read
  hashmill diff --roots a.manifest b.manifest.seal  by their trees alone
  hashmill diff -f json a b | jq .counts
  hashmill diff before.dd after.dd                  the files on two disk images
  hashmill diff --by-content photos /mnt/backup     is all of it there, whatever the names?
  hashmill diff photos s3://bucket/photos/          by the evidence of the store

Differences come first, then the number of files in each category. -v also lists matches, -q only lists
differences.

Exit code: 0 no difference, 1 some, 2 something could not be read, 64 an operand is not usable."
)]
pub struct Options {
    /// The old state: a folder, an archive or disk image in the place of one, or a manifest (- is standard input)
    #[arg(value_name = "A")]
    pub old: OsString,
    /// The new state, likewise; several with --by-content
    #[arg(value_name = "B", required = true)]
    pub new: Vec<OsString>,
    /// List the files of A whose content is nowhere in B, whatever the names: is all of it there before A is deleted?
    /// Only A is filtered
    #[arg(long)]
    pub by_content: bool,
    /// The digests to compare two folders by, comma-separated [default: blake3; with a manifest, those that it has]; with
    /// --by-content also the one that a list has and does not name
    #[arg(short = 'c', long, value_name = "A,B", value_parser = algorithms)]
    pub algorithms: Option<Algorithms>,
    /// Compare two manifests, or their seals, by the roots of their trees. If the roots differ, records that only A (-)
    /// or only B (+) has are listed with all their fields
    #[arg(long, conflicts_with_all = ["algorithms", "by_content", "verbose", "quiet", "counts", "format", "write", "keyed", "derive_key", "length"])]
    pub roots: bool,
    /// Print only the number of files in each category
    #[arg(long, conflicts_with_all = ["quiet", "verbose"])]
    pub counts: bool,
    /// The form of the result
    #[arg(short, long, value_enum, default_value_t = ListReport::Text)]
    pub format: ListReport,
    #[command(flatten)]
    pub write: Write,
    #[command(flatten)]
    pub force: Force,
    #[cfg(feature = "stores")]
    #[command(flatten)]
    pub proofs: crate::options::proofs::Proofs,
    #[command(flatten)]
    pub guarded: Guarded,
    #[command(flatten)]
    pub blake3: Blake3,
    #[command(flatten)]
    pub sources: Sources,
    #[command(flatten)]
    pub resources: ResourceOptions,
}
