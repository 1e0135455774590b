//! `hashloom bench`: what this machine can do.

mod calibrate;
pub mod corpus;
pub mod cycles;
pub mod definition;
mod export;
mod options;
mod race;
pub mod report;
mod session;
pub mod sizes;
pub mod throughput;
pub mod tools;

pub use export::Exports;

use crate::args::Bench;
use crate::exit::Exit;

/// Measures.
///
/// # Errors
/// As each comparison.
pub fn run(what: &Bench) -> anyhow::Result<Exit> {
    match what {
        Bench::Cycles(options) => cycles::run(options),
        Bench::Throughput(options) => throughput::run(options),
        Bench::Sizes(options) => sizes::run(options),
        Bench::Tools(options) => tools::run(options),
        Bench::Corpus(options) => corpus::run(options),
        Bench::Calibrate(args) => calibrate::run(args),
        Bench::Report(options) => report::run(options),
    }
}
