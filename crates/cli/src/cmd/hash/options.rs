//! What can be typed.

use crate::options::algorithms::{Algorithms, algorithms};
use crate::options::blake3::Blake3;
use crate::options::case::Case;
use crate::options::force::Force;
use crate::options::format::{Written, format};
use crate::options::known::Types;
use crate::options::resources::ResourceOptions;
use crate::options::signatures::Signing;
use crate::options::sources::Sources;
use crate::options::values::piece;
use clap::{Args, ValueEnum};
use hashloom_digest::Style;
use hashloom_engine::Order;
use std::ffi::OsString;
use std::num::NonZeroU64;
use std::path::PathBuf;

/// hashloom hash
#[derive(Debug, Args)]
pub struct Options {
    /// Files and directories; - is standard input [default: standard input, unless it is a terminal]
    #[arg(value_name = "PATH")]
    pub paths: Vec<OsString>,
    /// The digests of each record, in this order, comma-separated [default: the one that the name of the output
    /// names (SHA256SUMS, photos.md5), else blake3]
    #[arg(short = 'c', long, value_name = "A,B", value_parser = algorithms)]
    pub algorithms: Option<Algorithms>,
    #[command(flatten)]
    pub blake3: Blake3,
    /// A digest for every SIZE bytes too
    #[arg(short, long, value_name = "SIZE", value_parser = piece)]
    pub piecewise: Option<NonZeroU64>,
    /// Keep the digests of the leaves of digests made of blocks, too (parts of S3, pieces of BitTorrent 2 and the like;
    /// formats jsonl, parquet, sqlite)
    #[arg(long)]
    pub leaves: bool,
    /// In whose form digests are written: hexadecimal, or base64 as S3 or Azure has it (formats sums, bsd, jsonl, csv)
    #[arg(long, value_enum, value_name = "FORM", default_value_t = Text::Usual)]
    pub text: Text,
    /// The format of the manifest [default: the one that the name of the output stands for (.jsonl, .csv, .parquet,
    /// SHA256SUMS, ...), else hashdeep]
    #[arg(short, long, value_parser = format())]
    pub format: Option<Written>,
    /// Add the time of each file's last change (formats that have a place for it)
    #[arg(long)]
    pub times: bool,
    /// Write here: under this name only when whole. The file is left out of the walk
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub force: Force,
    /// Print nothing but digests, by one algorithm: a line for each entry, in their order. The line of one without a digest is
    /// empty, and the exit code 2
    #[arg(long, conflicts_with_all = ["format", "times", "leaves", "piecewise", "resume", "seal", "known", "order",
        "bare_names", "dry_run", "case", "examiner", "evidence"])]
    #[cfg_attr(feature = "sign", arg(conflicts_with = "sign"))]
    pub bare: bool,
    /// Write the names of files without the folders that they lie in; it is told if several have one name
    #[arg(short, long, conflicts_with = "resume")]
    pub bare_names: bool,
    /// Write paths as they are named, as is done without it: what hashdeep needs; undoes -b
    #[arg(short = 'l', long, hide = true, overrides_with = "bare_names")]
    pub relative: bool,
    /// List what would be hashed; no file is read, none is written
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub signing: Signing,
    /// Go on where an interrupted run with the same -o stopped; files and objects that changed since are hashed
    /// again
    #[arg(long, requires = "output")]
    pub resume: bool,
    /// Records sorted by path, the same every run, or as they finish
    #[arg(long, value_enum, default_value_t = Sorted::Path)]
    pub order: Sorted,
    /// A file with parts that can't be read: a failure, or hashed with zeros instead of them. Then its record
    /// lists them (formats jsonl, csv, parquet, sqlite), and the exit code is 2
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = BadBlocks::Fail)]
    pub bad_blocks: BadBlocks,
    /// Add to each record what this index of known digests says of the file: category and set (formats
    /// jsonl, csv, parquet, sqlite); may be given more than once
    #[arg(long = "known-set", value_name = "SET")]
    pub known: Vec<PathBuf>,
    #[command(flatten)]
    pub types: Types,
    /// Also seal the manifest, into FILE.seal beside -o FILE, and print the root on standard error
    #[arg(long, requires = "output")]
    pub seal: bool,
    #[command(flatten)]
    pub case: Case,
    #[command(flatten)]
    pub sources: Sources,
    #[command(flatten)]
    pub resources: ResourceOptions,
}

/// `--text`.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Text {
    /// Each algorithm's usual text, nearly always hexadecimal
    #[default]
    Usual,
    /// As x-amz-checksum-… and Content-MD5 have it
    S3,
    /// As x-ms-content-crc64 (key and tag end with _le) and Content-MD5 have it
    Azure,
}

/// `--bad-blocks`.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BadBlocks {
    /// The file is unreadable
    #[default]
    Fail,
    /// They are hashed as zeros and listed
    Zero,
}

/// `--order`.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Sorted {
    /// By path: the same every run
    #[default]
    Path,
    /// As they finish
    Any,
}

impl From<BadBlocks> for hashloom_source::BadBlocks {
    fn from(bad_blocks: BadBlocks) -> Self {
        match bad_blocks {
            BadBlocks::Fail => hashloom_source::BadBlocks::Fail,
            BadBlocks::Zero => hashloom_source::BadBlocks::Zero,
        }
    }
}

impl From<Text> for Style {
    fn from(text: Text) -> Style {
        match text {
            Text::Usual => Style::Usual,
            Text::S3 => Style::S3,
            Text::Azure => Style::Azure,
        }
    }
}

impl From<Sorted> for Order {
    fn from(sorted: Sorted) -> Order {
        match sorted {
            Sorted::Path => Order::Walk,
            Sorted::Any => Order::Any,
        }
    }
}
