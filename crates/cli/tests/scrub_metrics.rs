//! Metrics of a run, as node_exporter and Prometheus read them.

use crate::case;
use crate::util::{Place, Ran};
use hashmill_testing::{found, had_modules, python, set_up};
use std::path::Path;

const RUN: &str = "scrub tree --state a.state --metrics a.prom";

/// Returns the value of a line, whose labels begin behind those of all lines.
fn value(text: &str, name: &str, labels: &str) -> Option<f64> {
    let start = format!("hashmill_scrub_{name}{{state=\"a.state\"{labels}");
    let mut lines = text.lines().filter_map(|line| line.strip_prefix(&start)?.rsplit_once(' '));
    lines.next().map(|(_, value)| value.parse().unwrap())
}

fn text(t: &Place) -> String {
    String::from_utf8(t.read("a.prom")).unwrap()
}

/// Runs a judge on this line.
fn judge(t: &Place, path: &Path, line: &str) -> Ran {
    t.shell(&format!("'{}' {line}", path.display()))
}

case!(the_numbers_of_a_run_and_of_its_state_are_written, |t| {
    t.file("tree/a", "abc").file("tree/b", "defg").file("tree/c", "c");
    t.run(RUN).code(0);
    let first = text(t);
    for (name, labels, wanted) in [
        ("run_exit_code", "", 0.0),
        ("run_due_files", "", 3.0),
        ("run_read_files", "", 3.0),
        ("run_read_bytes", "", 8.0),
        ("run_found_files", ",verdict=\"new\"", 3.0),
        ("files", ",device=", 3.0),
        ("bytes", ",device=", 8.0),
    ] {
        assert_eq!(value(&first, name, labels), Some(wanted), "{name}: {first}");
    }
    let [began, ended] =
        ["start", "end"].map(|word| value(&first, &format!("run_{word}_timestamp_seconds"), "").unwrap());
    assert!(began > 1e9 && ended >= began, "{first}");
    assert!(value(&first, "late_files", "").is_none() && first.ends_with("\n# EOF\n"));
    t.remove("tree/a").file("tree/b", "other");
    t.run(&format!("{RUN} --max-age 90d")).code(1);
    let second = text(t);
    for (name, labels, wanted) in [
        ("run_exit_code", "", 1.0),
        ("run_found_files", ",verdict=\"missing\"", 1.0),
        ("run_found_files", ",verdict=\"edited\"", 0.0),
        ("max_age_seconds", "", 90.0 * 86_400.0),
        ("late_files", "", 0.0),
        ("files", ",device=", 2.0),
    ] {
        assert_eq!(value(&second, name, labels), Some(wanted), "{name}: {second}");
    }
    let missing = second
        .lines()
        .find(|line| line.starts_with("hashmill_scrub_verdict_files") && line.contains("missing"));
    assert!(missing.is_some_and(|line| line.ends_with(" 1")), "{second}");
    assert!(t.leftovers().is_empty());
});

case!(
    #[ignore = "campaign: needs promtool"]
    the_judges_of_prometheus_take_the_numbers,
    |t| {
        let name = "a \"b\\c.state";
        t.file("tree/a", "abc");
        t.shell(&format!("$hashmill scrub tree --state '{name}' --metrics m.prom --max-age 1d")).code(0);
        if let Some(promtool) = found("promtool").or_else(|| set_up("peers/promtool")) {
            judge(t, &promtool, "check metrics < m.prom").code(0).quiet();
        }
        t.file(
        "read.py",
        "import sys\n\
         from prometheus_client.openmetrics.parser import text_string_to_metric_families as new\n\
         from prometheus_client.parser import text_string_to_metric_families as old\n\
         text = open('m.prom').read()\n\
         both = [list(parse(text)) for parse in (new, old)]\n\
         samples = [{(s.name, tuple(sorted(s.labels.items())), s.value) for f in found for s in f.samples} for found in both]\n\
         assert samples[0] == samples[1] and len(samples[0]) > 30, samples\n\
         units = {f.name: f.unit for f in both[0]}\n\
         assert units['hashmill_scrub_run_read_bytes'] == 'bytes', units\n\
         assert {s.labels['state'] for f in both[0] for s in f.samples} == {sys.argv[1]}, samples\n",
    );
        let Some(python) = python() else { return };
        let ran = judge(t, &python, &format!("read.py '{name}'"));
        if had_modules(ran.stderr().as_bytes()) {
            ran.code(0);
        }
    }
);

case!(a_file_of_metrics_replaces_nothing_else, |t| {
    t.file("tree/a", "abc").file("other.prom", "node_x 1\n");
    t.run("scrub tree --state s --metrics x.txt")
        .code(64)
        .says("node_exporter reads files whose name ends in .prom");
    t.run("scrub tree --state s --metrics other.prom").code(64).says("other.prom: not replaced");
    assert_eq!(t.read("other.prom"), b"node_x 1\n");
    t.run("scrub tree --state s --metrics nowhere/x.prom").code(2).says("nowhere/x.prom");
    t.run("scrub tree --state s --metrics other.prom --force").code(0);
    assert!(text_of(t).starts_with("# HELP hashmill_scrub_run_start_timestamp_seconds "));
    // A run that could not begin leaves the file of the last one.
    t.run("scrub tree --state tree/s --metrics other.prom").code(64);
    assert!(text_of(t).ends_with("# EOF\n"));
    #[cfg(unix)]
    t.shell(
        "umask 022; $hashmill scrub tree --state s --metrics new.prom > /dev/null && stat -c %a new.prom",
    )
    .code(0)
    .is("644\n");
});

fn text_of(t: &Place) -> String {
    String::from_utf8(t.read("other.prom")).unwrap()
}
