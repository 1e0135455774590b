//! `hashloom similar search`: what is like something in a list or in a saved index.

use super::lists::{self, same_family};
use super::members::{Known, Wanted};
use super::options;
use super::pairs::{Shown, limit};
use super::show::{Show, Side};
use crate::exit::Exit;
use crate::message::Shown as Name;
use crate::output::{self, Output};
use anyhow::{Context, ensure};
use hashloom_similar::index::{Index, MAGIC};
use hashloom_similar::{Named, Search, Similar};
use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The command, from options to exit code.
///
/// # Errors
/// If a list or an index is not usable, or the output cannot be written.
pub fn run(args: &options::Search) -> anyhow::Result<Exit> {
    let row = args.which.row()?;
    let stdin = Path::new("-");
    ensure!(
        args.against != stdin || args.paths.iter().all(|path| path != stdin),
        "standard input can't be both a path and the list"
    );
    let output = output::stdout()?;
    let search = Search {
        limit: limit(args.found.threshold, row),
        threads: args.resources.resources().threads().get(),
    };
    // What everything depends on is opened before anything is hashed.
    let index = index(&args.against, row)?;
    let wanted = Wanted {
        paths: &args.paths,
        lists: args.found.lists,
        no_sparse: args.found.no_sparse,
        known: Known::open(&args.found)?,
        sources: &args.sources,
        resources: &args.resources,
        own: Some(&args.against),
    };
    let exit = match index {
        Some(index) => {
            let (members, exit) = wanted.all(row, &output)?;
            if exit != Exit::Interrupted {
                in_index(args, (index, &members), (row, &search), &output)?;
            }
            exit
        }
        None => {
            let (others, first) = list(args, row)?;
            let (members, second) = wanted.all(row, &output)?;
            if second != Exit::Interrupted {
                let mut shown =
                    Shown::begin(Show::pairs(args.found.format, row, output.clone())?, &members, &others);
                (row.against)(&members, &others, &search, &mut |pair| shown.pair(pair))?;
                shown.end()?;
            }
            first.and(second)
        }
    };
    if exit != Exit::Interrupted {
        output.finish()?;
    }
    Ok(exit)
}

/// The digests of the list.
fn list(args: &options::Search, row: &'static Similar) -> anyhow::Result<(Vec<Named>, Exit)> {
    let mut others = Vec::new();
    let exit = lists::each(&args.against, row, &mut |named| {
        let kept = named.segments().into_iter();
        others.extend(kept.filter(|named| !(args.found.no_sparse && named.digest.is_sparse())));
        Ok(())
    })?;
    Ok((others, exit))
}

/// The index, if the file is one.
fn index(path: &Path, row: &Similar) -> anyhow::Result<Option<Index<BufReader<File>>>> {
    let name = Name(path.as_os_str().as_bytes());
    if path == Path::new("-") || !path.is_file() {
        return Ok(None);
    }
    let mut file = File::open(path).with_context(|| format!("{name}: cannot open"))?;
    let mut start = [0; MAGIC.len()];
    if file.read_exact(&mut start).is_err() || start != *MAGIC {
        return Ok(None);
    }
    file.rewind()?;
    let index = Index::open(BufReader::with_capacity(1 << 20, file)).with_context(|| name.to_string())?;
    ensure!(
        same_family(index.algorithm(), row),
        "{name}: holds digests by {}, not by {}",
        index.algorithm().name,
        row.name
    );
    Ok(Some(index))
}

/// A pair that was found in an index, with what is needed to show it.
struct Hit {
    a: usize,
    b: u64,
    score: i32,
    name: Vec<u8>,
    sparse: bool,
}

/// Blocks come one after another, and each with its own hits; they are shown in the order of a list's.
fn in_index(
    args: &options::Search,
    (index, members): (Index<BufReader<File>>, &[Named]),
    (row, search): (&'static Similar, &Search),
    output: &Output,
) -> anyhow::Result<()> {
    let name = Name(args.against.as_os_str().as_bytes());
    let mut hits = Vec::new();
    for block in index {
        let mut block = block.with_context(|| name.to_string())?;
        let (first, mut found) = (block.first(), Vec::new());
        block.against(row, members, search, &mut |pair| {
            found.push(pair);
            ControlFlow::Continue(())
        })?;
        for pair in found {
            let named = &block.members()[pair.b];
            let sparse = named.digest.is_sparse();
            if !(sparse && args.found.no_sparse) {
                let b = first + pair.b as u64;
                hits.push(Hit { a: pair.a, b, score: pair.score, name: named.name.clone(), sparse });
            }
        }
    }
    hits.sort_unstable_by_key(|hit| (hit.a, hit.b));
    let mut show = Show::pairs(args.found.format, row, output.clone())?;
    for hit in hits {
        let b = Side { name: &hit.name, sparse: hit.sparse };
        show.pair(&Side::of(&members[hit.a]), &b, hit.score)?;
    }
    Ok(())
}
