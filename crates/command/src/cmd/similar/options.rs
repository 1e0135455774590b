//! Options of `hashmill similar`.

use crate::access;
use crate::options::force::Force;
use crate::options::known::Types;
use crate::options::resources::ResourceOptions;
use crate::options::sources::Sources;
use crate::options::values::number;
use crate::results::report::ListReport;
use anyhow::ensure;
use clap::{Args, Subcommand, ValueEnum};
use hashmill_content::Resources;
use hashmill_engine::Cancel;
use hashmill_job::similarity::{Input, SimilarityJob};
use hashmill_os::names;
use hashmill_similar::{SIMILAR, Similar, find};
use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// hashmill similar
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write the likeness digests of files
    Digest(Box<DigestOptions>),
    /// Print the score of two files or digests
    Compare(Box<Compare>),
    /// Compare all files below the paths with one another
    Pairs(Box<Pairs>),
    /// Find files similar to those of a list
    Search(Box<Search>),
    /// Save digests as an index for later searches
    #[command(subcommand)]
    Index(Index),
}

/// hashmill similar digest
#[derive(Debug, Args)]
pub struct DigestOptions {
    /// Files and directories; - is standard input
    #[arg(value_name = "PATH", required_unless_present = "files_from")]
    pub paths: Vec<OsString>,
    /// The algorithms, comma-separated: ssdeep, tlsh, sdhash, mrsh-v2, or a variant of one of them
    #[arg(
        short = 'c',
        long = "algorithms",
        value_name = "A,B",
        value_delimiter = ',',
        required = true,
        value_parser = row
    )]
    pub algorithms: Vec<SimilarRow>,
    /// The form of the digests: lines of the reference program, or records [default: reference for one algorithm, jsonl
    /// for several]
    #[arg(short, long, value_enum)]
    pub format: Option<DigestFormat>,
    /// Write here; the name appears when the file is complete. The walk skips this file
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub force: Force,
    #[command(flatten)]
    pub variant: Variant,
    #[command(flatten)]
    pub sources: Sources,
    #[command(flatten)]
    pub resources: ResourceOptions,
}

/// hashmill similar compare
#[derive(Debug, Args)]
pub struct Compare {
    /// A file, or a digest after --digest
    #[arg(value_name = "A")]
    pub a: OsString,
    /// Another file or digest
    #[arg(value_name = "B")]
    pub b: OsString,
    /// A and B are digests, as the reference program prints them
    #[arg(long)]
    pub digest: bool,
    /// The form of the score
    #[arg(short, long, value_enum, default_value_t = ListReport::Text)]
    pub format: ListReport,
    #[command(flatten)]
    pub which: Which,
    #[command(flatten)]
    pub resources: ResourceOptions,
}

/// hashmill similar pairs
#[derive(Debug, Args)]
pub struct Pairs {
    /// Files and directories, or lists of digests after --lists
    #[arg(value_name = "PATH", required_unless_present = "files_from")]
    pub paths: Vec<OsString>,
    /// Compare files of the first PATH only with files of the second
    #[arg(long, conflicts_with = "files_from")]
    pub between: bool,
    /// Print groups of files linked by pairs instead of the pairs
    #[arg(long, conflicts_with = "between")]
    pub cluster: bool,
    #[command(flatten)]
    pub found: PairOptions,
    #[command(flatten)]
    pub which: Which,
    #[command(flatten)]
    pub sources: Sources,
    #[command(flatten)]
    pub resources: ResourceOptions,
}

/// hashmill similar search
#[derive(Debug, Args)]
pub struct Search {
    /// Files and directories, or lists of digests after --lists; - is standard input
    #[arg(value_name = "PATH", required_unless_present = "files_from")]
    pub paths: Vec<OsString>,
    /// A list of digests by ssdeep, sdhash, mrsh, tlsh or hashmill, a saved index, or a single digest
    #[arg(long, value_name = "LIST", required = true)]
    pub against: PathBuf,
    #[command(flatten)]
    pub found: PairOptions,
    #[command(flatten)]
    pub which: Which,
    #[command(flatten)]
    pub sources: Sources,
    #[command(flatten)]
    pub resources: ResourceOptions,
}

/// hashmill similar index
#[derive(Debug, Subcommand)]
pub enum Index {
    /// Save the digests of files, or those of lists
    Build(Box<Build>),
    /// Check and describe an index
    Info {
        /// The index
        #[arg(value_name = "INDEX")]
        index: PathBuf,
        /// The form of the result
        #[arg(short, long, value_enum, default_value_t = ListReport::Text)]
        format: ListReport,
    },
}

/// hashmill similar index build
#[derive(Debug, Args)]
pub struct Build {
    /// Files and directories, or lists of digests after --lists
    #[arg(value_name = "PATH", required_unless_present = "files_from")]
    pub paths: Vec<OsString>,
    /// Write the index here; the name appears when the file is complete
    #[arg(short, long, value_name = "INDEX", required = true)]
    pub output: PathBuf,
    #[command(flatten)]
    pub force: Force,
    /// PATHs are lists of digests
    #[arg(long, conflicts_with = "files_from")]
    pub lists: bool,
    #[command(flatten)]
    pub which: Which,
    #[command(flatten)]
    pub sources: Sources,
    #[command(flatten)]
    pub resources: ResourceOptions,
}

/// The pairs to show, and their form.
#[derive(Debug, Args)]
pub struct PairOptions {
    /// Show pairs with a score of at least N (TLSH: a distance of at most N) [default: 1; sdhash: 21;
    /// TLSH: 100]
    #[arg(short, long, value_name = "N", allow_negative_numbers = true, value_parser = number::<i32>)]
    pub threshold: Option<i32>,
    /// The form of pairs
    #[arg(short, long, value_enum, default_value_t = PairFormat::Csv)]
    pub format: PairFormat,
    /// PATHs are lists of digests
    #[arg(long, conflicts_with = "files_from")]
    pub lists: bool,
    /// Skip digests of too little data to mean much: by them unrelated files may score 100
    #[arg(long)]
    pub no_sparse: bool,
    /// Skip files that this index of known digests calls good; may be given more than once
    #[arg(short = 'k', long = "known-set", value_name = "SET", conflicts_with = "lists")]
    pub known: Vec<PathBuf>,
    #[command(flatten)]
    pub types: Types,
}

/// An algorithm, and its variant.
#[derive(Debug, Args)]
pub struct Which {
    /// ssdeep, tlsh, sdhash, mrsh-v2, or a variant of one of them
    #[arg(short = 'c', long = "algorithms", id = "algorithms", value_name = "ALG", value_parser = row)]
    pub algorithm: SimilarRow,
    #[command(flatten)]
    pub variant: Variant,
}

/// Options that select variants.
#[derive(Debug, Args)]
#[command(next_help_heading = "Variants")]
pub struct Variant {
    /// Use the digests and scores of this release of sdhash [default: 4.0]
    #[arg(long, value_enum, value_name = "RELEASE")]
    pub sdhash_version: Option<SdhashVersion>,
    /// Use TLSH's older form, without T1
    #[arg(long)]
    pub tlsh_old: bool,
    /// Use ssdeep's long form, whose second part is not cut to 32 characters
    #[arg(long)]
    pub ssdeep_long: bool,
}

/// Values of `--sdhash-version`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SdhashVersion {
    /// sdhash 3.4
    #[value(name = "3.4")]
    V3_4,
    /// sdhash 4.0
    #[value(name = "4.0")]
    V4_0,
}

/// Forms of digests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DigestFormat {
    /// The lines of the reference program
    Reference,
    /// One JSON object per line, as hash -f jsonl writes it
    Jsonl,
    /// As hash -f csv writes it
    Csv,
}

/// Forms of pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PairFormat {
    /// a,b,algorithm,score
    Csv,
    /// One JSON object a line
    Jsonl,
    /// As ssdeep -d prints them
    Ssdeep,
    /// As sdhash -g prints them
    Sdhash,
}

/// A row of the registry.
#[derive(Debug, Clone, Copy)]
pub struct SimilarRow(pub &'static Similar);

/// Returns the source of digests: these paths as lists, or files to hash.
///
/// # Errors
/// If `--lists` comes with filters of files.
pub fn input(lists: bool, sources: &Sources, paths: &[OsString]) -> anyhow::Result<Input> {
    if lists {
        ensure!(!sources.is_filter(), "--lists: filters choose among files, not among digests");
        return Ok(Input::Lists(paths.iter().map(PathBuf::from).collect()));
    }
    sources.tell_operands(paths, &Resources { stores: access::stores(), ..Resources::default() });
    Ok(Input::Files(Box::new(sources.selection(paths)?)))
}

impl PairOptions {
    /// Returns the job that searches for similar files.
    ///
    /// # Errors
    /// If an index of known digests is not usable.
    pub fn job(
        &self,
        algorithm: &'static Similar,
        input: Input,
        resources: &ResourceOptions,
        cancel: &Cancel,
    ) -> anyhow::Result<SimilarityJob> {
        let sets = (!self.known.is_empty()).then(|| self.types.open(&self.known)).transpose()?;
        let job = SimilarityJob::new(Default::default(), algorithm);
        let places: Vec<Cow<'_, OsStr>> = match &input {
            Input::Files(selection) => {
                selection.paths.iter().filter_map(|path| names::name(path).ok()).collect()
            }
            Input::Lists(lists) => lists.iter().map(|list| list.as_os_str().into()).collect(),
        };
        let resources = resources.resources_for(&places);
        let (limit, no_sparse) = (self.threshold, self.no_sparse);
        Ok(SimilarityJob { input, limit, no_sparse, sets, resources, cancel: cancel.clone(), ..job })
    }

    /// Returns the note on digests of too little data.
    pub fn advice(&self) -> &'static str {
        if self.no_sparse { "they are left out" } else { "--no-sparse leaves them out" }
    }
}

impl Which {
    /// Returns the variant that was chosen.
    ///
    /// # Errors
    /// If an option is for another algorithm.
    pub fn row(&self) -> anyhow::Result<&'static Similar> {
        self.variant.fits(&[self.algorithm])?;
        Ok(self.variant.variant(self.algorithm.0))
    }
}

impl Variant {
    /// Checks that every option that was given is for one of these rows.
    ///
    /// # Errors
    /// If one is not.
    pub fn fits(&self, rows: &[SimilarRow]) -> anyhow::Result<()> {
        for (given, option, name) in [
            (self.ssdeep_long, "--ssdeep-long", "ssdeep"),
            (self.tlsh_old, "--tlsh-old", "tlsh"),
            (self.sdhash_version.is_some(), "--sdhash-version", "sdhash"),
        ] {
            ensure!(!given || rows.iter().any(|row| row.0.name == name), "{option} goes with -c {name} only");
        }
        Ok(())
    }

    /// Returns the variant of a row that the options choose.
    pub fn variant(&self, row: &'static Similar) -> &'static Similar {
        let name = match row.name {
            "ssdeep" if self.ssdeep_long => "ssdeep-long",
            "tlsh" if self.tlsh_old => "tlsh-old",
            "sdhash" if self.sdhash_version == Some(SdhashVersion::V3_4) => "sdhash-3.4",
            same => same,
        };
        find(name).unwrap_or(row)
    }
}

fn row(name: &str) -> Result<SimilarRow, String> {
    let names = || SIMILAR.iter().map(|row| row.name).collect::<Vec<_>>().join(", ");
    find(name).map(SimilarRow).ok_or_else(|| format!("no such likeness algorithm; there are {}", names()))
}
