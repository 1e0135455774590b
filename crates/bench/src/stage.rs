//! The means of a comparison of tools, and the conditions that its document names.

use crate::generated;
use crate::host::Storage;
use crate::peers::{Lineup, Tree, expected};
use crate::race::{Case, Competitor, DropMethod, Outcome, Plan, Track};
use crate::timed::Timed;
use crate::{DisturbanceMonitor, Document};
use hashloom_digest::Algorithm;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// The means of a comparison of tools.
pub struct Stage<'a> {
    /// Runs programs.
    pub track: Track<'a>,
    /// The competitors.
    pub field: Lineup,
    /// How often each runs.
    pub plan: Plan,
    /// How files are dropped from the page cache before each run; none: they stay.
    pub means: Option<DropMethod>,
    /// Where files may be made. Whoever made the folder removes it.
    pub place: PathBuf,
    /// Observes the machine between cases.
    pub disturbance: DisturbanceMonitor,
}

/// What conditions say of the cache if nothing was done to it.
pub const WARM: &str = "files are in memory";

/// Under what conditions runs were timed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Conditions {
    /// Runs of each tool that were not timed.
    pub warmup: usize,
    /// The least number of timed runs of each tool. Tools took turns.
    pub runs: usize,
    /// The number that the order of runs follows from: in each round it is drawn anew.
    #[serde(default)]
    pub seed: u64,
    /// Whether, and how, files were taken out of memory before each run.
    pub cache: String,
    /// Threads that tools were told to use, where they can be told.
    pub threads: usize,
    /// The tools that were here, with their versions.
    pub versions: BTreeMap<String, String>,
}

impl Stage<'_> {
    /// A case in which each has to print the right digests of files.
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

    /// Races cases, all of them in each round; the outcomes of each.
    pub fn outcomes(&mut self, cases: &[Case]) -> Vec<Vec<Timed>> {
        self.disturbance.look(self.track.clock);
        let outcomes: Vec<Vec<Outcome>> = self.track.run(cases, self.plan);
        self.disturbance.look(self.track.clock);
        outcomes.iter().map(|case| case.iter().map(Timed::of).collect()).collect()
    }

    /// The same with files in memory, whatever is done before other runs.
    pub fn warm_outcomes(&mut self, cases: &[Case]) -> Vec<Vec<Timed>> {
        let cold = self.track.cold.take();
        let outcomes = self.outcomes(cases);
        self.track.cold = cold;
        outcomes
    }

    /// Makes a file of this size.
    ///
    /// # Errors
    /// If it can't be written; or `Interrupted`.
    pub fn make_file(&self, path: &Path, size: u64) -> io::Result<()> {
        generated::file(path, size, &|| !self.cancelled()).map_err(|error| named(path, error))
    }

    /// Whether all is to end.
    pub fn cancelled(&self) -> bool {
        (self.track.cancelled)()
    }

    /// The calls of all competitors for a file.
    pub fn on_file(&mut self, algorithms: &[&str], file: &Path) -> Vec<Competitor> {
        self.field.on_file(self.track.runner, algorithms, file)
    }

    /// The calls of all competitors for a folder.
    pub fn on_tree(&mut self, algorithms: &[&str], tree: &Tree<'_>) -> Vec<Competitor> {
        self.field.on_tree(self.track.runner, algorithms, tree)
    }

    /// Completes the document of what was measured with files in this folder: warnings, whether it was interrupted,
    /// where the files lay.
    pub fn complete<R, S>(&self, document: &mut Document<R, S>, folder: &Path, timed: fn(&R) -> &Timed) {
        document.interrupted = self.cancelled();
        document.warnings = doubts(document.rows.iter().map(timed));
        document.warnings.extend(self.disturbance.warnings());
        document.host.files = Storage::of(folder);
    }

    /// The conditions of the runs so far.
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
    /// The conditions, for people.
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

/// Turns an interrupt into success: what was measured until then counts.
///
/// # Errors
/// Any other error.
pub fn until_interrupted(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
        other => other,
    }
}

/// Warnings about rows with outliers.
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
    use std::os::unix::ffi::OsStrExt;
    let names = files.iter().flat_map(|file| [file.as_os_str().as_bytes(), b"\0"]).collect::<Vec<_>>();
    std::fs::write(path, names.concat()).map_err(|error| named(path, error))
}

/// The error with the file that it is about.
pub fn named(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod recorded;
#[cfg(test)]
mod tests;
