//! Output of a run: lines of what is not as it was, or all verdicts for programs.

use super::repair;
use crate::cmd::audit::report::ReportLine;
use crate::output::{Output, WriteError};
use crate::results::json::Entries;
use crate::results::report::ListReport;
use crate::results::schema::Schema;
use crate::words::amount;
use crate::words::level::{is_quiet, is_verbose};
use crate::words::line::about;
use crate::words::message::count;
use hashmill_job::scrub::{Coverage, FileVerdict, Learnt, ScrubSummary, Verdict};
use hashmill_manifest::Time;
use hashmill_terminal::add_path;
use serde_json::{Value, json};
use std::time::Duration;

/// A report that is being written.
pub struct Report {
    form: ListReport,
    output: Output,
    entries: Entries,
}

impl Report {
    /// Begins a report.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn begin(form: ListReport, output: Output) -> anyhow::Result<Report> {
        let entries = Entries::new(form, "entries");
        output.put(entries.begin())?;
        Ok(Report { form, output, entries })
    }

    /// Writes a verdict. For people, files that are as they were are counted only.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn found(&mut self, found: &FileVerdict<'_>) -> Result<(), WriteError> {
        match self.form {
            ListReport::Text => match (found.from, words(found)) {
                (Some(from), _) => {
                    let ReportLine { before, word, after } = ReportLine::moved(found.path, from);
                    self.output.put([&before, word.as_bytes(), &after].concat())
                }
                (None, Some(words)) => match found.repair {
                    Some(outcome) => self.output.put(repair::line(found, &words, outcome)),
                    None => self.output.put(about(found.path, &words)),
                },
                (None, None) => Ok(()),
            },
            ListReport::Json | ListReport::Jsonl => {
                let entry = self.entries.next(as_json(found)).map_err(|error| self.output.error(error))?;
                self.output.put(entry)
            }
        }
    }

    /// Writes the numbers of a run.
    ///
    /// # Errors
    /// If they can't be written.
    pub fn end(self, summary: &ScrubSummary, max_age: Option<Duration>) -> anyhow::Result<()> {
        let document = match self.form {
            ListReport::Text if is_quiet() => String::new(),
            ListReport::Text => text(summary, max_age),
            ListReport::Json | ListReport::Jsonl => {
                let mut document = totals(summary);
                Schema::SCRUB.mark(&mut document);
                self.entries.end(&document.to_string())
            }
        };
        self.output.put(document)?;
        Ok(self.output.finish()?)
    }
}

/// Returns what people are told of a file; with `-v` also of one that is as it was, or is new.
fn words(found: &FileVerdict<'_>) -> Option<String> {
    let again = match found.streak {
        0 | 1 => String::new(),
        streak => format!(" (in {streak} runs)"),
    };
    let words = match found.verdict {
        Verdict::Verified | Verdict::New => return is_verbose().then(|| found.verdict.word().to_string()),
        Verdict::Differs if !found.moved.is_empty() => format!(
            "differs: the content is another one, while size and time of modification are as they were, or were set back; moved: {}",
            found.moved.join(", ")
        ),
        Verdict::Differs => {
            "differs: the content is not that of the manifest; no time tells whether it was edited"
                .to_string()
        }
        Verdict::Rot => "rot: the content differs, while size and times are as they were".to_string(),
        Verdict::Unstable => {
            "unstable: two reads differ; memory, a cable or a controller is at fault".to_string()
        }
        Verdict::Unreadable if !found.bad.is_empty() => {
            let bytes: u64 = found.bad.iter().map(|part| part.length).sum();
            let first = found.bad.first().map_or(0, |part| part.offset);
            format!("unreadable: {bytes} bytes, the first at {first}")
        }
        Verdict::Restored => "restored: it is as it was first recorded".to_string(),
        verdict => verdict.word().to_string(),
    };
    Some(words + &again)
}

fn as_json(found: &FileVerdict<'_>) -> Value {
    let mut object = json!({});
    add_path(&mut object, "path", found.path);
    object["verdict"] = json!(found.verdict.word());
    if let Some(size) = found.size {
        object["size"] = json!(size);
    }
    if found.last > 0 {
        object["verified"] = json!(time(found.last));
    }
    object["streak"] = json!(found.streak);
    if let Some(from) = found.from {
        add_path(&mut object, "from", from);
    }
    if !found.bad.is_empty() {
        let parts = found.bad.iter().map(|part| json!({ "offset": part.offset, "length": part.length }));
        object["bad_blocks"] = parts.collect();
    }
    if !found.moved.is_empty() {
        object["set_back"] = json!(true);
        object["moved"] = json!(found.moved);
    }
    if let Some(outcome) = found.repair {
        object["repair"] = repair::as_json(outcome);
    }
    object
}

/// Formats a time as in records; none of a year that these don't have.
fn time(seconds: i64) -> Option<String> {
    Time { seconds, nanoseconds: 0 }.to_rfc3339()
}

fn totals(summary: &ScrubSummary) -> Value {
    let counts: serde_json::Map<String, Value> = Verdict::ALL
        .iter()
        .map(|verdict| (verdict.word().to_string(), json!(summary.of(*verdict))))
        .collect();
    let Coverage { files, bytes, unread, oldest, late, rate, days } = &summary.coverage;
    let mut document = json!({
        "counts": counts,
        "coverage": {
            "files": files, "bytes": bytes, "never_verified": unread, "oldest_seconds": oldest, "late": late,
            "bytes_per_day": rate.map(|rate| rate as u64), "days_for_all": days,
        },
        "due": { "files": summary.due.files, "bytes": summary.due.bytes },
        "read": { "files": summary.read.files, "bytes": summary.read.bytes },
        "only_cached": { "files": summary.cached.files, "bytes": summary.cached.bytes },
        "accepted": summary.accepted,
        "skipped": summary.skipped,
        "failed": summary.failed,
        "budget_used_up": summary.used_up,
        "interrupted": summary.interrupted,
        "seal": summary.seal,
    });
    if let Some(learnt) = &summary.learnt {
        document["manifest"] = began_with(learnt);
    }
    repair::add_totals(&mut document, summary);
    document
}

fn began_with(learnt: &Learnt) -> Value {
    let Learnt { list, files, elsewhere, lacking, contradictory, too_long, malformed } = learnt;
    let mut object = json!({
        "files": files, "elsewhere": elsewhere, "without_digest": lacking, "contradictory": contradictory,
        "too_long": too_long, "malformed": malformed,
    });
    add_path(&mut object, "path", list);
    object
}

/// Returns why a run did not end with exit code 0, beside the verdicts on files: what its last lines tell.
pub fn reasons(summary: &ScrubSummary) -> Vec<String> {
    let late = summary.coverage.late;
    let files =
        count(late, "file is older than --max-age, or was", "files are older than --max-age, or were");
    let late = (late > 0).then(|| format!("{files} never verified"));
    let idle = (summary.coverage.files == 0).then(|| "nothing is there to verify".to_string());
    [idle, cached(summary), late].into_iter().flatten().collect()
}

/// Returns how many files were not verified because only the page cache gave them, if there are any.
fn cached(summary: &ScrubSummary) -> Option<String> {
    let files = count(summary.cached.files, "file", "files");
    let bytes = amount::bytes(summary.cached.bytes);
    (summary.cached.files > 0)
        .then(|| format!("not verified: {files}, which only the page cache gave ({bytes})"))
}

/// Returns the numbers for people.
fn text(summary: &ScrubSummary, max_age: Option<Duration>) -> String {
    let mut lines = Vec::new();
    let began = summary.learnt.as_ref().map(|learnt| count(learnt.files, "file", "files"));
    lines.extend(began.map(|files| format!("begun with: {files} of the manifest")));
    let found = Verdict::ALL.iter().map(|verdict| (verdict.word(), summary.of(*verdict)));
    lines.extend(
        found
            .filter(|(word, count)| *count > 0 || *word == "verified")
            .map(|(word, count)| format!("{word}: {count}")),
    );
    let read = &summary.read;
    let budget = if summary.used_up { "; the rest is left for the next run" } else { "" };
    lines.push(format!(
        "read: {} of {} that were due, {}{budget}",
        read.files,
        count(summary.due.files, "file", "files"),
        amount::bytes(read.bytes)
    ));
    lines.extend(cached(summary));
    lines.extend(repair::lines(summary));
    lines.push(coverage(&summary.coverage, max_age));
    lines.push(format!("seal: {}", summary.seal));
    lines.join("\n") + "\n"
}

/// Formats "coverage: 1200 files, all verified within 37 d 2 h; at this rate all are read in 84 days".
fn coverage(coverage: &Coverage, max_age: Option<Duration>) -> String {
    let files = count(coverage.files, "file", "files");
    let proved = match (coverage.unread, coverage.oldest) {
        (0, Some(oldest)) => {
            format!("all verified within {}", amount::span(Duration::from_secs(oldest.max(1))))
        }
        (0, None) => "nothing to verify".to_string(),
        (unread, _) => format!("{unread} never verified"),
    };
    let late = match max_age {
        Some(_) if coverage.late > 0 => format!("; {} older than --max-age", coverage.late),
        _ => String::new(),
    };
    let rate = match coverage.days {
        Some(days) if days >= 1.0 => format!("; at this rate all are read in {days:.0} days"),
        _ => String::new(),
    };
    format!("coverage: {files}, {proved}{late}{rate}")
}
