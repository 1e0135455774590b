//! `hashloom merge`: one manifest of several, in the order of paths. What says the same becomes one record;
//! what contradicts is named, and all of it kept.

mod sorted;
mod unite;

use crate::cmd::convert::{Input, Job, Survey, Target};
use crate::exit::Exit;
use crate::message::{self, count};
use crate::output;
use anyhow::Context;
use clap::Args;
use hashloom_manifest::format::Format;
use sorted::{Merged, sources};
use std::ffi::OsString;
use std::path::PathBuf;
use unite::Groups;

/// hashloom merge
#[derive(Debug, Args)]
pub struct Options {
    /// Manifests, in any formats; - is standard input
    #[arg(value_name = "MANIFEST", required = true)]
    pub manifests: Vec<OsString>,
    /// Write here: under this name only when whole [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub target: Target,
}

/// The command, from options to exit code.
///
/// # Errors
/// If an input is no manifest, the format can't carry what is in them, or the output cannot be written.
pub fn run(args: &Options) -> anyhow::Result<Exit> {
    let inputs = args.manifests.iter().map(|path| Input::new(path, args.target.algorithm));
    let inputs = inputs.collect::<anyhow::Result<Vec<_>>>()?;
    let (mut all, mut sorted) = (Survey::default(), Vec::new());
    for input in &inputs {
        let survey = Survey::of(input)?;
        sorted.push(survey.sorted);
        all.join(survey);
    }
    let (format, output) = (format(args, &all)?, args.output.as_deref());
    output::fits(format, output)?;
    args.target.check(&all, format, output)?;
    let job = Job::new(&args.target, format, &all, output)?;
    let (sources, malformed) = sources(&inputs, &sorted, args.target.memory(), &job.cancel)?;
    let names = inputs.iter().map(|input| input.name.as_str()).collect();
    let mut groups = Groups::new(Merged::new(sources)?, names);
    let written = job.write(&mut groups, None)?;
    if written == Exit::Interrupted {
        return Ok(written);
    }
    let malformed = malformed.iter().fold(Exit::Fine, |exit, malformed| exit.and(malformed.exit()));
    let exit = malformed.and(groups.exit()).and(written);
    if groups.contradictions() > 0 {
        let paths = count(groups.contradictions(), "path is", "paths are");
        message::say(format_args!(
            "{paths} told of in ways that contradict each other; all records are kept"
        ));
    }
    Ok(exit)
}

/// The format asked for, that of the output's name, or that of the first manifest.
fn format(args: &Options, survey: &Survey) -> anyhow::Result<&'static Format> {
    let own = survey.format.filter(|format| format.writer.is_some());
    args.target
        .format(args.output.as_deref())?
        .or(own)
        .context("-f FORMAT: hashloom does not write the first one's")
}
