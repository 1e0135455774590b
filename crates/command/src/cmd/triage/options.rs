//! Options of `triage`.

use crate::options::algorithms::{Algorithms, algorithms};
use crate::options::case::Case;
use crate::options::force::Force;
use crate::options::known::Types;
use crate::options::pronom::Pronom;
use crate::options::resources::ResourceOptions;
use crate::options::rules::RuleOptions;
use crate::options::sources::Sources;
use crate::options::values::number;
use clap::{Args, Command, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;

/// hashmill triage
#[derive(Debug, Args)]
pub struct Options {
    /// Files, directories and images
    #[arg(value_name = "PATH", required_unless_present = "files_from")]
    pub paths: Vec<OsString>,
    /// Write into this folder, which is made: records.jsonl (a manifest), the same as a table for queries, and report.html, a
    /// page to look at. The walk skips these files
    #[arg(short, long, value_name = "CASE", required = true)]
    pub output: PathBuf,
    #[command(flatten)]
    pub force: Force,
    /// Continue an interrupted run with the same -o; files that changed since are hashed again
    #[arg(long)]
    pub resume: bool,
    /// The form of the table
    #[arg(short, long, value_enum, default_value_t = TableForm::Sqlite)]
    pub format: TableForm,
    /// The algorithms, comma-separated [default: md5,sha1,sha256, and those of the sets of -k]
    #[arg(short = 'c', long, value_name = "A,B", value_parser = algorithms)]
    pub algorithms: Option<Algorithms>,
    /// Say of each file what this index of known digests says: category and set; may be given more than once. Exit code 1
    /// says that a file is known to be bad
    #[arg(short = 'k', long = "known-set", value_name = "SET")]
    pub known: Vec<PathBuf>,
    #[command(flatten)]
    pub types: Types,
    /// Also find files that are like those of this list of digests by ssdeep, sdhash, mrsh or tlsh, or of this saved
    /// index; written to similar.jsonl; may be given more than once
    #[arg(long, value_name = "LIST")]
    pub like: Vec<PathBuf>,
    #[command(flatten)]
    pub rules: RuleOptions,
    #[command(flatten)]
    pub pronom: Pronom,
    /// Put at most N records into the page; of more only the problems. The table has all of them
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = number::<usize>)]
    pub records: usize,
    #[command(flatten)]
    pub case: Case,
    #[command(flatten)]
    pub sources: Sources,
    #[command(flatten)]
    pub resources: ResourceOptions,
}

/// Forms of the table of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TableForm {
    /// records.sqlite, a database
    Sqlite,
    /// records.parquet, columns for programs that analyse
    Parquet,
}

impl TableForm {
    /// Returns the name of the format.
    pub fn name(self) -> &'static str {
        match self {
            TableForm::Sqlite => "sqlite",
            TableForm::Parquet => "parquet",
        }
    }
}

/// Sets the defaults that differ from those of other commands: everything inside of images and archives is read.
pub fn with_defaults(command: Command) -> Command {
    #[cfg(feature = "images")]
    let command = command
        .mut_arg("inside", |arg| arg.default_value("all"))
        .mut_arg("deleted", |arg| arg.default_value("true"));
    command
}
