//! Conversion of a manifest into another format, in one pass if all records are alike. Else the manifest is read twice: a
//! first pass finds out what the target format can't represent, before anything is written.

mod batch;
mod event;
mod input;
mod joined;
mod loss;
mod parsing;
mod source;
mod survey;
#[cfg(test)]
mod tests;
mod write;

pub use batch::{Batch, Listed};
pub use event::{Contradiction, ConvertEvent, ConvertObserver};
pub use write::Target;

pub use crate::error::{ConvertError, Losses};

pub(crate) use event::Teller;
pub(crate) use input::{Input, Malformed, Records};
pub(crate) use joined::{Joined, join};
pub(crate) use loss::check_name;
pub(crate) use parsing::{Goal, Parsing, in_one_pass};
pub(crate) use source::RecordSource;
pub(crate) use survey::Survey;
pub(crate) use write::Written;

use crate::error::Error;
use crate::misfit::Misfit;
use hashmill_digest::Algorithm;
use hashmill_engine::Cancel;
use hashmill_lists::signatures::guard::Guard;
use hashmill_manifest::format::Format;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::slice;

/// The settings of a conversion.
pub struct ConvertJob {
    /// The path of the manifest; `-` is standard input.
    pub from: PathBuf,
    /// The manifest to write.
    pub target: Target,
    /// The signatures that the manifest must have.
    pub guard: Guard,
    /// Ends the job soon after it is set.
    pub cancel: Cancel,
}

/// The result of a conversion.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct ConvertSummary {
    /// Whether the run was cancelled; nothing was written then.
    pub interrupted: bool,
    /// Parts of the manifest that could not be parsed.
    pub malformed: u64,
    /// Records that the format of the new manifest can't represent.
    pub refused: u64,
    /// The algorithm that was named for digests that nothing else names, if all were read and none may be by it.
    pub unneeded: Option<&'static Algorithm>,
}

impl ConvertJob {
    /// Makes a job with default settings.
    pub fn new(from: &Path, target: Target) -> ConvertJob {
        ConvertJob { from: from.to_path_buf(), target, guard: Guard::default(), cancel: Cancel::default() }
    }

    /// Converts the manifest.
    ///
    /// # Errors
    /// If it is not a manifest, the format can't represent its content, or the new manifest can't be written.
    pub fn run(self, observer: &mut ConvertObserver<'_>) -> Result<ConvertSummary, Error> {
        self.passes(observer, |passes| passes.one()?.map_or_else(|| passes.two(), Ok))
    }

    /// Opens the manifest, and lets `run` convert it.
    fn passes(
        self,
        observer: &mut ConvertObserver<'_>,
        run: impl FnOnce(&Passes<'_, '_>) -> Result<ConvertSummary, Error>,
    ) -> Result<ConvertSummary, Error> {
        let ConvertJob { from, target, guard, cancel } = self;
        let teller = Teller::new(observer);
        let format: &'static Format = target.format()?.ok_or(Misfit::Unnamed)?;
        let input = Input::new(&from, target.algorithm, &guard, &mut |notice| teller.notice(notice))?;
        let (target, cancel, teller) = (&target, &cancel, &teller);
        let summary = run(&Passes { input: &input, target, format, cancel, teller })?;
        let unneeded = input.unneeded().filter(|_| summary.malformed == 0);
        Ok(ConvertSummary { unneeded, ..summary })
    }
}

/// The parts of a conversion.
struct Passes<'a, 't> {
    input: &'a Input,
    target: &'a Target,
    format: &'static Format,
    cancel: &'a Cancel,
    teller: &'a Rc<Teller<'t>>,
}

impl Passes<'_, '_> {
    /// Converts the manifest in one pass. Returns `None` if that is not possible, with nothing written.
    fn one(&self) -> Result<Option<ConvertSummary>, Error> {
        let Passes { target, format, cancel, teller, .. } = *self;
        if !target.can_begin_again() {
            return Ok(None);
        }
        let goal = Goal { format, path: target.to.path(), is_ordered: false };
        in_one_pass(slice::from_ref(self.input), goal, cancel, teller, |parsing, survey| {
            let output = &target.open(format)?;
            let written = Written { output, memory: target.memory, format, survey, cancel, teller };
            let mut refused = Some(0);
            for mut records in parsing {
                refused = written.write(&mut records, None)?;
            }
            Ok(ConvertSummary { interrupted: refused.is_none(), ..ConvertSummary::default() })
        })
    }

    /// Converts the manifest in two passes.
    fn two(&self) -> Result<ConvertSummary, Error> {
        let Passes { input, target, format, cancel, teller } = *self;
        let survey = &Survey::read(input, cancel)?;
        target.check(survey, format, teller)?;
        let output = &target.open(format)?;
        let mut records = input.records(Some(teller))?;
        let malformed = records.malformed.clone();
        let written = Written { output, memory: target.memory, format, survey, cancel, teller };
        let refused = written.write(&mut Joined::new(&mut records), survey.case.end.as_ref())?;
        let interrupted = refused.is_none();
        let (malformed, refused) = (malformed.number(), refused.unwrap_or(0));
        Ok(ConvertSummary { interrupted, malformed, refused, unneeded: None })
    }
}
