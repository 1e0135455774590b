//! What can be typed.

use crate::options::algorithms::{Name, algorithm};
use crate::options::force::Force;
use crate::options::report::{ListReport, Progress};
use clap::{Args, Subcommand};
use hashloom_digest::Digest;
use hashloom_digest::parse_size;
use std::ffi::OsString;
use std::ops::Range;
use std::path::PathBuf;

/// hashloom seal
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hashloom seal photos.manifest                      writes photos.manifest.seal, and prints it
  hashloom seal --secret case.secret photos.manifest so that redacted records can't be guessed
  hashloom seal --old monday.seal tuesday.manifest   of a manifest that goes on with monday's")]
pub struct Seal {
    /// The manifest, in any format
    #[arg(value_name = "MANIFEST")]
    pub manifest: PathBuf,
    /// Write the seal here [default: MANIFEST.seal]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub force: Force,
    /// What is printed: the seal itself, or where it is and what it stands for
    #[arg(short, long, value_enum, default_value_t = ListReport::Text)]
    pub format: ListReport,
    /// The algorithm of the tree: any cryptographic one of 256 bits or more; transparency logs know only sha256
    #[arg(short = 'c', long, value_name = "ALG", default_value = "sha256", value_parser = algorithm)]
    pub algorithm: Name,
    /// Who seals: a name that the seal begins with, like example.org/lab
    #[arg(long, value_name = "NAME", default_value = hashloom_seal::ORIGIN, value_parser = origin)]
    pub origin: String,
    /// The seal of an older manifest that this one begins with: `prove --old` can prove that then
    #[arg(long, value_name = "SEAL", conflicts_with_all = ["algorithm", "origin"])]
    pub old: Option<PathBuf>,
    /// Salt every leaf from the secret in FILE, which is made if there is none: keep it apart from the seal
    #[arg(long, value_name = "FILE")]
    pub secret: Option<PathBuf>,
    #[command(flatten)]
    pub watched: Watched,
}

/// How far a command is that reads a whole manifest.
#[derive(Debug, Args)]
pub struct Watched {
    /// What was read so far, on standard error
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Progress::Auto)]
    pub progress: Progress,
}

/// hashloom verify-seal
#[derive(Debug, Args)]
pub struct VerifySeal {
    /// The manifest, or a redacted one
    #[arg(value_name = "MANIFEST")]
    pub manifest: PathBuf,
    /// The root that the seal must have, as `seal` printed it
    #[arg(long, value_name = "HEX", value_parser = digest)]
    pub root: Option<Digest>,
    /// How the result is written
    #[arg(short, long, value_enum, default_value_t = ListReport::Text)]
    pub format: ListReport,
    #[command(flatten)]
    pub sealed: Sealed,
    #[command(flatten)]
    pub watched: Watched,
}

/// Which seal.
#[derive(Debug, Args)]
pub struct Sealed {
    /// The seal [default: MANIFEST.seal]
    #[arg(long, value_name = "FILE")]
    pub seal: Option<PathBuf>,
    /// The secret that the seal's salts come from, if it has salts
    #[arg(long, value_name = "FILE")]
    pub secret: Option<PathBuf>,
}

/// hashloom prove
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hashloom prove photos.manifest photos/2019/beach.jpg -o beach.proof
  hashloom verify-proof beach.proof --seal photos.manifest.seal --file photos/2019/beach.jpg

  hashloom prove tuesday.manifest --old monday.seal -o grown.proof
  hashloom verify-proof grown.proof --seal tuesday.manifest.seal --old monday.seal")]
pub struct Prove {
    /// The manifest that was sealed
    #[arg(value_name = "MANIFEST")]
    pub manifest: PathBuf,
    /// The paths of the records, as the manifest has them
    #[arg(value_name = "PATH", required_unless_present = "old")]
    pub paths: Vec<OsString>,
    /// Prove instead that the manifest begins with all records of the one that this older seal is of
    #[arg(long, value_name = "SEAL", conflicts_with = "paths")]
    pub old: Option<PathBuf>,
    /// Write the proof here [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub force: Force,
    #[command(flatten)]
    pub sealed: Sealed,
    #[command(flatten)]
    pub watched: Watched,
}

/// hashloom verify-proof
#[derive(Debug, Args)]
pub struct VerifyProof {
    /// The proof
    #[arg(value_name = "PROOF")]
    pub proof: PathBuf,
    /// The seal that it must be of
    #[arg(long, value_name = "SEAL", required_unless_present = "root")]
    pub seal: Option<PathBuf>,
    /// The root of the seal that it must be of, as `seal` printed it
    #[arg(long, value_name = "HEX", value_parser = digest)]
    pub root: Option<Digest>,
    /// Of a proof that a manifest goes on with an older one: the older one's seal
    #[arg(long, value_name = "SEAL")]
    pub old: Option<PathBuf>,
    /// Likewise: the older seal's root
    #[arg(long, value_name = "HEX", value_parser = digest)]
    pub old_root: Option<Digest>,
    /// Also hash this file, and compare it with what the record says: with all its digests, and of the whole file
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The algorithm of the record's digest, where the sealed list does not name it
    #[arg(short = 'c', long, value_name = "ALG", value_parser = algorithm, requires = "file")]
    pub algorithm: Option<Name>,
    /// How the result is written
    #[arg(short, long, value_enum, default_value_t = ListReport::Text)]
    pub format: ListReport,
}

/// hashloom redact
#[derive(Debug, Args)]
#[command(after_help = "Example:
  hashloom redact photos.manifest --keep 'photos/2019/**' -o shown.redacted
  hashloom verify-seal shown.redacted --seal photos.manifest.seal")]
pub struct Redact {
    /// The manifest that was sealed
    #[arg(value_name = "MANIFEST")]
    pub manifest: PathBuf,
    /// Show only records whose path matches; may be given more than once
    #[arg(long, value_name = "GLOB", required_unless_present = "hide")]
    pub keep: Vec<String>,
    /// Hide records whose path matches; may be given more than once
    #[arg(long, value_name = "GLOB")]
    pub hide: Vec<String>,
    /// Write the redacted manifest here
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    #[command(flatten)]
    pub force: Force,
    #[command(flatten)]
    pub sealed: Sealed,
    #[command(flatten)]
    pub watched: Watched,
}

/// What `--isa` has no say in.
const KERNELS: &str = "The library bao-tree computes the tree, with the widest instructions that it finds: --isa and \
HASHLOOM_ISA do not hold it to others.";

/// hashloom outboard
#[derive(Debug, Subcommand)]
pub enum Outboard {
    /// Write the BLAKE3 tree of a file beside it, and print its root: the file's BLAKE3 digest
    Create(Create),
    /// Verify a range of a file without reading the rest
    Verify(Verify),
}

/// hashloom outboard create
#[derive(Debug, Args)]
#[command(after_help = KERNELS)]
pub struct Create {
    /// The file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Write the outboard here [default: FILE.obao]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub force: Force,
    /// Keep 64 bytes for each SIZE bytes: 1K is what the program bao writes
    #[arg(long, value_name = "SIZE", default_value = "16K", value_parser = parse_size)]
    pub group: u64,
}

/// hashloom outboard verify
#[derive(Debug, Args)]
#[command(after_help = format!("Example:
  hashloom outboard verify disk.img --range 512M..520M --root af1349b9…

{KERNELS}"))]
pub struct Verify {
    /// The file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Its outboard [default: FILE.obao]
    #[arg(long, value_name = "FILE")]
    pub outboard: Option<PathBuf>,
    /// Which bytes, the last one not among them [default: all]
    #[arg(long, value_name = "START..END", value_parser = range)]
    pub range: Option<Range<u64>>,
    /// The file's BLAKE3 digest, from a manifest that is trusted
    #[arg(long, value_name = "HEX", value_parser = digest)]
    pub root: Digest,
    /// How the result is written
    #[arg(short, long, value_enum, default_value_t = ListReport::Text)]
    pub format: ListReport,
}

fn digest(text: &str) -> Result<Digest, String> {
    Digest::from_hex(text.as_bytes()).map_err(|error| error.to_string())
}

fn origin(text: &str) -> Result<String, hashloom_seal::InvalidOrigin> {
    hashloom_seal::check_origin(text).map(|()| text.into())
}

fn range(text: &str) -> Result<Range<u64>, String> {
    let (start, end) = text.split_once("..").ok_or("not START..END, like 0..1M")?;
    let size = |text: &str| parse_size(text).map_err(|error| error.to_string());
    let range = size(start)?..size(end)?;
    if range.is_empty() { Err("the range is empty".into()) } else { Ok(range) }
}
