//! The verdict of a command that judges, for programs.

use crate::exit::{account_of, is_closed};
use crate::options::errors;
use crate::output;
use crate::results::json::entries_so_far;
use crate::results::report::ListReport;
use crate::results::schema::Schema;
use crate::signal;
use hashmill_job::account::{Account, Outcome};
use hashmill_terminal::without_numbers;
use serde_json::json;

/// Returns the word for an account: what differs was compared, whatever else could not be.
pub fn word(account: &Account) -> &'static str {
    match account.has(Outcome::Differs) {
        true => "failed",
        false if account.is_fine() => "passed",
        false => UNDECIDED,
    }
}

const UNDECIDED: &str = "undecided";

/// Runs a command. If an error ends it before its first entry, programs get a document, too, with the error.
///
/// # Errors
/// That of the command.
pub fn judging(
    format: ListReport,
    schema: Schema,
    run: impl FnOnce() -> anyhow::Result<Account>,
) -> anyhow::Result<Account> {
    let before = entries_so_far();
    let done = run();
    if let Err(error) = &done
        && format != ListReport::Text
        && !is_closed(error)
        && !signal::is_interrupted()
        && before == entries_so_far()
    {
        let said = without_numbers(&errors::text(error)).into_owned();
        let account = account_of(error).to_json();
        let mut document = json!({ "verdict": UNDECIDED, "error": said, "account": account });
        schema.mark(&mut document);
        // If it can't be written, either, the first error counts.
        let _ = output::print_result(format!("{document}\n"));
    }
    done
}
