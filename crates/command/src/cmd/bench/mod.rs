//! `hashmill bench`: performance measurements on this machine.

mod calibrate;
pub mod corpus;
pub mod cycles;
mod definition;
mod export;
mod options;
mod race;
pub mod report;
mod session;
pub mod sizes;
pub mod throughput;
pub mod tools;

use crate::words::typed;
use clap::{ArgMatches, Args, Subcommand};
use hashmill_job::account::Account;
use std::ffi::OsString;
use std::path::PathBuf;

/// hashmill bench
#[derive(Debug, Args)]
pub struct Options {
    /// Take options from FILE (JSON), like those in benchmarks/; typed options take precedence
    #[arg(long, value_name = "FILE", global = true)]
    pub definition: Option<PathBuf>,
    #[command(subcommand)]
    pub what: Bench,
}

/// The measurements.
#[derive(Debug, Subcommand)]
pub enum Bench {
    /// Measure the cost of hashing a block, in cycles and time, in every implementation
    Cycles(cycles::Options),
    /// How many short messages are hashed a second, on one thread and on many
    Throughput(throughput::Options),
    /// Find the fastest kernels by measuring; later runs use the result
    Calibrate(calibrate::Options),
    /// Compare tools on files of several sizes, algorithm by algorithm
    Sizes(Box<sizes::Options>),
    /// Compare whole tools: large files, many small ones, several algorithms at once, right digests
    Tools(Box<tools::Options>),
    /// Compare ways to hash a corpus: threads, memory, prefetching, processes, all against all
    Corpus(Box<corpus::Options>),
    /// Make one page of all results in a folder: machine, tables, charts
    Report(report::Options),
}

/// Returns the words of the command line with those of its definition, if it names one.
///
/// # Errors
/// If the definition is not usable.
pub fn defined(matches: &ArgMatches) -> anyhow::Result<Option<Vec<OsString>>> {
    let (Some(file), Some(what)) = (matches.get_one::<PathBuf>("definition"), matches.subcommand_name())
    else {
        return Ok(None);
    };
    definition::expand(typed::words(), what, file).map(Some)
}

/// Runs a measurement.
///
/// # Errors
/// Those of the measurement.
pub fn run(options: &Options) -> anyhow::Result<Account> {
    match &options.what {
        Bench::Cycles(options) => cycles::run(options),
        Bench::Throughput(options) => throughput::run(options),
        Bench::Sizes(options) => sizes::run(options),
        Bench::Tools(options) => tools::run(options),
        Bench::Corpus(options) => corpus::run(options),
        Bench::Calibrate(args) => calibrate::run(args),
        Bench::Report(options) => report::run(options),
    }
}
