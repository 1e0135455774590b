//! `hashloom check`: `sha256sum -c` for every kind of list. The lines of a list are taken window by window; all files
//! of a window are hashed side by side, and results are printed in the order of the list.

mod added;
mod list;
mod options;
mod tally;

pub use options::Options;

use crate::exit::Exit;
use crate::learn::{learn_more, named_file};
use crate::line;
use crate::listing::Listing;
use crate::message;
use crate::output::{Output, WriteError};
use crate::plan::tell_notes;
use crate::progress::Heartbeat;
use crate::selection::{identity, path_of, redirected};
use crate::signatures::guard::Guard;
use crate::{signal, stats};
use added::Names;
use hashloom_engine::{Event, Live, Outcome, Plan, Stats, Trouble};
use hashloom_manifest::Record;
use hashloom_manifest::audit::{self, Learner};
use hashloom_source::{Error, Problem};
use list::{Files, List, Wanted, Window};
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use tally::Tally;

/// The command, from options to exit code.
///
/// # Errors
/// If the options do not go together, or the results cannot be written.
pub fn run(args: &Options) -> anyhow::Result<Exit> {
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
    args: &'a Options,
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
    /// The algorithm is not here.
    Unsupported,
}

/// The verdicts of a window, printed in the list's order as they become known.
struct Verdicts<'a> {
    check: &'a Check<'a>,
    window: &'a Window,
    learner: &'a mut Learner,
    tally: &'a mut Tally,
    known: Vec<Option<Verdict>>,
    printed: usize,
}

impl Check<'_> {
    fn lists(&mut self) -> anyhow::Result<Exit> {
        let mut exit = Exit::Fine;
        let mut names = self.args.new.then(Names::default);
        for name in &self.args.lists {
            let listing = match self.guard.pass(name) {
                Ok((listing, notes)) => {
                    notes.iter().filter(|_| !self.args.status).for_each(message::say);
                    listing
                }
                Err(refused) => {
                    message::say(format_args!("{refused:#}"));
                    exit = exit.and(Exit::Unusable.noted());
                    continue;
                }
            };
            exit = exit.and(self.list((name, listing), names.as_mut())?);
            if self.plan.cancel.is_set() {
                return Ok(Exit::Interrupted);
            }
        }
        if let Some(names) = names {
            let output = (!self.args.status).then_some(&self.output);
            exit = exit.and(names.report(self.leave_out(), output)?);
        }
        Ok(exit)
    }

    fn leave_out(&self) -> Vec<(u64, u64)> {
        let lists = self.args.lists.iter().filter_map(|list| identity(Path::new(list)));
        lists.chain(redirected()).collect()
    }

    /// Checks one list.
    fn list(
        &mut self,
        (name, listing): (&OsStr, Listing),
        mut names: Option<&mut Names>,
    ) -> Result<Exit, WriteError> {
        let mut list = match List::open((name, listing), self.args) {
            Ok(list) => list,
            Err(error) => {
                message::about(name.as_encoded_bytes(), error);
                return Ok(Exit::Unusable.noted());
            }
        };
        let mut learner = Learner::default();
        let mut tally = Tally::default();
        let mut exit = Exit::Fine;
        loop {
            let window = match list.window() {
                Ok(Some(window)) => window,
                Ok(None) => break,
                Err(error) => {
                    message::about(name.as_encoded_bytes(), error);
                    exit = Exit::Unusable.noted();
                    break;
                }
            };
            if let Some(names) = &mut names {
                window.paths().for_each(|path| names.add(path));
            }
            self.window(&window, &mut learner, &mut tally)?;
            list.tell_lacking(&window);
            if self.plan.cancel.is_set() {
                return Ok(Exit::Interrupted);
            }
        }
        let judged = list.judge();
        Ok(exit.and(judged).and(tally.judge(&list, &learner, self.args)))
    }

    /// Checks the lines of a window.
    fn window(
        &mut self,
        window: &Window,
        learner: &mut Learner,
        tally: &mut Tally,
    ) -> Result<(), WriteError> {
        learn_more(learner, window.claims.iter().map(|claim| (claim, &*claim.path)), &self.plan);
        let files = window.files(learner);
        let known = window.claims.iter().map(without_digest).collect();
        let mut stats = Stats::default();
        let mut verdicts = Verdicts { check: self, window, learner, tally, known, printed: 0 };
        for (algorithms, wanted) in files.by_algorithms() {
            let plan = Plan { algorithms: algorithms.clone(), ..self.plan.clone() };
            let run = verdicts.hash(&files, wanted, &plan)?;
            stats.add(&run);
            stats.elapsed += run.elapsed;
        }
        verdicts.go_on()?;
        self.stats.elapsed += stats.elapsed;
        self.stats.add(&stats);
        Ok(())
    }
}

impl Verdicts<'_> {
    fn hash(&mut self, files: &Files, wanted: Vec<Wanted>, plan: &Plan) -> Result<Stats, WriteError> {
        let path = |file: &Wanted| self.window.claims[file.first as usize].path.clone();
        let paths: Vec<Box<[u8]>> = wanted.iter().map(path).collect();
        let entries = paths.into_iter().map(|path| named_file(&path));
        let mut wanted = wanted.into_iter();
        let mut done = Ok(());
        let live = Arc::clone(&self.check.live);
        let stats = hashloom_engine::run(plan, entries, &live, &mut |event| {
            let Event::Done(outcome) = event else { return ControlFlow::Continue(()) };
            let Some(file) = wanted.next() else { return ControlFlow::Continue(()) };
            done = self.take(files.claims(file), &outcome);
            if done.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        done.map(|()| stats)
    }

    fn take(&mut self, claims: impl Iterator<Item = usize>, outcome: &Outcome) -> Result<(), WriteError> {
        if let Some(Trouble::Failed(error)) = &outcome.trouble {
            self.tell(error);
        }
        for number in claims {
            let verdict = verdict(self.learner, &self.window.claims[number], outcome);
            self.note(verdict);
            self.known[number] = Some(verdict);
        }
        self.go_on()
    }

    /// Prints as far as all is known.
    fn go_on(&mut self) -> Result<(), WriteError> {
        while let Some(Some(verdict)) = self.known.get(self.printed) {
            let claim = &self.window.claims[self.printed];
            self.tally.count(claim, *verdict);
            self.print(claim, *verdict)?;
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
            Verdict::Unreadable | Verdict::Unsupported => {
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
            Verdict::Unsupported => "UNSUPPORTED",
        };
        print(&self.check.output, &claim.path, word)
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

/// What is true of a claim by an algorithm that is not here. That the file is missing can be told all the same.
fn without_digest(claim: &Record) -> Option<Verdict> {
    let missing = || fs::metadata(path_of(&claim.path)).is_err_and(|error| is_absent(&error));
    match claim.digests.is_empty() {
        true if missing() => Some(Verdict::Missing),
        true => Some(Verdict::Unsupported),
        false => None,
    }
}

fn is_missing(error: &Error) -> bool {
    matches!(&error.problem, Problem::Stat(source) | Problem::Open(source) if is_absent(source))
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// One line of the results.
fn print(output: &Output, path: &[u8], word: &str) -> Result<(), WriteError> {
    output.clone().write_all(&line::about(path, word)).map_err(|error| output.error(error))
}
