//! `hashmill bench sizes`: algorithms × file sizes, through this command and others' tools.

use super::export::Exports;
use super::options::Hashes;
use super::race::{Cache, List, Timing, sizes};
use clap::Args;
use hashmill_bench::peers::Likeness;
use hashmill_bench::sizes::{Sizes, SizesSettings, measure};
use hashmill_job::account::Account;

/// hashmill bench sizes
#[derive(Debug, Args)]
#[command(args_override_self = true)]
pub struct Options {
    /// Each digest separately, likeness digests too; comma-separated
    #[arg(
        short = 'c',
        long,
        value_name = "A,B",
        default_value = "cksum,xxh128,md5,sha1,sha224,sha256,sha384,sha512,blake2b-512,blake3",
        value_parser = Hashes::listed_with_programs
    )]
    algorithms: Hashes,
    /// Sizes of the files, comma-separated
    #[arg(long, value_name = "SIZES", default_value = "1K,1M,1G", value_parser = sizes)]
    sizes: List<u64>,
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
    let Hashes { digests: algorithms, likeness } = options.algorithms.clone();
    let likeness = likeness.iter().filter_map(|row| Likeness::find(row.name)).collect();
    let wanted = SizesSettings { algorithms, likeness, sizes: options.sizes.0.clone() };
    let cache = if options.cold { Cache::Cold } else { Cache::Warm };
    let timing = &options.timing;
    timing.run::<Sizes>(
        &options.exports,
        cache,
        10,
        |row| &row.timed,
        |stage, now| Ok(measure(stage, &wanted, now)?),
    )
}
