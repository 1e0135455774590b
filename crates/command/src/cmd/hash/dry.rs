//! `hash --dry-run`: lists the files that would be hashed, without reading or writing a file.

use super::Options;
use super::show::tell_skipped;
use crate::exit::Carry;
use crate::output::{self, Output, WriteError};
use crate::signal;
use crate::words::amount::{bytes, grouped};
use crate::words::line;
use crate::words::message;
use hashmill_content::Selection;
use hashmill_engine::Cancel;
use hashmill_job::account::{Account, Item, Outcome};
use hashmill_lists::companions;
use hashmill_source::{Entry, Meta, ParentCache, Skip, WalkItem};
use std::collections::BTreeMap;

/// Lists the files of a selection.
///
/// # Errors
/// If the selection is not usable, or the list cannot be written.
pub fn run(options: &Options, mut selection: Selection) -> anyhow::Result<Account> {
    if let Some(path) = output::named(options.output.as_deref()) {
        companions::add(&mut selection.own, path);
    }
    let (output, cancel) = (output::stdout()?, Cancel::default());
    signal::watch(cancel.clone(), output.clone())?;
    let selected = selection.open(&options.resources.of_files())?;
    let (mut account, mut files, mut size) = (Account::default(), 0, 0_u64);
    let mut skipped: BTreeMap<Skip, u64> = BTreeMap::new();
    let mut parents = ParentCache::default();
    for found in selected.entries {
        if cancel.is_set() {
            return Ok(Account::interrupted());
        }
        match found {
            WalkItem::File(entry) => {
                files += 1;
                size += entry.size.or_else(|| size_of(&entry, &mut parents)).unwrap_or(0);
                account.carried_by(line(&output, &entry.path))?;
            }
            WalkItem::Skipped { why: Skip::Filtered | Skip::Output, .. } => {}
            WalkItem::Skipped { path, why } => {
                message::detail(format_args!("{}: skipped: {}", message::Shown(&path), why.reason()));
                *skipped.entry(why).or_default() += 1;
            }
            WalkItem::Failed(error) => {
                message::about(&error.path, &error.problem);
                account.count(Item::Entry, Outcome::Failed, 1);
            }
        }
    }
    account.carried_by(output.finish())?;
    tell_skipped(&skipped);
    let noun = if files == 1 { "file" } else { "files" };
    message::note(format_args!("{} {noun} of {} would be hashed", grouped(files), bytes(size)));
    if let Some(problem) = selected.problem.problem() {
        message::say(problem);
        account.add(Account::failed(Item::Entry, 1));
    }
    Ok(account)
}

/// Returns the size of a regular file, for entries of which the walk needed no metadata.
fn size_of(entry: &Entry, parents: &mut ParentCache) -> Option<u64> {
    parents.meta(entry).ok().filter(Meta::is_file).map(|meta| meta.size)
}

fn line(output: &Output, path: &[u8]) -> Result<(), WriteError> {
    output.put(line::named(path, b"\n"))
}
