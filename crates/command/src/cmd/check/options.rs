//! Options of `check`.

use crate::options::algorithms::{Name, algorithm};
use crate::options::blake3::Blake3;
use crate::options::force::Force;
use crate::options::remote::Remote;
use crate::options::resources::ResourceOptions;
use crate::options::signatures::{Guarded, OF_SIGNERS};
use crate::options::sources::LISTS;
use crate::options::write::{self, Write};
use crate::results::report::ListReport;
use clap::Args;
use clap::builder::{OsStringValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use hashmill_objects::{STORE_KINDS, StoreKind, StoreLayout, find_store};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// hashmill check
#[derive(Debug, Args)]
#[command(mut_arg("write", |arg| arg.help(write::OF_CHECK).long_help(None)))]
pub struct Options {
    /// Lists of digests, in any format, or packages that state digests of their members (wheels, debs, rpms, images of
    /// containers); - is standard input [default: standard input]. With --store or --name-is, the folder to check
    #[arg(value_name = "SUMFILE")]
    lists: Vec<OsString>,
    /// The algorithm of lines that do not name one [default: found by trying, as soon as a file matches; checksums are
    /// never guessed]. A file in place of ALG is a list, as in sha256sum -c LIST
    #[arg(short = 'c', long = "algorithms", id = "algorithms", value_name = "ALG", num_args = 0..=1,
        value_parser = OsStringValueParser::new().try_map(named))]
    algorithm: Option<Option<Named>>,
    /// Check the objects of a store, whose names are their digests; missing and superfluous ones are reported, too
    #[arg(long, value_name = "KIND", conflicts_with_all = OF_LISTS, conflicts_with_all = OF_SIGNERS,
        value_parser = kind())]
    store: Option<&'static StoreKind>,
    /// Check a tree whose file names are digests by ALG, also with folders for their first digits (ab/cdef...)
    #[arg(long, value_name = "ALG", conflicts_with_all = OF_LISTS, conflicts_with_all = OF_SIGNERS,
        conflicts_with = "store", value_parser = algorithm)]
    name_is: Option<Name>,
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
    pub remote: Remote,
    #[command(flatten)]
    pub guarded: Guarded,
    #[command(flatten)]
    pub blake3: Blake3,
    #[command(flatten)]
    pub resources: ResourceOptions,
}

/// The options that are about lists, beside those about [their signers](OF_SIGNERS).
const OF_LISTS: [&str; 11] = [
    "algorithms",
    "base",
    "ignore_missing",
    "new",
    "strict",
    "warn",
    "keyed",
    "derive_key",
    "length",
    "allow_remote",
    "ignore_signature",
];

/// Returns the parser of a kind of store.
fn kind() -> impl TypedValueParser<Value = &'static StoreKind> {
    let names = STORE_KINDS.iter().map(|kind| PossibleValue::new(kind.name).help(kind.about));
    PossibleValuesParser::new(names).try_map(|name| find_store(&name).ok_or("there is no such kind of store"))
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

    /// Returns the layout of the store to check, if it is one.
    pub fn layout(&self) -> Option<StoreLayout> {
        let named = self.name_is.map(|Name(algorithm)| StoreLayout::NameIs(algorithm));
        self.store.map(StoreLayout::Kind).or(named)
    }

    /// Returns the operands as they were typed.
    pub fn operands(&self) -> &[OsString] {
        &self.lists
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
