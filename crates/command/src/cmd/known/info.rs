//! `hashmill known info`: descriptions of indexes.

use super::options::Info;
use crate::exit::{self, Carry};
use crate::options::errors;
use crate::results::json::{Frame, Results};
use crate::results::report::ListReport;
use crate::results::schema::Schema;
use crate::words::message;
use crate::{output, signal};
use hashmill_engine::Cancel;
use hashmill_job::account::{Account, Item, Outcome};
use hashmill_job::sets::{self, Info as Index};
use hashmill_known::About;
use hashmill_manifest::Time;
use hashmill_os::names;
use hashmill_terminal::{path_b64, path_text};
use serde::Serialize;
use std::collections::BTreeMap;

/// An index as JSON.
#[derive(Serialize)]
struct Shown<'a> {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_b64: Option<String>,
    bytes: u64,
    identity: &'a str,
    /// Absent if it was not requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    verified: Option<bool>,
    #[serde(flatten)]
    about: &'a About,
    /// The bytes of the tables by the bits of a digest.
    table_bytes: &'a BTreeMap<u32, u64>,
}

/// Runs the command, and returns its account. An index that is not usable is named, and the others are shown.
///
/// # Errors
/// If the output cannot be written.
pub fn run(args: &Info) -> anyhow::Result<Account> {
    let output = output::stdout()?;
    let mut results =
        Results::new(Schema::KNOWN_INFO, Frame::new(args.format, args.sets.len()), output.clone());
    let mut account = Account::default();
    let cancel = Cancel::default();
    if args.verify {
        signal::watch(cancel.clone(), output.clone())?;
    }
    for path in &args.sets {
        match if args.verify { sets::verify(path, &cancel) } else { sets::info(path) } {
            Ok(index) => {
                account.count(Item::List, Outcome::Done, 1);
                if args.format == ListReport::Text {
                    account.carried_by(output.put(text(&index)))?;
                } else {
                    account.carried_by(results.push(shown(&index)))?;
                }
            }
            Err(error) if cancel.is_set() => return Err(error.into()),
            Err(error) => {
                message::say(errors::message(&error));
                account.add(Account::unusable(Item::List, 1));
            }
        }
    }
    exit::end_results(account, &output, results)
}

fn shown(index: &Index) -> Shown<'_> {
    Shown {
        path: path_text(&names::path_bytes(&index.path)),
        path_b64: path_b64(&names::path_bytes(&index.path)),
        bytes: index.bytes,
        identity: &index.identity,
        verified: index.is_verified.then_some(true),
        about: &index.about,
        table_bytes: &index.table_bytes,
    }
}

fn text(index: &Index) -> String {
    let about = &index.about;
    let mut lines = vec![format!("{}:", message::Shown::path(&index.path))];
    let mut add = |name: &str, value: String| lines.push(format!("  {name:<15} {value}"));
    add("built", format!("{} by {}", date(about.built), about.built_by));
    add("identity", index.identity.clone());
    add("bytes", index.bytes.to_string());
    add("answers", about.answers.clone());
    add("contradictions", about.contradictions.to_string());
    if index.is_verified {
        add("verified", "every byte".to_string());
    }
    for table in &about.tables {
        let bytes = index.table_bytes[&table.bits];
        add("digests", format!("{} of {} bits, {bytes} bytes", table.count, table.bits));
        add("  by algorithm", counts(&table.algorithms));
        add("  by category", counts(&table.categories));
        add("  by set", counts(&table.sets));
    }
    for source in &about.sources {
        let from = format!("{} ({}), as {}, set {}", source.file, source.format, source.category, source.set);
        add("source", from);
        let [records, malformed, skipped] = [source.records, source.malformed, source.skipped];
        add("", format!("{records} records, {malformed} malformed, {skipped} skipped"));
    }
    lines.join("\n") + "\n"
}

fn date(built: Option<u64>) -> String {
    let time = |seconds| Time { seconds, nanoseconds: 0 }.to_rfc3339();
    let known = built.and_then(|seconds| i64::try_from(seconds).ok()).and_then(time);
    known.unwrap_or("at an unknown time".to_string())
}

/// Formats "bad 2, good 17".
fn counts(counts: &BTreeMap<String, u64>) -> String {
    let counts = counts.iter().map(|(name, count)| format!("{name} {count}"));
    counts.collect::<Vec<_>>().join(", ")
}
