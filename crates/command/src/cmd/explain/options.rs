//! Options of `hashmill explain`.

use crate::options::algorithms::{Algorithms, algorithms};
use crate::options::resources::IO;
use crate::options::stores::StoreOptions;
use crate::options::values::{one_of, prefetch, threads};
use crate::results::report::ListReport;
use clap::Args;
use hashmill_digest::parse_size;
use hashmill_engine::Prefetch;
use hashmill_source::Io;
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::thread;

/// hashmill explain
#[derive(Debug, Args)]
pub struct Options {
    /// Files, directories and locations in stores; - is standard input
    #[arg(value_name = "PATH", default_value = ".")]
    pub paths: Vec<OsString>,
    /// The digests that would be computed, comma-separated
    #[arg(short = 'c', long, value_name = "A,B", default_value = "blake3", value_parser = algorithms)]
    pub algorithms: Algorithms,
    /// Number of threads that would hash [default: one per core]
    #[arg(short = 'j', long, value_name = "N", value_parser = threads)]
    pub threads: Option<NonZeroUsize>,
    /// The most file data that would be in memory at a time, for all threads together
    #[arg(short, long, value_name = "SIZE", default_value = "256M", value_parser = parse_size)]
    pub memory: u64,
    /// Number of threads per device that would only read [default: chosen for the device, none while the files are in
    /// memory]
    #[arg(long, value_name = "N", value_parser = prefetch, default_value = "auto", hide_default_value = true)]
    pub prefetch: Prefetch,
    /// How files would be read: through the page cache, through it but without keeping large files, or past it
    #[arg(long, value_name = "MODE", value_parser = one_of(IO), default_value = "auto")]
    pub io: Io,
    /// The form of the explanation
    #[arg(short, long, value_enum, default_value_t = ListReport::Text)]
    pub format: ListReport,
    #[command(flatten)]
    pub stores: StoreOptions,
}

impl Options {
    /// Returns the number of threads that would hash.
    pub fn threads(&self) -> NonZeroUsize {
        self.threads.or_else(|| thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN)
    }
}
