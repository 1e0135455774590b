//! `hashmill known match`: files hashed and classified in one pass, or a manifest classified.

use super::manifest;
use super::options::Match;
use crate::cmd::hash::{self, Display};
use crate::options::algorithms::Algorithms;
use crate::options::errors;
use crate::options::format;
use crate::output;
use crate::words::message;
use crate::words::tip::similar;
use crate::words::typed;
use anyhow::{anyhow, bail, ensure};
use hashmill_job::Misfit;
use hashmill_job::account::{Account, Item, Outcome};
use hashmill_job::hash::{HashJob, Manifest};
use hashmill_job::labels::{self, Labels, PartlyHeld, Purpose, Show};
use hashmill_known::Sets;
use hashmill_manifest::Label;
use hashmill_manifest::format::Format;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{self, IsTerminal};

/// Runs the command, and returns its account.
///
/// # Errors
/// If the options do not go together, an index is not usable, or the output cannot be written.
pub fn run(options: &Match) -> anyhow::Result<Account> {
    let sets = options.types.open(&options.known)?;
    check_categories(options, &sets)?;
    let show = show(options);
    if let Some(path) = &options.manifest {
        ensure!(!options.sources.is_filter(), "filters need a PATH to walk");
        ensure!(!options.case.is_given(), "case data is of a run that reads files; --manifest reads none");
        return manifest::run(path, options, sets, show);
    }
    let usual = || Algorithms::from(labels::algorithms(&sets));
    let algorithms = options.algorithms.clone().unwrap_or_else(usual);
    let lacking = labels::partly_held(&sets, &algorithms.digests);
    let labels = Labels::new(sets, show, Purpose::Judge);
    let written = output::named(options.output.as_deref());
    let format = format::choose(options.format, written, "jsonl")?;
    output::fits(format, options.output.as_deref())?;
    fits(&labels, format)?;
    let resources = options.resources.resources_for(&options.paths);
    options.sources.tell_operands(&options.paths, &resources);
    let job = HashJob {
        labels: Some(labels),
        facts: options.facts.unwrap_or_default(),
        scan: options.rules.scan()?,
        pronom: options.pronom.open()?,
        resources,
        ..HashJob::new(options.sources.selection(&paths(options)?)?, algorithms)
    };
    let to = options.force.to(options.output.as_deref())?;
    let manifest = Manifest { case: options.case.data(), ..Manifest::new(format, to) };
    let list = options.sources.files_from.as_deref();
    let display = Display { resources: &options.resources, list, manifest: written, quick: false };
    let (mut account, summary) = hash::run_summed(job, manifest, &display)?;
    account.add(tell_partly_held(&lacking));
    hash::tell_stats(&display, &summary, &account);
    Ok(account)
}

/// Tells which sets have entries that the digests of a run don't find, and returns the account of that.
pub fn tell_partly_held(lacking: &[PartlyHeld]) -> Account {
    let mut account = Account::default();
    for PartlyHeld { set, without, entries } in lacking {
        let why = "have no digest that was computed: a file that is one of them looks unknown (leave -c out)";
        message::about(set, format_args!("{without} of {entries} entries {why}"));
        account.count(Item::List, Outcome::Incomplete, 1);
    }
    account
}

/// Returns the operands; standard input if there are none and it is not a terminal.
fn paths(options: &Match) -> anyhow::Result<Vec<OsString>> {
    if !options.paths.is_empty() || options.sources.files_from.is_some() {
        return Ok(options.paths.clone());
    }
    if io::stdin().is_terminal() {
        bail!("nothing to match: name a PATH, --files-from or --manifest");
    }
    Ok(vec!["-".into()])
}

/// Refuses a category that was typed and that no record can have.
fn check_categories(options: &Match, sets: &Sets) -> anyhow::Result<()> {
    let sources = sets.indexes().iter().flat_map(|index| &index.about().sources);
    let usual = ["good", "bad", "known", Label::UNKNOWN, "all"];
    let known: BTreeSet<&str> = usual.into_iter().chain(sources.map(|source| &*source.category)).collect();
    match options.show.iter().find(|word| typed::has_option("show") && !known.contains(&***word)) {
        Some(unknown) => {
            bail!("--show: no set has the category '{unknown}'{}", similar(unknown, known.iter().copied()))
        }
        None => Ok(()),
    }
}

fn show(options: &Match) -> Show {
    let named = |name: &str| options.show.iter().any(|word| &**word == name);
    match options.show.as_slice() {
        _ if options.only_unknown => Show::Only(vec![Label::UNKNOWN.into()]),
        [] => Show::NotGood,
        _ if named("all") => Show::All,
        words => Show::Only(words.to_vec()),
    }
}

/// Checks that no category is lost.
///
/// # Errors
/// If the format can't store categories, and records may have different ones.
pub fn fits(labels: &Labels, format: &'static Format) -> anyhow::Result<()> {
    labels.fits(format).map_err(|misfit: Misfit| {
        anyhow!("{}, and others can with --only-unknown", errors::of_misfit(&misfit))
    })
}
