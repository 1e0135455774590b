//! `hashmill bench cycles`: the cost of a block in every implementation.

use super::export::Exports;
use super::options::{Hashes, Seed};
use super::session::Session;
use crate::options::values::whole;
use anyhow::{Context, ensure};
use clap::Args;
use hashmill_bench::cycles::{self, Cycles, CyclesSettings, Reference};
use hashmill_bench::implementation::Implementation;
use hashmill_bench::{Comparison, Document, SystemClock};
use hashmill_digest::{find, parse_size};
use hashmill_job::account::{Account, Item};

/// hashmill bench cycles
#[derive(Debug, Args)]
#[command(args_override_self = true)]
pub struct Options {
    /// Of these algorithms every implementation, comma-separated; 'all' are all, the likeness algorithms too
    #[arg(
        short = 'c',
        long,
        value_name = "A,B",
        default_value = "crc32c,xxh64,xxh3,sha256,blake2b-512,blake3",
        value_parser = Hashes::listed_or_all
    )]
    pub algorithms: Hashes,
    /// How many blocks each implementation hashes
    #[arg(long, value_name = "N", default_value = "100000", value_parser = whole(1..=1_000_000_000_000_u64))]
    pub iterations: u64,
    /// Bytes of a block, up to 64 MiB
    #[arg(long, value_name = "SIZE", default_value = "4K", value_parser = block)]
    pub block: usize,
    /// The reference of comparisons: an algorithm, or one implementation of it ('sha256:x86 sha x2') [default: blake3
    /// if it is measured, else the first algorithm]
    #[arg(long, value_name = "ROW", value_parser = reference)]
    pub reference: Option<Reference>,
    #[command(flatten)]
    pub seed: Seed,
    #[command(flatten)]
    pub exports: Exports,
}

fn block(text: &str) -> Result<usize, String> {
    const MOST: u64 = 64 << 20;
    match parse_size(text).map_err(|error| error.to_string())? {
        0 => Err("a block has at least one byte".to_string()),
        bytes if bytes > MOST => Err("a block has at most 64 MiB".to_string()),
        bytes => Ok(bytes as usize),
    }
}

fn reference(text: &str) -> Result<Reference, hashmill_digest::Unknown> {
    if let Some(row) = hashmill_similar::find(text) {
        return Ok(Reference { algo: row.name.to_string(), implementation: None });
    }
    let (algo, implementation) = match text.split_once(':') {
        Some((algo, implementation)) => (algo, Some(implementation.to_string())),
        None => (text, None),
    };
    Ok(Reference { algo: find(algo)?.name.to_string(), implementation })
}

/// Measures, prints, and writes the requested files.
///
/// # Errors
/// If the reference is not measured, or a result cannot be written.
pub fn run(options: &Options) -> anyhow::Result<Account> {
    let settings = settings(options)?;
    let session = Session::begin(&options.exports)?;
    let clock = SystemClock::with_counters();
    let (measured, doubts) = session.measure(&clock, |control| cycles::run(&settings, control));
    let timestamp = session.timestamp.clone();
    let mut document = Document::here(Cycles::NAME, timestamp, measured.rows, measured.summary);
    document.warnings = measured.warnings;
    document.warnings.extend(doubts);
    document.interrupted = measured.interrupted;
    let wrong = document.rows.iter().any(|row| !row.digest_right);
    Ok(session.end::<Cycles>(&document)?.and(Account::differing(Item::Record, u64::from(wrong))))
}

fn settings(options: &Options) -> anyhow::Result<CyclesSettings> {
    let Hashes { digests: algorithms, likeness } = options.algorithms.clone();
    let has = |name: &str| algorithms.iter().find(|algorithm| algorithm.name == name).copied();
    let reference = match &options.reference {
        Some(reference) => reference.clone(),
        None => {
            let first = has("blake3").or(algorithms.first().copied()).map(|algorithm| algorithm.name);
            let first = first.or(likeness.first().map(|row| row.name)).context("no algorithm")?;
            Reference { algo: first.to_string(), implementation: None }
        }
    };
    let algorithm = has(&reference.algo);
    let there = algorithm.is_some() || likeness.iter().any(|row| row.name == reference.algo);
    ensure!(there, "--reference {}: it is not measured; name it with -c, too", reference.algo);
    if let (Some(algorithm), Some(name)) = (algorithm, &reference.implementation) {
        let all = Implementation::all_of(algorithm, options.block);
        let names: Vec<&str> = all.iter().map(|implementation| implementation.name.as_str()).collect();
        let there = names.contains(&name.as_str());
        ensure!(there, "--reference {}:{name}: there are: {}", reference.algo, names.join(", "));
    }
    Ok(CyclesSettings {
        algorithms,
        likeness,
        block: options.block,
        iterations: options.iterations,
        seed: options.seed.number(),
        reference,
    })
}
