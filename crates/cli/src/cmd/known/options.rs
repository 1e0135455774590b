//! What can be typed.

use crate::options::algorithms::{Algorithms, Name, algorithm, algorithms};
use crate::options::force::Force;
use crate::options::format::{Written, format};
use crate::options::known::Types;
use crate::options::report::{ListReport, Progress};
use crate::options::resources::ResourceOptions;
use crate::options::signatures::Guarded;
use crate::options::sources::Sources;
use clap::{Args, Subcommand};
use hashloom_digest::parse_size;
use std::ffi::OsString;
use std::path::PathBuf;

/// hashloom known
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Compile lists of known digests into an index
    Build(Box<Build>),
    /// Say what indexes hold, and whether they are whole
    Info(Info),
    /// Look digests up: a line for each, with tabs between digest, category, set and detail (JSON)
    Query(Box<Query>),
    /// Hash files, or take a manifest, and say what each file is known as
    Match(Box<Match>),
}

/// hashloom known build
#[derive(Debug, Args)]
pub struct Build {
    /// Write the index here: under this name only when whole
    #[arg(short, long, value_name = "SET", required = true)]
    pub output: PathBuf,
    #[command(flatten)]
    pub force: Force,
    /// What is printed of the index that was built: nothing, or what known info says of it
    #[arg(short, long, value_enum, default_value_t = ListReport::Text)]
    pub format: ListReport,
    /// Lists of files that need no looking at; - is standard input
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub good: Vec<PathBuf>,
    /// Lists of files that are to be found
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub bad: Vec<PathBuf>,
    /// A list of files of another category, good, bad, known (met before, with no judgement) or any
    /// NAME; may be given more than once
    #[arg(long = "as", value_names = ["NAME", "FILE"], num_args = 2)]
    pub named: Vec<OsString>,
    /// What the set is called [default: what a list says of itself, or its file's name]
    #[arg(long, value_name = "NAME")]
    pub set: Option<Box<str>>,
    /// The lists are tables (databases apart), and this column has the digests [default: every column that is
    /// named after an algorithm]
    #[arg(long, value_name = "NAME")]
    pub column: Option<Box<str>>,
    /// The algorithm of digests that no algorithm is named for [default: the likeliest of their length]
    #[arg(short = 'c', long, value_name = "ALG", value_parser = algorithm)]
    pub algorithm: Option<Name>,
    /// A line that is not understood ends the build; without this it is named and left out
    #[arg(long)]
    pub strict: bool,
    /// Memory to stay within
    #[arg(short, long, value_name = "SIZE", default_value = "1G", value_parser = parse_size)]
    pub memory: u64,
    /// The most that an archive may unpack to [default: 64 times its own size, and 256M in any case]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub max_unpacked: Option<u64>,
    /// Digests read and written, on standard error
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Progress::Auto)]
    pub progress: Progress,
    #[command(flatten)]
    pub guarded: Guarded,
}

/// hashloom known info
#[derive(Debug, Args)]
pub struct Info {
    /// Indexes
    #[arg(value_name = "SET", required = true)]
    pub sets: Vec<PathBuf>,
    /// Read every byte and check it
    #[arg(long)]
    pub verify: bool,
    /// How it is written
    #[arg(short, long, value_enum, default_value_t = ListReport::Text)]
    pub format: ListReport,
}

/// hashloom known query
#[derive(Debug, Args)]
pub struct Query {
    /// Digests in hexadecimal [default: the lines of standard input]
    #[arg(value_name = "DIGEST")]
    pub digests: Vec<OsString>,
    /// An index; may be given more than once
    #[arg(short = 'k', long, value_name = "SET", required = true)]
    pub known: Vec<PathBuf>,
    /// Take the digests from FILE, one a line, what follows a blank left out; - is standard input
    #[arg(long, value_name = "FILE")]
    pub from: Vec<PathBuf>,
    /// How the answers are written: a line each with tabs, or as JSON
    #[arg(short, long, value_enum, default_value_t = ListReport::Text)]
    pub format: ListReport,
    #[command(flatten)]
    pub types: Types,
    #[command(flatten)]
    pub guarded: Guarded,
}

/// hashloom known match
#[derive(Debug, Args)]
pub struct Match {
    /// Files and directories; - is standard input [default: standard input, unless it is a terminal]
    #[arg(value_name = "PATH")]
    pub paths: Vec<OsString>,
    /// An index; may be given more than once
    #[arg(short, long, value_name = "SET", required = true)]
    pub known: Vec<PathBuf>,
    /// Only files of these categories, comma-separated: good, bad, known, unknown or any name; all
    /// [default: all but good]
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub show: Vec<Box<str>>,
    /// Only files that no set knows: what is left to be looked at
    #[arg(long, conflicts_with = "show")]
    pub only_unknown: bool,
    /// Take the files from this manifest with the digests that it has, and read none; - is standard input
    #[arg(long, value_name = "MANIFEST", conflicts_with_all = ["paths", "files_from", "algorithms"])]
    pub manifest: Option<PathBuf>,
    /// The digests of each record, in this order, comma-separated [default: those that the sets hold]
    #[arg(short = 'c', long, value_name = "A,B", value_parser = algorithms)]
    pub algorithms: Option<Algorithms>,
    /// The format of the records; formats without a place for categories (all but jsonl, csv, parquet, sqlite) need
    /// --only-unknown [default: the one that the name of the output stands for, else jsonl, or with --only-unknown
    /// the format of --manifest]
    #[arg(short, long, value_parser = format())]
    pub format: Option<Written>,
    /// Write here: under this name only when whole. The file is left out of the walk
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub force: Force,
    #[command(flatten)]
    pub types: Types,
    #[command(flatten)]
    pub guarded: Guarded,
    #[command(flatten)]
    pub sources: Sources,
    #[command(flatten)]
    pub resources: ResourceOptions,
}
