//! `hashmill bench tools`: whole tools side by side.

use super::export::Exports;
use super::options::AlgorithmList;
use super::race::{Cache, List, Timing, counts, size, sizes};
use clap::Args;
use hashmill_bench::tools::{Tools, ToolsSettings, measure};
use hashmill_job::account::Account;

/// hashmill bench tools
#[derive(Debug, Args)]
#[command(args_override_self = true)]
pub struct Options {
    /// Each digest separately; comma-separated
    #[arg(short = 'c', long, value_name = "A,B", default_value = "sha256,md5,sha1,blake3", value_parser = AlgorithmList::listed)]
    algorithms: AlgorithmList,
    /// Sizes of the large files, comma-separated
    #[arg(long, value_name = "SIZES", default_value = "64M,256M,512M,1G", value_parser = sizes)]
    sizes: List<u64>,
    /// How many small files, comma-separated
    #[arg(long, value_name = "COUNTS", default_value = "100,1000,5000,10000", value_parser = counts)]
    small_counts: List<usize>,
    /// The size of a small file
    #[arg(long, value_name = "SIZE", default_value = "2K", value_parser = size)]
    small: u64,
    /// The algorithms that are taken at once, comma-separated
    #[arg(long, value_name = "A,B", default_value = "md5,sha1,sha256", value_parser = AlgorithmList::listed)]
    several: AlgorithmList,
    /// Take the files out of memory before each run, where that is permitted
    #[arg(long)]
    cold: bool,
    #[command(flatten)]
    timing: Timing,
    #[command(flatten)]
    exports: Exports,
}

/// Measures and writes.
///
/// # Errors
/// If something can't be made or written.
pub fn run(options: &Options) -> anyhow::Result<Account> {
    let wanted = ToolsSettings {
        algorithms: options.algorithms.0.clone(),
        sizes: options.sizes.0.clone(),
        counts: options.small_counts.0.clone(),
        small: options.small,
        several: options.several.0.clone(),
        cold: options.cold,
    };
    // One part reads from the disk in any case.
    let cache = if options.cold { Cache::Cold } else { Cache::Advised };
    let timing = &options.timing;
    timing.run::<Tools>(
        &options.exports,
        cache,
        10,
        |row| &row.timed,
        |stage, now| Ok(measure(stage, &wanted, now)?),
    )
}
