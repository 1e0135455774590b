//! Files that are like those of lists: found among the digests of likeness that the records have.

use super::folder::Folder;
use super::options::Options;
use crate::access;
use crate::cmd::similar::{PairFormat, Show, Shown, Teller};
use crate::exit::Carry;
use crate::output::{self, Output};
use crate::words::message;
use anyhow::ensure;
use hashmill_engine::Cancel;
use hashmill_job::account::Account;
use hashmill_job::similarity::{Input, Match, SimilarityEvent, SimilarityJob, algorithm_of};
use hashmill_lists::kinds;
use hashmill_os::names;
use hashmill_similar::Similar;
use std::path::PathBuf;

/// A list of digests, and their algorithm.
pub struct LikeList {
    path: PathBuf,
    /// The algorithm.
    pub algorithm: &'static Similar,
}

/// A file, and the listed one that it is like.
pub struct Alike {
    /// The path of the file, as it is shown.
    pub file: String,
    /// The name in the list, as it is shown.
    pub listed: String,
    /// The list.
    pub list: String,
    /// The algorithm.
    pub algorithm: &'static str,
    /// The score, or the distance.
    pub score: i32,
}

/// Returns the lists with their algorithms.
///
/// # Errors
/// If one is not a list of digests of likeness.
pub fn lists(options: &Options) -> anyhow::Result<Vec<LikeList>> {
    let stores = access::stores();
    let list = |path: &PathBuf| {
        let is_regular = path.is_file() || stores.is_location(&names::path_bytes(path));
        // It is read twice: for its algorithm first, and when all files are hashed.
        ensure!(is_regular, "{}: --like takes a file, which can be read twice", path.display());
        Ok(LikeList { path: path.clone(), algorithm: algorithm_of(path, &stores)? })
    };
    options.like.iter().map(list).collect()
}

/// The files that are like listed ones.
pub struct AlikeFiles {
    /// The account of the search.
    pub account: Account,
    /// The first pairs.
    pub alike: Vec<Alike>,
    /// The number of all.
    pub number: u64,
}

/// Writes the list of similar files, and returns them.
///
/// # Errors
/// If a list is not usable, or the output can't be written.
pub fn search(options: &Options, lists: &[LikeList], folder: &Folder) -> anyhow::Result<AlikeFiles> {
    let output = output::create(&folder.force().at(&folder.similar()), kinds::PAIRS)?;
    let mut found = AlikeFiles { account: Account::default(), alike: Vec::new(), number: 0 };
    for list in lists {
        let account = search_one(options, list, folder, &output, &mut found)?;
        found.account.add(account);
    }
    match found.account.is_interrupted {
        true => output.discard(),
        false => found.account.carried_by(output.finish())?,
    }
    Ok(found)
}

fn search_one(
    options: &Options,
    LikeList { path, algorithm }: &LikeList,
    folder: &Folder,
    output: &Output,
    found: &mut AlikeFiles,
) -> anyhow::Result<Account> {
    let cancel = Cancel::default();
    let job = SimilarityJob {
        input: Input::Lists(vec![folder.records().to_path_buf()]),
        resources: options.resources.of_files(),
        cancel: cancel.clone(),
        ..SimilarityJob::new(Default::default(), algorithm)
    };
    let mut resources = options.resources.clone();
    resources.stats = None;
    let mut teller = Teller::new(&resources, None, output.clone(), cancel);
    let mut shown = Shown::new(Show::new(PairFormat::Jsonl, algorithm, output.clone()));
    let list = message::Shown::path(path).to_string();
    let take = &mut |pair: &Match<'_>| {
        found.number += 1;
        if found.alike.len() < options.records {
            let [file, listed] = [pair.a.name, pair.b.name].map(|name| message::Shown(name).to_string());
            let (algorithm, score) = (algorithm.name, pair.score);
            found.alike.push(Alike { file, listed, list: list.clone(), algorithm, score });
        }
        shown.pair(pair)
    };
    let summary = job.search(path, &mut |event: SimilarityEvent<'_>| teller.take(event), take)?;
    teller.known().carried_by(shown.end(&summary))?;
    Ok(teller.end(&summary)?)
}
