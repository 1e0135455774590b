//! What can be typed: commands and options as types, checked one by one. What they mean together is
//! decided by each command.

use crate::case::Case;
use crate::cmd::seal::options as seal;
use crate::cmd::similar::args as similar;
use crate::cmd::{bag, bench, convert, diff, dupes, explain, image, known, merge, report, sign, verify};
use crate::progress::Progress;
use crate::signatures::guard::Guarded;
use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use hashloom_digest::{Algorithm, Machine, Unknown, find};
use hashloom_engine::{Order, Prefetch};
use hashloom_manifest::format::FORMATS;
use hashloom_similar::Similar;
use hashloom_source::parse_size;
use std::ffi::OsString;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

/// Hashes trees of files as fast as the machine allows, and says with proof what is in them
#[derive(Debug, Parser)]
#[command(name = "hashloom", version, arg_required_else_help = true, max_term_width = 100)]
pub struct Cli {
    /// Use no instructions beyond NAME (portable, sse4.1, avx2, avx512, shani, auto); the environment
    /// variable HASHLOOM_ISA does the same
    #[arg(long, value_name = "NAME", global = true, value_parser = Machine::named)]
    pub isa: Option<Machine>,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write a manifest: one record for each file below the paths
    Hash(Box<Hash>),
    /// Compare what is there with a manifest
    Audit(Box<Audit>),
    /// Check the files that lists of digests name, as sha256sum -c does
    Check(Box<Check>),
    /// BagIt (RFC 8493): make a folder a bag, verify a bag
    #[command(subcommand)]
    Bag(bag::Command),
    /// Compare two folders, two manifests, or one of each
    Diff(Box<diff::Options>),
    /// List groups of files with the same content
    Dupes(Box<dupes::Options>),
    /// Likeness: digests by ssdeep, TLSH, sdhash and mrsh-v2, one against one, all against all
    Similar {
        #[command(subcommand)]
        command: similar::Command,
    },
    /// Compile sets of known digests, and say what files or digests are known as
    #[command(subcommand)]
    Known(known::Command),
    /// Write a manifest in another format
    Convert(convert::Options),
    /// Make one manifest of several
    Merge(merge::Options),
    /// Forensic images: what they say, whether they are whole, what is in them
    Image {
        /// What is done with them
        #[command(subcommand)]
        command: image::Command,
    },
    /// Sign a manifest: OpenSSH or minisign, and time stamps
    Sign(Box<sign::Options>),
    /// Verify signatures and time stamps of a manifest
    Verify(Box<verify::Options>),
    /// Make one page of manifests, audits and verifications, to be read, filtered and printed
    Report(report::Options),
    /// Seal a manifest: a checkpoint of a few lines stands for all its records
    Seal(Box<seal::Seal>),
    /// Verify that a manifest, or a redacted one, is what was sealed
    VerifySeal(seal::VerifySeal),
    /// Prove that records are in a sealed manifest, without the others
    Prove(seal::Prove),
    /// Verify a proof
    VerifyProof(seal::VerifyProof),
    /// Give a sealed manifest away with some records hidden
    Redact(seal::Redact),
    /// BLAKE3 trees of large files, to verify any range without the rest
    Outboard {
        /// What is done with them
        #[command(subcommand)]
        command: seal::Outboard,
    },
    /// Say how these paths would be read and hashed here, and why
    Explain(Box<explain::Options>),
    /// Measure this machine
    Bench {
        /// Take options from FILE (JSON), as those in benchmarks/; what is also typed counts
        #[arg(long, value_name = "FILE", global = true)]
        definition: Option<PathBuf>,
        #[command(subcommand)]
        what: Bench,
    },
    /// List every algorithm, with what this machine runs it on
    Algorithms,
    /// Print the completions for a shell
    Completions {
        /// Which shell
        shell: Shell,
    },
    /// Print a man page
    Man {
        /// The command that it is about [default: hashloom itself]
        command: Option<String>,
        /// Write the pages of all commands into this directory
        #[arg(long, value_name = "DIR", conflicts_with = "command")]
        all: Option<PathBuf>,
    },
}

/// hashloom hash
#[derive(Debug, Args)]
pub struct Hash {
    /// Files and directories; - is standard input [default: standard input, unless it is a terminal]
    #[arg(value_name = "PATH")]
    pub paths: Vec<OsString>,
    /// The digests of each record, in this order, comma-separated
    #[arg(short = 'c', long, value_name = "A,B", default_value = "blake3", value_parser = algorithms)]
    pub algorithms: Algorithms,
    /// A digest for every SIZE bytes too
    #[arg(short, long, value_name = "SIZE", value_parser = piece)]
    pub piecewise: Option<NonZeroU64>,
    /// How records are written
    #[arg(short, long, default_value = "hashdeep", value_parser = format_names())]
    pub format: String,
    /// Add the time of each file's last change (formats that have a place for it)
    #[arg(long)]
    pub times: bool,
    /// Write here: under this name only when whole. The file is left out of the walk
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Sign the manifest with this key, as hashloom sign does, before it gets its name (needs -o); may be
    /// given more than once
    #[arg(long, value_name = "KEY")]
    pub sign: Vec<PathBuf>,
    /// Go on where an interrupted run with the same -o stopped; files that changed since are hashed
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
    #[arg(long, value_name = "SET")]
    pub known: Vec<PathBuf>,
    #[command(flatten)]
    pub types: known::Types,
    /// Also seal the manifest, into FILE.seal beside -o FILE, and print the root on standard error
    #[arg(long, requires = "output")]
    pub seal: bool,
    #[command(flatten)]
    pub case: Case,
    #[command(flatten)]
    pub sources: Sources,
    #[command(flatten)]
    pub means: Means,
}

/// hashloom audit
#[derive(Debug, Args)]
pub struct Audit {
    /// Files and directories [default: what the manifests name]
    #[arg(value_name = "PATH")]
    pub paths: Vec<OsString>,
    /// A manifest of what there should be; may be given more than once
    #[arg(short, long, value_name = "MANIFEST", required = true)]
    pub known: Vec<PathBuf>,
    /// Say of changed and new files what this index of known digests says of them; may be given more than
    /// once
    #[arg(long, value_name = "SET")]
    pub known_set: Vec<PathBuf>,
    /// List what is not as it should be; twice: list everything
    #[arg(short, long, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// How the result is written
    #[arg(short, long, value_enum, default_value_t = Report::Text)]
    pub format: Report,
    /// Write the next manifest here: what is there now, in the known manifest's format
    #[arg(long, value_name = "FILE")]
    pub update: Option<PathBuf>,
    #[command(flatten)]
    pub guarded: Guarded,
    #[command(flatten)]
    pub sources: Sources,
    #[command(flatten)]
    pub means: Means,
}

/// hashloom check
#[derive(Debug, Args)]
pub struct Check {
    /// Lists of digests, in any format; - is standard input
    #[arg(value_name = "SUMFILE", required = true)]
    pub lists: Vec<OsString>,
    /// The algorithm, where lines do not name it [default: learnt from the first file that matches]
    #[arg(short = 'c', long, value_name = "ALG", value_parser = algorithm)]
    pub algorithm: Option<Name>,
    /// Don't fail for files that are missing, and don't report them
    #[arg(long)]
    pub ignore_missing: bool,
    /// Also report files that no list names, below the directories of the files that one names
    #[arg(long)]
    pub new: bool,
    /// Don't print OK for each file that matches
    #[arg(short, long)]
    pub quiet: bool,
    /// Print nothing; the exit code tells
    #[arg(short, long)]
    pub status: bool,
    /// Fail for titles and other lines that are no digest and name, too; damaged ones always fail
    #[arg(long)]
    pub strict: bool,
    /// Name each line that is not understood, not only the first ten
    #[arg(short, long)]
    pub warn: bool,
    #[command(flatten)]
    pub guarded: Guarded,
    #[command(flatten)]
    pub means: Means,
}

/// hashloom bench
#[derive(Debug, Subcommand)]
pub enum Bench {
    /// What hashing a block costs, in cycles and in time, in every implementation
    Cycles(bench::cycles::Options),
    /// How many short messages are hashed a second, on one thread and on many
    Throughput(bench::throughput::Options),
    /// Find the fastest kernels by measuring; later runs choose by what was found
    Calibrate(Calibrate),
    /// Compare tools on files of several sizes, algorithm by algorithm
    Sizes(Box<bench::sizes::Options>),
    /// Compare whole tools: large files, many small ones, several algorithms at once, right digests
    Tools(Box<bench::tools::Options>),
    /// Compare ways to hash a corpus: threads, memory, prefetching, processes, all against all
    Corpus(Box<bench::corpus::Options>),
    /// Make one page of all results in a folder: machine, tables, charts
    Report(bench::report::Options),
}

impl Bench {
    /// The command's name.
    pub fn name(&self) -> &'static str {
        match self {
            Bench::Cycles(_) => "cycles",
            Bench::Throughput(_) => "throughput",
            Bench::Sizes(_) => "sizes",
            Bench::Tools(_) => "tools",
            Bench::Corpus(_) => "corpus",
            Bench::Report(_) => "report",
            Bench::Calibrate(_) => "calibrate",
        }
    }
}

/// hashloom bench calibrate
#[derive(Debug, Args)]
pub struct Calibrate {
    /// Print what would be kept for later runs, and keep nothing
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub exports: bench::Exports,
}

/// Which files.
#[derive(Debug, Default, Clone, Args)]
#[command(next_help_heading = "Which files")]
pub struct Sources {
    /// Take the paths from FILE, one a line; - is standard input
    #[arg(long, value_name = "FILE")]
    pub files_from: Option<PathBuf>,
    /// The paths of --files-from end with NUL, not with a line feed
    #[arg(short = '0', long, requires = "files_from")]
    pub null: bool,
    /// Only files that match; may be given more than once
    #[arg(long, value_name = "GLOB")]
    pub include: Vec<String>,
    /// No files that match, nothing below directories that match; may be given more than once
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,
    /// Only files of at least SIZE bytes
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub min_size: Option<u64>,
    /// Only files of at most SIZE bytes
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub max_size: Option<u64>,
    /// Only files that changed after this file did, or after this time (RFC 3339; a date means
    /// its midnight, UTC)
    #[arg(long, value_name = "FILE|TIME")]
    pub newer: Option<OsString>,
    /// Follow symbolic links below the paths, too
    #[arg(long)]
    pub follow: bool,
    /// Don't enter other file systems
    #[arg(long)]
    pub one_file_system: bool,
    /// Read forensic images (Expert Witness: E01, Ex01, S01, L01, Lx01) as their media, and logical ones
    /// as the files in them
    #[arg(long)]
    pub images: bool,
}

/// With what means, and what to tell about it.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "How")]
pub struct Means {
    /// Threads that hash [default: one for each core]
    #[arg(short = 'j', long, value_name = "N", value_parser = threads)]
    pub threads: Option<NonZeroUsize>,
    /// The most file data in memory at a time, all threads together
    #[arg(short, long, value_name = "SIZE", default_value = "256M", value_parser = parse_size)]
    pub memory: u64,
    /// Threads that only read, for each device; 0: every thread reads what it hashes; 1: one thread reads,
    /// in the order of the disk [default: as many as suit the device, none while the files are in memory]
    #[arg(long, value_name = "N", value_parser = prefetch, default_value = "auto", hide_default_value = true)]
    pub prefetch: Prefetch,
    /// How files are read: through the page cache, through it and large files dropped from it again, or
    /// past it
    #[arg(long, value_enum, value_name = "MODE", default_value_t = Io::Auto)]
    pub io: Io,
    /// Give a file or directory up when opening it or one read of it takes longer (a dead server)
    /// [default: wait]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<Duration>,
    /// Read at most SIZE bytes in a second, all threads together
    #[arg(long, value_name = "SIZE", value_parser = rate)]
    pub bwlimit: Option<NonZeroU64>,
    /// Leave disk and cores to others while they want them (I/O class idle, nice 19)
    #[arg(long)]
    pub nice: bool,
    /// Bytes, files, rate and time left, on standard error
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Progress::Auto)]
    pub progress: Progress,
    /// What was done and where the time went, on standard error
    #[arg(long, value_enum, value_name = "FORM", num_args = 0..=1, require_equals = true, default_missing_value = "text")]
    pub stats: Option<Form>,
}

/// The most that `--prefetch` takes: no device gets faster by more.
const MOST_READERS: usize = 1024;
/// `--io`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Io {
    /// Through the page cache; files larger than half of the memory leave it as it was
    Auto,
    /// Through the page cache; files of 8 MiB and more leave it as it was
    Buffered,
    /// Past the page cache (O_DIRECT), where the file system can do that
    Direct,
}

/// `--bad-blocks`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BadBlocks {
    /// The file is unreadable
    Fail,
    /// They are hashed as zeros and listed
    Zero,
}

/// `--order`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Sorted {
    /// By path: the same every run
    Path,
    /// As they finish
    Any,
}

/// `--stats`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// For people
    Text,
    /// One JSON object
    Json,
}

/// `audit --format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Report {
    /// For people
    Text,
    /// One JSON object
    Json,
}

/// Algorithms in the order typed.
#[derive(Debug, Clone, Default)]
pub struct Algorithms {
    /// Those that tell whether bytes are the same.
    pub digests: Vec<&'static Algorithm>,
    /// Those that tell how like they are, each with its place among all.
    pub likeness: Vec<(usize, &'static Similar)>,
}

/// One algorithm.
#[derive(Debug, Clone, Copy)]
pub struct Name(pub &'static Algorithm);

impl Means {
    /// Threads that hash.
    pub fn threads(&self) -> NonZeroUsize {
        self.threads.or_else(|| thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN)
    }

    /// Bytes of file data.
    pub fn memory(&self) -> usize {
        usize::try_from(self.memory).unwrap_or(usize::MAX)
    }
}

impl Sources {
    /// Whether any option chooses among the files of a walk.
    pub fn is_filter(&self) -> bool {
        let globs = self.include.len() + self.exclude.len() > 0;
        let bounds =
            self.images || self.min_size.is_some() || self.max_size.is_some() || self.newer.is_some();
        globs || bounds || self.follow || self.one_file_system
    }
}

impl From<Io> for hashloom_source::Io {
    fn from(io: Io) -> Self {
        match io {
            Io::Auto => hashloom_source::Io::Auto,
            Io::Buffered => hashloom_source::Io::Buffered,
            Io::Direct => hashloom_source::Io::Direct,
        }
    }
}

impl From<BadBlocks> for hashloom_source::BadBlocks {
    fn from(bad_blocks: BadBlocks) -> Self {
        match bad_blocks {
            BadBlocks::Fail => hashloom_source::BadBlocks::Fail,
            BadBlocks::Zero => hashloom_source::BadBlocks::Zero,
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

pub(crate) fn algorithms(list: &str) -> Result<Algorithms, Unknown> {
    let mut found = Algorithms::default();
    for name in list.split(',').map(str::trim) {
        let place = found.digests.len() + found.likeness.len();
        if let Some(row) = hashloom_similar::find(name) {
            if found.likeness.iter().all(|(_, known)| *known != row) {
                found.likeness.push((place, row));
            }
        } else {
            let algorithm = find(name)?;
            if !found.digests.contains(&algorithm) {
                found.digests.push(algorithm);
            }
        }
    }
    Ok(found)
}

pub(crate) fn algorithm(name: &str) -> Result<Name, Unknown> {
    find(name).map(Name)
}

pub(crate) fn format_names() -> PossibleValuesParser {
    PossibleValuesParser::new(
        FORMATS.iter().filter(|format| format.writer.is_some()).map(|format| format.name),
    )
}

pub(crate) fn piece(text: &str) -> Result<NonZeroU64, String> {
    let size = parse_size(text).map_err(|error| error.to_string())?;
    NonZeroU64::new(size).ok_or_else(|| "a piece must have at least one byte".to_string())
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let seconds = seconds.ok_or_else(|| "not a number of seconds, like 30 or 0.5".to_string())?;
    if seconds.is_zero() { Err("nothing can be done in no time".to_string()) } else { Ok(seconds) }
}

fn rate(text: &str) -> Result<NonZeroU64, String> {
    let size = parse_size(text).map_err(|error| error.to_string())?;
    NonZeroU64::new(size).ok_or_else(|| "at least one byte a second must be read".to_string())
}

pub(crate) fn threads(text: &str) -> Result<NonZeroUsize, String> {
    let number: usize = text.parse().map_err(|_| "not a number of threads".to_string())?;
    NonZeroUsize::new(number).ok_or_else(|| "at least one thread must hash".to_string())
}

pub(crate) fn prefetch(text: &str) -> Result<Prefetch, String> {
    if text == "auto" {
        return Ok(Prefetch::Auto);
    }
    let number = text.parse().map_err(|_| "neither a number of threads nor auto".to_string())?;
    if number > MOST_READERS {
        Err(format!("more than {MOST_READERS} threads"))
    } else {
        Ok(Prefetch::Fixed(number))
    }
}
