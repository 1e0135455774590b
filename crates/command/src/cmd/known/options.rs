//! Options of `hashmill known`.

use crate::options::algorithms::{Algorithms, Name, algorithm, algorithms};
use crate::options::case::Case;
use crate::options::force::Force;
use crate::options::format::{Written, format};
use crate::options::known::Types;
use crate::options::pronom::Pronom;
use crate::options::resources::ResourceOptions;
use crate::options::rules::RuleOptions;
use crate::options::signatures::Guarded;
use crate::options::sources::Sources;
use crate::options::values::memory;
use crate::results::report::{ListReport, Progress};
use clap::{Args, Subcommand};
use hashmill_digest::parse_size;
use hashmill_facts::FactSet;
use std::ffi::OsString;
use std::path::PathBuf;

/// hashmill known
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Compile lists of known digests into an index
    Build(Box<Build>),
    /// Describe indexes, and check that they are intact
    Info(Info),
    /// Look up digests: a line each, with tabs between digest, category, set and detail (JSON)
    Query(Box<Query>),
    /// Look up files, hashed or from a manifest
    Match(Box<Match>),
}

/// hashmill known build
#[derive(Debug, Args)]
pub struct Build {
    /// Write the index here; the name appears when the file is complete
    #[arg(short, long, value_name = "SET", required = true)]
    pub output: PathBuf,
    #[command(flatten)]
    pub force: Force,
    /// The report on the new index: none as text, or the output of known info as JSON
    #[arg(short, long, value_enum, default_value_t = ListReport::Text)]
    pub format: ListReport,
    /// Lists of harmless files; - is standard input
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub good: Vec<PathBuf>,
    /// Lists of files to search for
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub bad: Vec<PathBuf>,
    /// A list of files of any category: good, bad, known (seen before, not judged) or another NAME; may be given more
    /// than once
    #[arg(long = "as", id = "as", value_names = ["NAME", "FILE"], num_args = 2)]
    pub named: Vec<OsString>,
    /// The name of the set [default: the one in a list, or the list's file name]
    #[arg(long, value_name = "NAME")]
    pub set: Option<Box<str>>,
    /// Read the lists as tables (except databases) with the digests in this column [default: every column named after
    /// an algorithm]
    #[arg(long, value_name = "NAME")]
    pub column: Option<Box<str>>,
    /// The algorithm of digests that the lists don't name [default: the likeliest of their length]
    #[arg(short = 'c', long = "algorithms", id = "algorithms", value_name = "ALG", value_parser = algorithm)]
    pub algorithm: Option<Name>,
    /// Fail on a line that can't be parsed; without this it is reported and skipped
    #[arg(long)]
    pub strict: bool,
    /// The most memory to use
    #[arg(short, long, value_name = "SIZE", default_value = "1G", value_parser = memory)]
    pub memory: u64,
    /// The largest size that an archive may unpack to [default: 64 times its own size, and at least 256M]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub max_unpacked: Option<u64>,
    /// Show digests read and written on standard error
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Progress::Auto)]
    pub progress: Progress,
    #[command(flatten)]
    pub guarded: Guarded,
}

/// hashmill known info
#[derive(Debug, Args)]
pub struct Info {
    /// Indexes
    #[arg(value_name = "SET", required = true)]
    pub sets: Vec<PathBuf>,
    /// Read every byte and check it
    #[arg(long)]
    pub verify: bool,
    /// The form of the result
    #[arg(short, long, value_enum, default_value_t = ListReport::Text)]
    pub format: ListReport,
}

/// hashmill known query
#[derive(Debug, Args)]
pub struct Query {
    /// Digests in hexadecimal [default: the lines of standard input]
    #[arg(value_name = "DIGEST")]
    pub digests: Vec<OsString>,
    /// An index; may be given more than once
    #[arg(short = 'k', long = "known-set", value_name = "SET", required = true)]
    pub known: Vec<PathBuf>,
    /// Read digests from FILE, one per line up to the first blank; - is standard input
    #[arg(long, value_name = "FILE")]
    pub from: Vec<PathBuf>,
    /// The form of the answers: lines with tabs, or JSON
    #[arg(short, long, value_enum, default_value_t = ListReport::Text)]
    pub format: ListReport,
    #[command(flatten)]
    pub types: Types,
    #[command(flatten)]
    pub guarded: Guarded,
}

/// hashmill known match
#[derive(Debug, Args)]
pub struct Match {
    /// Files and directories; - is standard input [default: standard input, unless it is a terminal]
    #[arg(value_name = "PATH")]
    pub paths: Vec<OsString>,
    /// An index; may be given more than once
    #[arg(short = 'k', long = "known-set", value_name = "SET", required = true)]
    pub known: Vec<PathBuf>,
    /// Print only files of these categories, comma-separated: good, bad, known, unknown, any other name, or all
    /// [default: all but good]
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub show: Vec<Box<str>>,
    /// Print only files that no set contains
    #[arg(long, conflicts_with = "show")]
    pub only_unknown: bool,
    /// Look up the records of this manifest by their digests, and read no files; - is standard input
    #[arg(long, value_name = "MANIFEST", conflicts_with_all = ["paths", "files_from", "algorithms", "pronom"])]
    #[cfg_attr(feature = "yara", arg(conflicts_with_all = ["yara", "yara_max", "yara_strings", "yara_timeout"]))]
    pub manifest: Option<PathBuf>,
    /// The digests of each record, in this order, comma-separated [default: those in the sets]
    #[arg(short = 'c', long, value_name = "A,B", value_parser = algorithms)]
    pub algorithms: Option<Algorithms>,
    /// Also find out facts about content, comma-separated: type, entropy
    #[arg(long, value_name = "A,B", value_parser = FactSet::parse, conflicts_with = "manifest")]
    pub facts: Option<FactSet>,
    #[command(flatten)]
    pub pronom: Pronom,
    #[command(flatten)]
    pub rules: RuleOptions,
    /// The format of the records; formats that can't hold categories (all but jsonl, csv, parquet, sqlite) need
    /// --only-unknown [default: the one that the name of the output implies, else jsonl, or with --only-unknown the
    /// format of --manifest]
    #[arg(short, long, value_parser = format())]
    pub format: Option<Written>,
    /// Write here; the name appears when the file is complete. The walk skips this file
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub force: Force,
    #[command(flatten)]
    pub types: Types,
    #[command(flatten)]
    pub guarded: Guarded,
    #[command(flatten)]
    pub case: Case,
    #[command(flatten)]
    pub sources: Sources,
    #[command(flatten)]
    pub resources: ResourceOptions,
}
