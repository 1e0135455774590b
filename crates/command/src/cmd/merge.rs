//! `hashmill merge`: several manifests as one, in the order of paths. Equal records become one; contradictions are
//! reported, and all their records kept.

use crate::cmd::convert::{Target, tell, watch};
use crate::exit::Carry;
use crate::options::force::Force;
use crate::options::signatures::Guarded;
use crate::results::report::Progress;
use crate::words::message;
use crate::words::message::count;
use crate::{needs, output, progress};
use anyhow::anyhow;
use clap::Args;
use hashmill_job::account::{Account, Item};
use hashmill_job::merge::{MergeJob, MergeSummary};
use hashmill_job::{Error, Misfit};
use std::ffi::OsString;
use std::path::PathBuf;

/// hashmill merge
#[derive(Debug, Args)]
pub struct Options {
    /// Manifests, in any formats; - is standard input
    #[arg(value_name = "MANIFEST", required = true)]
    pub manifests: Vec<OsString>,
    /// Write here; the name appears when the file is complete [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub force: Force,
    #[command(flatten)]
    pub target: Target,
    #[command(flatten)]
    pub guarded: Guarded,
}

/// Runs the command, and returns its account.
///
/// # Errors
/// If an input is not a manifest, the format can't carry the records, or the output cannot be written.
pub fn run(args: &Options) -> anyhow::Result<Account> {
    let output = args.output.as_deref();
    let target = args.target.target(output, args.force)?;
    args.target.named(&target, output)?;
    let manifests = args.manifests.iter().map(PathBuf::from).collect();
    let job = MergeJob { guard: args.guarded.guard()?, ..MergeJob::new(manifests, target) };
    watch(&job.cancel, &job.target)?;
    let total = progress::bytes_of(&args.manifests, 1);
    let merge = job.open(&mut |notice| message::say(notice)).map_err(|error| match error {
        Error::Misfit(Misfit::Unnamed) => anyhow!("-f FORMAT: hashmill does not write the first one's"),
        error => error.into(),
    })?;
    output::fits(merge.format(), output)?;
    let mut known = Account::default();
    let merge = || merge.run(&mut |event| tell(&event, &mut known));
    let done = progress::reading_of(Progress::Auto, "merging", total, merge);
    Ok(conclude(&known.carried_by(done)?))
}

fn conclude(summary: &MergeSummary) -> Account {
    if summary.interrupted {
        return Account::interrupted();
    }
    if summary.contradictions > 0 {
        let paths = count(summary.contradictions, "path is", "paths are");
        message::say(format_args!(
            "{paths} told of in ways that contradict each other; all records are kept"
        ));
    }
    let lost = Account::failed(Item::Record, summary.malformed + summary.refused);
    let differing = Account::differing(Item::Record, summary.contradictions);
    lost.and(differing).and(needs::tell_unneeded(summary.unneeded))
}
