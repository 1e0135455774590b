//! Makes one manifest of several, in the order of paths. What says the same becomes one record; what contradicts is
//! told, and all of it kept.

mod sorted;
mod unite;

use crate::convert::{Event, Input, Malformed, Observer, Survey, Target, Teller, Written};
use crate::error::Error;
use crate::misfit::Misfit;
use crate::notice::Notice;
use crate::signatures::guard::Guard;
use hashloom_engine::Cancel;
use hashloom_manifest::format::Format;
use sorted::{Merged, sources};
use std::path::PathBuf;
use unite::Groups;

/// Which manifests are merged, and into what.
pub struct Job {
    /// The manifests, in any formats; `-` is standard input.
    pub manifests: Vec<PathBuf>,
    /// What is written. Without a format it is the one that the name of the output stands for, or else the first
    /// manifest's.
    pub target: Target,
    /// The signatures that are asked of the manifests.
    pub guard: Guard,
    /// Ends the job soon after it is set.
    pub cancel: Cancel,
}

/// A job whose manifests were read once.
pub struct Merge {
    inputs: Vec<Input>,
    surveys: Surveys,
    format: &'static Format,
    target: Target,
    cancel: Cancel,
}

/// What there is in all manifests, and which of them come in the order of paths.
struct Surveys {
    all: Survey,
    sorted: Vec<bool>,
}

/// What a job came to.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Summary {
    /// It was cancelled: nothing was written.
    pub interrupted: bool,
    /// Parts of the manifests that can't be read.
    pub malformed: u64,
    /// Records that the new manifest's format can't carry.
    pub refused: u64,
    /// Paths, and pieces, that manifests contradict each other about.
    pub contradictions: u64,
}

impl Job {
    /// These manifests into this target.
    pub fn new(manifests: Vec<PathBuf>, target: Target) -> Job {
        Job { manifests, target, guard: Guard::default(), cancel: Cancel::default() }
    }

    /// Reads the manifests once, to know what is in them.
    ///
    /// # Errors
    /// If one is no manifest, or no format is named.
    pub fn read(self, told: &mut dyn FnMut(Notice<'_>)) -> Result<Merge, Error> {
        let Job { manifests, target, guard, cancel } = self;
        let inputs = manifests.iter().map(|path| Input::new(path, target.algorithm, &guard, told));
        let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
        let (mut all, mut sorted) = (Survey::default(), Vec::new());
        for input in &inputs {
            let survey = Survey::of(input, &cancel)?;
            sorted.push(survey.sorted);
            all.join(survey);
        }
        let own = all.format.filter(|format| format.writer.is_some());
        let format = target.format()?.or(own).ok_or(Misfit::Unnamed)?;
        Ok(Merge { inputs, surveys: Surveys { all, sorted }, format, target, cancel })
    }

    /// Merges.
    ///
    /// # Errors
    /// As [`Job::read`] and [`Merge::run`].
    pub fn run(self, observer: &mut Observer<'_>) -> Result<Summary, Error> {
        self.read(&mut |notice| {
            let _ = observer(Event::Notice(notice));
        })?
        .run(observer)
    }
}

impl Merge {
    /// The format that is written.
    pub fn format(&self) -> &'static Format {
        self.format
    }

    /// Merges.
    ///
    /// # Errors
    /// If the format can't carry what is in the manifests, one can't be read to its end, or the new one can't be
    /// written.
    pub fn run(self, observer: &mut Observer<'_>) -> Result<Summary, Error> {
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
        Ok(Summary {
            interrupted: refused.is_none(),
            malformed: malformed.iter().map(Malformed::number).sum(),
            refused: refused.unwrap_or(0),
            contradictions: groups.contradictions(),
        })
    }
}
