//! Options of `check`.

use crate::options::algorithms::{Name, algorithm};
use crate::options::blake3::Blake3;
use crate::options::force::Force;
use crate::options::remote::Remote;
use crate::options::report::ListReport;
use crate::options::resources::ResourceOptions;
use crate::options::signatures::Guarded;
use crate::options::sources::LISTS;
use crate::options::write::{self, Write};
use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// hashloom check
#[derive(Debug, Args)]
#[command(mut_arg("write", |arg| arg.help(write::OF_CHECK).long_help(None)))]
pub struct Options {
    /// Lists of digests, in any format; - is standard input [default: standard input]
    #[arg(value_name = "SUMFILE")]
    lists: Vec<OsString>,
    /// The algorithm of lines that do not name one [default: found by trying, as soon as a file matches; checksums are
    /// never guessed]. A file in place of ALG is a list, as in sha256sum -c LIST
    #[arg(short = 'c', long, value_name = "ALG", num_args = 0..=1,
        value_parser = OsStringValueParser::new().try_map(named))]
    algorithm: Option<Option<Named>>,
    /// The folder, or location (s3://BUCKET/PREFIX/), to which paths are relative [default: the folder of the list if
    /// its format says so (media hash lists, Gentoo, DVC, RECORD), else the working directory]
    #[arg(long, value_name = "DIR")]
    pub base: Option<PathBuf>,
    /// Ignore missing files: no message, no failure
    #[arg(long)]
    pub ignore_missing: bool,
    /// Also report files that no list names, in and below the directories of listed files
    #[arg(long)]
    pub new: bool,
    /// Print nothing; the exit code is the result
    #[arg(short, long)]
    pub status: bool,
    /// Also fail for titles and other lines without digest and name; damaged lines always fail
    #[arg(long)]
    pub strict: bool,
    /// Print every line that can't be parsed, not only the first ten
    #[arg(short, long)]
    pub warn: bool,
    /// The format of the result
    #[arg(short, long, value_enum, default_value_t = ListReport::Text)]
    pub format: ListReport,
    #[command(flatten)]
    pub write: Write,
    /// Paths in the files of --write end with NUL instead of a line feed
    #[arg(short = '0', long, requires = LISTS)]
    pub null: bool,
    #[command(flatten)]
    pub force: Force,
    #[command(flatten)]
    pub blake3: Blake3,
    #[command(flatten)]
    pub remote: Remote,
    #[command(flatten)]
    pub guarded: Guarded,
    #[command(flatten)]
    pub resources: ResourceOptions,
}

/// The value of `-c`.
#[derive(Debug, Clone)]
enum Named {
    Algorithm(Name),
    List(OsString),
}

impl Options {
    /// Returns whether the results are JSON.
    pub fn is_for_programs(&self) -> bool {
        self.format != ListReport::Text && !self.status
    }

    /// Returns the algorithm for lines that do not name theirs.
    pub fn algorithm(&self) -> Option<Name> {
        match &self.algorithm {
            Some(Some(Named::Algorithm(name))) => Some(*name),
            _ => None,
        }
    }

    /// Returns the lists; standard input if none is named.
    pub fn lists(&self) -> Vec<OsString> {
        let first = match &self.algorithm {
            Some(Some(Named::List(list))) => Some(list.clone()),
            _ => None,
        };
        let lists: Vec<OsString> = first.into_iter().chain(self.lists.iter().cloned()).collect();
        if lists.is_empty() { vec!["-".into()] } else { lists }
    }
}

/// Parses an algorithm, else the path of an existing list.
fn named(word: OsString) -> Result<Named, String> {
    let unknown = match word.to_str().map(algorithm) {
        Some(Ok(name)) => return Ok(Named::Algorithm(name)),
        Some(Err(unknown)) => unknown.to_string(),
        None => "no algorithm has this name".into(),
    };
    if word == "-" || Path::new(&word).exists() {
        return Ok(Named::List(word));
    }
    Err(format!("{unknown}; and there is no such file"))
}
