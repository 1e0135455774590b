//! `hashloom bench`: what this machine can do.

mod calibrate;
pub mod cycles;
mod export;
mod options;
pub mod report;
mod session;
pub mod throughput;

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
        Bench::Calibrate(args) => calibrate::run(args),
        Bench::Report(options) => report::run(options),
    }
}
