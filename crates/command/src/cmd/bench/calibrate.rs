//! `hashmill bench calibrate`: measures every kernel, and stores the results for later runs.

use super::export::{Exports, now};
use crate::options::force::Force;
use crate::output::{Output, OutputKind, WriteError, create, print_result};
use crate::settings::calibration;
use crate::words::message::Shown;
use anyhow::{Context, ensure};
use clap::Args;
use hashmill_bench::calibrate::Calibrate as Comparison;
use hashmill_bench::{KernelCost, TURN, calibrate};
use hashmill_digest::{Calibration, Machine};
use hashmill_job::account::Account;
use std::fs;
use std::io::{self, IsTerminal};
use std::path::Path;

/// hashmill bench calibrate
#[derive(Debug, Args)]
pub struct Options {
    /// Print the result without storing it for later runs
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub exports: Exports,
}

/// Measures, and writes the calibration.
///
/// # Errors
/// If kernels are held to an instruction set, no directory for settings is named, or a file cannot be written.
pub fn run(args: &Options) -> anyhow::Result<Account> {
    ensure!(
        Machine::detect().forced.is_none(),
        "a calibration is of all instruction sets: run it without --isa and without {}",
        hashmill_digest::VARIABLE
    );
    let path = calibration::path()?;
    // A result that can't be stored is an error before seconds are spent on it.
    args.exports.check()?;
    let output = if args.dry_run { None } else { Some(prepare(&path)?) };
    let measured = measure();
    let date = now().context("the clock is far from now")?;
    let costs = measured.iter().map(|row| row.costs.clone()).collect();
    let calibration = Calibration::here(costs, date.clone());
    match output {
        None => {
            args.exports.write_files::<Comparison>(&Comparison::document(&measured, &calibration))?;
            print_result(calibration.render())?;
        }
        Some(output) => {
            output.put(calibration.render())?;
            output.finish()?;
            args.exports.write::<Comparison>(&Comparison::document(&measured, &calibration))?;
            print_result(format!("kept for later runs in {}\n", Shown::path(&path)))?;
        }
    }
    Ok(Account::default())
}

/// Opens the file, and creates its directory if it is missing.
fn prepare(path: &Path) -> Result<Output, WriteError> {
    let directory = path.parent().unwrap_or(path);
    fs::create_dir_all(directory).map_err(|error| WriteError::new(directory, error))?;
    // The file is our own, and every calibration replaces it.
    create(&Force { force: true }.at(path), OutputKind::Anything)
}

fn measure() -> Vec<KernelCost> {
    let watched = io::stderr().is_terminal();
    let measured = calibrate(TURN, &mut |kernel| {
        if watched {
            crate::words::message::write(&format!("\r\x1b[Kmeasuring {kernel}"));
        }
    });
    if watched {
        crate::words::message::write("\r\x1b[K");
    }
    measured
}
