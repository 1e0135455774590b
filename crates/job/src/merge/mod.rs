//! Merging of manifests into one, in the order of paths. Equal statements become one record; contradictory ones are
//! reported and all kept.

mod sorted;
mod unite;

use crate::convert::{ConvertEvent, ConvertObserver, Input, Malformed, Survey, Target, Teller, Written};
use crate::error::Error;
use crate::misfit::Misfit;
use crate::notice::Notice;
use crate::signatures::guard::Guard;
use hashloom_engine::Cancel;
use hashloom_manifest::format::Format;
use sorted::{Merged, sources};
use std::path::PathBuf;
use unite::Groups;

/// A merge of manifests into one.
pub struct MergeJob {
    /// The manifests, in any formats; `-` is standard input.
    pub manifests: Vec<PathBuf>,
    /// The manifest to write. Without a format, the name of the output decides, or else the format of the first
    /// manifest is used.
    pub target: Target,
    /// The signatures that the manifests must have.
    pub guard: Guard,
    /// Ends the job soon after it is set.
    pub cancel: Cancel,
}

/// A merge whose manifests were read once.
pub struct Merge {
    inputs: Vec<Input>,
    surveys: Surveys,
    format: &'static Format,
    target: Target,
    cancel: Cancel,
}

/// A survey of all manifests, and for each whether it is in the order of paths.
struct Surveys {
    all: Survey,
    sorted: Vec<bool>,
}

/// The result of a merge.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct MergeSummary {
    /// Whether it was cancelled: nothing was written.
    pub interrupted: bool,
    /// Number of parts of the manifests that can't be read.
    pub malformed: u64,
    /// Number of records that the new manifest's format can't carry.
    pub refused: u64,
    /// Number of paths and pieces about which manifests contradict each other.
    pub contradictions: u64,
}

impl MergeJob {
    /// Makes a job with default settings.
    pub fn new(manifests: Vec<PathBuf>, target: Target) -> MergeJob {
        MergeJob { manifests, target, guard: Guard::default(), cancel: Cancel::default() }
    }

    /// Reads the manifests once, to learn what they contain.
    ///
    /// # Errors
    /// If one is not a manifest, or no format is given.
    pub fn read(self, told: &mut dyn FnMut(Notice<'_>)) -> Result<Merge, Error> {
        let MergeJob { manifests, target, guard, cancel } = self;
        let inputs = manifests.iter().map(|path| Input::new(path, target.algorithm, &guard, told));
        let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
        let (mut all, mut sorted) = (Survey::default(), Vec::new());
        for input in &inputs {
            let survey = Survey::read(input, &cancel)?;
            sorted.push(survey.sorted);
            all.join(survey);
        }
        let own = all.format.filter(|format| format.writer.is_some());
        let format = target.format()?.or(own).ok_or(Misfit::Unnamed)?;
        Ok(Merge { inputs, surveys: Surveys { all, sorted }, format, target, cancel })
    }

    /// Reads the manifests and merges them.
    ///
    /// # Errors
    /// As [`MergeJob::read`] and [`Merge::run`].
    pub fn run(self, observer: &mut ConvertObserver<'_>) -> Result<MergeSummary, Error> {
        self.read(&mut |notice| {
            let _ = observer(ConvertEvent::Notice(notice));
        })?
        .run(observer)
    }
}

impl Merge {
    /// Returns the format of the new manifest.
    pub fn format(&self) -> &'static Format {
        self.format
    }

    /// Merges the manifests.
    ///
    /// # Errors
    /// If the format can't carry what is in the manifests, one can't be read to its end, or the new one can't be
    /// written.
    pub fn run(self, observer: &mut ConvertObserver<'_>) -> Result<MergeSummary, Error> {
        let Merge { inputs, surveys: Surveys { all, sorted }, format, target, cancel } = self;
        let teller = Teller::new(observer);
        target.check(&all, format, &teller)?;
        let (output, memory) = (&target.open(format)?, target.memory);
        let sources = sources((&inputs, &sorted), memory, &cancel, &teller);
        let merged = sources.and_then(|(sources, malformed)| Ok((Merged::new(sources)?, malformed)));
        let (merged, malformed) = merged.inspect_err(|_| output.discard())?;
        let names = inputs.iter().map(|input| &*input.name).collect();
        let mut groups = Groups::new(merged, names, &teller);
        let (survey, cancel, teller) = (&all, &cancel, &*teller);
        let written = Written { output, memory, format, survey, cancel, teller };
        let refused = written.write(&mut groups, None)?;
        Ok(MergeSummary {
            interrupted: refused.is_none(),
            malformed: malformed.iter().map(Malformed::number).sum(),
            refused: refused.unwrap_or(0),
            contradictions: groups.contradictions(),
        })
    }
}
