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
    let reference = &document.summary.reference;
    let calls = |row: &ThroughputRow| match row.mode {
        Mode::Single => "single".to_string(),
        Mode::Batch => format!("batches of {}", row.batch),
    };
    let found = |row: &ThroughputRow| row.speedup(&document.rows);
    let speedup = |row: &ThroughputRow| match row.digest_right {
        true => Cell::number(found(row).map(|found| found.speedup), 2),
        false => Cell::from("wrong digest"),
    };
    let scaling = |row: &ThroughputRow| Cell::number(found(row).and_then(|found| found.scaling), 2);
    Table::of(&document.rows)
        .column(Column::words("algorithm"), |row| row.algo.as_str())
        .column(Column::words("implementation"), |row| row.implementation.as_str())
        .column(Column::words("calls"), calls)
        .column(Column::number("threads"), |row| row.threads)
        .column(Column::number("hashes/s"), |row| Cell::Number(row.hashes_per_sec, 0))
        .column(Column::number("± 95 %"), |row| Cell::number(row.hashes_per_sec_ci95, 0))
        .column(Column::measured("processor", "s"), |row| Cell::number(row.processor_s, 3))
        .column(Column::number("ns/hash"), |row| Cell::Number(row.ns_per_hash, 2))
        .column(Column::number(format!("× {reference}")), speedup)
        .column(Column::number(format!("× {reference} on one thread")), scaling)
        .captioned("")
}
