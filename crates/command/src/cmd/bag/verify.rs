//! `hashmill bag verify`.

use super::each;
use super::options::VerifyBagOptions as Options;
use super::report;
use super::show::Show;
use crate::exit::{Carry, end_results};
use crate::output::Output;
use crate::results::json::{Frame, Results};
use crate::results::report::ListReport;
use crate::results::schema::Schema;
use crate::words::level::is_verbose;
use crate::words::message;
use crate::{output, signal, stats};
use hashmill_bag::Level;
use hashmill_engine::Cancel;
use hashmill_job::account::Account;
use hashmill_job::bagit::BagVerification;
use std::path::Path;

/// Runs the command, and returns its account.
///
/// # Errors
/// If a folder is not a bag, or the result cannot be written.
pub fn run(options: &Options) -> anyhow::Result<Account> {
    let (output, cancel) = (output::stdout()?, Cancel::default());
    signal::watch(cancel.clone(), output.clone())?;
    let frame = Frame::new(options.format, options.bags.len());
    let mut results = Results::new(Schema::BAG, frame, output.clone());
    let account = each(&options.bags, &mut |bag| verify(bag, options, &cancel, &output, &mut results))?;
    if options.format == ListReport::Text {
        account.carried_by(output.finish())?;
        return Ok(account);
    }
    end_results(account, &output, results)
}

fn verify(
    bag: &Path,
    options: &Options,
    cancel: &Cancel,
    output: &Output,
    results: &mut Results,
) -> anyhow::Result<Account> {
    let level = match (options.oxum, options.complete) {
        (true, _) => Level::Oxum,
        (_, true) => Level::Complete,
        _ => Level::Valid,
    };
    let resources = options.resources.resources_for(&[bag]);
    let (allows_weak, profile, cancel) = (options.allow_weak, options.profile.clone(), cancel.clone());
    let verification =
        BagVerification { bag: bag.to_path_buf(), level, allows_weak, profile, resources, cancel };
    let mut show = Show::new(options.resources.progress);
    let Some(verified) = verification.run(&mut |event| show.take(&event))? else {
        message::say("interrupted");
        return Ok(Account::interrupted());
    };
    verified.stats.iter().for_each(|stats| stats::print(options.resources.stats, stats, 0));
    let account = verified.account();
    account.carried_by(match options.format {
        ListReport::Text => report::print(&verified, bag, is_verbose(), output).map_err(anyhow::Error::from),
        ListReport::Json | ListReport::Jsonl => results.push(report::as_json(&verified, bag)),
    })?;
    Ok(account)
}
