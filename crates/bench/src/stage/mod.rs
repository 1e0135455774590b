//! The environment of a comparison of tools, and the conditions in its document.

use crate::generated;
use crate::host::Storage;
use crate::peers::{Lineup, TestFolder, expected};
use crate::race::{Case, Competitor, CompetitorResult, DropMethod, Plan, Track, named};
use crate::timed::Timed;
use crate::{DisturbanceMonitor, Document};
use hashmill_digest::Algorithm;
use hashmill_os::names;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// The environment of a comparison of tools.
pub struct Stage<'a> {
    /// Runs the cases.
    pub track: Track<'a>,
    /// The competitors.
    pub field: Lineup,
    /// The number of runs.
    pub plan: Plan,
    /// The method of removing files from the cache before each run; `None` if they stay.
    pub means: Option<DropMethod>,
    /// The folder for generated files, which its creator removes.
    pub place: PathBuf,
    /// Observes the machine between cases.
    pub disturbance: DisturbanceMonitor,
}

/// The text for the state of the cache if it is not changed.
pub const WARM: &str = "files are in memory";

/// The conditions of timed runs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Conditions {
    /// The number of untimed runs of each tool.
    pub warmup: usize,
    /// The least number of timed runs of each tool. Tools took turns.
    pub runs: usize,
    /// The seed of the order of runs, which is shuffled in each round.
    #[serde(default)]
    pub seed: u64,
    /// Whether and how files were removed from the cache before each run.
    pub cache: String,
    /// The number of threads that tools were told to use, if possible.
    pub threads: usize,
    /// The installed tools, with their versions.
    pub versions: BTreeMap<String, String>,
}

impl Stage<'_> {
    /// Creates a case in which each competitor must print the right digests of files.
    ///
    /// # Errors
    /// If a file can't be read; or `Interrupted`.
    pub fn case(
        &self,
        entries: Vec<Competitor>,
        algorithms: &[&'static Algorithm],
        files: &[PathBuf],
    ) -> io::Result<Case> {
        let expected = Some(expected(algorithms, files, &|| !self.cancelled())?);
        let algorithms = algorithms.iter().map(|algorithm| algorithm.name).collect();
        Ok(Case { entries, algorithms, expected, files: files.to_vec() })
    }

    /// Runs cases, all of them in each round. Returns the outcomes of each.
    pub fn outcomes(&mut self, cases: &[Case]) -> Vec<Vec<Timed>> {
        self.disturbance.look(self.track.clock);
        let outcomes: Vec<Vec<CompetitorResult>> = self.track.run(cases, self.plan);
        self.disturbance.look(self.track.clock);
        outcomes.iter().map(|case| case.iter().map(Timed::from_outcome).collect()).collect()
    }

    /// Runs cases with files in memory, even if they are removed before other runs.
    pub fn warm_outcomes(&mut self, cases: &[Case]) -> Vec<Vec<Timed>> {
        let cold = self.track.cold.take();
        let outcomes = self.outcomes(cases);
        self.track.cold = cold;
        outcomes
    }

    /// Creates a file of this size.
    ///
    /// # Errors
    /// If it can't be written; or `Interrupted`.
    pub fn make_file(&self, path: &Path, size: u64) -> io::Result<()> {
        generated::file(path, size, &|| !self.cancelled()).map_err(|error| named(path, error))
    }

    /// Returns whether everything should end.
    pub fn cancelled(&self) -> bool {
        (self.track.cancelled)()
    }

    /// Returns the calls of all competitors for a file.
    pub fn on_file(&mut self, algorithms: &[&str], file: &Path) -> Vec<Competitor> {
        self.field.on_file(self.track.runner, algorithms, file)
    }

    /// Returns the calls of all competitors for a folder.
    pub fn on_tree(&mut self, algorithms: &[&str], tree: &TestFolder<'_>) -> Vec<Competitor> {
        self.field.on_tree(self.track.runner, algorithms, tree)
    }

    /// Completes a document of measurements with files in this folder: warnings, whether it was interrupted, the
    /// storage.
    pub fn complete<R, S>(&self, document: &mut Document<R, S>, folder: &Path, timed: fn(&R) -> &Timed) {
        document.interrupted = self.cancelled();
        document.warnings = doubts(document.rows.iter().map(timed));
        document.warnings.extend(self.disturbance.warnings());
        document.host.files = Storage::from_folder(folder);
    }

    /// Returns the conditions of the runs so far.
    pub fn conditions(&self) -> Conditions {
        Conditions {
            warmup: self.plan.warmup,
            runs: self.plan.runs,
            seed: self.track.draw.seed,
            cache: self.means.map_or(WARM.to_string(), |means| means.to_string()),
            threads: self.field.threads,
            versions: self.field.versions(),
        }
    }
}

impl Conditions {
    /// Returns the conditions as notes for people.
    pub fn notes(&self) -> Vec<String> {
        let Conditions { warmup, runs, seed, cache, .. } = self;
        let versions: Vec<String> =
            self.versions.iter().map(|(name, version)| format!("{name} {version}")).collect();
        let mut notes = vec![format!(
            "at least {runs} timed runs of each tool after {warmup} to warm up, in rounds whose order is drawn (seed \
             {seed}); {cache}"
        )];
        if !versions.is_empty() {
            notes.push(format!("versions: {}", versions.join(", ")));
        }
        notes
    }
}

/// Turns an interrupt into success, since the measurements until then count.
///
/// # Errors
/// Any other error.
pub fn until_interrupted(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
        other => other,
    }
}

/// Returns warnings about rows with outliers.
fn doubts<'a>(rows: impl IntoIterator<Item = &'a Timed>) -> Vec<String> {
    let rows: Vec<&Timed> = rows.into_iter().collect();
    let disturbed = rows.iter().filter(|row| row.outliers > 0).count();
    if disturbed == 0 {
        return Vec::new();
    }
    let all = rows.iter().filter(|row| row.seconds.is_some()).count();
    vec![format!(
        "{disturbed} of {all} rows have outliers: other work may have disturbed them; repeat on a quiet machine"
    )]
}

/// Writes a list of files, each ended by NUL.
///
/// # Errors
/// If it can't be written.
pub fn write_list(path: &Path, files: &[PathBuf]) -> io::Result<()> {
    let names = files.iter().flat_map(|file| [names::path_bytes(file), b"\0".into()]).collect::<Vec<_>>();
    std::fs::write(path, names.concat()).map_err(|error| named(path, error))
}

// With command lines as a shell of Unix gets them.
#[cfg(all(test, unix))]
mod recorded;
#[cfg(test)]
mod tests;
