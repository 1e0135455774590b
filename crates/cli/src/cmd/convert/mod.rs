//! `hashloom convert`: the same records in another format. The manifest is read twice: first to know what is
//! in it, so that nothing is written that would lose something unsaid.

mod input;
mod job;
mod joined;
mod loss;
mod options;
mod survey;

pub use input::{Input, Malformed, Records};
pub use job::Job;
pub use joined::{Joined, join};
pub use options::{Options, Target};
pub use survey::Survey;

use crate::exit::Exit;
use crate::output;
use anyhow::Context;
use options::unnamed;

/// The command, from options to exit code.
///
/// # Errors
/// If A is no manifest, B can't carry what is in it, or B cannot be written.
pub fn run(args: &Options) -> anyhow::Result<Exit> {
    let format = args.target.format(Some(&args.to))?.with_context(|| unnamed(&args.to))?;
    output::fits(format, Some(&args.to))?;
    let input = Input::new(&args.from, args.target.algorithm)?;
    let survey = Survey::of(&input)?;
    args.target.check(&survey, format, Some(&args.to))?;
    let job = Job::new(&args.target, format, &survey, Some(&args.to))?;
    let mut records = input.records()?;
    let malformed = records.malformed();
    let written = job.write(&mut Joined::new(&mut records), survey.case.end.as_ref())?;
    Ok(malformed.exit().and(written))
}
