//! `hashmill similar search`: files similar to those in a list or in a saved index.

use super::options;
use super::show::{Show, Shown};
use super::tell::Teller;
use crate::exit::Carry;
use crate::output;
use anyhow::ensure;
use hashmill_engine::Cancel;
use hashmill_job::account::Account;
use hashmill_job::similarity::{Match, SimilarityEvent, literal};
use hashmill_os::names;
use hashmill_similar::{Named, Similar};
use std::path::Path;

/// Runs the command, and returns its account.
///
/// # Errors
/// If a list or an index is not usable, or the output cannot be written.
pub fn run(args: &options::Search) -> anyhow::Result<Account> {
    let row = args.which.row()?;
    let stdin = Path::new("-");
    ensure!(
        args.against != stdin || args.paths.iter().all(|path| path != stdin),
        "standard input can't be both a path and the list"
    );
    let (output, cancel) = (output::stdout()?, Cancel::default());
    let input = options::input(args.found.lists, &args.sources, &args.paths)?;
    let job = args.found.job(row, input, &args.resources, &cancel)?;
    let list = args.sources.files_from.as_deref();
    let mut teller = Teller::new(&args.resources, list, output.clone(), cancel);
    teller.advice = Some(args.found.advice());
    let mut shown = Shown::new(Show::new(args.found.format, row, output.clone()));
    let mut observer = |event: SimilarityEvent<'_>| teller.take(event);
    let mut take = |pair: &Match<'_>| shown.pair(pair);
    let summary = match at_hand(&args.against, row) {
        Some(mut digests) => {
            digests.retain(|named| !(args.found.no_sparse && named.digest.is_sparse()));
            job.search_among(&digests, &mut observer, &mut take)?
        }
        None => job.search(&args.against, &mut observer, &mut take)?,
    };
    teller.known().carried_by(shown.end(&summary))?;
    let account = teller.end(&summary)?;
    if !account.is_interrupted {
        account.carried_by(output.finish())?;
    }
    Ok(account)
}

/// Returns the digest that was typed in place of a list; names of existing files are lists.
fn at_hand(against: &Path, row: &'static Similar) -> Option<Vec<Named>> {
    if against == Path::new("-") || against.symlink_metadata().is_ok() {
        return None;
    }
    literal(&names::path_bytes(against), row)
}
