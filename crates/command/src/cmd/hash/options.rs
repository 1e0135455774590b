//! Options of `hash`.

use crate::options::algorithms::{Algorithms, algorithms};
use crate::options::blake3::Blake3;
use crate::options::case::Case;
use crate::options::force::Force;
use crate::options::format::{Written, format};
use crate::options::known::Types;
use crate::options::pronom::Pronom;
use crate::options::resources::ResourceOptions;
use crate::options::rules::RuleOptions;
use crate::options::signatures::{Guarded, Signing};
use crate::options::sources::Sources;
use crate::options::values::{Choice, one_of, piece};
use clap::Args;
use hashmill_digest::Style;
use hashmill_engine::Order;
use hashmill_facts::FactSet;
use hashmill_source::BadBlocks;
use std::ffi::OsString;
use std::num::NonZeroU64;
use std::path::PathBuf;

/// hashmill hash
#[derive(Debug, Args)]
pub struct Options {
    /// Files and directories; - is standard input [default: standard input, unless it is a terminal]
    #[arg(value_name = "PATH")]
    pub paths: Vec<OsString>,
    /// The algorithms, comma-separated; each record has their digests in this order [default: the one that the name of
    /// the output implies (SHA256SUMS, photos.md5), else blake3]
    #[arg(short = 'c', long, value_name = "A,B", value_parser = algorithms)]
    pub algorithms: Option<Algorithms>,
    /// Also find out facts about content, comma-separated: type (by content; mismatch is true where the name's extension is
    /// that of another type), entropy (bits a byte, and chi2) (formats jsonl, csv, dfxml, ecs, premis, parquet, sqlite)
    #[arg(long, value_name = "A,B", value_parser = FactSet::parse)]
    pub facts: Option<FactSet>,
    #[command(flatten)]
    pub pronom: Pronom,
    #[command(flatten)]
    pub rules: RuleOptions,
    /// Also write a digest for every SIZE bytes
    #[arg(short, long, value_name = "SIZE", value_parser = piece)]
    pub piecewise: Option<NonZeroU64>,
    /// Also write the block digests (leaves) that a digest is made of (parts of S3, pieces of BitTorrent 2 and the
    /// like; formats jsonl, parquet, sqlite)
    #[arg(long)]
    pub leaves: bool,
    /// The encoding of digests: hexadecimal, or base64 as in S3 or Azure (formats sums, bsd, jsonl, csv)
    #[arg(long, value_name = "FORM", value_parser = one_of(TEXT), default_value = "usual")]
    pub text: Style,
    /// The format of the manifest [default: the one that the name of the output implies (.jsonl, .csv, .parquet,
    /// SHA256SUMS, ...), else hashdeep]
    #[arg(short, long, value_parser = format())]
    pub format: Option<Written>,
    /// Add the modification time of each file (formats that can store it)
    #[arg(long)]
    pub times: bool,
    /// Add what shows later whether a file changed: its times, inode and device, and when it was read (formats jsonl,
    /// csv, parquet, sqlite)
    #[arg(long)]
    pub metadata: bool,
    /// Take the digests of unchanged files from this manifest, which a run with --metadata or --reuse wrote, without
    /// reading them; may be the file of -o. Such records have reused: true. A file is unchanged if its size, times,
    /// inode and device are. The digests are as true as the manifest: sign it, or keep it where nobody else writes
    #[arg(long, value_name = "OLD", conflicts_with_all = ["piecewise", "leaves", "dry_run"])]
    pub reuse: Option<PathBuf>,
    /// Write here; the name appears when the file is complete. The walk skips this file
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub force: Force,
    /// Print only digests, by one algorithm: a line for each entry, in order. An entry without a digest gets an empty
    /// line, and the exit code is 2
    #[arg(long, conflicts_with_all = ["facts", "pronom", "format", "times", "metadata", "reuse", "leaves", "piecewise", "resume", "seal", "known", "order",
        "bare_names", "dry_run", "case", "examiner", "evidence"])]
    #[cfg_attr(feature = "sign", arg(conflicts_with = "sign"))]
    #[cfg_attr(feature = "yara", arg(conflicts_with_all = ["yara", "yara_max", "yara_strings", "yara_timeout"]))]
    pub bare: bool,
    /// Write the names of files without their directories; a message says if several files have the same name
    #[arg(short, long, conflicts_with = "resume")]
    pub bare_names: bool,
    /// Write paths as they are given, which is the default (hashdeep has such an option); undoes -b
    #[arg(short = 'l', long, hide = true, overrides_with = "bare_names")]
    pub relative: bool,
    /// List the files that would be hashed; no file is read or written
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub signing: Signing,
    /// Continue an interrupted run with the same -o; files and objects that changed since are hashed again
    #[arg(long, requires = "output")]
    pub resume: bool,
    /// The order of records: sorted by path, or as files finish
    #[arg(long, value_parser = one_of(ORDER), default_value = "path")]
    pub order: Order,
    /// On unreadable sectors: fail, or hash zeros in their place. Then the record lists them (formats jsonl, csv,
    /// parquet, sqlite), and the exit code is 2
    #[arg(long, value_name = "WHAT", value_parser = one_of(BAD_BLOCKS), default_value = "fail")]
    pub bad_blocks: BadBlocks,
    /// Add to each record what this index of known digests says of the file: category and set (formats
    /// jsonl, csv, parquet, sqlite); may be given more than once
    #[arg(short = 'k', long = "known-set", value_name = "SET")]
    pub known: Vec<PathBuf>,
    #[command(flatten)]
    pub types: Types,
    /// Also seal the manifest, into FILE.seal beside -o FILE, and print the root on standard error
    #[arg(long, requires = "output")]
    pub seal: bool,
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

/// Values of `--text`.
const TEXT: &[Choice<Style>] = &[
    ("usual", "Each algorithm's usual text, nearly always hexadecimal", Style::Usual),
    ("s3", "As in x-amz-checksum-… and Content-MD5", Style::S3),
    ("azure", "As in x-ms-content-crc64 (key and tag end with _le) and Content-MD5", Style::Azure),
];

/// Values of `--bad-blocks`.
const BAD_BLOCKS: &[Choice<BadBlocks>] = &[
    ("fail", "The file is unreadable", BadBlocks::Fail),
    ("zero", "Unreadable sectors are hashed as zeros and listed", BadBlocks::Zero),
];

/// Values of `--order`.
const ORDER: &[Choice<Order>] =
    &[("path", "Sorted by path: the same in every run", Order::Walk), ("any", "As files finish", Order::Any)];
