//! `--metrics`: the numbers of a run and of its state for Prometheus, through the textfile collector of node_exporter.
//!
//! The text is OpenMetrics, and the older text format of Prometheus as well: for it, lines of units and of the end are comments.
//! Every line has the state as a label, so that files of several states can lie in one folder; devices are told apart up to a fixed
//! number.
//!
//! Source: the OpenMetrics specification 1.0, "Text Format"; Prometheus, "Exposition formats".

use crate::exit;
use crate::options::force::Force;
use crate::output::{self, Output};
use crate::words::message::Shown;
use anyhow::ensure;
use hashmill_job::account::Account;
use hashmill_job::scrub::{DeviceFiles, ScrubSummary, Verdict};
use hashmill_lists::kinds;
use hashmill_os::names;
use std::fmt::{Display, Write as _};
use std::path::Path;
use std::time::Duration;

/// The start of all names.
const PREFIX: &str = "hashmill_scrub_";

/// A family of metrics: its name behind the prefix, with its unit at the end, and its meaning.
struct Family(&'static str, &'static str);

/// The text, and the labels that all lines have.
struct Metrics {
    text: String,
    state: String,
}

/// Opens the file, before anything is read.
///
/// # Errors
/// If it can't be written, or node_exporter would not read it.
pub fn open(path: &Path, force: Force) -> anyhow::Result<Output> {
    let is_read = path.extension().is_some_and(|ending| ending == "prom");
    ensure!(is_read, "--metrics: node_exporter reads files whose name ends in .prom");
    Ok(output::create(&force.at(path), kinds::METRICS)?)
}

/// Writes the numbers, and gives the file its name.
///
/// # Errors
/// If it can't be written.
pub fn write(
    output: Output,
    state: &Path,
    summary: &ScrubSummary,
    max_age: Option<Duration>,
    account: Account,
) -> anyhow::Result<()> {
    let text = Metrics::new(&names::path_bytes(state)).of_run(summary, max_age, account);
    output.put(text)?;
    Ok(output.finish()?)
}

impl Metrics {
    fn new(state: &[u8]) -> Metrics {
        Metrics { text: String::new(), state: Shown(state).to_string() }
    }

    fn of_run(mut self, summary: &ScrubSummary, max_age: Option<Duration>, account: Account) -> String {
        self.run(summary, account);
        self.state(summary, max_age);
        self.devices(&summary.devices);
        self.text + "# EOF\n"
    }

    fn run(&mut self, summary: &ScrubSummary, account: Account) {
        self.one(Family("run_start_timestamp_seconds", "When the last run began."), summary.began);
        self.one(Family("run_end_timestamp_seconds", "When the last run ended."), summary.ended);
        self.one(
            Family("run_exit_code", "The exit code of the last run: 0 if all is well."),
            exit::code(&account),
        );
        self.one(Family("run_due_files", "Files that were due when the last run began."), summary.due.files);
        self.one(Family("run_read_files", "Files that the last run read."), summary.read.files);
        self.one(Family("run_read_bytes", "Bytes that the last run read."), summary.read.bytes);
        let unproved = "Files of which the last run only got what the page cache had.";
        self.one(Family("run_unproved_files", unproved), summary.cached.files);
        let failed = "Entries that the last run could not examine, and folders that it could not list.";
        self.one(Family("run_failed_entries", failed), summary.failed);
        let found =
            Verdict::ALL.map(|verdict| ([("verdict", verdict.word().to_string())], summary.of(verdict)));
        self.many(Family("run_found_files", "Files by the verdict of the last run."), &found);
    }

    fn state(&mut self, summary: &ScrubSummary, max_age: Option<Duration>) {
        if let Some(age) = max_age {
            self.one(Family("max_age_seconds", "The age at which a file is due again."), age.as_secs());
            let late = "Files that are older than that, or were never verified.";
            self.one(Family("late_files", late), summary.coverage.late);
        }
    }

    fn devices(&mut self, devices: &[DeviceFiles]) {
        type Row = ([(&'static str, String); 2], u64);
        let rows = |number: &dyn Fn(&DeviceFiles) -> Option<u64>| -> Vec<Row> {
            devices.iter().filter_map(|of| Some((labels(of), number(of)?))).collect()
        };
        self.many(Family("files", "Files that are kept."), &rows(&|of| Some(of.files)));
        self.many(Family("bytes", "Their bytes, as far as sizes are known."), &rows(&|of| Some(of.bytes)));
        let unread = "Files whose content was never proved.";
        self.many(Family("never_verified_files", unread), &rows(&|of| Some(of.unread)));
        let oldest = "The oldest time at which a file was last verified, of those that were.";
        self.many(
            Family("oldest_verification_timestamp_seconds", oldest),
            &rows(&|of| u64::try_from(of.oldest?).ok()),
        );
        let verdicts: Vec<_> = devices.iter().flat_map(by_verdict).collect();
        self.many(Family("verdict_files", "Files by the verdict on them that is the last."), &verdicts);
    }

    fn one(&mut self, family: Family, value: impl Display) {
        self.many::<0>(family, &[([], value)]);
    }

    fn many<const N: usize>(
        &mut self,
        Family(name, help): Family,
        rows: &[([(&str, String); N], impl Display)],
    ) {
        if rows.is_empty() {
            return;
        }
        // Writing to a string can't fail.
        let _ = writeln!(self.text, "# HELP {PREFIX}{name} {help}\n# TYPE {PREFIX}{name} gauge");
        if let Some(unit) = ["seconds", "bytes"].into_iter().find(|unit| name.ends_with(unit)) {
            let _ = writeln!(self.text, "# UNIT {PREFIX}{name} {unit}");
        }
        for (labels, value) in rows {
            let _ = write!(self.text, "{PREFIX}{name}{{state=\"{}\"", escaped(&self.state));
            for (label, text) in labels {
                let _ = write!(self.text, ",{label}=\"{}\"", escaped(text));
            }
            let _ = writeln!(self.text, "}} {value}");
        }
    }
}

/// Returns the labels of a device, as node_exporter names them.
fn labels(of: &DeviceFiles) -> [(&'static str, String); 2] {
    let Some(device) = &of.device else { return [("device", "other".into()), ("mountpoint", String::new())] };
    let shown = |bytes: &[u8]| Shown(bytes).to_string();
    let name =
        device.source.as_ref().map_or_else(|| device.number.to_string(), |name| shown(name.as_bytes()));
    let place = device.mount_point.as_ref().map(|place| shown(&names::path_bytes(place)));
    [("device", name), ("mountpoint", place.unwrap_or_default())]
}

fn by_verdict(of: &DeviceFiles) -> Vec<([(&'static str, String); 3], u64)> {
    let [device, place] = labels(of);
    let row = |verdict: Verdict| {
        let labels = [device.clone(), place.clone(), ("verdict", verdict.word().to_string())];
        (labels, of.of(verdict))
    };
    Verdict::ALL.map(row).into()
}

/// Escapes the value of a label.
fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_escaped() {
        let mut metrics = Metrics::new(b"a\"b\\c\nd\xff.state");
        metrics.one(Family("run_read_bytes", "Bytes."), 7);
        let wanted = "# HELP hashmill_scrub_run_read_bytes Bytes.\n# TYPE hashmill_scrub_run_read_bytes gauge\n\
                      # UNIT hashmill_scrub_run_read_bytes bytes\n\
                      hashmill_scrub_run_read_bytes{state=\"a\\\"b\\\\c\\\\nd\\\\xff.state\"} 7\n";
        assert_eq!(metrics.text, wanted);
        assert_eq!(escaped("a\n\\\""), "a\\n\\\\\\\"");
    }
}
