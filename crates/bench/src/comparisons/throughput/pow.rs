//! The result in the format of the "pow-throughput" comparison, whose programs hash one message per call: `comparison`,
//! `host`, `host_cores`, `timestamp`, `notes`, `rows`, `summary`.

use super::candidate::Mode;
use super::result::{ThroughputRow, ThroughputSummary};
use crate::document::Document;
use serde_json::{Map, Value, json};

/// The name of that comparison.
pub const POW: &str = "pow-throughput";

/// The pair of algorithms that its summary compares.
const PAIR: [&str; 2] = ["blake3d", "sha256d"];

/// Returns the document in that format. Rows of plain code have the suffix `-portable`.
pub fn pow(document: &Document<ThroughputRow, ThroughputSummary>) -> Value {
    let rows: Vec<&ThroughputRow> =
        document.rows.iter().filter(|row| row.mode == Mode::Single && row.digest_right).collect();
    let host = &document.host;
    let mut notes = Vec::new();
    if let Some(row) = rows.first() {
        notes.push(format!("input size: {} bytes", row.input_bytes));
        notes.push(format!("duration per measurement: {:.1}s", row.duration_s));
    }
    json!({
        "comparison": POW,
        "host": format!("{} {}", host.system, host.cpu_model).trim(),
        "host_cpu": host.cpu_model,
        "host_cores": host.cores,
        "timestamp": document.timestamp.replace("+00:00", "Z"),
        "notes": notes,
        "rows": rows.iter().map(|row| entry(row)).collect::<Vec<_>>(),
        "summary": summary(&rows),
    })
}

fn entry(row: &ThroughputRow) -> Value {
    let mark = if row.portable { "-portable" } else { "" };
    json!({
        "algo": format!("{}{mark}", row.algo),
        "threads": row.threads,
        "input_bytes": row.input_bytes,
        "duration_s": row.duration_s,
        "total_hashes": row.total_hashes,
        "hashes_per_sec": row.hashes_per_sec,
        "ns_per_hash": row.ns_per_hash,
    })
}

/// Summarises rows with one message per call, unlike the summary of `bench throughput`, which uses the fastest rows.
fn summary(rows: &[&ThroughputRow]) -> Map<String, Value> {
    let most = rows.iter().map(|row| row.threads).max().filter(|most| *most > 1);
    let rate = |algo: &str, threads| {
        let mut of = rows.iter().filter(|row| row.algo == algo && row.threads == threads);
        of.find(|row| !row.portable).or(of.next()).map(|row| row.hashes_per_sec)
    };
    let [ours, theirs] = PAIR;
    let keys = [("single", Some(1)), ("multi", most)];
    let found = keys.into_iter().filter_map(|(name, threads)| {
        let speedup = rate(ours, threads?)? / rate(theirs, threads?)?;
        Some((format!("speedup_{ours}_vs_{theirs}_{name}_thread"), speedup.into()))
    });
    found.collect()
}
