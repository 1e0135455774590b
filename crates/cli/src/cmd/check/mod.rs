//! `hashloom check`: `sha256sum -c` for every kind of list. All files of a list are hashed side by side;
//! results are printed in the order of the list.

mod added;
mod list;

use crate::args;
use crate::exit::Exit;
use crate::learn::{Lesson, learn, named_file};
use crate::line;
use crate::message::{self, count};
use crate::output::{Output, WriteError};
use crate::plan::tell_notes;
use crate::progress::Heartbeat;
use crate::selection::{identity, redirected};
use crate::signatures::guard::Guard;
use crate::{signal, stats};
use hashloom_digest::Algorithm;
use hashloom_engine::{Event, Live, Outcome, Plan, Stats, Trouble};
use hashloom_manifest::Record;
use hashloom_manifest::audit::{self, Learner};
use hashloom_source::{Error, Problem};
use list::{List, Wanted};
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// The command, from options to exit code.
///
/// # Errors
/// If the options do not go together, or the results cannot be written.
pub fn run(args: &args::Check) -> anyhow::Result<Exit> {
    let guard = Guard::new(&args.guarded)?;
    let plan = args.means.plan(Vec::new())?;
    args.means.give_way()?;
    let output = Output::stdout()?;
    signal::watch(plan.cancel.clone(), output.clone())?;
    let live = Arc::new(Live::default());
    let heartbeat = Heartbeat::start(args.means.progress, Arc::clone(&live), output.clone());
    let mut check = Check { args, guard, plan, output, live, stats: Stats::default() };
    let exit = check.lists();
    drop(heartbeat);
    let exit = exit?;
    tell_notes(&check.plan.reading);
    if let Some(form) = args.means.stats {
        stats::print(form, &check.stats, 0);
    }
    check.output.finish()?;
    Ok(exit)
}

struct Check<'a> {
    args: &'a args::Check,
    guard: Guard,
    plan: Plan,
    output: Output,
    live: Arc<Live>,
    stats: Stats,
}

/// What is true of one claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Right,
    Wrong,
    Missing,
    Unreadable,
}

/// The verdicts of a list, printed in its order as they become known.
struct Verdicts<'a> {
    check: &'a Check<'a>,
    list: &'a List,
    learner: Learner,
    known: Vec<Option<Verdict>>,
    printed: usize,
}

impl Check<'_> {
    fn lists(&mut self) -> anyhow::Result<Exit> {
        let mut exit = Exit::Fine;
        let mut read = Vec::new();
        for name in &self.args.lists {
            match self.guard.pass_list(name) {
                Ok(notes) if self.args.status => drop(notes),
                Ok(notes) => notes.iter().for_each(message::say),
                Err(refused) => {
                    message::say(format_args!("{refused:#}"));
                    exit = exit.and(Exit::Unusable.noted());
                    continue;
                }
            }
            match List::read(name, self.args) {
                Ok(list) => {
                    exit = exit.and(self.list(&list)?);
                    read.push(list);
                }
                Err(error) => {
                    message::about(name.as_encoded_bytes(), error);
                    exit = exit.and(Exit::Unusable.noted());
                }
            }
            if self.plan.cancel.is_set() {
                return Ok(Exit::Interrupted);
            }
        }
        if self.args.new {
            let output = (!self.args.status).then_some(&self.output);
            exit = exit.and(added::report(&read, self.leave_out(), output)?);
        }
        Ok(exit)
    }

    fn leave_out(&self) -> Vec<(u64, u64)> {
        let lists = self.args.lists.iter().filter_map(|list| identity(Path::new(list)));
        lists.chain(redirected()).collect()
    }

    fn list(&mut self, list: &List) -> Result<Exit, WriteError> {
        let lessons: Vec<Lesson<'_>> = list.claims.iter().map(|claim| (claim, claim.path.clone())).collect();
        let learner = learn(&lessons, &self.plan);
        let files = list.files(&learner);
        let mut stats = Stats::default();
        let mut verdicts =
            Verdicts { check: self, list, learner, known: vec![None; list.claims.len()], printed: 0 };
        for (algorithms, files) in by_algorithms(&files) {
            let plan = Plan { algorithms, ..self.plan.clone() };
            let run = verdicts.hash(&files, &plan)?;
            stats.add(&run);
            stats.elapsed += run.elapsed;
        }
        let exit = verdicts.judge();
        self.stats.elapsed += stats.elapsed;
        self.stats.add(&stats);
        Ok(exit.and(list.judge(self.args)))
    }
}

/// Files that need the same algorithms go through one run.
fn by_algorithms(files: &[Wanted]) -> Vec<(Vec<&'static Algorithm>, Vec<&Wanted>)> {
    let mut runs: Vec<(Vec<&'static Algorithm>, Vec<&Wanted>)> = Vec::new();
    for file in files {
        match runs.iter_mut().find(|(algorithms, _)| *algorithms == file.algorithms) {
            Some((_, files)) => files.push(file),
            None => runs.push((file.algorithms.clone(), vec![file])),
        }
    }
    runs
}

impl Verdicts<'_> {
    fn hash(&mut self, files: &[&Wanted], plan: &Plan) -> Result<Stats, WriteError> {
        let entries: Vec<_> = files.iter().map(|file| named_file(&file.path)).collect();
        let mut files = files.iter();
        let mut done = Ok(());
        let live = Arc::clone(&self.check.live);
        let stats = hashloom_engine::run(plan, entries.into_iter(), &live, &mut |event| {
            let (Event::Done(outcome), Some(file)) = (event, files.next()) else {
                return ControlFlow::Continue(());
            };
            done = self.take(file, &outcome);
            if done.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        done.map(|()| stats)
    }

    fn take(&mut self, file: &Wanted, outcome: &Outcome) -> Result<(), WriteError> {
        if let Some(Trouble::Failed(error)) = &outcome.trouble {
            self.tell(error);
        }
        for number in &file.claims {
            let verdict = verdict(&mut self.learner, &self.list.claims[*number], outcome);
            self.note(verdict);
            self.known[*number] = Some(verdict);
        }
        while let Some(Some(verdict)) = self.known.get(self.printed) {
            self.print(&self.list.claims[self.printed], *verdict)?;
            self.printed += 1;
        }
        Ok(())
    }

    /// Known from now on, whoever reads it.
    fn note(&self, verdict: Verdict) {
        match verdict {
            Verdict::Missing if self.check.args.ignore_missing => {}
            Verdict::Right => {}
            Verdict::Wrong | Verdict::Missing => {
                Exit::Differs.noted();
            }
            Verdict::Unreadable => {
                Exit::Failed.noted();
            }
        }
    }

    fn tell(&self, error: &Error) {
        let args = self.check.args;
        if !(args.status || args.ignore_missing && is_missing(error)) {
            message::about(&error.path, &error.problem);
        }
    }

    fn print(&self, claim: &Record, verdict: Verdict) -> Result<(), WriteError> {
        let args = self.check.args;
        let word = match verdict {
            _ if args.status => return Ok(()),
            Verdict::Right if args.quiet => return Ok(()),
            Verdict::Missing if args.ignore_missing => return Ok(()),
            Verdict::Right => "OK",
            Verdict::Wrong => "FAILED",
            Verdict::Missing | Verdict::Unreadable => "FAILED open or read",
        };
        print(&self.check.output, &claim.path, word)
    }

    /// The summary, and the exit code that the verdicts mean.
    fn judge(&self) -> Exit {
        let args = self.check.args;
        let number = |wanted| self.known.iter().filter(|known| **known == Some(wanted)).count() as u64;
        let (wrong, missing, unreadable) =
            (number(Verdict::Wrong), number(Verdict::Missing), number(Verdict::Unreadable));
        let missing = if args.ignore_missing { 0 } else { missing };
        let none = number(Verdict::Right) + wrong + missing + unreadable == 0;
        if !args.status {
            self.warn(missing + unreadable, "listed file", "could not be read");
            self.warn(wrong, "computed checksum", "did NOT match");
            if none {
                message::say(format_args!("{}: no file was verified", self.list.name));
            }
        }
        Exit::Differs.when(wrong + missing > 0 || none).and(Exit::Failed.when(unreadable > 0))
    }

    fn warn(&self, number: u64, what: &str, happened: &str) {
        if number > 0 {
            message::say(format_args!("WARNING: {} {happened}", count(number, what, &format!("{what}s"))));
        }
    }
}

fn verdict(learner: &mut Learner, claim: &Record, outcome: &Outcome) -> Verdict {
    match &outcome.trouble {
        Some(Trouble::Failed(error)) if is_missing(error) => Verdict::Missing,
        Some(_) => Verdict::Unreadable,
        None => match learner.compare(claim, &outcome.record) {
            audit::Outcome::Same => Verdict::Right,
            audit::Outcome::Different | audit::Outcome::Apart => Verdict::Wrong,
        },
    }
}

fn is_missing(error: &Error) -> bool {
    let kind =
        |source: &io::Error| matches!(source.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory);
    matches!(&error.problem, Problem::Stat(source) | Problem::Open(source) if kind(source))
}

/// One line of the results.
fn print(output: &Output, path: &[u8], word: &str) -> Result<(), WriteError> {
    output.clone().write_all(&line::about(path, word)).map_err(|error| output.error(error))
}
