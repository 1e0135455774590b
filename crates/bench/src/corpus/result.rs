//! What the experiments found, as a document and for people.

use crate::comparison::Comparison;
use crate::made::Made;
use crate::stage::{Conditions, Stage, doubts};
use crate::timed::{Ranking, Timed, shown_bytes};
use crate::view::{Cell, Column, Table, View};
use crate::{Document, charts};
use serde::{Deserialize, Serialize};

/// The experiments of the paper on hashing in parallel.
pub struct Corpus;

/// One of the experiments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Experiment {
    /// The tool that one had, one thread, a thread a file, prefetching.
    Methods,
    /// Numbers of threads.
    Threads,
    /// Bounds on memory.
    Memory,
    /// Numbers of threads that read ahead.
    Prefetchers,
    /// Files that are not in memory.
    FirstRun,
    /// Files that are.
    SecondRun,
    /// Processes in parallel.
    Processes,
    /// Likeness digests of all files.
    LikenessDigests,
    /// All compared with all.
    AllAgainstAll,
}

impl Experiment {
    /// All of them, in the order of results.
    pub const ALL: [Experiment; 9] = [
        Experiment::Methods,
        Experiment::Threads,
        Experiment::Memory,
        Experiment::Prefetchers,
        Experiment::FirstRun,
        Experiment::SecondRun,
        Experiment::Processes,
        Experiment::LikenessDigests,
        Experiment::AllAgainstAll,
    ];

    /// The name in options and results.
    pub fn name(self) -> &'static str {
        match self {
            Experiment::Methods => "methods",
            Experiment::Threads => "threads",
            Experiment::Memory => "memory",
            Experiment::Prefetchers => "prefetchers",
            Experiment::FirstRun => "first-run",
            Experiment::SecondRun => "second-run",
            Experiment::Processes => "processes",
            Experiment::LikenessDigests => "likeness-digests",
            Experiment::AllAgainstAll => "all-against-all",
        }
    }

    /// What stands above its table.
    pub fn title(self) -> &'static str {
        match self {
            Experiment::Methods => "The tool one had, one thread, a thread a file, prefetching",
            Experiment::Threads => "Number of threads (one prefetcher)",
            Experiment::Memory => "Bound on memory (one prefetcher)",
            Experiment::Prefetchers => "Number of prefetchers",
            Experiment::FirstRun => "First run: files are not in memory",
            Experiment::SecondRun => "Second run: files are in memory",
            Experiment::Processes => "Processes in parallel",
            Experiment::LikenessDigests => "Likeness digests of all files",
            Experiment::AllAgainstAll => "All against all",
        }
    }
}

/// One way to do an experiment's work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Which experiment.
    pub experiment: Experiment,
    /// The algorithm.
    pub algorithm: String,
    /// Whether it is another's tool.
    pub peer: bool,
    /// Threads or processes that hash, if their number was set.
    pub threads: Option<usize>,
    /// The bound on file data in memory, if one was set.
    pub memory_bytes: Option<u64>,
    /// Threads that read ahead, if their number was set.
    pub prefetch: Option<usize>,
    /// The way, and what it took.
    #[serde(flatten)]
    pub timed: Timed,
}

/// What follows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// How it was measured.
    pub conditions: Conditions,
    /// How many files the corpus has.
    pub files: usize,
    /// Bytes of all together.
    pub bytes: u64,
    /// For each experiment and algorithm, which way was fastest and by how much.
    pub rankings: Vec<Ranking>,
}

/// The document of what was measured.
pub fn document(stage: &Stage<'_>, rows: Vec<Row>, made: &Made, timestamp: String) -> Document<Row, Summary> {
    let works = rows.chunk_by(|a, b| (a.experiment, &a.algorithm) == (b.experiment, &b.algorithm));
    let rankings = works.filter_map(|work| {
        let name = format!("{}, {}", work[0].experiment.name(), work[0].algorithm);
        Ranking::of(name, work.iter().map(|row| &row.timed))
    });
    let usual = stage.conditions();
    let cache = match stage.means {
        Some(means) => format!("files are in memory, but in {}: {means}", Experiment::FirstRun.name()),
        None => usual.cache.clone(),
    };
    let summary = Summary {
        conditions: Conditions { cache, ..usual },
        files: made.files.len(),
        bytes: made.bytes,
        rankings: rankings.collect(),
    };
    let mut document = Document::here(Corpus::NAME, timestamp, rows, summary);
    document.interrupted = stage.cancelled();
    document.warnings = doubts(document.rows.iter().map(|row| &row.timed));
    document
}

impl Comparison for Corpus {
    const NAME: &'static str = "corpus";
    type Row = Row;
    type Summary = Summary;

    fn view(document: &Document<Row, Summary>) -> View {
        let Summary { conditions, files, bytes, .. } = &document.summary;
        let mut notes = vec![format!("{files} files, {}", shown_bytes(*bytes))];
        notes.extend(conditions.notes());
        let tables = Experiment::ALL.into_iter().filter_map(|experiment| {
            let rows: Vec<&Row> = document.rows.iter().filter(|row| row.experiment == experiment).collect();
            (!rows.is_empty()).then(|| table(experiment, &rows, *bytes))
        });
        View {
            title: "Hashing a corpus in parallel".to_string(),
            notes,
            tables: tables.collect(),
            charts: charts::corpus(&document.rows),
        }
    }
}

fn table(experiment: Experiment, rows: &[&Row], bytes: u64) -> Table {
    let columns = [
        Column::text("algorithm"),
        Column::text("way"),
        Column::number("mean", "s"),
        Column::number("± 95 %", "s"),
        Column::number("user", "s"),
        Column::number("system", "s"),
        Column::number("rate", "MB/s"),
        Column::text("remark"),
    ];
    let mut table = Table::new(experiment.title(), columns);
    for row in rows {
        let mean = row.timed.mean();
        table.push([
            row.algorithm.as_str().into(),
            row.timed.tool.as_str().into(),
            Cell::from((mean.map(|(mean, _)| mean), 3)),
            Cell::from((mean.map(|(_, margin)| margin), 3)),
            Cell::from((row.timed.user, 3)),
            Cell::from((row.timed.system, 3)),
            Cell::from((mean.map(|(mean, _)| bytes as f64 / mean / 1e6), 0)),
            row.timed.remark().into(),
        ]);
    }
    table
}
