//! Whole tools side by side: large files, many small ones, several algorithms at once, and the correctness of all.

mod chart;
mod correctness;
mod result;
mod view;

pub use correctness::{Agreement, CORRECT_SIZES, Correctness};
pub use result::{Extrapolated, Speedup, ToolsPart, ToolsRow, ToolsSummary};
pub use view::Tools;

use crate::comparison::Comparison;
use crate::document::Document;
use crate::generated;
use crate::peers::TestFolder;
use crate::race::{Case, named};
use crate::stage::{Stage, WARM, until_interrupted, write_list};
use crate::timed::Timed;
use hashmill_digest::Algorithm;
use result::{extrapolated, speedups};
use std::fs;
use std::io;

/// Settings of `bench tools`.
#[derive(Debug, Clone)]
pub struct ToolsSettings {
    /// The algorithms, each by itself.
    pub algorithms: Vec<&'static Algorithm>,
    /// The sizes of the large files in bytes.
    pub sizes: Vec<u64>,
    /// The numbers of small files.
    pub counts: Vec<usize>,
    /// The size of a small file in bytes.
    pub small: u64,
    /// The algorithms that are computed at once.
    pub several: Vec<&'static Algorithm>,
    /// Whether files are removed from the cache before the runs of all parts, not only of [`ToolsPart::Disk`].
    pub cold: bool,
}

/// Measures the correctness of all; then large files with one algorithm and with several at once, the largest one also
/// from the disk; then many small files.
///
/// # Errors
/// If a file can't be created. An interrupt is not an error: the document has the measurements until then.
pub fn measure(
    stage: &mut Stage<'_>,
    wanted: &ToolsSettings,
    timestamp: String,
) -> io::Result<Document<ToolsRow, ToolsSummary>> {
    let mut rows = Vec::new();
    let mut correct = correctness::CorrectnessResults::default();
    let mut all = || -> io::Result<()> {
        // Correctness takes little time, so wrong tools are known before the long measurements.
        correctness::measure(stage, &mut correct)?;
        wanted.sizes.iter().try_for_each(|size| large(stage, wanted, *size, &mut rows))?;
        wanted.counts.iter().try_for_each(|count| small(stage, wanted, *count, &mut rows))
    };
    until_interrupted(all())?;
    rows.sort_by_key(|row: &ToolsRow| {
        let place = wanted.algorithms.iter().position(|known| known.name == row.algorithms);
        (row.part, place)
    });
    Ok(document(stage, wanted, rows, correct, timestamp))
}

/// Measures each algorithm, then several at once, on one file of this size; the largest one also from the disk.
fn large(
    stage: &mut Stage<'_>,
    wanted: &ToolsSettings,
    size: u64,
    rows: &mut Vec<ToolsRow>,
) -> io::Result<()> {
    let file = stage.place.join(format!("{size}-bytes"));
    stage.make_file(&file, size)?;
    let each = wanted.algorithms.iter().map(|algorithm| (ToolsPart::Large, vec![*algorithm]));
    let several = (wanted.several.len() > 1).then(|| (ToolsPart::Several, wanted.several.clone()));
    let largest = wanted.sizes.iter().all(|other| *other <= size) && !wanted.cold && stage.means.is_some();
    let disk = wanted.algorithms.iter().filter(|_| largest).map(|one| (ToolsPart::Disk, vec![*one]));
    for (part, algorithms) in each.chain(several).chain(disk) {
        if stage.cancelled() {
            break;
        }
        let names: Vec<&str> = algorithms.iter().map(|algorithm| algorithm.name).collect();
        let entries = stage.on_file(&names, &file);
        let case = stage.case(entries, &algorithms, std::slice::from_ref(&file))?;
        let timed = race(stage, case, wanted.cold || part == ToolsPart::Disk);
        let row = |timed| ToolsRow { part, algorithms: names.join(","), bytes: size, files: 1, timed };
        rows.extend(timed.into_iter().map(row));
    }
    fs::remove_file(&file).map_err(|error| named(&file, error))
}

/// Runs a case, with files in memory or not.
fn race(stage: &mut Stage<'_>, case: Case, cold: bool) -> Vec<Timed> {
    let outcomes = if cold { stage.outcomes(&[case]) } else { stage.warm_outcomes(&[case]) };
    outcomes.into_iter().flatten().collect()
}

/// Measures each algorithm on this many small files.
fn small(
    stage: &mut Stage<'_>,
    wanted: &ToolsSettings,
    count: usize,
    rows: &mut Vec<ToolsRow>,
) -> io::Result<()> {
    let folder = stage.place.join(format!("{count}-files"));
    let list = stage.place.join(format!("{count}-files.list"));
    let cancelled = stage.track.cancelled;
    let made = generated::tree(&folder, count, wanted.small, &|| !cancelled());
    let made = made.map_err(|error| named(&folder, error))?;
    write_list(&list, &made.files)?;
    for algorithm in &wanted.algorithms {
        if stage.cancelled() {
            break;
        }
        let entries =
            stage.on_tree(&[algorithm.name], &TestFolder { folder: &folder, list: &list, files: count });
        let case = stage.case(entries, &[algorithm], &made.files)?;
        let timed = race(stage, case, wanted.cold);
        let (algorithms, bytes) = (algorithm.name.to_string(), made.bytes);
        let row = |timed| ToolsRow {
            part: ToolsPart::Small,
            algorithms: algorithms.clone(),
            bytes,
            files: count,
            timed,
        };
        rows.extend(timed.into_iter().map(row));
    }
    fs::remove_dir_all(&folder).map_err(|error| named(&folder, error))
}

fn document(
    stage: &Stage<'_>,
    wanted: &ToolsSettings,
    rows: Vec<ToolsRow>,
    found: correctness::CorrectnessResults,
    timestamp: String,
) -> Document<ToolsRow, ToolsSummary> {
    let mut conditions = stage.conditions();
    if !wanted.cold {
        conditions.cache = WARM.to_string();
    }
    let disk = rows.iter().any(|row| row.part == ToolsPart::Disk);
    let summary = ToolsSummary {
        conditions,
        speedups: speedups(&rows),
        correctness: found.tools,
        digests: found.digests,
        disk: stage.means.filter(|_| disk).map(|means| means.to_string()),
        extrapolated: extrapolated(&rows),
    };
    let mut document = Document::here(Tools::NAME, timestamp, rows, summary);
    stage.complete(&mut document, &stage.place, |row| &row.timed);
    let wrong = document.summary.correctness.iter().filter(|row| !row.wrong_sizes.is_empty());
    let wrong = wrong.map(|row| format!("{} gives wrong digests of {}", row.tool, row.algorithm));
    document.warnings.extend(wrong.collect::<Vec<_>>());
    document
}
