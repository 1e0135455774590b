//! The experiments of a paper on parallel hashing, on any corpus.
//!
//! F. Breitinger and K. Petrov, *Reducing the Time Required for Hashing Operations* (Advances in Digital Forensics IX,
//! 2013): the original tool, one thread that reads and hashes, several threads that each read and hash, and one thread
//! that reads ahead for the others; then the number of threads, the memory, the number of threads that read ahead, all
//! of these together, the first and the second run, and comparisons of all files with all; with digests and with
//! likeness digests. In addition, processes in parallel, by xargs and by GNU parallel.

mod chart;
mod experiments;
mod result;
mod view;

pub use crate::peers::Likeness;
pub use experiments::CorpusSettings;
pub use result::{CorpusRow, CorpusSummary, Experiment, ExtensionFiles};
pub use view::Corpus;

use crate::comparison::Comparison;
use crate::document::Document;
use crate::generated::FileSet;
use crate::peers::TestFolder;
use crate::race::{Case, Competitor};
use crate::stage::{Conditions, Stage, until_interrupted, write_list};
use crate::timed::Ranking;
use experiments::{Subject, Trial};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The files of the measurements.
#[derive(Debug, Clone)]
pub struct Files {
    /// Their folder.
    pub folder: PathBuf,
    /// The list of files.
    pub made: FileSet,
}

impl Files {
    /// Lists all regular files below a folder, in the order of their paths. Links are not followed.
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
    let error = |error| crate::race::named(folder, error);
    let mut names = hashmill_os::all_names_in(folder).map_err(error)?;
    names.sort();
    for path in names.into_iter().map(|name| folder.join(name)) {
        let facts = path.symlink_metadata().map_err(error)?;
        if facts.is_dir() {
            list(&path, made)?;
        } else if facts.is_file() {
            made.add(path, facts.len());
        }
    }
    Ok(())
}

/// Runs the experiments, one after another.
///
/// # Errors
/// If a file can't be read. An interrupt is not an error: the document has the measurements until then.
pub fn measure(
    stage: &mut Stage<'_>,
    wanted: &CorpusSettings,
    files: &Files,
    timestamp: String,
) -> io::Result<Document<CorpusRow, CorpusSummary>> {
    let list = stage.place.join("corpus.list");
    write_list(&list, &files.made.files)?;
    let mut rows = Vec::new();
    until_interrupted(run(stage, wanted, files, &list, &mut rows))?;
    rows.sort_by_key(|row: &CorpusRow| row.experiment);
    Ok(document(stage, wanted, rows, files, timestamp))
}

fn run(
    stage: &mut Stage<'_>,
    wanted: &CorpusSettings,
    files: &Files,
    list: &Path,
    rows: &mut Vec<CorpusRow>,
) -> io::Result<()> {
    let wants = |experiment| wanted.experiments.is_empty() || wanted.experiments.contains(&experiment);
    let tree = TestFolder { folder: &files.folder, list, files: files.made.files.len() };
    let digests = wanted.algorithms.iter().map(|algorithm| Subject::Digest(algorithm));
    let likeness = wanted.likeness.iter().map(|likeness| Subject::Likeness(*likeness));
    for subject in digests.chain(likeness) {
        let trials = experiments::digests(stage, wanted, subject, tree);
        let trials: Vec<_> = trials.into_iter().filter(|(experiment, _)| wants(*experiment)).collect();
        if !trials.is_empty() {
            let right = Some(right(stage, subject, files)?);
            for (experiment, trials) in trials {
                let cold =
                    experiment == Experiment::FirstRun || wanted.cold && experiment != Experiment::SecondRun;
                let work = Work { experiment, algorithm: subject.name(), cold };
                race(stage, work, trials, right.clone(), files, rows);
            }
        }
        if let Subject::Likeness(likeness) = subject
            && wants(Experiment::AllAgainstAll)
        {
            let trials = experiments::all_with_all(stage, likeness, tree);
            let work = Work { experiment: Experiment::AllAgainstAll, algorithm: likeness.name, cold: false };
            race(stage, work, trials, None, files, rows);
        }
    }
    Ok(())
}

fn right(stage: &Stage<'_>, subject: Subject, files: &Files) -> io::Result<Vec<String>> {
    let go_on = || !stage.cancelled();
    match subject {
        Subject::Digest(algorithm) => crate::peers::expected(&[algorithm], &files.made.files, &go_on),
        Subject::Likeness(likeness) => likeness.expected(&files.made.files, &go_on),
    }
}

#[derive(Clone, Copy)]
struct Work {
    experiment: Experiment,
    algorithm: &'static str,
    /// Whether files are removed from the page cache before each run.
    cold: bool,
}

fn race(
    stage: &mut Stage<'_>,
    work: Work,
    trials: Vec<Trial>,
    expected: Option<Vec<String>>,
    files: &Files,
    rows: &mut Vec<CorpusRow>,
) {
    if stage.cancelled() {
        return;
    }
    let entries: Vec<Competitor> = trials.iter().map(|trial| trial.entry.clone()).collect();
    let case = Case { entries, algorithms: vec![work.algorithm], expected, files: files.made.files.clone() };
    let timed = if work.cold { stage.outcomes(&[case]) } else { stage.warm_outcomes(&[case]) };
    rows.extend(trials.into_iter().zip(timed.into_iter().flatten()).map(|(trial, timed)| CorpusRow {
        experiment: work.experiment,
        algorithm: work.algorithm.to_string(),
        peer: trial.peer,
        threads: trial.threads,
        memory_bytes: trial.memory,
        prefetch: trial.prefetch,
        cold: work.cold,
        timed,
    }));
}

/// Creates the document of the measurements.
fn document(
    stage: &Stage<'_>,
    wanted: &CorpusSettings,
    rows: Vec<CorpusRow>,
    files: &Files,
    timestamp: String,
) -> Document<CorpusRow, CorpusSummary> {
    let works = rows.chunk_by(|a, b| (a.experiment, &a.algorithm) == (b.experiment, &b.algorithm));
    let rankings = works.filter_map(|work| {
        let name = format!("{}, {}", work[0].experiment.name(), work[0].algorithm);
        Ranking::from_rows(name, work.iter().map(|row| &row.timed))
    });
    let usual = stage.conditions();
    let cache = match stage.means {
        Some(means) if wanted.cold => {
            let but = [Experiment::SecondRun, Experiment::AllAgainstAll].map(Experiment::name);
            format!("files are not in memory, but in {}: {means}", but.join(" and "))
        }
        Some(means) => format!("files are in memory, but in {}: {means}", Experiment::FirstRun.name()),
        None => usual.cache.clone(),
    };
    let summary = CorpusSummary {
        conditions: Conditions { cache, ..usual },
        files: files.made.files.len(),
        bytes: files.made.bytes,
        kinds: result::kinds(sized(files)),
        rankings: rankings.collect(),
    };
    let mut document = Document::here(Corpus::NAME, timestamp, rows, summary);
    stage.complete(&mut document, &files.folder, |row| &row.timed);
    document
}

/// Returns the files with their sizes; 0 for files that no longer exist.
fn sized(files: &Files) -> impl Iterator<Item = (&Path, u64)> {
    files.made.files.iter().map(|path| (path.as_path(), fs::metadata(path).map_or(0, |meta| meta.len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_in_the_order_of_their_paths() {
        let place = tempfile::tempdir().unwrap();
        fs::create_dir(place.path().join("b")).unwrap();
        for (name, bytes) in [("b/z", 3), ("b/a", 2), ("a", 1)] {
            fs::write(place.path().join(name), vec![0; bytes]).unwrap();
        }
        let files = Files::below(place.path()).unwrap();
        let names: Vec<_> =
            files.made.files.iter().map(|path| path.strip_prefix(place.path()).unwrap()).collect();
        assert_eq!((names, files.made.bytes), (vec![Path::new("a"), Path::new("b/a"), Path::new("b/z")], 6));
        let error = Files::below(&place.path().join("absent")).unwrap_err();
        assert!(error.to_string().contains("absent: "), "{error}");
    }

    #[cfg(unix)]
    mod links {
        use super::*;

        #[test]
        fn links_are_left_out() {
            let place = tempfile::tempdir().unwrap();
            fs::write(place.path().join("a"), "a").unwrap();
            std::os::unix::fs::symlink("a", place.path().join("link")).unwrap();
            assert_eq!(Files::below(place.path()).unwrap().made.files, [place.path().join("a")]);
        }
    }
}
