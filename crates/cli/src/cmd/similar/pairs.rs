//! `hashloom similar pairs`: all against all, or one tree or list against another.

use super::members::{Known, Wanted};
use super::options::{self, PairFormat};
use super::show::{Show, Side};
use crate::exit::Exit;
use crate::output::{self, Output};
use anyhow::{bail, ensure};
use hashloom_similar::{Clusters, Named, Pair, Search, Similar};
use std::ffi::OsString;
use std::ops::ControlFlow;

/// The command, from options to exit code.
///
/// # Errors
/// If the options do not go together, a list is not usable, or the output cannot be written.
pub fn run(args: &options::Pairs) -> anyhow::Result<Exit> {
    let row = args.which.row()?;
    fits(args)?;
    let output = output::stdout()?;
    let search = Search {
        limit: limit(args.found.threshold, row),
        threads: args.resources.resources().threads().get(),
    };
    let exit = if args.between {
        between(args, (row, &search), &output)?
    } else {
        within(args, (row, &search), &output)?
    };
    if exit != Exit::Interrupted {
        output.finish()?;
    }
    Ok(exit)
}

fn fits(args: &options::Pairs) -> anyhow::Result<()> {
    if args.cluster && args.found.format == PairFormat::Sdhash {
        bail!("--cluster: sdhash prints no groups; csv, jsonl and ssdeep can hold them");
    }
    ensure!(!args.between || args.paths.len() == 2, "--between needs two PATHs");
    Ok(())
}

/// The threshold that was typed, or the one at which pairs begin to mean something.
pub fn limit(threshold: Option<i32>, row: &Similar) -> i32 {
    threshold.unwrap_or(row.threshold)
}

fn wanted<'a>(args: &'a options::Pairs, paths: &'a [OsString]) -> anyhow::Result<Wanted<'a>> {
    Ok(Wanted {
        paths,
        lists: args.found.lists,
        no_sparse: args.found.no_sparse,
        known: Known::open(&args.found)?,
        sources: &args.sources,
        resources: &args.resources,
        own: None,
    })
}

fn within(
    args: &options::Pairs,
    (row, search): (&'static Similar, &Search),
    output: &Output,
) -> anyhow::Result<Exit> {
    let (members, exit) = wanted(args, &args.paths)?.all(row, output)?;
    if exit == Exit::Interrupted {
        return Ok(exit);
    }
    if args.cluster {
        let mut clusters = Clusters::new(members.len());
        (row.pairs)(&members, search, &mut |pair| {
            clusters.join(pair.a, pair.b);
            ControlFlow::Continue(())
        })?;
        Show::groups(args.found.format, (row, output.clone()), &members, &clusters.groups())?;
        return Ok(exit);
    }
    let mut shown = Shown::begin(Show::pairs(args.found.format, row, output.clone())?, &members, &members);
    if args.found.format == PairFormat::Ssdeep {
        // ssdeep compares each file with those before it.
        let mut pairs = Vec::new();
        (row.pairs)(&members, search, &mut |pair| {
            pairs.push(pair);
            ControlFlow::Continue(())
        })?;
        pairs.sort_by_key(|pair| (pair.b, pair.a));
        let _ = pairs.into_iter().try_for_each(|pair| shown.pair(pair));
    } else {
        (row.pairs)(&members, search, &mut |pair| shown.pair(pair))?;
    }
    shown.end()?;
    Ok(exit)
}

fn between(
    args: &options::Pairs,
    (row, search): (&'static Similar, &Search),
    output: &Output,
) -> anyhow::Result<Exit> {
    let (members, first) = wanted(args, &args.paths[..1])?.all(row, output)?;
    let (others, second) = wanted(args, &args.paths[1..])?.all(row, output)?;
    let exit = first.and(second);
    if exit == Exit::Interrupted {
        return Ok(exit);
    }
    let mut shown = Shown::begin(Show::pairs(args.found.format, row, output.clone())?, &members, &others);
    (row.against)(&members, &others, search, &mut |pair| shown.pair(pair))?;
    shown.end()?;
    Ok(exit)
}

/// Writes pairs of two lists until that fails.
pub struct Shown<'a> {
    show: Show,
    members: &'a [Named],
    others: &'a [Named],
    done: Result<(), crate::output::WriteError>,
}

impl<'a> Shown<'a> {
    /// Begins.
    pub fn begin(show: Show, members: &'a [Named], others: &'a [Named]) -> Self {
        Shown { show, members, others, done: Ok(()) }
    }

    /// Takes a pair.
    pub fn pair(&mut self, pair: Pair) -> ControlFlow<()> {
        let (a, b) = (Side::of(&self.members[pair.a]), Side::of(&self.others[pair.b]));
        self.done = self.show.pair(&a, &b, pair.score);
        if self.done.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    /// What came of it.
    ///
    /// # Errors
    /// If a pair could not be written.
    pub fn end(self) -> anyhow::Result<()> {
        Ok(self.done?)
    }
}
