//! `hashmill similar compare`: one score.

use super::options;
use super::tell::Teller;
use crate::access;
use crate::output;
use crate::results::report::ListReport;
use crate::results::schema::Schema;
use crate::words::message;
use hashmill_engine::Cancel;
use hashmill_job::Error;
use hashmill_job::account::{Account, Item};
use hashmill_job::similarity::{Compared, compare, compare_digests};
use hashmill_os::names;
use hashmill_terminal::add_path;
use serde_json::json;
use std::path::Path;

/// Runs the command, and returns its account.
///
/// # Errors
/// If a digest is not valid, or the score cannot be written.
pub fn run(args: &options::Compare) -> anyhow::Result<Account> {
    let row = args.which.row()?;
    let output = output::stdout()?;
    let Compared { score, sparse } = if args.digest {
        compare_digests([&*names::bytes(&args.a), &*names::bytes(&args.b)], row).map_err(Error::from)?
    } else {
        let cancel = Cancel::default();
        let mut teller = Teller::new(&args.resources, None, output.clone(), cancel.clone());
        let files = [Path::new(&args.a), Path::new(&args.b)];
        let resources = args.resources.resources_for(&files);
        let (compared, summary) = compare(files, row, resources, cancel, &mut |event| teller.take(event))?;
        let account = teller.end(&summary)?;
        match compared {
            Some(compared) => compared,
            None => return Ok(account.and(Account::failed(Item::Entry, 1))),
        }
    };
    for (typed, _) in [&args.a, &args.b].into_iter().zip(sparse).filter(|(_, sparse)| *sparse) {
        let what = "its digest holds too little to mean much (sparse)";
        if args.digest { message::say(what) } else { message::about_path(typed, what) }
    }
    let text = match args.format {
        ListReport::Text => score.to_string(),
        ListReport::Json | ListReport::Jsonl => {
            let mut facts = json!({});
            add_path(&mut facts, "a", &access::stores().without_secrets(&names::bytes(&args.a)));
            add_path(&mut facts, "b", &access::stores().without_secrets(&names::bytes(&args.b)));
            facts["algorithm"] = row.name.into();
            facts["score"] = score.into();
            facts["sparse"] = sparse.contains(&true).into();
            Schema::SIMILAR_COMPARE.mark(&mut facts);
            facts.to_string()
        }
    };
    output.put(format!("{text}\n"))?;
    output.finish()?;
    Ok(Account::default())
}
