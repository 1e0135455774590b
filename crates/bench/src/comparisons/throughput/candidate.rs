//! The candidates: the best code of this machine and plain code for each algorithm, for single messages and for
//! batches.

use super::settings::{Code, ThroughputSettings};
use crate::implementation::Implementation;
use hashmill_digest::Algorithm;
use serde::{Deserialize, Serialize};

/// The number of messages in a batch if the code has no lanes.
const BATCH: usize = 16;

/// The number of messages in a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// One message.
    Single,
    /// Several messages: as many as there are lanes.
    Batch,
}

/// A candidate, of which each thread creates its own implementation.
#[derive(Debug)]
pub(super) struct Candidate {
    pub algorithm: &'static Algorithm,
    pub mode: Mode,
    /// The number of messages in a call.
    pub batch: usize,
    /// The name of the implementation.
    pub name: String,
    bytes: usize,
    way: CandidateOf,
}

/// Returns an implementation of an algorithm for messages of this length, if there is one.
type CandidateOf = fn(&'static Algorithm, usize) -> Option<Implementation>;

impl Candidate {
    pub(super) fn all(settings: &ThroughputSettings) -> Vec<Candidate> {
        settings.algorithms.iter().flat_map(|algorithm| Candidate::list(algorithm, settings)).collect()
    }

    fn list(algorithm: &'static Algorithm, settings: &ThroughputSettings) -> Vec<Candidate> {
        let mut ways: Vec<(Mode, CandidateOf)> = vec![
            (Mode::Single, |algorithm, _| Some(Implementation::alone(algorithm))),
            (Mode::Batch, Implementation::many),
        ];
        // If the best code is plain code, as with --isa portable, it is not measured twice.
        if settings.code == Code::All && !Implementation::alone(algorithm).is_portable() {
            ways.extend(
                [Mode::Single, Mode::Batch].map(|mode| (mode, Implementation::portable as CandidateOf)),
            );
        }
        let candidate = |(mode, way)| Candidate::new(algorithm, mode, way, settings.input_bytes);
        ways.into_iter().filter_map(candidate).collect()
    }

    fn new(algorithm: &'static Algorithm, mode: Mode, way: CandidateOf, bytes: usize) -> Option<Candidate> {
        let made = way(algorithm, bytes)?;
        let batch = match mode {
            Mode::Single => 1,
            Mode::Batch if made.lanes > 1 => made.lanes,
            Mode::Batch => BATCH,
        };
        Some(Candidate { algorithm, mode, batch, name: made.name, bytes, way })
    }

    pub(super) fn make(&self) -> Implementation {
        (self.way)(self.algorithm, self.bytes).unwrap_or_else(|| Implementation::alone(self.algorithm))
    }

    pub(super) fn is_portable(&self) -> bool {
        self.name.starts_with("portable")
    }

    /// Returns the title for people.
    pub(super) fn title(&self) -> String {
        let mode = if self.mode == Mode::Batch { " in batches" } else { "" };
        format!("{} {}{mode}", self.algorithm.name, self.name)
    }
}
