//! `hashmill similar index`: digests saved for later searches.

use super::options;
use super::tell::{Teller, tell_unwritten};
use crate::output;
use crate::results::report::ListReport;
use crate::results::schema::Schema;
use hashmill_job::account::Account;
use hashmill_job::similarity::{IndexInfo, SimilarityJob, info as read};
use hashmill_similar::index::Totals;
use serde_json::json;
use std::path::Path;

/// Builds an index.
///
/// # Errors
/// If a list is not usable, or the index cannot be written.
pub fn build(args: &options::Build) -> anyhow::Result<Account> {
    let row = args.which.row()?;
    let input = options::input(args.lists, &args.sources, &args.paths)?;
    let resources = args.resources.resources_for(&args.paths);
    let job = SimilarityJob { input, resources, ..SimilarityJob::new(Default::default(), row) };
    let list = args.sources.files_from.as_deref();
    let mut teller = Teller::new(&args.resources, list, output::stdout()?, job.cancel.clone());
    teller.advice = Some("--no-sparse leaves them out");
    let summary = job.build(&args.force.at(&args.output), &mut |event| teller.take(event))?;
    let account = teller.end(&summary)?;
    tell_unwritten(&summary, Some(&args.output));
    Ok(account)
}

/// Reads a whole index and describes its contents.
///
/// # Errors
/// If it is not an index, or damaged.
pub fn info(path: &Path, format: ListReport) -> anyhow::Result<Account> {
    let IndexInfo { algorithm, totals: Totals { digests, sparse, blocks }, bytes } = read(path)?;
    let name = algorithm.name;
    let text = match format {
        ListReport::Text => {
            format!(
                "algorithm: {name}\ndigests: {digests}\nsparse: {sparse}\nblocks: {blocks}\nbytes: {bytes}\n"
            )
        }
        ListReport::Json | ListReport::Jsonl => {
            let facts = json!({
                "algorithm": name, "digests": digests, "sparse": sparse, "blocks": blocks, "bytes": bytes,
                "schema": Schema::SIMILAR_INDEX.name(),
            });
            format!("{facts}\n")
        }
    };
    output::print_result(text)?;
    Ok(Account::default())
}
