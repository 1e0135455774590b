//! The result of a copy, for people and for programs.

use super::Options;
use super::told::Problems;
use crate::exit::Carry;
use crate::output;
use crate::results::json::add_typed;
use crate::results::report::Report;
use crate::results::schema::Schema;
use crate::words::amount::bytes;
use crate::words::message::{self, count};
use hashmill_job::account::Account;
use hashmill_job::copy::{CopiedBag, CopySummary, PlaceSummary, Verify};
use hashmill_terminal::Shown;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A copy that has ended.
pub struct Copied<'a> {
    /// The destinations.
    pub to: Vec<PathBuf>,
    pub summary: &'a CopySummary,
    pub problems: Problems,
    /// The description of the run.
    pub run: Value,
}

/// Prints the result.
///
/// # Errors
/// If it can't be written.
pub fn print(options: &Options, copied: &Copied<'_>, account: &Account) -> anyhow::Result<()> {
    let Copied { to, summary, .. } = copied;
    for (path, place) in to.iter().zip(&summary.places) {
        message::note(text(path, place, options.verify));
    }
    if options.format == Report::Text {
        return Ok(());
    }
    account.carried_by(output::print(format!("{}\n", document(options, copied, account)).as_bytes()))
}

/// Returns the result as JSON has it.
fn document(options: &Options, copied: &Copied<'_>, account: &Account) -> Value {
    let Copied { to, summary, problems, run } = copied;
    let word = match options.verify {
        Verify::AtOnce => "end",
        Verify::Later => "later",
        Verify::No => "no",
    };
    let places = to.iter().zip(&summary.places).map(|(path, place)| object(path, place));
    let mut document = json!({
        "good": account.is_fine(),
        "verdict": verdict(options.verify, account),
        "verify": word,
        "destinations": places.collect::<Vec<_>>(),
        "problems": problems.named,
        "run": run,
        "account": account.to_json(),
    });
    if summary.resumed > 0 {
        document["resumed"] = summary.resumed.into();
    }
    if problems.unnamed > 0 {
        document["problems_left_out"] = problems.unnamed.into();
    }
    if options.verify_source {
        document["sources_that_differed"] = summary.unstable.into();
        document["sources_not_read_again"] = summary.unread.into();
    }
    Schema::COPY.mark(&mut document);
    document
}

/// Returns the result in few words.
fn verdict(verify: Verify, account: &Account) -> &'static str {
    match (account.is_fine(), verify) {
        (false, _) => "not all is copied and verified",
        (true, Verify::No) => "copied, and not read back",
        (true, Verify::AtOnce | Verify::Later) => "copied and verified",
    }
}

fn object(path: &Path, place: &PlaceSummary) -> Value {
    let mut object = place.to_json();
    add_typed(&mut object, "path", path);
    object
}

/// Returns the line about a destination.
fn text(path: &Path, place: &PlaceSummary, verify: Verify) -> String {
    let mut parts = vec![format!("{} copied ({})", count(place.copied, "file", "files"), bytes(place.bytes))];
    match verify {
        Verify::No => parts.push("none read back".into()),
        Verify::AtOnce | Verify::Later if place.verified > 0 || place.copied > place.proved => {
            parts.push(format!("{} read back from the medium", place.verified));
        }
        Verify::AtOnce | Verify::Later => {}
    }
    for (number, what) in [
        (place.proved, "proved by what the store says of them"),
        (place.cached, "read back, but only from the page cache, which is no proof"),
        (place.links, "links made"),
        (place.same, "there already"),
        (place.kept, "not copied, as something else is there"),
        (place.differing, "not copied, as what was read back differs"),
        (place.failed, "not copied, for errors"),
        (place.unlisted, "not in the manifest"),
    ] {
        if number > 0 {
            parts.push(format!("{number} {what}"));
        }
    }
    parts.extend(place.omitted.iter().map(|(what, number)| format!("{number} {what} not stored")));
    parts.extend(place.bag.map(|bag| {
        String::from(match bag {
            CopiedBag::Made => "now a bag",
            CopiedBag::Valid => "a valid bag",
            CopiedBag::Differs => "no bag of these files",
            CopiedBag::Unread => "a bag that could not be read",
            CopiedBag::Unmade => "no bag so far",
        })
    }));
    parts.extend(place.lost.iter().map(|(what, number)| format!("{number} without their {what}")));
    format!("{}: {}", Shown(&hashmill_os::names::path_bytes(path)), parts.join(", "))
}
