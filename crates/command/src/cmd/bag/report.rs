//! The report of a verification.

use crate::output::{Output, WriteError};
use crate::results::json::add_typed;
use crate::words::line;
use crate::words::message;
use crate::words::message::{Shown, count};
use hashmill_bag::{Finding, FindingKind, Judged, Severity};
use hashmill_job::bagit::Verified;
use hashmill_os::names;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Prints findings and verdict.
///
/// # Errors
/// If they cannot be written.
pub fn print(verified: &Verified, bag: &Path, verbose: bool, output: &Output) -> Result<(), WriteError> {
    output.put(as_text(verified, &names::path_bytes(bag), verbose))?;
    if !verbose {
        tell_notes(&verified.judged);
    }
    Ok(())
}

fn as_text(verified: &Verified, bag: &[u8], verbose: bool) -> Vec<u8> {
    let judged = &verified.judged;
    let wanted = |finding: &&Finding| verbose || finding.kind.severity() > Severity::Note;
    let mut text: Vec<u8> =
        judged.findings.iter().filter(wanted).flat_map(|finding| line_of(finding, bag)).collect();
    let files = count(judged.payload.streams, "file", "files");
    let summary = format!("{} ({files}, {} bytes of payload)", verified.verdict(), judged.payload.octets);
    text.extend(line::about(bag, &summary));
    text
}

/// Formats a finding as `path: what: more`.
fn line_of(finding: &Finding, bag: &[u8]) -> Vec<u8> {
    let name = if finding.path.is_empty() { bag } else { finding.path.as_bytes() };
    let mark = if finding.kind.severity() == Severity::Note { "note: " } else { "" };
    let detail = Shown(finding.detail.as_bytes()).to_string();
    let between = if detail.is_empty() { "" } else { ": " };
    line::about(name, &format!("{mark}{}{between}{detail}", finding.kind.word()))
}

/// Prints one line for each kind of harmless finding.
fn tell_notes(judged: &Judged) {
    let mut notes: BTreeMap<FindingKind, (u64, &Finding)> = BTreeMap::new();
    for finding in judged.findings.iter().filter(|finding| finding.kind.severity() == Severity::Note) {
        notes.entry(finding.kind).or_insert((0, finding)).0 += 1;
    }
    for (number, finding) in notes.values() {
        let more =
            if *number > 1 { format!(" (and {} more; -v lists them)", number - 1) } else { String::new() };
        message::note(format_args!("note: {}{more}", Shown(finding.to_string().as_bytes())));
    }
}

/// Returns findings and verdict for programs.
pub fn as_json(verified: &Verified, bag: &Path) -> Value {
    let mut object = verified.to_json();
    add_typed(&mut object, "bag", bag);
    object
}
