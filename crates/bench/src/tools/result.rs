//! What comparing whole tools found, as a document and for people.

use super::correctness::Correct;
use crate::comparison::Comparison;
use crate::peers::OURS;
use crate::stage::{Conditions, Stage, doubts};
use crate::stats::Estimate;
use crate::timed::{Timed, milliseconds, shown_bytes};
use crate::view::{Cell, Column, Table, View};
use crate::{Document, charts};
use serde::{Deserialize, Serialize};

/// Whole tools side by side.
pub struct Tools;

/// What was to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// One large file, one algorithm.
    Large,
    /// Many small files, one algorithm.
    Small,
    /// One large file, several algorithms at once.
    Several,
}

/// One tool on one work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// What was to be done.
    pub part: Part,
    /// The algorithms, by commas.
    pub algorithms: String,
    /// Bytes of all files.
    pub bytes: u64,
    /// How many files.
    pub files: usize,
    /// The tool, and what it took.
    #[serde(flatten)]
    pub timed: Timed,
}

/// What follows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// How it was measured.
    pub conditions: Conditions,
    /// How many times as long each tool took as we did.
    pub speedups: Vec<Speedup>,
    /// Whether tools give the right digests.
    pub correctness: Vec<Correct>,
    /// What a tebibyte would take; not measured.
    pub extrapolated: Vec<Extrapolated>,
}

/// A tool beside ours, on the same work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Speedup {
    /// What was to be done.
    pub part: Part,
    /// The algorithms, by commas.
    pub algorithms: String,
    /// Bytes of all files.
    pub bytes: u64,
    /// How many files.
    pub files: usize,
    /// The tool.
    pub tool: String,
    /// How many times as long it took as hashloom.
    pub ratio: f64,
    /// The ratio's standard deviation, propagated from those of both times.
    pub error: f64,
}

/// What a tebibyte would take at the rate of the largest file. Not measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Extrapolated {
    /// The tool.
    pub tool: String,
    /// The algorithm.
    pub algorithm: String,
    /// Bytes of the file whose rate it is.
    pub from_bytes: u64,
    /// Seconds for 2^40 bytes.
    pub seconds: f64,
    /// How far the seconds may be off by the runs alone, with a confidence of 95 %.
    pub ci95: f64,
}

/// What a rate is extrapolated to.
const TEBIBYTE: f64 = (1_u64 << 40) as f64;

/// The document of what was measured.
pub fn document(
    stage: &Stage<'_>,
    rows: Vec<Row>,
    correctness: Vec<Correct>,
    timestamp: String,
) -> Document<Row, Summary> {
    let summary = Summary {
        conditions: stage.conditions(),
        speedups: speedups(&rows),
        correctness,
        extrapolated: extrapolated(&rows),
    };
    let mut document = Document::here(Tools::NAME, timestamp, rows, summary);
    document.interrupted = stage.cancelled();
    document.warnings = doubts(document.rows.iter().map(|row| &row.timed));
    let wrong = document.summary.correctness.iter().filter(|row| !row.wrong_sizes.is_empty());
    let wrong = wrong.map(|row| format!("{} gives wrong digests of {}", row.tool, row.algorithm));
    document.warnings.extend(wrong.collect::<Vec<_>>());
    document
}

impl Row {
    fn work(&self) -> (Part, &str, u64, usize) {
        (self.part, &self.algorithms, self.bytes, self.files)
    }
}

fn speedups(rows: &[Row]) -> Vec<Speedup> {
    let speedup = |row: &Row| {
        let ours = rows.iter().find(|other| other.work() == row.work() && other.timed.tool == OURS)?;
        let ratio: Estimate = row.timed.estimate()?.ratio(&ours.timed.estimate()?);
        Some(Speedup {
            part: row.part,
            algorithms: row.algorithms.clone(),
            bytes: row.bytes,
            files: row.files,
            tool: row.timed.tool.clone(),
            ratio: ratio.value,
            error: ratio.error,
        })
    };
    rows.iter().filter(|row| row.timed.tool != OURS).filter_map(speedup).collect()
}

fn extrapolated(rows: &[Row]) -> Vec<Extrapolated> {
    let large = || rows.iter().filter(|row| row.part == Part::Large);
    let most = large().map(|row| row.bytes).max().unwrap_or(0);
    let one = |row: &Row| {
        let (mean, ci95) = row.timed.mean()?;
        let factor = TEBIBYTE / row.bytes as f64;
        Some(Extrapolated {
            tool: row.timed.tool.clone(),
            algorithm: row.algorithms.clone(),
            from_bytes: row.bytes,
            seconds: mean * factor,
            ci95: ci95 * factor,
        })
    };
    large().filter(|row| row.bytes == most && most > 0).filter_map(one).collect()
}

impl Comparison for Tools {
    const NAME: &'static str = "tools";
    type Row = Row;
    type Summary = Summary;

    fn view(document: &Document<Row, Summary>) -> View {
        let of = |part| document.rows.iter().filter(move |row| row.part == part);
        let speedups = &document.summary.speedups;
        View {
            title: "Tools side by side".to_string(),
            notes: document.summary.conditions.notes(),
            tables: vec![
                figures("One large file", of(Part::Large), speedups),
                figures("Many small files", of(Part::Small), speedups),
                figures("Several algorithms at once", of(Part::Several), speedups),
                correctness(&document.summary.correctness),
                tebibyte(&document.summary.extrapolated),
            ],
            charts: charts::tools(&document.rows),
        }
    }
}

fn figures<'a>(caption: &str, rows: impl Iterator<Item = &'a Row>, speedups: &[Speedup]) -> Table {
    let columns = [
        Column::text("algorithm"),
        Column::text("work"),
        Column::text("tool"),
        Column::number("mean", "ms"),
        Column::number("± 95 %", "ms"),
        Column::number("rate", "MB/s"),
        Column::number("a file", "µs"),
        Column::text("times as long as hashloom"),
        Column::text("remark"),
    ];
    let mut table = Table::new(caption, columns);
    for row in rows {
        let mean = row.timed.mean();
        let speedup =
            speedups.iter().find(|found| found.work() == row.work() && found.tool == row.timed.tool);
        table.push([
            row.algorithms.as_str().into(),
            row.shown_work().into(),
            row.timed.tool.as_str().into(),
            milliseconds(mean.map(|(mean, _)| mean)),
            milliseconds(mean.map(|(_, margin)| margin)),
            Cell::from((mean.map(|(mean, _)| row.bytes as f64 / mean / 1e6), 0)),
            Cell::from((mean.map(|(mean, _)| mean * 1e6 / row.files as f64), 1)),
            speedup.map_or(Cell::Empty, |found| format!("{:.2} ± {:.2}", found.ratio, found.error).into()),
            row.timed.remark().into(),
        ]);
    }
    table
}

impl Row {
    fn shown_work(&self) -> String {
        match self.files {
            1 => shown_bytes(self.bytes),
            files => format!("{files} files of {}", shown_bytes(self.bytes / files as u64)),
        }
    }
}

impl Speedup {
    fn work(&self) -> (Part, &str, u64, usize) {
        (self.part, &self.algorithms, self.bytes, self.files)
    }
}

fn correctness(rows: &[Correct]) -> Table {
    let columns = [
        Column::text("algorithm"),
        Column::text("tool"),
        Column::number("right", "files"),
        Column::text("wrong for"),
        Column::text("remark"),
    ];
    let mut table = Table::new("Correct digests, of files of 0 B to 1 MiB", columns);
    for row in rows {
        let wrong: Vec<String> = row.wrong_sizes.iter().map(|size| shown_bytes(*size)).collect();
        table.push([
            row.algorithm.as_str().into(),
            row.tool.as_str().into(),
            row.right.into(),
            wrong.join(", ").into(),
            row.note.clone().unwrap_or_default().into(),
        ]);
    }
    table
}

fn tebibyte(rows: &[Extrapolated]) -> Table {
    let columns = [
        Column::text("algorithm"),
        Column::text("tool"),
        Column::number("1 TiB, extrapolated", "minutes"),
        Column::number("± 95 %", "minutes"),
        Column::text("from the rate of"),
    ];
    let caption = "EXTRAPOLATED, not measured: 1 TiB, if no disk and no heat slowed it down";
    let mut table = Table::new(caption, columns);
    for row in rows {
        table.push([
            row.algorithm.as_str().into(),
            row.tool.as_str().into(),
            Cell::Number(row.seconds / 60.0, 1),
            Cell::Number(row.ci95 / 60.0, 1),
            format!("one file of {}", shown_bytes(row.from_bytes)).into(),
        ]);
    }
    table
}
