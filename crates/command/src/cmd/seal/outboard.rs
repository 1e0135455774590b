//! `hashmill outboard`.

use super::files::{shown, told, told_as, verified, well};
use super::options::{Create, Outboard, VerifySealOptions};
use crate::results::json::add_typed;
use crate::results::report::Progress;
use crate::results::schema::Schema;
use crate::{progress, signal};
use hashmill_job::account::{Account, Item};
use hashmill_lists::sealing::outboard::{Outboard as Job, VerifiedRange, VerifyRange};
use serde_json::json;
use std::ops::Range;
use std::path::Path;

/// Runs the command, and returns its account.
///
/// # Errors
/// If a file can't be read or written.
pub fn run(command: &Outboard) -> anyhow::Result<Account> {
    match command {
        Outboard::Create(args) => create(args),
        Outboard::Verify(args) => verify(args),
    }
}

fn create(args: &Create) -> anyhow::Result<Account> {
    let (output, force) = (args.output.as_deref().map(|path| args.force.at(path)), args.force.force);
    let job = Job { output, force, group: args.group, files: signal::files(), ..Job::new(&args.file) };
    // The only difference here is a file that changes meanwhile.
    let Some(root) = told(shown_while("making the outboard", &args.file, None, || job.create()))? else {
        return Ok(Account::failed(Item::List, 1));
    };
    well(root)
}

/// Runs work on a range of a file, or all of it, and shows its progress.
fn shown_while<R>(what: &str, file: &Path, range: Option<&Range<u64>>, work: impl FnOnce() -> R) -> R {
    let total = range.map_or_else(|| progress::bytes_of(&[file], 1), |range| Some(range.end - range.start));
    progress::reading_of(Progress::Auto, what, total, work)
}

fn verify(args: &VerifySealOptions) -> anyhow::Result<Account> {
    let path = &args.file;
    let (outboard, range) = (args.outboard.clone(), args.range.clone());
    let job = VerifyRange { outboard, range, ..VerifyRange::new(path, args.root) };
    let result = shown_while("verifying", path, job.range.as_ref(), || job.run());
    let Some(VerifiedRange { range, length }) = told_as(args.format, Schema::OUTBOARD, path, result)? else {
        return Ok(Account::differing(Item::List, 1));
    };
    let part = if range == (0..length) {
        format!("all {length} bytes")
    } else {
        format!("bytes {} up to {} of {length}", range.start, range.end)
    };
    let mut facts = json!({
        "start": range.start,
        "end": range.end,
        "length": length,
        "root": args.root.to_string(),
    });
    add_typed(&mut facts, "file", path);
    let line = format!("verified: {}: {part} are what the root {} stands for", shown(path), args.root);
    verified(args.format, Schema::OUTBOARD, line, facts)
}
