//! What can be typed.

use crate::options::algorithms::{Algorithms, algorithms};
use crate::options::force::Force;
use crate::options::format::{Written, format};
use crate::options::report::{ListReport, Progress};
use crate::options::resources::{ResourceOptions, any_location};
use crate::options::stores::Way;
use crate::options::values::{piece, threads};
use clap::{Args, Subcommand};
use hashloom_digest::parse_size;
use std::ffi::OsStr;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

/// Bytes of images in stores that wait where only headers are read.
pub const MEMORY: u64 = 64 << 20;

/// hashloom image
#[derive(Debug, Args)]
pub struct Options {
    /// What is done with them
    #[command(subcommand)]
    pub command: Command,
}

/// What is done with images.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print everything that the headers of images hold
    Info(Info),
    /// Check every chunk, table and section of images, and every stored digest against the bytes
    Verify(Verify),
    /// Digests of the media, whole and piecewise, as records
    Hash(Box<Hash>),
    /// Write the media as they were: raw bytes
    Export(Export),
    /// List the files in a logical image (L01, Lx01)
    List(List),
}

/// hashloom image info
#[derive(Debug, Args)]
pub struct Info {
    /// The first segment of each image
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,
    /// How it is written
    #[arg(short, long, value_enum, default_value_t = ListReport::Text)]
    pub format: ListReport,
    /// Take the bytes of the files as the media, even if they are those of another kind of image
    #[arg(long)]
    pub raw: bool,
    #[command(flatten)]
    pub stores: Way,
}

/// hashloom image list
#[derive(Debug, Args)]
pub struct List {
    /// The first segment of each image
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,
    /// How it is written
    #[arg(short, long, value_enum, default_value_t = ListReport::Text)]
    pub format: ListReport,
    #[command(flatten)]
    pub stores: Way,
}

/// hashloom image verify
#[derive(Debug, Args)]
pub struct Verify {
    /// The first segment of each image
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,
    /// Digests of the media to compute beside those that the image stores, comma-separated
    #[arg(short = 'c', long, value_name = "A,B", value_parser = algorithms)]
    pub algorithms: Option<Algorithms>,
    /// How the result is written
    #[arg(short, long, value_enum, default_value_t = ListReport::Text)]
    pub format: ListReport,
    /// Also write the result here as JSON, one object a line: under this name only when whole
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub force: Force,
    /// Take the bytes of the files as the media, even if they are those of another kind of image
    #[arg(long)]
    pub raw: bool,
    #[command(flatten)]
    pub how: How,
}

/// hashloom image hash
#[derive(Debug, Args)]
pub struct Hash {
    /// The first segment of each image; raw media and split raw media (.001, .aa) will do, too
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,
    /// The digests of each record, in this order, comma-separated [default: the one that the name of the output
    /// names (SHA256SUMS, photos.md5), else blake3]
    #[arg(short = 'c', long, value_name = "A,B", value_parser = algorithms)]
    pub algorithms: Option<Algorithms>,
    /// A digest for every SIZE bytes too
    #[arg(short, long, value_name = "SIZE", value_parser = piece)]
    pub piecewise: Option<NonZeroU64>,
    /// The format of the manifest [default: the one that the name of the output stands for (.jsonl, .csv, .parquet,
    /// SHA256SUMS, ...), else hashdeep]
    #[arg(short, long, value_parser = format())]
    pub format: Option<Written>,
    /// Write here: under this name only when whole
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub force: Force,
    /// Take the bytes of the files as the media, even if they are those of another kind of image
    #[arg(long)]
    pub raw: bool,
    #[command(flatten)]
    pub resources: ResourceOptions,
}

/// hashloom image export
#[derive(Debug, Args)]
pub struct Export {
    /// The first segment of the image
    #[arg(value_name = "PATH")]
    pub path: PathBuf,
    /// Write here, under this name only when whole, with holes for zeros; - is standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Replace what is there; start even if the media may not fit, as zeros take no room; keep the output even if the image can't be read whole
    #[arg(long)]
    pub force: bool,
    /// Take the bytes of the files as the media, even if they are those of another kind of image
    #[arg(long)]
    pub raw: bool,
    #[command(flatten)]
    pub how: How,
}

/// With what means.
#[derive(Debug, Args)]
#[command(next_help_heading = "How")]
pub struct How {
    /// Threads that decompress and hash [default: one for each core]
    #[arg(short = 'j', long, value_name = "N", value_parser = threads)]
    pub threads: Option<NonZeroUsize>,
    /// The most data in memory at a time, all threads together
    #[arg(short, long, value_name = "SIZE", default_value = "256M", value_parser = parse_size)]
    pub memory: u64,
    /// Bytes, images, rate and time left, on standard error
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Progress::Auto)]
    pub progress: Progress,
    #[command(flatten)]
    pub stores: Way,
}

impl How {
    /// Threads and memory as the library takes them for these images. From now on stores are reached with these options,
    /// too; where some are named they have a part of the memory.
    pub fn means<P: AsRef<OsStr>>(&self, images: &[P]) -> hashloom_image::Resources {
        let all = hashloom_image::Resources::default();
        let threads = self.threads.map_or(all.threads, NonZeroUsize::get);
        let part = self.stores.configure((self.memory, any_location(images)), None);
        hashloom_image::Resources { threads, memory: self.memory - part }
    }
}
