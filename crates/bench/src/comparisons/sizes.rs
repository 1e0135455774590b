//! Algorithms × file sizes, with hashmill and every tool that has the algorithm.

mod chart;
mod result;
mod view;

pub(crate) use result::algorithms;
pub use result::{SizesRow, SizesSummary};
pub use view::Sizes;

use crate::comparison::Comparison;
use crate::document::Document;
use crate::peers::Likeness;
use crate::race::{Case, named};
use crate::stage::{Stage, until_interrupted};
use hashmill_digest::Algorithm;
use result::{rankings, results};
use std::fs;
use std::io;

/// Settings of `bench sizes`.
#[derive(Debug, Clone)]
pub struct SizesSettings {
    /// The algorithms, in the order of the result.
    pub algorithms: Vec<&'static Algorithm>,
    /// The likeness algorithms, which come after those.
    pub likeness: Vec<Likeness>,
    /// The sizes of the files in bytes.
    pub sizes: Vec<u64>,
}

impl SizesSettings {
    fn names(&self) -> impl Iterator<Item = &'static str> {
        let likeness = self.likeness.iter().map(|likeness| likeness.name);
        self.algorithms.iter().map(|algorithm| algorithm.name).chain(likeness)
    }
}

/// Measures one size after another, so that only one file exists at a time.
///
/// # Errors
/// If a file can't be created. An interrupt is not an error: the document has the measurements until then.
pub fn measure(
    stage: &mut Stage<'_>,
    wanted: &SizesSettings,
    timestamp: String,
) -> io::Result<Document<SizesRow, SizesSummary>> {
    let mut rows = Vec::new();
    until_interrupted(wanted.sizes.iter().try_for_each(|size| one_size(stage, wanted, *size, &mut rows)))?;
    rows.sort_by_key(|row: &SizesRow| wanted.names().position(|name| name == row.algorithm));
    let conditions = stage.conditions();
    let summary = SizesSummary { conditions, rankings: rankings(&rows), algorithms: algorithms(&rows) };
    let mut document = Document::here(Sizes::NAME, timestamp, rows, summary);
    stage.complete(&mut document, &stage.place, |row| &row.timed);
    document.more.insert("results".to_string(), results(&document.rows));
    Ok(document)
}

fn one_size(
    stage: &mut Stage<'_>,
    wanted: &SizesSettings,
    size: u64,
    rows: &mut Vec<SizesRow>,
) -> io::Result<()> {
    let file = stage.place.join(format!("{size}-bytes"));
    stage.make_file(&file, size)?;
    // All algorithms take turns, since they are also compared with each other.
    let mut cases = Vec::new();
    for algorithm in &wanted.algorithms {
        let entries = stage.on_file(&[algorithm.name], &file);
        cases.push(stage.case(entries, &[algorithm], std::slice::from_ref(&file))?);
    }
    for likeness in &wanted.likeness {
        let entries = likeness.on_file(&mut stage.field, stage.track.runner, &file);
        let files = vec![file.clone()];
        let expected = Some(likeness.expected(&files, &|| !stage.cancelled())?);
        cases.push(Case { entries, algorithms: vec![likeness.name], expected, files });
    }
    for (algorithm, timed) in wanted.names().zip(stage.outcomes(&cases)) {
        let row = |timed| SizesRow { algorithm: algorithm.to_string(), size_bytes: size, timed };
        rows.extend(timed.into_iter().map(row));
    }
    fs::remove_file(&file).map_err(|error| named(&file, error))
}
