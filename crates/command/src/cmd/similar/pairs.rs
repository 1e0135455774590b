//! `hashmill similar pairs`: all files against all, or one tree or list against another.

use super::options::{self, PairFormat};
use super::show::{Show, Shown};
use super::tell::Teller;
use crate::exit::Carry;
use crate::output;
use anyhow::{bail, ensure};
use hashmill_engine::Cancel;
use hashmill_job::account::Account;
use hashmill_job::similarity::{PairOrder, SimilarityEvent, SimilarityJob};
use std::ffi::OsString;

/// Runs the command, and returns its account.
///
/// # Errors
/// If the options do not go together, a list is not usable, or the output cannot be written.
pub fn run(args: &options::Pairs) -> anyhow::Result<Account> {
    let row = args.which.row()?;
    fits(args)?;
    let (output, cancel) = (output::stdout()?, Cancel::default());
    let list = args.sources.files_from.as_deref();
    let mut teller = Teller::new(&args.resources, list, output.clone(), cancel.clone());
    teller.advice = Some(args.found.advice());
    let mut observer = |event: SimilarityEvent<'_>| teller.take(event);
    let job = |paths: &[OsString]| -> anyhow::Result<SimilarityJob> {
        let input = options::input(args.found.lists, &args.sources, paths)?;
        args.found.job(row, input, &args.resources, &cancel)
    };
    let mut shown = Shown::new(Show::new(args.found.format, row, output.clone()));
    let summary = if args.between {
        job(&args.paths[..1])?.between(job(&args.paths[1..])?, &mut observer, &mut |pair| shown.pair(pair))?
    } else if args.cluster {
        let (cluster, summary) = job(&args.paths)?.clusters(&mut observer)?;
        if !summary.interrupted {
            shown.groups(&cluster)?;
        }
        summary
    } else {
        job(&args.paths)?.pairs(order(args), &mut observer, &mut |pair| shown.pair(pair))?
    };
    teller.known().carried_by(shown.end(&summary))?;
    let account = teller.end(&summary)?;
    if !account.is_interrupted {
        account.carried_by(output.finish())?;
    }
    Ok(account)
}

fn fits(args: &options::Pairs) -> anyhow::Result<()> {
    if args.cluster && args.found.format == PairFormat::Sdhash {
        bail!("--cluster: sdhash prints no groups; csv, jsonl and ssdeep can hold them");
    }
    ensure!(!args.between || args.paths.len() == 2, "--between needs two PATHs");
    Ok(())
}

/// Returns the order of pairs: ssdeep compares each file with those before it.
fn order(args: &options::Pairs) -> PairOrder {
    if args.found.format == PairFormat::Ssdeep { PairOrder::Second } else { PairOrder::First }
}
