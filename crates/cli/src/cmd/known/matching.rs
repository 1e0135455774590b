//! `hashloom known match`: files hashed and classified in one pass, or a manifest classified.

use super::manifest;
use super::options::Match;
use crate::cmd::hash::{BadBlocks, Sorted};
use crate::cmd::{self, hash};
use crate::exit::Exit;
use crate::label::{self, Labels, Purpose, Show};
use crate::options::algorithms::Algorithms;
use crate::options::case::Case;
use crate::sheet;
use anyhow::{bail, ensure};
use hashloom_manifest::Label;
use hashloom_manifest::format::Format;
use std::io::{self, IsTerminal};

/// The command, from options to exit code.
///
/// # Errors
/// If the options do not go together, an index is not usable, or the output cannot be written.
pub fn run(args: Match) -> anyhow::Result<Exit> {
    let sets = label::open(&args.known, &args.types)?;
    let show = show(&args);
    if let Some(path) = &args.manifest {
        ensure!(!args.sources.is_filter(), "filters need a PATH to walk");
        return manifest::run(path, &args, Labels::new(sets, show, Purpose::Judge));
    }
    let typed = !args.paths.is_empty() || args.sources.files_from.is_some();
    if !typed && io::stdin().is_terminal() {
        bail!("nothing to match: name a PATH, --files-from or --manifest");
    }
    let usual = || Algorithms { digests: label::algorithms(&sets), likeness: Vec::new() };
    let algorithms = args.algorithms.clone().unwrap_or_else(usual);
    let labels = Labels::new(sets, show, Purpose::Judge);
    hash::run_with(&hashing(args, algorithms), Some(labels))
}

fn show(args: &Match) -> Show {
    let named = |name: &str| args.show.iter().any(|word| &**word == name);
    match args.show.as_slice() {
        _ if args.only_unknown => Show::Only(vec![Label::UNKNOWN.into()]),
        [] => Show::NotGood,
        _ if named("all") => Show::All,
        words => Show::Only(words.to_vec()),
    }
}

/// The options of `hash` that do the same.
fn hashing(args: Match, algorithms: Algorithms) -> cmd::hash::Options {
    cmd::hash::Options {
        paths: args.paths,
        algorithms,
        piecewise: None,
        format: args.format.unwrap_or("jsonl".into()),
        times: false,
        output: args.output,
        sign: Vec::new(),
        resume: false,
        order: Sorted::Path,
        bad_blocks: BadBlocks::Fail,
        known: args.known,
        types: args.types,
        seal: false,
        case: Case::default(),
        sources: args.sources,
        means: args.means,
    }
}

/// Sees to it that no category is lost.
///
/// # Errors
/// If the format has no place for categories, and records may differ in it.
pub fn fits(labels: &Labels, format: &Format) -> anyhow::Result<()> {
    let how = match labels.purpose() {
        Purpose::Record => "",
        Purpose::Judge => ", and others can with --only-unknown",
    };
    ensure!(
        format.carries.labels || labels.show().is_unknown_only(),
        "the format {} has no place for categories; {} have{how}",
        format.name,
        sheet::carriers(|carries| carries.labels)
    );
    Ok(())
}
