//! `hashmill convert`: the same records in another format. The manifest is read twice, first to find its contents, so
//! that nothing is lost silently.

mod options;

pub use options::{Options, Target, watch};

use crate::exit::Carry;
use crate::results::report::Progress;
use crate::words::message;
use crate::words::message::{Shown, count};
use crate::{needs, output, progress};
use anyhow::Context;
use hashmill_engine::Cancel;
use hashmill_engine::flow::Flow;
use hashmill_job::Notice;
use hashmill_job::account::{Account, Item};
use hashmill_job::convert::{Batch, Contradiction, ConvertEvent, ConvertJob};
use hashmill_manifest::stored::Strength;
use hashmill_os::names;
use options::{ListFor, unnamed};
use std::ops::ControlFlow;
use std::path::Path;

/// Runs the command, and returns its account.
///
/// # Errors
/// If A is not a manifest, B can't carry its contents, or B cannot be written.
pub fn run(args: &Options) -> anyhow::Result<Account> {
    if let Some(ListFor::S3BatchManifest) = args.list {
        return batch(args);
    }
    let target = args.target.target(Some(&args.to), args.force)?;
    let format = args.target.named(&target, Some(&args.to))?.with_context(|| unnamed(&args.to))?;
    output::fits(format, Some(&args.to))?;
    let job = ConvertJob { guard: args.guarded.guard()?, ..ConvertJob::new(Path::new(&args.from), target) };
    watch(&job.cancel, &job.target)?;
    let mut known = Account::default();
    let convert = || job.run(&mut |event| tell(&event, &mut known));
    let done = progress::reading_of(Progress::Auto, "converting", size(args), convert);
    let summary = known.carried_by(done)?;
    let lost = Account::failed(Item::Record, summary.malformed + summary.refused);
    if summary.interrupted {
        return Ok(Account::interrupted());
    }
    Ok(lost.and(needs::tell_unneeded(summary.unneeded)))
}

/// Returns the size of the manifest, which is nearly always read once.
fn size(args: &Options) -> Option<u64> {
    progress::bytes_of(&[&args.from], 1)
}

/// Lists the objects of which A has too little evidence.
fn batch(args: &Options) -> anyhow::Result<Account> {
    let target = args.target.target(Some(&args.to), args.force)?;
    let cancel = Cancel::default();
    watch(&cancel, &target)?;
    let job = Batch {
        from: Path::new(&args.from).to_path_buf(),
        bucket: args.bucket.clone().unwrap_or_default(),
        prefix: args.prefix.as_ref().map_or(Vec::new(), |prefix| names::path_bytes(prefix).into_owned()),
        least: args.min_strength.unwrap_or(Strength::Crc),
        to: target.to,
        guard: args.guarded.guard()?,
        cancel,
    };
    let mut known = Account::default();
    let list = || job.run(&mut |event| tell(&event, &mut known));
    let done = progress::reading_of(Progress::Auto, "listing", size(args), list);
    let listed = known.carried_by(done)?;
    let lost = Account::failed(Item::Record, listed.malformed);
    Ok(if listed.interrupted { Account::interrupted() } else { lost })
}

/// Prints events of reading and writing manifests, and adds their exit codes.
pub fn tell(event: &ConvertEvent<'_>, known: &mut Account) -> Flow {
    match event {
        ConvertEvent::LeftOut(losses) => {
            let format = losses.format;
            message::say(format_args!("left out, as the format {format} can't carry it: {losses}"));
        }
        ConvertEvent::Emptied(records, format) => {
            let (name, records) = (format.name, count(*records, "record", "records"));
            message::say(format_args!("left out: {records}, as the format {name} holds none of the digests"));
        }
        ConvertEvent::Contradiction(path, Contradiction { one, other, what }) => {
            let (one, other) = (Shown(one), Shown(other));
            message::about(path, format_args!("{one} and {other} contradict each other: {what}"));
        }
        ConvertEvent::Notice(notice) => {
            if let Notice::Malformed { why, .. } = notice {
                known.add(Account::failed(Item::Record, u64::from(!why.is_note())));
            }
            message::say(notice);
        }
        _ => {}
    }
    ControlFlow::Continue(())
}
