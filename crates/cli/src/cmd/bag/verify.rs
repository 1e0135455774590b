//! `hashmill bag verify`.

use super::options::VerifyBagOptions as Options;
use super::report;
use super::show::Show;
use crate::exit::Carry;
use crate::level::is_verbose;
use crate::{message, output, signal, stats};
use hashmill_bag::Level;
use hashmill_engine::Cancel;
use hashmill_job::account::Account;
use hashmill_job::bagit::BagVerification;

/// Runs the command, and returns its account.
///
/// # Errors
/// If the folder is not a bag, or the result cannot be written.
pub fn run(options: &Options) -> anyhow::Result<Account> {
    let level = match (options.oxum, options.complete) {
        (true, _) => Level::Oxum,
        (_, true) => Level::Complete,
        _ => Level::Valid,
    };
    let resources = options.resources.resources_for(&[&options.bag]);
    let (bag, allows_weak, profile) = (options.bag.clone(), options.allow_weak, options.profile.clone());
    let bag = BagVerification { bag, level, allows_weak, profile, resources, cancel: Cancel::default() };
    let output = output::stdout()?;
    signal::watch(bag.cancel.clone(), output.clone())?;
    let mut show = Show::new(options.resources.progress);
    let Some(verified) = bag.run(&mut |event| show.take(&event))? else {
        message::say("interrupted");
        return Ok(Account::interrupted());
    };
    verified.stats.iter().for_each(|stats| stats::print(options.resources.stats, stats, 0));
    let account = verified.account();
    account.carried_by(report::print(&verified, &options.bag, (options.format, is_verbose()), &output))?;
    Ok(account)
}
