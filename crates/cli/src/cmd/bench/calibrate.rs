//! `hashloom bench calibrate`: measures every kernel, and keeps the figures where later runs find them.

use super::export::{Document, export};
use crate::args::Calibrate;
use crate::calibration;
use crate::exit::Exit;
use crate::message::Shown;
use crate::output::{Output, WriteError};
use anyhow::{Context, ensure};
use hashloom_bench::{Calibration, Measured, TURN, calibrate};
use hashloom_digest::Machine;
use hashloom_manifest::Time;
use serde::Serialize;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// One way to run one kernel, as programs read it.
#[derive(Serialize)]
struct Row {
    kernel: &'static str,
    way: String,
    lanes: usize,
    block_bytes: usize,
    nanoseconds_per_block: u32,
    gigabytes_per_second: f64,
}

/// The fastest way of a kernel.
#[derive(Serialize)]
struct Summary {
    kernel: &'static str,
    fastest: String,
    gigabytes_per_second: f64,
}

/// Measures, and writes the calibration.
///
/// # Errors
/// If kernels are held to an instruction set, no directory for settings is named, or a file cannot be written.
pub fn run(args: &Calibrate) -> anyhow::Result<Exit> {
    ensure!(
        Machine::detect().forced.is_none(),
        "a calibration is of all instruction sets: run it without --isa and without {}",
        hashloom_digest::VARIABLE
    );
    let path = calibration::path()?;
    // Whether the result can be kept is known before seconds are spent on it.
    let output = if args.dry_run { None } else { Some(prepare(&path)?) };
    let measured = measure();
    let date = now().context("the clock is far from now")?;
    let costs = measured.iter().map(|row| row.costs.clone()).collect();
    let calibration = Calibration::here(costs, date.clone());
    if let Some(file) = &args.export_json {
        export(file, &document(&measured, &calibration))?;
    }
    let mut stdout = Output::stdout()?;
    let shown = match output {
        None => calibration.render(),
        Some(output) => {
            keep(&output, &calibration)?;
            table(&measured) + &format!("kept for later runs in {}\n", Shown(path.as_os_str().as_bytes()))
        }
    };
    stdout.write_all(shown.as_bytes()).map_err(|error| stdout.error(error))?;
    stdout.finish()?;
    Ok(Exit::Fine)
}

/// The time in RFC 3339, to the second.
fn now() -> Option<String> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    Time { seconds: i64::try_from(since.as_secs()).ok()?, nanoseconds: 0 }.to_rfc3339()
}

/// The file to be, in its directory, which is made if it is not there.
fn prepare(path: &Path) -> Result<Output, WriteError> {
    let directory = path.parent().unwrap_or(path);
    fs::create_dir_all(directory).map_err(|error| WriteError::of(directory, error))?;
    Output::file(path)
}

fn keep(output: &Output, calibration: &Calibration) -> Result<(), WriteError> {
    let mut writer = output.clone();
    writer.write_all(calibration.render().as_bytes()).map_err(|error| output.error(error))?;
    output.finish()
}

fn measure() -> Vec<Measured> {
    let watched = io::stderr().is_terminal();
    let measured = calibrate(TURN, &mut |kernel| {
        if watched {
            crate::message::write(&format!("\r\x1b[Kmeasuring {kernel}"));
        }
    });
    if watched {
        crate::message::write("\r\x1b[K");
    }
    measured
}

/// For people: one message, and what is fastest for many.
fn table(measured: &[Measured]) -> String {
    let mut text = format!("{:<10} {:>11} {:>12}  {}\n", "kernel", "alone GB/s", "lanes GB/s", "fastest");
    for row in measured {
        let alone = row.ways.first().map_or(0.0, |way| row.rate(way));
        let Some(fastest) = row.fastest() else { continue };
        let (rate, name) = (row.rate(fastest), &fastest.name);
        text += &format!("{:<10} {alone:>11.2} {rate:>12.2}  {name}\n", row.costs.kernel);
    }
    text
}

fn document<'a>(measured: &[Measured], calibration: &'a Calibration) -> Document<'a, Row, Summary> {
    let row = |row: &Measured| -> Vec<Row> {
        let ways = row.ways.iter().map(|way| Row {
            kernel: row.costs.kernel,
            way: way.name.clone(),
            lanes: way.lanes,
            block_bytes: row.block,
            nanoseconds_per_block: way.cost,
            gigabytes_per_second: row.rate(way),
        });
        ways.collect()
    };
    let summary = |row: &Measured| {
        let fastest = row.fastest()?;
        let (kernel, rate) = (row.costs.kernel, row.rate(fastest));
        Some(Summary { kernel, fastest: fastest.name.clone(), gigabytes_per_second: rate })
    };
    Document::new(
        "calibrate",
        calibration,
        measured.iter().flat_map(row).collect(),
        measured.iter().filter_map(summary).collect(),
    )
}
