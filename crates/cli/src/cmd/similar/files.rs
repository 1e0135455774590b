//! Files to records with likeness digests.

use crate::exit::Exit;
use crate::message::tell_notes;
use crate::message::{self, count};
use crate::options::resources::ResourceOptions;
use crate::options::sources::Sources;
use crate::output::Output;
use crate::progress::Heartbeat;
use crate::{signal, stats};
use hashloom_digest::Algorithm;
use hashloom_engine::{Event, Live, Plan, Trouble};
use hashloom_job::Selected;
use hashloom_manifest::{Record, Status};
use hashloom_similar::Similar;
use hashloom_source::Skip;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// Which files, and with what resources they are read.
pub struct Files<'a> {
    /// What was typed.
    pub paths: &'a [OsString],
    /// Lists and filters.
    pub sources: &'a Sources,
    /// Threads, memory, what is told.
    pub resources: &'a ResourceOptions,
    /// Digests of each record besides the likeness digests.
    pub algorithms: Vec<&'static Algorithm>,
    /// Files that are not data: what the command writes and reads.
    pub leave_out: Vec<(u64, u64)>,
    /// Every entry has a record that tells why it has no digest.
    pub told: bool,
}

/// What became of the entries that have no digest.
#[derive(Default)]
struct Without {
    skipped: BTreeMap<Skip, u64>,
    /// By the word of the status: no digest by an algorithm.
    lacking: BTreeMap<(&'static str, &'static str), u64>,
}

impl Files<'_> {
    /// Gives the record of every entry, in the order of the walk, until `sink` fails.
    ///
    /// # Errors
    /// Those of `sink`; and if a path list or a filter is not right.
    pub fn hash(
        self,
        rows: &[&'static Similar],
        output: &Output,
        sink: &mut dyn FnMut(Record) -> anyhow::Result<()>,
    ) -> anyhow::Result<Exit> {
        if self.sources.images.is_given() {
            self.resources.resources().fits_images()?;
        }
        self.resources.give_way()?;
        let plan = Plan { likeness: rows.to_vec(), ..self.resources.plan(self.algorithms)? };
        let mut selection = self.sources.selection(self.paths)?;
        selection.leave_out.extend(self.leave_out);
        let Selected { entries, problem: listed } = selection.open(self.resources.timeout)?;
        signal::watch(plan.cancel.clone(), output.clone())?;
        let live = Arc::new(Live::default());
        let heartbeat = Heartbeat::start(self.resources.progress, Arc::clone(&live), output.clone());
        let (mut without, mut error) = (Without::default(), None);
        let stats = hashloom_engine::run(&plan, entries, &live, &mut |event| {
            let Event::Done(outcome) = event else { return ControlFlow::Continue(()) };
            without.note(&outcome.record, outcome.trouble.as_ref());
            match sink(outcome.record) {
                Ok(()) => ControlFlow::Continue(()),
                Err(failed) => {
                    error = Some(failed);
                    ControlFlow::Break(())
                }
            }
        });
        drop(heartbeat);
        if let Some(error) = error {
            return Err(error);
        }
        if plan.cancel.is_set() {
            message::say("interrupted");
            return Ok(Exit::Interrupted);
        }
        tell_notes(&plan.reading);
        if !self.told {
            without.tell();
        }
        if let Some(form) = self.resources.stats {
            stats::print(form, &stats, 0);
        }
        let exit = Exit::Failed.when(stats.failed > 0);
        let Some(error) = listed.take() else { return Ok(exit) };
        let name = self.sources.files_from.as_deref().unwrap_or(Path::new("-"));
        message::say(format_args!("{}: cannot read the list of paths on: {error}", name.display()));
        Ok(Exit::Failed)
    }
}

impl Without {
    fn note(&mut self, record: &Record, trouble: Option<&Trouble>) {
        match trouble {
            Some(Trouble::Failed(error)) => {
                message::about(&error.path, &error.problem);
                Exit::Failed.noted();
            }
            Some(Trouble::Skipped(Skip::Filtered | Skip::Output)) => {}
            Some(Trouble::Skipped(why)) => *self.skipped.entry(*why).or_insert(0) += 1,
            None if record.status == Status::Hashed => {
                for likeness in &record.likeness {
                    if let Err(lack) = likeness.digest {
                        *self.lacking.entry((likeness.algorithm.name, lack.word())).or_insert(0) += 1;
                    }
                }
            }
            None => {}
        }
    }

    fn tell(&self) {
        for (why, number) in &self.skipped {
            message::say(format_args!("{} skipped: {}", count(*number, "entry", "entries"), why.reason()));
        }
        for ((algorithm, word), number) in &self.lacking {
            message::say(format_args!(
                "{} without {algorithm} digest: {word}",
                count(*number, "file", "files")
            ));
        }
    }
}
