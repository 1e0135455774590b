//! A view of a state, without reading any of its files.

use super::devices::{DeviceFiles, devices};
use super::event::{Coverage, FileVerdict};
use super::signed;
use crate::error::Error;
use hashmill_content::File as Tried;
use hashmill_keep::{State, Verdict};
use hashmill_lists::signatures::guard::Guard;
use serde_json::Value;
use std::path::Path;

/// The most runs that are told.
const RUNS: u32 = 10_000;

/// A state that is looked at.
pub struct StateLook {
    state: State,
    runs: Vec<RunLook>,
}

/// A run that a state remembers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunLook {
    /// When it began, in seconds since 1970.
    pub began: i64,
    /// When it ended; none if it was killed.
    pub ended: Option<i64>,
    /// The files that it read.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The files by verdict, in the order of [`Verdict::ALL`].
    pub verdicts: [u64; Verdict::ALL.len()],
}

impl StateLook {
    /// Opens a state.
    ///
    /// # Errors
    /// If there is none, it can't be used, or its seal is signed and is that of another state.
    pub fn open(path: &Path, guard: &Guard) -> Result<StateLook, Error> {
        // Opening a state that is not there would make one.
        path.metadata().map_err(Error::at(path, Tried::Open))?;
        let state = State::open(path, None)?;
        signed::check(&state, guard)?;
        let runs = state.runs(RUNS)?.into_iter().map(|run| RunLook {
            began: run.began,
            ended: run.ended,
            files: run.files,
            bytes: run.bytes,
            verdicts: counts(&run.summary),
        });
        let runs = runs.collect();
        Ok(StateLook { state, runs })
    }

    /// Returns the names of the algorithms, with commas between.
    pub fn algorithms(&self) -> &str {
        self.state.algorithms()
    }

    /// Returns the seal as text.
    pub fn seal(&self) -> String {
        self.state.seal().text()
    }

    /// Returns the folders that it is of, as they were named.
    pub fn folders(&self) -> impl Iterator<Item = &[u8]> {
        self.state.roots().iter().map(|root| &*root.name)
    }

    /// Returns the runs, the latest at the end.
    pub fn runs(&self) -> &[RunLook] {
        &self.runs
    }

    /// Returns the time of which the state tells: the end of its last run, in seconds since 1970.
    pub fn time(&self) -> i64 {
        self.runs.last().map_or(0, |run| run.ended.unwrap_or(run.began))
    }

    /// Returns how much was verified, and when.
    ///
    /// # Errors
    /// If the state can't be read.
    pub fn coverage(&self) -> Result<Coverage, Error> {
        Coverage::of(&self.state, self.time(), None)
    }

    /// Returns the files of each device.
    ///
    /// # Errors
    /// If the state can't be read.
    pub fn devices(&self) -> Result<Vec<DeviceFiles>, Error> {
        devices(&self.state)
    }

    /// Tells of each file that is not gone how many seconds ago it was proved, if it ever was.
    ///
    /// # Errors
    /// If the state can't be read.
    pub fn ages(&self, each: &mut dyn FnMut(Option<u64>)) -> Result<(), Error> {
        let now = self.time();
        let age = |last: i64| u64::try_from(now.saturating_sub(last)).unwrap_or(0);
        Ok(self.state.proofs(&mut |last| each((last > 0).then(|| age(last))))?)
    }

    /// Tells the files that are not as it counts, in the order of their paths.
    ///
    /// # Errors
    /// If the state can't be read.
    pub fn otherwise(&self, each: &mut dyn FnMut(&FileVerdict<'_>)) -> Result<(), Error> {
        let mut behind = Vec::new();
        loop {
            let some = self.state.otherwise(&behind)?;
            let Some(last) = some.last() else { return Ok(()) };
            behind = last.path.to_vec();
            some.iter().for_each(|kept| each(&FileVerdict::of(kept)));
        }
    }
}

/// Reads the numbers of verdicts as a run notes them.
fn counts(summary: &str) -> [u64; Verdict::ALL.len()] {
    let counts: Value = serde_json::from_str(summary).unwrap_or_default();
    Verdict::ALL.map(|verdict| counts[verdict.word()].as_u64().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_run_notes_is_read_again() {
        let found = counts("{\"verified\":5,\"rot\":2}");
        assert_eq!(found.iter().sum::<u64>(), 7);
        assert_eq!(found[0], 5);
        assert_eq!(counts(""), [0; Verdict::ALL.len()]);
    }
}
