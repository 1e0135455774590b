//! Merging of manifests into one, in the order of paths. Equal statements become one record; contradictory ones are
//! reported and all kept.

mod sorted;
mod unite;

use crate::convert::{
    ConvertEvent, ConvertObserver, Goal, Input, Malformed, Survey, Target, Teller, Written, in_one_pass,
};
use crate::error::Error;
use crate::misfit::Misfit;
use crate::notice::Notice;
use hashmill_content::output::Output;
use hashmill_digest::Algorithm;
use hashmill_engine::Cancel;
use hashmill_lists::signatures::guard::Guard;
use hashmill_manifest::format::Format;
use sorted::{Merged, SortedRecords, parsed, sources};
use std::path::PathBuf;
use std::rc::Rc;
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

/// A merge whose manifests were opened.
pub struct Merge {
    inputs: Vec<Input>,
    format: &'static Format,
    target: Target,
    cancel: Cancel,
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
    /// The algorithm that was named for digests that nothing else names, if all were read and none may be by it.
    pub unneeded: Option<&'static Algorithm>,
}

impl MergeJob {
    /// Makes a job with default settings.
    pub fn new(manifests: Vec<PathBuf>, target: Target) -> MergeJob {
        MergeJob { manifests, target, guard: Guard::default(), cancel: Cancel::default() }
    }

    /// Opens the manifests.
    ///
    /// # Errors
    /// If one is not a manifest, or no format is given.
    pub fn open(self, told: &mut dyn FnMut(Notice<'_>)) -> Result<Merge, Error> {
        let MergeJob { manifests, target, guard, cancel } = self;
        let inputs = manifests.iter().map(|path| Input::new(path, target.algorithm, &guard, told));
        let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
        let mut own = None;
        for input in &inputs {
            own = own.or(Some(input.records(None)?.format));
        }
        let own = own.filter(|format| format.writer.is_some());
        let format = target.format()?.or(own).ok_or(Misfit::Unnamed)?;
        Ok(Merge { inputs, format, target, cancel })
    }

    /// Reads the manifests and merges them.
    ///
    /// # Errors
    /// As [`MergeJob::open`] and [`Merge::run`].
    pub fn run(self, observer: &mut ConvertObserver<'_>) -> Result<MergeSummary, Error> {
        self.open(&mut |notice| {
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
        let teller = &Teller::new(observer);
        let summary = self.one(teller)?.map_or_else(|| self.two(teller), Ok)?;
        let needs_none = self.inputs.iter().all(|input| input.unneeded().is_some());
        let unneeded = self.target.algorithm.filter(|_| needs_none && summary.malformed == 0);
        Ok(MergeSummary { unneeded, ..summary })
    }

    /// Merges manifests in the order of paths in one pass. Returns `None` if that is not possible, with nothing written.
    pub(crate) fn one(&self, teller: &Rc<Teller<'_>>) -> Result<Option<MergeSummary>, Error> {
        let Merge { inputs, format, target, cancel } = self;
        if !target.can_begin_again() {
            return Ok(None);
        }
        let goal = Goal { format, path: target.to.path(), is_ordered: true };
        in_one_pass(inputs, goal, cancel, teller, |parsing, survey| {
            let output = &target.open(format)?;
            self.write(output, parsed(parsing), survey, teller)
        })
    }

    /// Merges manifests in two passes.
    pub(crate) fn two(&self, teller: &Rc<Teller<'_>>) -> Result<MergeSummary, Error> {
        let Merge { inputs, format, target, cancel } = self;
        let (mut all, mut sorted) = (Survey::default(), Vec::new());
        for input in inputs {
            let survey = Survey::read(input, cancel)?;
            sorted.push(survey.sorted);
            all.join(survey);
        }
        target.check(&all, format, teller)?;
        let output = &target.open(format)?;
        let sources = sources(inputs, &sorted, target.memory, cancel, teller);
        let (sources, malformed) = sources.inspect_err(|_| output.discard())?;
        let summary = self.write(output, sources, &all, teller)?;
        Ok(MergeSummary { malformed: malformed.iter().map(Malformed::number).sum(), ..summary })
    }

    /// Unites the records of all sources and writes them.
    fn write<'t>(
        &self,
        output: &Output,
        sources: Vec<SortedRecords<'t>>,
        survey: &Survey,
        teller: &Teller<'t>,
    ) -> Result<MergeSummary, Error> {
        let Merge { inputs, format, target, cancel } = self;
        let merged = Merged::new(sources).inspect_err(|_| output.discard())?;
        let names = inputs.iter().map(|input| &*input.name).collect();
        let mut groups = Groups::new(merged, names, teller);
        let written = Written { output, memory: target.memory, format, survey, cancel, teller };
        let refused = written.write(&mut groups, None)?;
        Ok(MergeSummary {
            interrupted: refused.is_none(),
            malformed: 0,
            refused: refused.unwrap_or(0),
            contradictions: groups.contradictions,
            unneeded: None,
        })
    }
}
