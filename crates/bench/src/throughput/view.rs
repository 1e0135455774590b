//! The view of `bench throughput`.

use super::candidate::Mode;
use super::chart::charts;
use super::result::{ThroughputRow, ThroughputSummary};
use super::verify::Verified;
use crate::comparison::Comparison;
use crate::document::Document;
use crate::view::View;
use hashmill_report::{Cell, Column, Table};

/// The comparison `throughput`: short messages per second.
pub struct Throughput;

impl Comparison for Throughput {
    const NAME: &'static str = "throughput";
    type KernelRow = ThroughputRow;
    type Summary = ThroughputSummary;

    fn view(document: &Document<ThroughputRow, ThroughputSummary>) -> View {
        let mut notes = Vec::new();
        if let Some(row) = document.rows.first() {
            notes.push(format!("messages of {} bytes", row.input_bytes));
        }
        if let Some(Verified { messages, seed }) = document.summary.verified {
            notes.push(format!(
                "verified: all implementations agree over {messages} random messages each (seed {seed})"
            ));
        }
        let charts = charts(&document.rows);
        View { title: "Hashes a second".to_string(), notes, tables: vec![table(document)], charts }
    }
}

fn table(document: &Document<ThroughputRow, ThroughputSummary>) -> Table {
    let columns = [
        Column::words("algorithm"),
        Column::words("implementation"),
        Column::words("calls"),
        Column::number("threads"),
        Column::number("hashes/s"),
        Column::number("± 95 %"),
        Column::measured("processor", "s"),
        Column::number("ns/hash"),
        Column::number(format!("× {}", document.summary.reference)),
        Column::number(format!("× {} on one thread", document.summary.reference)),
    ];
    let mut table = Table::new("", columns);
    for row in &document.rows {
        let calls = match row.mode {
            Mode::Single => "single".to_string(),
            Mode::Batch => format!("batches of {}", row.batch),
        };
        let found = row.speedup(&document.rows);
        let scaling = found.as_ref().and_then(|found| found.scaling);
        let speedup = found.map(|found| found.speedup);
        let speedup = if row.digest_right { (speedup, 2).into() } else { Cell::from("wrong digest") };
        table.push([
            row.algo.as_str().into(),
            row.implementation.as_str().into(),
            calls.into(),
            row.threads.into(),
            Cell::Number(row.hashes_per_sec, 0),
            (row.hashes_per_sec_ci95, 0).into(),
            (row.processor_s, 3).into(),
            Cell::Number(row.ns_per_hash, 2),
            speedup,
            (scaling, 2).into(),
        ]);
    }
    table
}
