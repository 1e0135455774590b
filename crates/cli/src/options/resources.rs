//! With what resources: threads, memory, ways to read; and what is told meanwhile.

use super::report::{Form, Progress};
use super::stores::{self, Stores};
use super::values::{prefetch, rate, seconds, threads};
use crate::progress::is_watched;
use clap::{ArgGroup, Args, ValueEnum};
use hashloom_digest::parse_size;
use hashloom_engine::Prefetch;
use hashloom_job::{Resources, is_location};
use std::ffi::OsStr;
use std::num::{NonZeroU64, NonZeroUsize};
use std::os::unix::ffi::OsStrExt;
use std::time::Duration;

/// With what resources, and what to tell about it.
#[derive(Debug, Clone, Args)]
#[group(skip)]
#[command(next_help_heading = "How", group(group()))]
pub struct ResourceOptions {
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
    #[command(flatten)]
    pub stores: Stores,
}

/// All of them, for commands that take them only together with something else. Derived groups leave out what is flattened,
/// and then everything.
fn group() -> ArgGroup {
    let own = ["threads", "memory", "prefetch", "io", "timeout", "bwlimit", "nice", "progress", "stats"];
    ArgGroup::new("ResourceOptions").multiple(true).args(own).args(stores::NAMES)
}

/// `--io`.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Io {
    /// Through the page cache; files larger than half of the memory leave it as it was
    #[default]
    Auto,
    /// Through the page cache; files of 8 MiB and more leave it as it was
    Buffered,
    /// Past the page cache (O_DIRECT), where the file system can do that
    Direct,
}

impl ResourceOptions {
    /// The same as an operation takes them that reads files alone.
    pub fn resources(&self) -> Resources {
        self.resources_for::<&OsStr>(&[])
    }

    /// The same as an operation takes them that reads what is in these places. From now on stores are reached with these
    /// options, too; where some are named they have a part of the memory.
    pub fn resources_for<P: AsRef<OsStr>>(&self, places: &[P]) -> Resources {
        let named = any_location(places);
        let memory = self.memory - self.stores.configure((self.memory, named), self.bwlimit);
        Resources {
            threads: self.threads,
            memory: usize::try_from(memory).unwrap_or(usize::MAX),
            prefetch: self.prefetch,
            io: self.io.into(),
            timeout: self.timeout,
            rate: self.bwlimit,
            nice: self.nice,
            counts: is_watched(self.progress),
        }
    }
}

/// Whether a location is among these places.
pub fn any_location<P: AsRef<OsStr>>(places: &[P]) -> bool {
    places.iter().any(|place| is_location(place.as_ref().as_bytes()))
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
