//! Results of checks as events of PREMIS: one for each file that was compared, whatever checked it.

use super::document::{self, Object};
use super::source::ReportInput;
use crate::output::Output;
use anyhow::{Context, bail, ensure};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hashmill_lists::signatures::guard::Guard;
use hashmill_manifest::Time;
use hashmill_manifest::format::{FixityEvent, FixityOutcome, Made, PremisEvents};
use serde_json::Value;
use std::io::BufReader;
use std::path::Path;
use std::time::UNIX_EPOCH;

/// The results that have checks, by the names of their schemas, and how their checks are described.
const CHECKS: [(&str, &str); 4] = [
    ("audit-1", "audit against a manifest"),
    ("check-1", "check of a list"),
    ("scrub-1", "scrub"),
    ("bag-verify-1", "verification of a bag"),
];

/// The checks of one result.
pub struct Checks {
    made: Made,
    /// The objects that were checked together.
    sets: Vec<Vec<u8>>,
    events: Vec<CheckEvent>,
}

struct CheckEvent {
    path: Vec<u8>,
    at: String,
    detail: String,
    outcome: FixityOutcome,
    note: String,
}

/// Reads the checks of a result in JSON.
///
/// # Errors
/// If it can't be read, or has no checks.
pub fn read(path: &Path, guard: &Guard) -> anyhow::Result<Checks> {
    let source = ReportInput::open(path, guard)?;
    let (input, _) = source.read()?;
    let objects = document::read(BufReader::new(input)).context("no result in JSON")?;
    let kind = objects.iter().find_map(|object| detail(text(object, "schema")?));
    ensure!(kind.is_some(), "holds no checks: results of audit, check, scrub and bag verify with -f json do");
    if let Some(error) =
        objects.iter().find_map(|object| text(object, "error").filter(|_| object.contains_key("account")))
    {
        bail!("the check ended with an error: {error}");
    }
    let mut checks = Checks { made: Made::default(), sets: Vec::new(), events: Vec::new() };
    // The facts of a run are at its end.
    let run = objects.iter().find_map(|object| object.get("run").and_then(Value::as_object));
    let own = path.metadata().and_then(|metadata| metadata.modified()).ok();
    let own = own.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let own = own.and_then(|since| i64::try_from(since.as_secs()).ok()).unwrap_or_default();
    let at = run.and_then(|run| Time::from_rfc3339(text(run, "ended")?));
    checks.made.at = at.unwrap_or(Time { seconds: own, nanoseconds: 0 });
    checks.made.host = run.and_then(|run| text(run, "host")).unwrap_or_default().as_bytes().into();
    checks.sets.extend(
        run.and_then(|run| run.get("operands")).and_then(Value::as_array).into_iter().flatten().map(bytes),
    );
    let manifest = run.and_then(|run| run.get("manifest")?.get("path")?.as_str());
    let detail = |kind: &str| match manifest {
        Some(manifest) => format!("{kind}: {manifest}"),
        None => kind.to_owned(),
    };
    for object in &objects {
        checks.add(object, &detail(kind.unwrap_or_default()));
    }
    if checks.sets.is_empty() {
        checks.sets.push(hashmill_os::names::path_bytes(path).into_owned());
    }
    Ok(checks)
}

/// Writes the checks of results as a document, and gives it its name.
///
/// # Errors
/// If it can't be written.
pub fn write(results: &[Checks], mut output: Output) -> anyhow::Result<()> {
    let made = results.first().map(|checks| checks.made.clone()).unwrap_or_default();
    let mut sets: Vec<&[u8]> = results.iter().flat_map(|checks| &checks.sets).map(Vec::as_slice).collect();
    sets.sort_unstable();
    sets.dedup();
    let written = (|| {
        let mut document = PremisEvents::begin(made, sets.into_iter(), &mut output)?;
        for event in results.iter().flat_map(|checks| &checks.events) {
            let CheckEvent { path, at, detail, outcome, note } = event;
            document.event(&FixityEvent { path, at, detail, outcome: *outcome, note })?;
        }
        document.end().map(|_| ())
    })();
    written.map_err(|error| output.error(error))?;
    Ok(output.finish()?)
}

impl Checks {
    /// Adds the checks of an object: of a whole result, or of one line of it.
    fn add(&mut self, object: &Object, detail: &str) {
        if let Some(bag) = text(object, "bag") {
            return self.add_bag(object, bag, detail);
        }
        match object.get("entries").and_then(Value::as_array) {
            Some(entries) => {
                entries.iter().filter_map(Value::as_object).for_each(|one| self.entry(one, detail))
            }
            None => self.entry(object, detail),
        }
    }

    /// Adds the check of a file. A new file had nothing to be compared with.
    fn entry(&mut self, entry: &Object, detail: &str) {
        let Some(path) = path(entry, "path") else { return };
        let word = ["category", "result", "verdict"].iter().find_map(|key| text(entry, key));
        let Some((word, outcome)) = word.and_then(|word| Some((word, outcome(word)?))) else { return };
        let verified = text(entry, "verified").filter(|_| word == "verified");
        let at = verified.map_or_else(|| self.at(), str::to_owned);
        self.events.push(CheckEvent {
            path,
            at,
            detail: detail.to_owned(),
            outcome,
            note: note(entry, word),
        });
    }

    /// Adds the check of a bag, and one for each file of it that is not as its manifests say.
    fn add_bag(&mut self, object: &Object, bag: &str, detail: &str) {
        let path = path(object, "bag").unwrap_or_default();
        let is_good = object.get("good").and_then(Value::as_bool).unwrap_or_default();
        let outcome = if is_good { FixityOutcome::Success } else { FixityOutcome::Failure };
        let level = text(object, "level").unwrap_or_default();
        let detail = format!("{detail}, level {level}");
        let note = text(object, "verdict").unwrap_or_default().to_owned();
        self.sets.push(path.clone());
        self.events.push(CheckEvent { path, at: self.at(), detail: detail.clone(), outcome, note });
        let findings = object.get("findings").and_then(Value::as_array);
        for finding in findings.into_iter().flatten().filter_map(Value::as_object) {
            let (Some(name), Some("bad")) = (text(finding, "path"), text(finding, "severity")) else {
                continue;
            };
            if name.is_empty() {
                continue;
            }
            let said = ["kind", "detail"].iter().filter_map(|key| text(finding, key)).collect::<Vec<_>>();
            self.events.push(CheckEvent {
                path: [bag.as_bytes(), b"/", &self::path(finding, "path").unwrap_or_default()].concat(),
                at: self.at(),
                detail: detail.clone(),
                outcome: FixityOutcome::Failure,
                note: said.join(": "),
            });
        }
    }

    /// Returns the time of the checks.
    fn at(&self) -> String {
        self.made.at.to_rfc3339().unwrap_or_default()
    }
}

/// Returns how the checks of results of this schema are described.
fn detail(schema: &str) -> Option<&'static str> {
    CHECKS.iter().find(|(known, _)| *known == schema).map(|(_, detail)| *detail)
}

/// Returns the outcome of a check with this word for its result; `None` if nothing was compared.
fn outcome(word: &str) -> Option<FixityOutcome> {
    Some(match word {
        "new" => return None,
        "matched" | "moved" | "copied" | "verified" | "restored" => FixityOutcome::Success,
        "changed" | "missing" | "rot" | "differs" | "unstable" => FixityOutcome::Failure,
        _ => FixityOutcome::Warning,
    })
}

/// Returns a note on what was found: the word, the old name of a file that moved, and digests that differ.
fn note(entry: &Object, word: &str) -> String {
    let known = text(entry, "known_path").filter(|known| Some(*known) != text(entry, "path"));
    let known = known.map(|known| format!("known as {known}"));
    let why = ["reason", "error"].iter().find_map(|key| text(entry, key)).map(str::to_owned);
    let side = |key: &str, word: &str| {
        let digests = entry.get(key)?.get("digests")?.as_object()?;
        let all =
            digests.iter().map(|(name, digest)| format!("{name} {}", digest.as_str().unwrap_or_default()));
        Some(format!("{word} {}", all.collect::<Vec<_>>().join(" ")))
    };
    let parts = [known, why, side("expected", "expected"), side("actual", "found")];
    let parts: Vec<String> = [Some(word.to_owned())].into_iter().chain(parts).flatten().collect();
    parts.join("; ")
}

fn text<'a>(object: &'a Object, key: &str) -> Option<&'a str> {
    object.get(key).and_then(Value::as_str)
}

/// Returns the bytes of a path.
fn path(object: &Object, key: &str) -> Option<Vec<u8>> {
    let exact = text(object, &format!("{key}_b64")).and_then(|b64| STANDARD.decode(b64).ok());
    exact.or_else(|| Some(text(object, key)?.as_bytes().to_vec()))
}

/// Returns the bytes of a text, or of an object with text and base64.
fn bytes(value: &Value) -> Vec<u8> {
    match value {
        Value::Object(object) => {
            let exact = text(object, "b64").and_then(|b64| STANDARD.decode(b64).ok());
            exact.unwrap_or_else(|| text(object, "text").unwrap_or_default().as_bytes().to_vec())
        }
        value => value.as_str().unwrap_or_default().as_bytes().to_vec(),
    }
}
