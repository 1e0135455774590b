//! Options for resources (threads, memory, ways to read), progress and statistics.

use super::stores::{self, Stores};
use super::values::{Choice, one_of, only_where, prefetch, rate, seconds, threads};
use crate::access;
use crate::progress::is_watched;
use crate::results::report::{Progress, Report};
use crate::signal;
use clap::{ArgGroup, Args};
use hashmill_content::Resources;
use hashmill_digest::parse_size;
use hashmill_engine::Prefetch;
use hashmill_os::names;
use hashmill_source::{HAS_PLACEHOLDERS, Io};
use std::ffi::OsStr;
use std::num::{NonZeroU64, NonZeroUsize};
use std::time::Duration;

/// Resources of a run, and what is printed about them.
#[derive(Debug, Clone, Args)]
#[group(skip)]
#[command(next_help_heading = "How", group(group()))]
pub struct ResourceOptions {
    /// Number of threads that hash [default: one per core]
    #[arg(short = 'j', long, value_name = "N", value_parser = threads)]
    pub threads: Option<NonZeroUsize>,
    /// The most file data in memory at a time, for all threads together
    #[arg(short, long, value_name = "SIZE", default_value = "256M", value_parser = parse_size)]
    pub memory: u64,
    /// Number of threads per device that only read; 0: every thread reads what it hashes; 1: one thread reads in the
    /// order of the disk [default: chosen for the device, none while the files are in memory]
    #[arg(long, value_name = "N", value_parser = prefetch, default_value = "auto", hide_default_value = true)]
    pub prefetch: Prefetch,
    /// How files are read: through the page cache, through it but without keeping large files, or past it
    #[arg(long, value_name = "MODE", value_parser = one_of(IO), default_value = "auto")]
    pub io: Io,
    /// Give up on a file or directory if opening it or a single read takes longer (a dead server) [default: wait]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<Duration>,
    /// Read files whose content is in a cloud, which downloads them; without it they are skipped
    #[arg(long, hide = !HAS_PLACEHOLDERS, value_parser = only_where(HAS_PLACEHOLDERS, "no file of this system is in a cloud"))]
    pub hydrate: bool,
    /// Read at most SIZE bytes per second, for all threads together
    #[arg(long, value_name = "SIZE", value_parser = rate)]
    pub bwlimit: Option<NonZeroU64>,
    /// Yield disk and cores to other processes (I/O class idle, nice 19)
    #[arg(long)]
    pub nice: bool,
    /// Show bytes, files, rate and time left on standard error
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Progress::Auto)]
    pub progress: Progress,
    /// Print what was done and where the time went, on standard error
    #[arg(long, value_enum, value_name = "FORM", num_args = 0..=1, require_equals = true, default_missing_value = "text")]
    pub stats: Option<Report>,
    #[command(flatten)]
    pub stores: Stores,
}

/// Returns the group of all these options, for commands that take them only together with another option. Groups that
/// clap derives lack flattened options.
fn group() -> ArgGroup {
    let own =
        ["threads", "memory", "prefetch", "io", "timeout", "hydrate", "bwlimit", "nice", "progress", "stats"];
    ArgGroup::new("ResourceOptions").multiple(true).args(own).args(stores::NAMES)
}

/// Values of `--io`.
pub const IO: &[Choice<Io>] = &[
    ("auto", "Through the page cache; files larger than half of the memory are not kept in it", Io::Auto),
    ("buffered", "Through the page cache; files of 8 MiB and more are not kept in it", Io::Buffered),
    ("direct", "Past the page cache (O_DIRECT), if the file system can do that", Io::Direct),
];

impl ResourceOptions {
    /// Returns the resources of an operation that reads only files.
    pub fn resources(&self) -> Resources {
        self.resources_for::<&OsStr>(&[])
    }

    /// Returns the resources of an operation that reads these places, and sets the access to stores. If a place is in a
    /// store, stores get a part of the memory.
    pub fn resources_for<P: AsRef<OsStr>>(&self, places: &[P]) -> Resources {
        let named = any_location(places);
        let memory = self.memory - self.stores.configure(self.memory, named, self.bwlimit);
        Resources { memory: usize::try_from(memory).unwrap_or(usize::MAX), ..self.of_files() }
    }

    /// Returns the resources without a look at stores.
    pub fn of_files(&self) -> Resources {
        Resources {
            threads: self.threads,
            memory: usize::try_from(self.memory).unwrap_or(usize::MAX),
            prefetch: self.prefetch,
            io: self.io,
            timeout: self.timeout,
            hydrate: self.hydrate,
            rate: self.bwlimit,
            nice: self.nice,
            counts: is_watched(self.progress),
            files: signal::files(),
            stores: access::stores(),
            key: None,
        }
    }
}

/// Returns whether one of these places is in a store.
pub fn any_location<P: AsRef<OsStr>>(places: &[P]) -> bool {
    let stores = access::stores();
    places.iter().any(|place| stores.is_location(&names::bytes(place.as_ref())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Command;

    #[test]
    fn the_group_has_every_option() {
        let command = ResourceOptions::augment_args(Command::new("x"));
        let group = command.get_groups().find(|group| group.get_id() == "ResourceOptions").unwrap();
        let grouped: Vec<_> = group.get_args().collect();
        let lacking: Vec<_> =
            command.get_arguments().map(clap::Arg::get_id).filter(|id| !grouped.contains(id)).collect();
        assert_eq!(lacking, [] as [&clap::Id; 0]);
    }
}
