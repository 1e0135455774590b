//! Output about repairs: words in lines, and members of JSON.

use crate::words::amount;
use crate::words::line::{is_escaped, push_name};
use crate::words::message::{Shown, count};
use hashmill_job::scrub::{FileVerdict, RepairOutcome, RepairResult, ScrubSummary, Verdict};
use hashmill_terminal::add_path;
use serde_json::{Value, json};

/// Formats the line of a file whose repair was attempted: what was found, then what a second copy is good for.
pub fn line(found: &FileVerdict<'_>, words: &str, repair: &RepairOutcome) -> Vec<u8> {
    let names = [Some(found.path), Some(&*repair.copy), repair.aside.as_deref()];
    let mut line = Vec::new();
    if names.into_iter().flatten().any(is_escaped) {
        line.push(b'\\');
    }
    push_name(&mut line, found.path);
    line.extend_from_slice(b": ");
    let (before, after) = around(repair);
    if repair.result != RepairResult::Repaired {
        line.extend_from_slice(words.as_bytes());
        line.extend_from_slice(b"; ");
    }
    line.extend_from_slice(before.as_bytes());
    push_name(&mut line, &repair.copy);
    line.extend_from_slice(after.as_bytes());
    if let Some(why) = &repair.why {
        line.extend_from_slice(format!(": {}", Shown(why.as_bytes())).as_bytes());
    }
    if let Some(aside) = &repair.aside {
        line.extend_from_slice(b"; the damaged file is ");
        push_name(&mut line, aside);
    }
    line.extend_from_slice(remarks(repair).as_bytes());
    line.push(b'\n');
    line
}

/// Returns what was found of a file that is repaired.
fn was(verdict: Verdict) -> String {
    match verdict {
        Verdict::Differs => "differed".to_string(),
        verdict => format!("was {}", verdict.word()),
    }
}

/// Returns the words before and after the name of the second copy.
fn around(repair: &RepairOutcome) -> (String, &'static str) {
    match repair.result {
        RepairResult::Repaired => {
            (format!("repaired: it {}, and has the content of ", was(repair.was)), " now")
        }
        RepairResult::Repairable => ("repairable: ".to_string(), " has the recorded content (--repair)"),
        RepairResult::Differs => ("not repairable: ".to_string(), " differs, too"),
        RepairResult::Missing => ("not repairable: there is no ".to_string(), ""),
        RepairResult::Unreadable => ("not repairable: ".to_string(), " can't be read"),
        RepairResult::Changed | RepairResult::Failed => ("not repaired from ".to_string(), ""),
    }
}

fn remarks(repair: &RepairOutcome) -> String {
    let mut remarks = String::new();
    if repair.links > 0 && repair.result == RepairResult::Repaired {
        let names = count(repair.links, "other name has", "other names have");
        remarks = format!("; its {names} the damaged content until repaired, too");
    }
    if !repair.unkept.is_empty() {
        let unkept: Vec<String> = repair.unkept.iter().map(ToString::to_string).collect();
        remarks += &format!("; not kept: {}", unkept.join(", "));
    }
    remarks
}

/// Returns the result of a repair as JSON.
pub fn as_json(repair: &RepairOutcome) -> Value {
    let mut object = json!({ "result": repair.result.word(), "was": repair.was.word() });
    add_path(&mut object, "copy", &repair.copy);
    if let Some(aside) = &repair.aside {
        add_path(&mut object, "aside", aside);
    }
    if repair.links > 0 {
        object["other_names"] = json!(repair.links);
    }
    if !repair.unkept.is_empty() {
        object["not_kept"] = repair.unkept.iter().map(ToString::to_string).collect();
    }
    if let Some(why) = &repair.why {
        object["why"] = json!(why);
    }
    object
}

/// Adds the numbers of repairs to those of a run.
pub fn add_totals(document: &mut Value, summary: &ScrubSummary) {
    if let Some(repairs) = &summary.repairs {
        document["repairs"] = json!({
            "repaired": repairs.repaired,
            "repairable": repairs.repairable,
            "not_repaired": repairs.unrepaired,
        });
    }
    document["kept_aside"] = json!({ "files": summary.aside.files, "bytes": summary.aside.bytes });
    document["discarded"] = json!(summary.discarded);
}

/// Returns the numbers of repairs for people; no lines without any.
pub fn lines(summary: &ScrubSummary) -> Vec<String> {
    let repairs = summary.repairs.unwrap_or_default();
    let numbers = [
        ("repaired", repairs.repaired),
        ("repairable", repairs.repairable),
        ("not repaired", repairs.unrepaired),
        ("discarded", summary.discarded),
    ];
    let mut lines: Vec<String> = numbers
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(word, count)| format!("{word}: {count}"))
        .collect();
    if summary.aside.files > 0 {
        let files = count(summary.aside.files, "damaged file", "damaged files");
        let bytes = amount::bytes(summary.aside.bytes);
        lines.push(format!("kept aside: {files}, {bytes}; --discard removes them"));
    }
    lines
}
