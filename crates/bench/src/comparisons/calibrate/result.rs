//! The result of a calibration, as a document and for people.

use super::KernelCost;
use crate::comparison::Comparison;
use crate::view::View;
use crate::{Document, Host};
use hashmill_digest::Calibration;
use hashmill_report::{Axis, Cell, Chart, Column, Series, Table};
use serde::{Deserialize, Serialize};

/// The costs of every kernel on this machine.
pub struct Calibrate;

/// One way to run a kernel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KernelRow {
    /// The compression function.
    pub kernel: String,
    /// The name for people: `alone`, `avx2 x8`.
    pub way: String,
    /// The number of messages that it compresses at once.
    pub lanes: usize,
    /// The block size in bytes.
    pub block_bytes: usize,
    /// The time for one block of each lane.
    pub nanoseconds_per_block: u32,
    /// The rate with all lanes full.
    pub gigabytes_per_second: f64,
}

/// The fastest way of a kernel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fastest {
    /// The compression function.
    pub kernel: String,
    /// The name of the way.
    pub fastest: String,
    /// The rate with all lanes full.
    pub gigabytes_per_second: f64,
}

impl Calibrate {
    /// Creates the document of the measurements, with the machine and the time of the calibration.
    pub fn document(measured: &[KernelCost], at: &Calibration) -> Document<KernelRow, Vec<Fastest>> {
        let rows = measured.iter().flat_map(rows).collect();
        let summary = measured.iter().filter_map(fastest).collect();
        let mut document = Document::here(Self::NAME, at.date.clone(), rows, summary);
        let (cpu_model, processor, hashmill) = (at.model.clone(), at.processor.clone(), at.tool.clone());
        document.host = Host { cpu_model, processor, hashmill, ..document.host };
        document
    }
}

fn rows(measured: &KernelCost) -> Vec<KernelRow> {
    let ways = measured.ways.iter().map(|way| KernelRow {
        kernel: measured.costs.kernel.to_string(),
        way: way.name.clone(),
        lanes: way.lanes,
        block_bytes: measured.block,
        nanoseconds_per_block: way.cost,
        gigabytes_per_second: measured.rate(way),
    });
    ways.collect()
}

fn fastest(measured: &KernelCost) -> Option<Fastest> {
    let fastest = measured.fastest()?;
    Some(Fastest {
        kernel: measured.costs.kernel.to_string(),
        fastest: fastest.name.clone(),
        gigabytes_per_second: measured.rate(fastest),
    })
}

impl Comparison for Calibrate {
    const NAME: &'static str = "calibrate";
    type KernelRow = KernelRow;
    type Summary = Vec<Fastest>;

    /// Shows the rate of one message, and the fastest way for many.
    fn view(document: &Document<KernelRow, Vec<Fastest>>) -> View {
        let alone = |best: &Fastest| {
            let of = document.rows.iter().find(|row| row.kernel == best.kernel && row.way == "alone");
            of.map(|row| row.gigabytes_per_second)
        };
        let table = Table::of(&document.summary)
            .column(Column::words("kernel"), |best| best.kernel.as_str())
            .column(Column::measured("alone", "GB/s"), |best| Cell::number(alone(best), 2))
            .column(Column::measured("lanes", "GB/s"), |best| Cell::Number(best.gigabytes_per_second, 2))
            .column(Column::words("fastest"), |best| best.fastest.as_str())
            .captioned("");
        let names = document.summary.iter().map(|best| best.kernel.as_str());
        let axes = (Axis::names("", names), Axis::linear("rate of one core", "GB/s"));
        let alone = document.summary.iter().map(|best| alone(best).unwrap_or(0.0));
        let lanes = document.summary.iter().map(|best| best.gigabytes_per_second);
        let chart = Chart::bars("Rate of each kernel: more is better", axes.0, axes.1)
            .with(Series::of_values("one message", alone))
            .with(Series::of_values("many messages, on the fastest lanes", lanes));
        let title = "Kernels of this machine".to_string();
        View { title, notes: Vec::new(), tables: vec![table], charts: vec![chart] }
    }
}
