//! Options of `hashmill seal`, `hashmill proof` and `hashmill outboard`.

use crate::options::algorithms::{Name, algorithm};
use crate::options::force::Force;
use crate::options::values::glob;
use crate::results::report::{ListReport, Progress};
use clap::{Args, Subcommand};
use hashmill_digest::Digest;
use hashmill_digest::parse_size;
use std::ffi::OsString;
use std::ops::Range;
use std::path::PathBuf;

/// hashmill seal
#[derive(Debug, Subcommand)]
pub enum Seal {
    /// Seal a manifest, and print the seal
    Create(Box<CreateSeal>),
    /// Verify that a manifest, or a redacted one, is what was sealed
    Verify(Box<VerifySeal>),
    /// Give a sealed manifest away with some records hidden
    Redact(Box<Redact>),
}

/// hashmill proof
#[derive(Debug, Subcommand)]
pub enum Proof {
    /// Prove that records are in a sealed manifest, or that it continues an older one
    Create(Box<CreateProof>),
    /// Verify a proof
    Verify(Box<VerifyProof>),
}

/// hashmill seal create
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hashmill seal create photos.manifest                       writes photos.manifest.seal, and prints it
  hashmill seal create --secret case.secret photos.manifest  so that redacted records can't be guessed
  hashmill seal create --old monday.seal tuesday.manifest    of a manifest that continues monday's")]
pub struct CreateSeal {
    /// The manifest, in any format
    #[arg(value_name = "MANIFEST")]
    pub manifest: PathBuf,
    /// Write the seal here [default: MANIFEST.seal]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub force: Force,
    /// The output: the seal itself, or its path and contents as JSON
    #[arg(short, long, value_enum, default_value_t = ListReport::Text)]
    pub format: ListReport,
    /// The algorithm of the tree: a cryptographic one of 256 bits or more; transparency logs accept only sha256
    #[arg(short = 'c', long = "algorithms", id = "algorithms", value_name = "ALG", default_value = "sha256", value_parser = algorithm)]
    pub algorithm: Name,
    /// The name of the sealer, at the start of the seal, like example.org/lab
    #[arg(long, value_name = "NAME", default_value = hashmill_seal::ORIGIN, value_parser = origin)]
    pub origin: String,
    /// The seal of an older manifest that this one begins with; `proof create --old` can then prove that
    #[arg(long, value_name = "SEAL", conflicts_with_all = ["algorithms", "origin"])]
    pub old: Option<PathBuf>,
    /// Salt every leaf from the secret in FILE, which is created if missing; keep it apart from the seal
    #[arg(long, value_name = "FILE")]
    pub secret: Option<PathBuf>,
    #[command(flatten)]
    pub watched: Watched,
}

/// Progress of commands that read a whole manifest.
#[derive(Debug, Args)]
pub struct Watched {
    /// Show how much was read, on standard error
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Progress::Auto)]
    pub progress: Progress,
}

/// hashmill seal verify
#[derive(Debug, Args)]
pub struct VerifySeal {
    /// The manifest, or a redacted one
    #[arg(value_name = "MANIFEST")]
    pub manifest: PathBuf,
    /// The root that the seal must have, as `seal create` printed it
    #[arg(long, value_name = "HEX", value_parser = digest)]
    pub root: Option<Digest>,
    /// The form of the result
    #[arg(short, long, value_enum, default_value_t = ListReport::Text)]
    pub format: ListReport,
    #[command(flatten)]
    pub sealed: Sealed,
    #[command(flatten)]
    pub watched: Watched,
}

/// The seal, and its secret.
#[derive(Debug, Args)]
pub struct Sealed {
    /// The seal [default: MANIFEST.seal]
    #[arg(long, value_name = "FILE")]
    pub seal_file: Option<PathBuf>,
    /// The secret of the seal's salts, if it has any
    #[arg(long, value_name = "FILE")]
    pub secret: Option<PathBuf>,
}

/// hashmill proof create
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hashmill proof create photos.manifest photos/2019/beach.jpg -o beach.proof
  hashmill proof verify beach.proof --seal-file photos.manifest.seal --file photos/2019/beach.jpg

  hashmill proof create tuesday.manifest --old monday.seal -o grown.proof
  hashmill proof verify grown.proof --seal-file tuesday.manifest.seal --old monday.seal")]
pub struct CreateProof {
    /// The manifest that was sealed
    #[arg(value_name = "MANIFEST")]
    pub manifest: PathBuf,
    /// The paths of the records, as the manifest spells them
    #[arg(value_name = "PATH", required_unless_present = "old")]
    pub paths: Vec<OsString>,
    /// Prove instead that the manifest begins with all records that this older seal covers
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

/// hashmill proof verify
#[derive(Debug, Args)]
pub struct VerifyProof {
    /// The proof
    #[arg(value_name = "PROOF")]
    pub proof: PathBuf,
    /// The seal that the proof must lead to
    #[arg(long, value_name = "FILE", required_unless_present = "root")]
    pub seal_file: Option<PathBuf>,
    /// The root that the proof must lead to, as `seal create` printed it
    #[arg(long, value_name = "HEX", value_parser = digest)]
    pub root: Option<Digest>,
    /// The seal of the older manifest, for a proof that a manifest continues it
    #[arg(long, value_name = "SEAL")]
    pub old: Option<PathBuf>,
    /// The root of the older seal, likewise
    #[arg(long, value_name = "HEX", value_parser = digest)]
    pub old_root: Option<Digest>,
    /// Also hash this file, and compare it with all digests of the record, which must cover the whole file
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The algorithm of the record's digest, if the sealed list does not name it
    #[arg(short = 'c', long = "algorithms", id = "algorithms", value_name = "ALG", value_parser = algorithm, requires = "file")]
    pub algorithm: Option<Name>,
    /// The form of the result
    #[arg(short, long, value_enum, default_value_t = ListReport::Text)]
    pub format: ListReport,
}

/// hashmill seal redact
#[derive(Debug, Args)]
#[command(after_help = "Example:
  hashmill seal redact photos.manifest --keep 'photos/2019/**' -o shown.redacted
  hashmill seal verify shown.redacted --seal-file photos.manifest.seal")]
pub struct Redact {
    /// The manifest that was sealed
    #[arg(value_name = "MANIFEST")]
    pub manifest: PathBuf,
    /// Keep only records whose path matches; may be given more than once
    #[arg(long, value_name = "GLOB", required_unless_present = "hide", value_parser = glob)]
    pub keep: Vec<String>,
    /// Hide records whose path matches; may be given more than once
    #[arg(long, value_name = "GLOB", value_parser = glob)]
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

/// A note for commands that `--isa` does not affect.
const KERNELS: &str = "The library bao-tree computes the tree with the widest instructions of the processor; --isa and \
HASHMILL_ISA have no effect.";

/// hashmill outboard
#[derive(Debug, Subcommand)]
pub enum Outboard {
    /// Write the BLAKE3 tree of a file beside it, and print its root: the file's BLAKE3 digest
    Create(Create),
    /// Verify a range of a file without reading the rest
    Verify(VerifySealOptions),
}

/// hashmill outboard create
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
    /// Store 64 bytes for each SIZE bytes; the program bao uses 1K
    #[arg(long, value_name = "SIZE", default_value = "16K", value_parser = parse_size)]
    pub group: u64,
}

/// hashmill outboard verify
#[derive(Debug, Args)]
#[command(after_help = format!("Example:
  hashmill outboard verify disk.img --range 512M..520M --root af1349b9…

{KERNELS}"))]
pub struct VerifySealOptions {
    /// The file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Its outboard [default: FILE.obao]
    #[arg(long, value_name = "FILE")]
    pub outboard: Option<PathBuf>,
    /// The range of bytes, without END [default: all]
    #[arg(long, value_name = "START..END", value_parser = range)]
    pub range: Option<Range<u64>>,
    /// The file's BLAKE3 digest, from a trusted manifest
    #[arg(long, value_name = "HEX", value_parser = digest)]
    pub root: Digest,
    /// The form of the result
    #[arg(short, long, value_enum, default_value_t = ListReport::Text)]
    pub format: ListReport,
}

fn digest(text: &str) -> Result<Digest, String> {
    Digest::from_hex(text.as_bytes()).map_err(|error| error.to_string())
}

/// Parses the name of a sealer. Logs and witnesses of seals take it for the name of a key, which has no blanks.
fn origin(text: &str) -> Result<String, String> {
    let joined: Vec<&str> = text.split(|letter: char| letter.is_whitespace() || letter == '+').collect();
    let joined = joined.join("-");
    let fits = |text: &str| hashmill_seal::check_origin(text);
    fits(text).map(|()| text.into()).map_err(|why| match fits(&joined) {
        Ok(()) => {
            format!("{why} (write '{joined}'; 'hash --case, --examiner and --evidence' take any words)")
        }
        Err(_) => why.into(),
    })
}

fn range(text: &str) -> Result<Range<u64>, String> {
    let (start, end) = text.split_once("..").ok_or("not START..END, like 0..1M")?;
    let size = |text: &str| parse_size(text).map_err(|error| error.to_string());
    let range = size(start)?..size(end)?;
    if range.is_empty() { Err("the range is empty".into()) } else { Ok(range) }
}
