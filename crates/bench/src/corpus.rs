//! The experiments of the paper on hashing in parallel, on any corpus.
//!
//! F. Breitinger and K. Petrov, *Reducing the Time Required for Hashing Operations* (Advances in Digital
//! Forensics IX, 2013): the tool that one had before, one thread that reads and hashes, several threads that each
//! read and hash, and one thread that reads ahead for the others; then the number of threads, the memory, the
//! number of threads that read ahead, the first and the second run, and comparing all with all. Beside them stand
//! processes in parallel, by xargs and by GNU parallel.

mod chart;
mod experiments;
mod result;
mod view;

pub use experiments::{Likeness, Settings};
pub use result::{Experiment, Row, Summary};
pub use view::Corpus;

use crate::comparison::Comparison;
use crate::document::Document;
use crate::generated::FileSet;
use crate::peers::Tree;
use crate::race::{Case, Competitor};
use crate::stage::{Conditions, Stage, until_interrupted, write_list};
use crate::timed::Ranking;
use experiments::Trial;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The files to measure with.
#[derive(Debug, Clone)]
pub struct Files {
    /// The folder that they lie in.
    pub folder: PathBuf,
    /// All of them.
    pub made: FileSet,
}

impl Files {
    /// All regular files below a folder, in the order of their paths. Links are not followed.
    ///
    /// # Errors
    /// If a folder can't be read; the error names it.
    pub fn below(folder: &Path) -> io::Result<Files> {
        let mut made = FileSet::default();
        list(folder, &mut made)?;
        Ok(Files { folder: folder.to_path_buf(), made })
    }
}

fn list(folder: &Path, made: &mut FileSet) -> io::Result<()> {
    let error = |error| crate::stage::named(folder, error);
    let mut entries: Vec<_> =
        fs::read_dir(folder).map_err(error)?.collect::<Result<_, _>>().map_err(error)?;
    entries.sort_by_key(fs::DirEntry::path);
    for entry in entries {
        let kind = entry.file_type().map_err(error)?;
        if kind.is_dir() {
            list(&entry.path(), made)?;
        } else if kind.is_file() {
            made.add(entry.path(), entry.metadata().map_err(error)?.len());
        }
    }
    Ok(())
}

/// Runs the experiments, one after another.
///
/// # Errors
/// If a file can't be read. An interrupt is no error: what was measured until then is in the document.
pub fn measure(
    stage: &mut Stage<'_>,
    wanted: &Settings,
    files: &Files,
    timestamp: String,
) -> io::Result<Document<Row, Summary>> {
    let list = stage.place.join("corpus.list");
    write_list(&list, &files.made.files)?;
    let mut rows = Vec::new();
    until_interrupted(run(stage, wanted, files, &list, &mut rows))?;
    rows.sort_by_key(|row: &Row| row.experiment);
    Ok(document(stage, rows, files, timestamp))
}

fn run(
    stage: &mut Stage<'_>,
    wanted: &Settings,
    files: &Files,
    list: &Path,
    rows: &mut Vec<Row>,
) -> io::Result<()> {
    let wants = |experiment| wanted.experiments.is_empty() || wanted.experiments.contains(&experiment);
    for algorithm in &wanted.algorithms {
        let tree = Tree { folder: &files.folder, list, files: files.made.files.len() };
        let right = crate::peers::expected(&[algorithm], &files.made.files, &|| !stage.cancelled())?;
        let trials = experiments::digests(stage, wanted, algorithm, tree);
        for (experiment, trials) in trials.into_iter().filter(|(experiment, _)| wants(*experiment)) {
            race(stage, (experiment, algorithm.name), trials, Some(right.clone()), files, rows);
        }
    }
    for likeness in &wanted.likeness {
        for (experiment, trials) in experiments::likeness(stage, *likeness, &files.folder) {
            if wants(experiment) {
                race(stage, (experiment, likeness.name), trials, None, files, rows);
            }
        }
    }
    Ok(())
}

/// Runs the trials of one experiment; those of the first run with the cache emptied, where that is asked for.
fn race(
    stage: &mut Stage<'_>,
    (experiment, algorithm): (Experiment, &'static str),
    trials: Vec<Trial>,
    expected: Option<Vec<String>>,
    files: &Files,
    rows: &mut Vec<Row>,
) {
    if stage.cancelled() {
        return;
    }
    let entries: Vec<Competitor> = trials.iter().map(|trial| trial.entry.clone()).collect();
    let case = Case { entries, algorithms: vec![algorithm], expected, files: files.made.files.clone() };
    // In all experiments but that of the first run files are in memory, as in the paper's second run.
    let cold = if experiment == Experiment::FirstRun { None } else { stage.track.cold.take() };
    let timed = stage.outcomes(&[case]).into_iter().flatten();
    if let Some(cold) = cold {
        stage.track.cold = Some(cold);
    }
    rows.extend(trials.into_iter().zip(timed).map(|(trial, timed)| Row {
        experiment,
        algorithm: algorithm.to_string(),
        peer: trial.peer,
        threads: trial.threads,
        memory_bytes: trial.memory,
        prefetch: trial.prefetch,
        timed,
    }));
}

/// The document of what was measured.
fn document(stage: &Stage<'_>, rows: Vec<Row>, files: &Files, timestamp: String) -> Document<Row, Summary> {
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
        files: files.made.files.len(),
        bytes: files.made.bytes,
        rankings: rankings.collect(),
    };
    let mut document = Document::here(Corpus::NAME, timestamp, rows, summary);
    stage.complete(&mut document, &files.folder, |row| &row.timed);
    document
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_in_the_order_of_their_paths_without_links() {
        let place = tempfile::tempdir().unwrap();
        fs::create_dir(place.path().join("b")).unwrap();
        for (name, bytes) in [("b/z", 3), ("b/a", 2), ("a", 1)] {
            fs::write(place.path().join(name), vec![0; bytes]).unwrap();
        }
        std::os::unix::fs::symlink("a", place.path().join("link")).unwrap();
        let files = Files::below(place.path()).unwrap();
        let names: Vec<_> =
            files.made.files.iter().map(|path| path.strip_prefix(place.path()).unwrap()).collect();
        assert_eq!((names, files.made.bytes), (vec![Path::new("a"), Path::new("b/a"), Path::new("b/z")], 6));
        let error = Files::below(&place.path().join("absent")).unwrap_err();
        assert!(error.to_string().contains("absent: "), "{error}");
    }
}
