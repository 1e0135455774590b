//! `hashmill bench throughput`: short messages per second.

use super::export::Exports;
use super::options::{AlgorithmList, Seed};
use super::session::{Session, tell};
use crate::options::values::whole;
use crate::words::message;
use clap::Args;
use hashmill_bench::throughput::{self, Code, Throughput, ThroughputSettings, Verified};
use hashmill_bench::{Comparison, Document, SystemClock};
use hashmill_digest::parse_size;
use hashmill_job::account::{Account, Item};
use std::time::Duration;

/// The number of random messages that `--verify` gives to each implementation.
const MESSAGES: usize = 2000;

/// hashmill bench throughput
#[derive(Debug, Args)]
#[command(args_override_self = true)]
pub struct Options {
    /// These algorithms, comma-separated
    #[arg(
        short = 'c',
        long,
        value_name = "A,B",
        default_value = "sha256,sha256d,blake3,blake3d",
        value_parser = AlgorithmList::listed
    )]
    pub algorithms: AlgorithmList,
    /// Bytes of a message, up to 1 MiB; 80 are a block header of Bitcoin
    #[arg(long, value_name = "SIZE", default_value = "80", value_parser = input)]
    pub input_bytes: usize,
    /// How long each row is measured, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "3", allow_negative_numbers = true, value_parser = seconds)]
    pub duration: Duration,
    /// Numbers of threads, comma-separated
    #[arg(
        long,
        value_name = "N,N",
        default_value = "1,4,8",
        value_delimiter = ',',
        value_parser = whole(1..=1024_u16)
    )]
    pub threads: Vec<u16>,
    /// Leave out the rows of plain code, without special instructions
    #[arg(long)]
    pub no_portable: bool,
    /// First prove that all implementations agree, over random messages
    #[arg(long)]
    pub verify: bool,
    #[command(flatten)]
    pub seed: Seed,
    #[command(flatten)]
    pub exports: Exports,
}

fn input(text: &str) -> Result<usize, String> {
    const MOST: u64 = 1 << 20;
    let bytes = parse_size(text).map_err(|error| error.to_string())?;
    if bytes > MOST { Err("a message has at most 1 MiB".to_string()) } else { Ok(bytes as usize) }
}

fn seconds(text: &str) -> Result<Duration, String> {
    const MOST: f64 = 86_400.0;
    let seconds: f64 = text.parse().map_err(|_| "not a number of seconds".to_string())?;
    if !(0.001..=MOST).contains(&seconds) {
        return Err("a duration has at least a thousandth of a second, and at most a day".to_string());
    }
    Ok(Duration::from_secs_f64(seconds))
}

/// Measures, prints, and writes the requested files.
///
/// # Errors
/// If a result cannot be written.
pub fn run(options: &Options) -> anyhow::Result<Account> {
    let settings = settings(options);
    let session = Session::begin(&options.exports)?;
    let verified = match options.verify.then(|| verify(&settings)) {
        None => None,
        Some(Ok(verified)) => Some(verified),
        Some(Err(disagreement)) => {
            message::say(&disagreement);
            return Ok(Account::differing(Item::Record, 1));
        }
    };
    let clock = SystemClock::plain();
    let (measured, doubts) = session.measure(&clock, |control| throughput::run(&settings, control));
    let measured = match measured {
        Ok(measured) => measured,
        Err(error) => {
            message::say(error);
            return Ok(Account::failed(Item::Record, 1));
        }
    };
    let timestamp = session.timestamp.clone();
    let mut document = Document::here(Throughput::NAME, timestamp, measured.rows, measured.summary);
    document.summary.verified = verified;
    document.warnings = measured.warnings;
    document.warnings.extend(doubts);
    document.interrupted = measured.interrupted;
    document.more.insert("pow".to_string(), throughput::pow(&document));
    let wrong = document.rows.iter().any(|row| !row.digest_right);
    Ok(session.end::<Throughput>(&document)?.and(Account::differing(Item::Record, u64::from(wrong))))
}

fn settings(options: &Options) -> ThroughputSettings {
    let mut threads: Vec<usize> = Vec::new();
    for number in options.threads.iter().copied().map(usize::from) {
        if !threads.contains(&number) {
            threads.push(number);
        }
    }
    ThroughputSettings {
        algorithms: options.algorithms.0.clone(),
        threads,
        input_bytes: options.input_bytes,
        duration: options.duration,
        seed: options.seed.number(),
        code: if options.no_portable { Code::Best } else { Code::All },
    }
}

fn verify(settings: &ThroughputSettings) -> Result<Verified, throughput::Disagreement> {
    tell("whether all implementations agree");
    let verified = throughput::verify(&settings.algorithms, MESSAGES, settings.seed);
    tell("");
    verified
}
