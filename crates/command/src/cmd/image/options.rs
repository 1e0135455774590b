//! Options of `hashmill image`.

use crate::access;
use crate::options::algorithms::{Algorithms, algorithms};
use crate::options::force::Force;
use crate::options::format::{Written, format};
use crate::options::images::watch_backing;
use crate::options::resources::{ResourceOptions, any_location};
use crate::options::stores::StoreOptions;
use crate::options::values::{Choice, one_of, piece, threads};
use crate::results::report::{ListReport, Progress, Report};
use clap::{Args, Subcommand, ValueEnum};
use hashmill_content::BackingFiles;
use hashmill_content::imaging::OpenOptions;
use hashmill_digest::parse_size;
use hashmill_image::Compression;
use hashmill_job::Misfit;
use hashmill_source::BadBlocks;
use std::ffi::OsStr;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

/// The memory for answers of stores where only headers are read, in bytes.
pub const MEMORY: u64 = 64 << 20;

/// hashmill image
#[derive(Debug, Args)]
pub struct Options {
    /// The operation
    #[command(subcommand)]
    pub command: Command,
}

/// Operations on images.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print everything that the headers of images hold
    Info(Info),
    /// Check every chunk, table and section of images, and compare stored digests with the data
    Verify(VerifyImageOptions),
    /// Hash the media, whole and piecewise, into records
    Hash(Box<Hash>),
    /// Write the media as raw bytes, or files on them or in archives
    Export(Export),
    /// List the files in a logical image (L01, Lx01), or in the file systems on the media of another
    List(List),
    /// Acquire a device or file: write it as an image (E01 or raw) in one read, and verify the image
    Acquire(Box<Acquire>),
}

/// hashmill image info
#[derive(Debug, Args)]
pub struct Info {
    /// The first segment of each image
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,
    /// The form of the result
    #[arg(short, long, value_enum, default_value_t = ListReport::Text)]
    pub format: ListReport,
    #[command(flatten)]
    pub opening: Opening,
    #[command(flatten)]
    pub stores: StoreOptions,
}

/// hashmill image list
#[derive(Debug, Args)]
pub struct List {
    /// The first segment of each image; with !/ and a path, only what is at that path or below it (case.E01!/p1/Users)
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,
    /// Also list deleted files of the file systems on media
    #[arg(long)]
    pub deleted: bool,
    #[command(flatten)]
    pub backing: Backing,
    /// The form of the result
    #[arg(short, long, value_enum, default_value_t = EntryFormat::Text)]
    pub format: EntryFormat,
    #[command(flatten)]
    pub stores: StoreOptions,
}

/// Values of `--format` for entries.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EntryFormat {
    /// For people
    #[default]
    Text,
    /// One JSON document
    Json,
    /// One JSON object per line
    #[value(alias = "ndjson")]
    Jsonl,
    /// A bodyfile for mactime of the Sleuth Kit
    Body,
}

/// hashmill image verify
#[derive(Debug, Args)]
pub struct VerifyImageOptions {
    /// The first segment of each image
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,
    /// Digests of the media to compute in addition to those that the image stores, comma-separated
    #[arg(short = 'c', long, value_name = "A,B", value_parser = algorithms)]
    pub algorithms: Option<Algorithms>,
    /// The form of the result
    #[arg(short, long, value_enum, default_value_t = ListReport::Text)]
    pub format: ListReport,
    /// Also write the result here as JSON, one object per line; the name appears when the file is complete
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub force: Force,
    #[command(flatten)]
    pub opening: Opening,
    #[command(flatten)]
    pub how: How,
}

/// hashmill image hash
#[derive(Debug, Args)]
pub struct Hash {
    /// The first segment of each image; raw media and split raw media (.001, .aa) are accepted too
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,
    /// The digests of each record, in this order, comma-separated [default: the one that the name of the output
    /// implies (SHA256SUMS, photos.md5), else blake3]
    #[arg(short = 'c', long, value_name = "A,B", value_parser = algorithms)]
    pub algorithms: Option<Algorithms>,
    /// Also write a digest for every SIZE bytes
    #[arg(short, long, value_name = "SIZE", value_parser = piece)]
    pub piecewise: Option<NonZeroU64>,
    /// The format of the manifest [default: the one that the name of the output implies (.jsonl, .csv, .parquet,
    /// SHA256SUMS, ...), else hashdeep]
    #[arg(short, long, value_parser = format())]
    pub format: Option<Written>,
    /// Write here; the name appears when the file is complete
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub force: Force,
    #[command(flatten)]
    pub opening: Opening,
    #[command(flatten)]
    pub resources: ResourceOptions,
}

/// hashmill image export
#[derive(Debug, Args)]
pub struct Export {
    /// The first segment of the image: its media as raw bytes, or the files of a logical image. With !/ and a path, that
    /// file, or all files below that folder or partition (case.E01!/p1/Users); with !/ alone, all files. The same holds for
    /// archives (a.zip!/docs, case.E01!/p1/a.zip!/docs)
    #[arg(value_name = "PATH")]
    pub path: PathBuf,
    /// Write here, with holes for zeros; the name appears when the file is complete; - is standard output. For several files:
    /// the folder, which is made
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Also write deleted files, as far as their content is known and no other file has their path
    #[arg(long)]
    pub deleted: bool,
    /// Replace an existing file, write into a folder that is not empty; start even if the media may not fit, as zeros take no space; keep the output even if
    /// parts of the image can't be read
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub opening: Opening,
    #[command(flatten)]
    pub how: How,
}

/// hashmill image acquire
#[derive(Debug, Args)]
pub struct Acquire {
    /// The device or file to acquire
    #[arg(value_name = "DEVICE")]
    pub path: PathBuf,
    /// The first file of the image. Its name implies the form: .E01, or for raw media .dd, .raw, .img, .bin, and .001 for
    /// several files. All names appear when the image is complete and was verified
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// The most bytes of a file of the image, at least 1M [default: 1.4 GiB for E01]
    #[arg(long, value_name = "SIZE", value_parser = segment_size)]
    pub segment_size: Option<u64>,
    /// The compression of E01
    #[arg(long, value_name = "LEVEL", value_parser = one_of(COMPRESSION), default_value = "fast")]
    pub compression: Compression,
    /// On unreadable sectors: fail without an image, or write zeros in their place. Then E01 lists them, and the exit code
    /// is 2
    #[arg(long, value_name = "WHAT", value_parser = one_of(BAD_BLOCKS), default_value = "fail")]
    pub bad_blocks: BadBlocks,
    /// Digests of the media to compute in addition to MD5, SHA-1 and SHA-256, comma-separated
    #[arg(short = 'c', long, value_name = "A,B", value_parser = algorithms)]
    pub algorithms: Option<Algorithms>,
    /// The form of the result
    #[arg(short, long, value_enum, default_value_t = Report::Text)]
    pub format: Report,
    /// Replace an existing image of this name, with all its files
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub case: AcquiredCase,
    #[command(flatten)]
    pub how: AcquireHow,
}

/// Case data in the headers of an E01.
#[derive(Debug, Args)]
#[command(next_help_heading = "Case data")]
pub struct AcquiredCase {
    /// The number of the case, for the headers of the E01, as all of this group
    #[arg(long, value_name = "ID", value_parser = header_text)]
    pub case: Option<String>,
    /// The number of the evidence
    #[arg(long, value_name = "NOTE", value_parser = header_text)]
    pub evidence: Option<String>,
    /// The examiner
    #[arg(long, value_name = "NAME", value_parser = header_text)]
    pub examiner: Option<String>,
    /// A description of the evidence
    #[arg(long, value_name = "TEXT", value_parser = header_text)]
    pub description: Option<String>,
    /// Notes of the examiner
    #[arg(long, value_name = "TEXT", value_parser = header_text)]
    pub notes: Option<String>,
}

/// Resources and progress of an acquisition.
#[derive(Debug, Args)]
#[command(next_help_heading = "How")]
pub struct AcquireHow {
    /// Number of threads that compress and hash [default: one per core]
    #[arg(short = 'j', long, value_name = "N", value_parser = threads)]
    pub threads: Option<NonZeroUsize>,
    /// The most data in memory at a time, for all threads together
    #[arg(short, long, value_name = "SIZE", default_value = "256M", value_parser = parse_size)]
    pub memory: u64,
    /// Show bytes, rate and time left on standard error
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Progress::Auto)]
    pub progress: Progress,
}

/// Values of `--compression`.
const COMPRESSION: &[Choice<Compression>] = &[
    ("none", "Chunks are stored as they are", Compression::None),
    ("fast", "Zlib, the fastest level", Compression::Fast),
    ("best", "Zlib, a slow level", Compression::Best),
];

/// Values of `--bad-blocks`.
const BAD_BLOCKS: &[Choice<BadBlocks>] = &[
    ("fail", "The device is unreadable", BadBlocks::Fail),
    ("zero", "Unreadable sectors are written as zeros and listed", BadBlocks::Zero),
];

/// The least size of a segment, in bytes.
const LEAST_SEGMENT: u64 = 1 << 20;

/// The most characters of a text in the headers of an E01.
const MAX_HEADER_TEXT: usize = 4096;

/// Parses the size of a segment.
fn segment_size(text: &str) -> Result<u64, String> {
    let size = parse_size(text).map_err(|error| error.to_string())?;
    if size < LEAST_SEGMENT { Err("a file of an image has at least 1M".to_string()) } else { Ok(size) }
}

/// Parses a text for the headers of an E01, whose fields end with tabs and lines.
fn header_text(text: &str) -> Result<String, String> {
    match text {
        _ if text.contains(char::is_control) => {
            Err("tabs, line breaks and the like can't be stored".to_string())
        }
        _ if text.chars().count() > MAX_HEADER_TEXT => {
            Err(format!("the text has more than {MAX_HEADER_TEXT} characters"))
        }
        _ => Ok(text.to_string()),
    }
}

/// The way to open images.
#[derive(Debug, Args)]
pub struct Opening {
    /// Treat the files as raw media, even if they look like another kind of image
    #[arg(long, conflicts_with = "backing")]
    pub raw: bool,
    #[command(flatten)]
    pub backing: Backing,
}

/// Backing files.
#[derive(Debug, Args)]
pub struct Backing {
    /// A file that QCOW2 images may be layers over, found by the file name that a layer states; may be given more than
    /// once
    #[arg(long, value_name = "FILE")]
    pub backing: Vec<PathBuf>,
}

impl Opening {
    /// Returns the way to open images.
    ///
    /// # Errors
    /// If two backing files have the same file name.
    pub fn options(&self) -> Result<OpenOptions, Misfit> {
        Ok(OpenOptions { raw: self.raw, ..self.backing.options()? })
    }
}

impl Backing {
    /// Returns the way to open images of any kind.
    ///
    /// # Errors
    /// If two backing files have the same file name.
    pub fn options(&self) -> Result<OpenOptions, Misfit> {
        Ok(OpenOptions {
            raw: false,
            backing: BackingFiles::new(self.backing.clone())
                .inspect(watch_backing)?
                .with_stores(&access::stores()),
        })
    }
}

/// Resources and progress.
#[derive(Debug, Args)]
#[command(next_help_heading = "How")]
pub struct How {
    /// Number of threads that decompress and hash [default: one per core]
    #[arg(short = 'j', long, value_name = "N", value_parser = threads)]
    pub threads: Option<NonZeroUsize>,
    /// The most data in memory at a time, for all threads together
    #[arg(short, long, value_name = "SIZE", default_value = "256M", value_parser = parse_size)]
    pub memory: u64,
    /// Show bytes, images, rate and time left on standard error
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Progress::Auto)]
    pub progress: Progress,
    #[command(flatten)]
    pub stores: StoreOptions,
}

impl How {
    /// Returns the resources for these images, and sets the access to stores. If an image or a backing file is in a store,
    /// stores get a part of the memory.
    pub fn means<P: AsRef<OsStr>>(&self, images: &[P], opening: &Opening) -> hashmill_image::Resources {
        let all = hashmill_image::Resources::default();
        let threads = self.threads.map_or(all.threads, NonZeroUsize::get);
        let named = any_location(images) || any_location(&opening.backing.backing);
        let part = self.stores.configure(self.memory, named, None);
        hashmill_image::Resources { threads, memory: self.memory - part }
    }
}
