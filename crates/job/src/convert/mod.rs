//! Writes the records of a manifest in another format. The manifest is read twice: first to know what is in it, so
//! that nothing is written that would lose something unsaid.

mod batch;
mod event;
mod input;
mod joined;
mod loss;
mod survey;
mod write;

pub use batch::{Batch, Listed};
pub use event::{Contradiction, Event, Observer};
pub use write::Target;

pub use crate::error::{ConvertError, Losses};

pub(crate) use event::Teller;
pub(crate) use input::{Input, Malformed, Records};
pub(crate) use joined::{Joined, join};
pub(crate) use survey::Survey;
pub(crate) use write::Written;

use crate::error::Error;
use crate::misfit::Misfit;
use crate::signatures::guard::Guard;
use hashloom_engine::Cancel;
use hashloom_manifest::format::Format;
use std::path::{Path, PathBuf};

/// Which manifest is converted, and into what.
pub struct Job {
    /// The manifest; `-` is standard input.
    pub from: PathBuf,
    /// What is written.
    pub target: Target,
    /// The signatures that are asked of the manifest.
    pub guard: Guard,
    /// Ends the job soon after it is set.
    pub cancel: Cancel,
}

/// What a job came to.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Summary {
    /// It was cancelled: nothing was written.
    pub interrupted: bool,
    /// Parts of the manifest that can't be read.
    pub malformed: u64,
    /// Records that the new manifest's format can't carry.
    pub refused: u64,
}

impl Job {
    /// This manifest into this target.
    pub fn new(from: &Path, target: Target) -> Job {
        Job { from: from.to_path_buf(), target, guard: Guard::default(), cancel: Cancel::default() }
    }

    /// Converts.
    ///
    /// # Errors
    /// If it is no manifest, the format can't carry what is in it, or the new one can't be written.
    pub fn run(self, observer: &mut Observer<'_>) -> Result<Summary, Error> {
        let Job { from, target, guard, cancel } = self;
        let teller = Teller::new(observer);
        let format: &'static Format = target.format()?.ok_or(Misfit::Unnamed)?;
        let input = Input::new(&from, target.algorithm, &guard, &mut |notice| teller.notice(notice))?;
        let survey = Survey::of(&input, &cancel)?;
        target.check(&survey, format, &teller)?;
        let output = &target.open(format)?;
        let mut records = input.records(Some(&teller))?;
        let malformed = records.malformed();
        let (memory, survey, cancel, teller) = (target.memory, &survey, &cancel, &*teller);
        let written = Written { output, memory, format, survey, cancel, teller };
        let end = survey.case.end.as_ref();
        let refused = written.write(&mut Joined::new(&mut records), end)?;
        let interrupted = refused.is_none();
        Ok(Summary { interrupted, malformed: malformed.number(), refused: refused.unwrap_or(0) })
    }
}
