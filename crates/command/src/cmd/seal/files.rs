//! Output of seals and proofs.

use crate::output;
use crate::results::json::add_typed;
use crate::results::report::ListReport;
use crate::results::schema::Schema;
use crate::words::message;
use hashmill_job::account::Account;
use hashmill_lists::Error;
use hashmill_seal::Seal;
use serde_json::{Value, json};
use std::fmt::Display;
use std::path::Path;

/// Prints the root of a seal, which the user must keep.
pub(super) fn say_root(place: &Path, seal: &Seal) {
    let (records, root) = (message::count(seal.records, "record", "records"), seal.digest());
    message::about_path(place, format_args!("{records}, root {root}"));
}

/// Prints one line about a success.
pub(super) fn well(line: impl Display) -> anyhow::Result<Account> {
    output::print_result(format!("{line}\n"))?;
    Ok(Account::default())
}

/// Prints that something is verified: a line for people, or the known facts for programs.
pub(super) fn verified(
    format: ListReport,
    schema: Schema,
    line: impl Display,
    mut facts: Value,
) -> anyhow::Result<Account> {
    if format == ListReport::Text {
        return well(line);
    }
    facts["verified"] = true.into();
    schema.mark(&mut facts);
    well(facts)
}

/// Reports a difference like [`told`], for programs also on standard output.
pub(super) fn told_as<T>(
    format: ListReport,
    schema: Schema,
    file: &Path,
    result: Result<T, Error>,
) -> anyhow::Result<Option<T>> {
    if let Err(Error::Proof(error)) = &result
        && error.is_difference()
        && format != ListReport::Text
    {
        let why = crate::options::errors::of_seal(error);
        let mut result = json!({ "verified": false, "why": why });
        add_typed(&mut result, "file", file);
        schema.mark(&mut result);
        well(result)?;
    }
    Ok(told(result)?)
}

/// Reports a difference, and then returns none.
pub(super) fn told<T>(result: Result<T, Error>) -> Result<Option<T>, Error> {
    match result {
        Err(Error::Proof(error)) if error.is_difference() => {
            message::say(crate::options::errors::of_seal(&error));
            Ok(None)
        }
        other => other.map(Some),
    }
}

pub(super) fn shown(path: &Path) -> message::ShownPath<'_> {
    message::Shown::path(path)
}
