//! `known match --manifest`: the records of a manifest, classified by the digests that they have.

use super::matching::fits;
use super::options::Match;
use crate::cmd::hash::tell_categories;
use crate::exit::Carry;
use crate::options::format;
use crate::words::message;
use crate::words::message::{Shown, count};
use crate::{output, stats};
use hashmill_engine::Stats;
use hashmill_job::account::{Account, Item, Outcome};
use hashmill_job::classify::{ClassifyEvent, ClassifyJob, ClassifySummary};
use hashmill_job::labels::Show;
use hashmill_known::Sets;
use hashmill_os::names;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

/// Classifies the manifest at this path.
///
/// # Errors
/// If it is not usable, or the output cannot be written.
pub fn run(path: &Path, args: &Match, sets: Sets, show: Show) -> anyhow::Result<Account> {
    let job = ClassifyJob { guard: args.guarded.guard()?, ..ClassifyJob::new(path, sets, show) };
    let job = job.open(&mut |notice| message::say(notice))?;
    let own = job.format().map_or("jsonl", |format| format.name);
    let format = format::choose(args.format, output::named(args.output.as_deref()), own)?;
    fits(job.labels(), format)?;
    output::fits(format, args.output.as_deref())?;
    let to = args.force.to(args.output.as_deref())?;
    let (mut known, begun) = (Account::default(), Instant::now());
    let done = job.write(format, to, &mut |event| {
        match event {
            ClassifyEvent::MetBad => known.count(Item::Record, Outcome::Differs, 1),
            ClassifyEvent::Notice(notice) => message::say(notice),
            _ => {}
        }
        ControlFlow::Continue(())
    });
    let summary = known.carried_by(done)?;
    tell(path, &summary);
    // No file was read.
    let stats = Stats { elapsed: begun.elapsed(), ..Stats::default() };
    stats::print_accounted(args.resources.stats, &stats, 0, &summary.account);
    Ok(summary.account)
}

fn tell(path: &Path, summary: &ClassifySummary) {
    if summary.is_idle && !summary.interrupted {
        message::about_path(path, "nothing was looked up");
    }
    if !summary.interrupted {
        tell_categories(&summary.categories, "record", "records");
    }
    if summary.pieces > 0 {
        let name = match &*names::path_bytes(path) {
            b"-" => "standard input".to_string(),
            bytes => Shown(bytes).to_string(),
        };
        let pieces = count(summary.pieces, "record of a piece is", "records of pieces are");
        message::say(format_args!("{name}: {pieces} left out: sets hold digests of whole files"));
    }
    if summary.unmatched > 0 {
        let records = count(summary.unmatched, "record was", "records were");
        message::say(format_args!(
            "{}: {records} not looked up in every set: they have no digest by an algorithm of one",
            Shown::path(path)
        ));
    }
    if summary.unread > 0 {
        let files = count(summary.unread, "file was", "files were");
        let what = "not read, or only in part, when the manifest was made";
        message::say(format_args!("{}: {files} {what}", Shown::path(path)));
    }
}
