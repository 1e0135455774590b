//! Whole tools side by side: large files, many small ones, several algorithms at once, and whether all agree.

mod chart;
mod correctness;
mod result;
mod view;

pub use correctness::{CORRECT_SIZES, Correctness};
pub use result::{Extrapolated, Part, Row, Speedup, Summary};
pub use view::Tools;

use crate::comparison::Comparison;
use crate::document::Document;
use crate::generated;
use crate::peers::Tree;
use crate::stage::{Stage, named, until_interrupted, write_list};
use hashloom_digest::Algorithm;
use result::{extrapolated, speedups};
use std::fs;
use std::io;

/// The settings.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The algorithms, each by itself.
    pub algorithms: Vec<&'static Algorithm>,
    /// Bytes of the large files.
    pub sizes: Vec<u64>,
    /// How many small files.
    pub counts: Vec<usize>,
    /// Bytes of a small file.
    pub small: u64,
    /// The algorithms that are taken at once.
    pub several: Vec<&'static Algorithm>,
}

/// Measures large files, then small ones, then several algorithms at once; last the correctness of all.
///
/// # Errors
/// If a file can't be made. An interrupt is no error: what was measured until then is in the document.
pub fn measure(
    stage: &mut Stage<'_>,
    wanted: &Settings,
    timestamp: String,
) -> io::Result<Document<Row, Summary>> {
    let mut rows = Vec::new();
    let mut correct = Vec::new();
    let mut all = || -> io::Result<()> {
        // Correctness takes a moment; who is wrong is known before much time is spent.
        correctness::measure(stage, &mut correct)?;
        wanted.sizes.iter().try_for_each(|size| large(stage, wanted, *size, &mut rows))?;
        wanted.counts.iter().try_for_each(|count| small(stage, wanted, *count, &mut rows))
    };
    until_interrupted(all())?;
    rows.sort_by_key(|row: &Row| {
        let place = wanted.algorithms.iter().position(|known| known.name == row.algorithms);
        (row.part, place)
    });
    Ok(document(stage, rows, correct, timestamp))
}

/// Each algorithm, then several at once, on one file of this size.
fn large(stage: &mut Stage<'_>, wanted: &Settings, size: u64, rows: &mut Vec<Row>) -> io::Result<()> {
    let file = stage.place.join(format!("{size}-bytes"));
    stage.make_file(&file, size)?;
    let each = wanted.algorithms.iter().map(|algorithm| (Part::Large, vec![*algorithm]));
    let several = (wanted.several.len() > 1).then(|| (Part::Several, wanted.several.clone()));
    for (part, algorithms) in each.chain(several) {
        if stage.cancelled() {
            break;
        }
        let names: Vec<&str> = algorithms.iter().map(|algorithm| algorithm.name).collect();
        let entries = stage.on_file(&names, &file);
        let timed = stage.race(entries, &algorithms, std::slice::from_ref(&file))?;
        let row = |timed| Row { part, algorithms: names.join(","), bytes: size, files: 1, timed };
        rows.extend(timed.into_iter().map(row));
    }
    fs::remove_file(&file).map_err(|error| named(&file, error))
}

/// Each algorithm on so many small files.
fn small(stage: &mut Stage<'_>, wanted: &Settings, count: usize, rows: &mut Vec<Row>) -> io::Result<()> {
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
        let entries = stage.on_tree(&[algorithm.name], &Tree { folder: &folder, list: &list, files: count });
        let timed = stage.race(entries, &[algorithm], &made.files)?;
        let (algorithms, bytes) = (algorithm.name.to_string(), made.bytes);
        let row =
            |timed| Row { part: Part::Small, algorithms: algorithms.clone(), bytes, files: count, timed };
        rows.extend(timed.into_iter().map(row));
    }
    fs::remove_dir_all(&folder).map_err(|error| named(&folder, error))
}

/// The document of what was measured.
fn document(
    stage: &Stage<'_>,
    rows: Vec<Row>,
    correctness: Vec<Correctness>,
    timestamp: String,
) -> Document<Row, Summary> {
    let summary = Summary {
        conditions: stage.conditions(),
        speedups: speedups(&rows),
        correctness,
        extrapolated: extrapolated(&rows),
    };
    let mut document = Document::here(Tools::NAME, timestamp, rows, summary);
    stage.complete(&mut document, &stage.place, |row| &row.timed);
    let wrong = document.summary.correctness.iter().filter(|row| !row.wrong_sizes.is_empty());
    let wrong = wrong.map(|row| format!("{} gives wrong digests of {}", row.tool, row.algorithm));
    document.warnings.extend(wrong.collect::<Vec<_>>());
    document
}
